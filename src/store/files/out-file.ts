import {randomBytes} from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {fileFailure} from './failures.ts';
import {syncFolder} from './folder.ts';

/**
 * Writes pieces of text to a file that a flag names. It appears once it is complete, with mode 0600. A device or a pipe
 * is written to, and never replaced. Nothing is written through a link.
 * @throws RemitError STATE naming the file
 */
export async function writeOutFile(
  path: string,
  pieces: AsyncIterable<string> | Iterable<string>,
  flag = '--out',
): Promise<void> {
  if (guarded(path, () => lstatSync(path, {throwIfNoEntry: false}))?.isSymbolicLink() === true)
    throw new RemitError('STATE', `${path} is a symbolic link; nothing is written through one`, {
      hint: `remove the link, or name another file with ${flag}`,
    });
  const isFile = guarded(path, () => statSync(path, {throwIfNoEntry: false}))?.isFile() ?? true;
  const draft = isFile
    ? join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`)
    : path;
  const fd = guarded(path, () => openSync(draft, isFile ? 'wx' : 'w', 0o600));
  try {
    for await (const piece of pieces) guarded(path, () => writeFileSync(fd, piece));
    if (isFile) guarded(path, () => fsyncSync(fd));
  } catch (error) {
    closeSync(fd);
    if (isFile) rmSync(draft, {force: true});
    throw error;
  }
  guarded(path, () => {
    closeSync(fd);
    if (!isFile) return;
    renameSync(draft, path);
    syncFolder(dirname(path));
  });
}

/** Holds what identifies one of our pages. */
const HEAD_BYTES = 512;

/** The first bytes of a file as text; empty if it cannot be read. */
export function headOf(path: string, bytes = HEAD_BYTES): string {
  const head = Buffer.alloc(bytes);
  try {
    const fd = openSync(path, 'r');
    try {
      return head.toString('utf8', 0, readSync(fd, head, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return ''; // an unreadable file is not ours
  }
}

/** @throws RemitError STATE naming the file instead of the error of the system */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}
