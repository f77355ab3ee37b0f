import {randomBytes} from 'node:crypto';
import {closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {fileFailure} from './failures.ts';
import {syncFolder} from './folder.ts';

export interface AtomicWriteOptions {
  /** Permissions of the file (default 0600). */
  mode?: number;
  /**
   * False for files that are only useful while a process runs (status.json): they are not synced, so writing does not
   * wait for the disk.
   */
  durable?: boolean;
}

/**
 * Replaces a file in one step: a reader sees either the old or the new contents, even after a crash or power loss.
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

/** Reports the original error, not that of the clean-up. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, {force: true});
  } catch {
    // litter
  }
}
