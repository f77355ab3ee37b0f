import {createHash} from 'node:crypto';
import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Plan} from '../../../batch/model/plan-facts.ts';

const PIECE_BYTES = 1024 * 1024;

/** The file that a plan was made from, where it is still there and holds something else by now. */
export function changedFile({file}: Plan): string | undefined {
  if (file.path === '-') return undefined;
  const path = join(file.folder, file.name);
  try {
    const found = statSync(path, {throwIfNoEntry: false});
    if (found?.isFile() !== true) return undefined;
    return found.size === file.bytes && sha256Of(path) === file.sha256 ? undefined : path;
  } catch {
    return undefined; // it is not needed any more, so it need not be readable either
  }
}

/** Read by the piece: a file of a million rows does not fit into memory that is kept small. */
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
