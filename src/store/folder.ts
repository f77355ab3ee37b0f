import {existsSync, mkdirSync} from 'node:fs';
import {dirname} from 'node:path';
import {fileFailure} from './failures.ts';

/**
 * Makes a folder, and those above it, readable by their owner only (0700); leaves one that is there as it is.
 * @throws RemitError STATE
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, {recursive: true, mode: 0o700});
  } catch (error) {
    throw fileFailure(trueReason(error, path), 'make the folder', path);
  }
}

/** Node reports ENOENT for whatever keeps `recursive` from making the first folder; making just that one tells. */
function trueReason(error: unknown, path: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  let first = path;
  while (!existsSync(dirname(first)) && dirname(first) !== first) first = dirname(first);
  try {
    mkdirSync(first, {mode: 0o700});
    return error;
  } catch (reason) {
    return reason;
  }
}
