import {randomBytes} from 'node:crypto';
import {closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {fileFailure} from './failures.ts';
import {syncFolder} from './folder.ts';

export interface AtomicWriteOptions {
  /** Permissions of the file; 0600 unless said. */
  mode?: number;
  /** False for files that are only worth reading while a process runs (status.json): no sync, so no wait for the disk. */
  durable?: boolean;
}

/**
 * Replaces a file as one step: whoever reads it sees the old contents or the new, also after a crash or power loss.
 * The folder must exist. Throws RemitError STATE.
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const {mode = 0o600, durable = true} = options;
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    const descriptor = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(descriptor, data);
      if (durable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    if (durable) syncFolder(dirname(path));
  } catch (error) {
    removeQuietly(temporary);
    throw fileFailure(error, 'write', path);
  }
}

/** The error that made us give up is the one to tell. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, {force: true});
  } catch {
    // litter
  }
}
