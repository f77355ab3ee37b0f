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
import {codeOf} from '../../narrow.ts';
import {fileFailure} from './failures.ts';

/**
 * Creates a folder and its parents, readable only by their owner (0700). An existing folder is left unchanged.
 * @throws RemitError STATE
 */
export function makeFolder(path: string): void {
  try {
    const missing = missingFolders(resolve(path));
    for (const folder of missing) makeOne(folder);
    if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path); // shows whether it is a file
  } catch (error) {
    throw fileFailure(error, 'make the folder', path);
  }
}

/**
 * Creates folders from the top. Node's own `recursive` loops forever if a folder cannot be created although its
 * parent exists and the system reports ENOENT, as under /proc; otherwise it reports ENOENT for any problem.
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
    if (codeOf(error) !== 'EEXIST') throw error; // another process has just created it
  }
}

/**
 * Makes the names in a folder durable, and the name of the folder itself: the contents of a folder are lost if a
 * folder above it is lost in a power cut. Existing folders may not be durable: a killed process may have created them
 * without syncing. Stops at a folder that is not writable, because we created no name there.
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

/** Errors of file systems that do not sync folders. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'EPERM',
  'ENOTSUP',
  'ENOSYS',
  'EBADF',
]);

/**
 * Makes names in a folder durable. Windows cannot open folders, some network file systems cannot sync them, and
 * parent folders may not be readable.
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
