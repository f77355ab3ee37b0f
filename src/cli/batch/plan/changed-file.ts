import {createHash} from 'node:crypto';
import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Plan} from '../../../batch/model/plan-facts.ts';

const PIECE_BYTES = 1024 * 1024;

/** The file that a plan was made from, if it still exists and has changed. */
export function changedFile({file}: Plan): string | undefined {
  if (file.path === '-') return undefined;
  const path = join(file.folder, file.name);
  try {
    const found = statSync(path, {throwIfNoEntry: false});
    if (found?.isFile() !== true) return undefined;
    return found.size === file.bytes && sha256Of(path) === file.sha256 ? undefined : path;
  } catch {
    return undefined; // the file is no longer needed, so it need not be readable
  }
}

/** Read in pieces: a file of a million rows does not fit into a small heap. */
function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
      hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
