import {closeSync, fsyncSync, openSync, readSync, writeSync} from 'node:fs';
import {codeOf} from '../../narrow.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes the log of a database once more, over itself, and syncs it. A failed sync leaves pages that can be read but
 * are never written to disk: the next sync succeeds, and without those pages the log is useless if the power fails
 * while it is being applied to the database. If the last process did not end cleanly, this may have happened.
 */
export function writeLogAgain(database: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(`${database}-wal`, 'r+');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let at = 0;
    for (;;) {
      const read = readSync(descriptor, chunk, 0, chunk.length, at);
      if (read === 0) break;
      let written = 0;
      while (written < read) written += writeSync(descriptor, chunk, written, read - written, at + written);
      at += read;
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
