import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {codeOf} from '../narrow.ts';
import {fileFailure} from './failures.ts';

/**
 * Makes a folder, and those above it, readable by their owner only (0700); leaves one that is there as it is.
 * @throws RemitError STATE
 */
export function makeFolder(path: string): void {
  try {
    const missing = missingFolders(resolve(path));
    for (const folder of missing) makeOne(folder);
    if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path); // tells that it is a file
  } catch (error) {
    throw fileFailure(error, 'make the folder', path);
  }
}

/**
 * From the top. Node's own `recursive` spins for ever where a folder cannot be made although its parent is there and the
 * system calls that ENOENT, as under /proc; elsewhere it reports ENOENT for whatever is the matter.
 */
function missingFolders(path: string): string[] {
  const missing: string[] = [];
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) {
    missing.unshift(at);
    at = dirname(at);
  }
  return missing;
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, {mode: 0o700});
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error; // made by somebody else meanwhile
  }
}

/**
 * Makes the names in a folder durable, and its own: what lies in a folder is worth nothing when the power takes one above
 * it. Whether those are there says nothing: a process that was killed may have made them and synced none. Ends at a folder
 * in which we may not write, for we have made no name there.
 * @throws RemitError STATE, naming the folder
 */
export function syncWayTo(folder: string): void {
  let at = resolve(folder);
  try {
    syncFolder(at);
    while (at !== dirname(at) && mayWriteIn(dirname(at))) syncFolder((at = dirname(at)));
  } catch (error) {
    throw fileFailure(error, 'sync the folder', at);
  }
}

function mayWriteIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What file systems say that do not sync folders. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'EPERM',
  'ENOTSUP',
  'ENOSYS',
  'EBADF',
]);

/**
 * Makes names in a folder durable. Windows cannot open folders, some network file systems cannot sync them, and one above
 * ours may not be ours to read.
 */
export function syncFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, 'r');
  } catch (error) {
    const code = codeOf(error);
    if (process.platform === 'win32' || code === 'EACCES' || code === 'EPERM') return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error))) throw error;
  } finally {
    closeSync(descriptor);
  }
}
