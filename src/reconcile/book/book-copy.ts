import {existsSync, mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {copyFile, isUnwritable} from '../../batch/overview/private-copy.ts';
import {RemitError} from '../../errors.ts';
import {assertUnlocked} from '../../store/locks/lock.ts';

/**
 * Copies a book that could not be opened because its folder cannot be written.
 * @throws the error itself if it has another cause, RemitError LOCKED while a process has the book
 */
export async function copyIfUnwritable(
  error: unknown,
  {file, lock}: {file: string; lock: string},
): Promise<{folder: string; remove: () => void}> {
  if (!isUnwritable(error)) throw error;
  const isFree = () => assertUnlocked(lock, {purpose: 'reading what reconcile found'});
  const files = ['-wal', ''].map((suffix) => file + suffix).filter((path) => existsSync(path));
  const stamp = () => files.map((path) => statSync(path).mtimeMs).join();
  const folder = mkdtempSync(join(tmpdir(), 'remit-read-'));
  const remove = () => rmSync(folder, {recursive: true, force: true});
  try {
    await isFree();
    const before = stamp();
    for (const path of files) copyFile(path, join(folder, basename(path)));
    await isFree();
    if (stamp() === before) return {folder, remove};
    throw new RemitError('LOCKED', `${file} changes while it is read`, {hint: 'run the same command again'});
  } catch (failed) {
    remove();
    throw failed;
  }
}
