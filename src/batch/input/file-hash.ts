import {createHash} from 'node:crypto';
import {closeSync, openSync, readSync} from 'node:fs';

const PIECE_BYTES = 1024 * 1024;

/**
 * SHA-256 of a file, in hexadecimal. It is read from its beginning, in pieces: one of a million rows does not fit into a
 * small heap.
 * @param file a path, or a descriptor, whose position stays where it is
 */
export function sha256Of(file: string | number): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const fd = typeof file === 'number' ? file : openSync(file, 'r');
  try {
    for (let at = 0; ;) {
      const read = readSync(fd, piece, 0, PIECE_BYTES, at);
      if (read === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, read));
      at += read;
    }
  } finally {
    if (fd !== file) closeSync(fd);
  }
}
