import {existsSync, mkdirSync, statSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
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
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // made by somebody else meanwhile
  }
}
