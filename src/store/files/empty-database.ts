import {closeSync, existsSync, openSync, readSync, rmSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import {writeFileAtomic} from './atomic-file.ts';
import {fileFailure} from './failures.ts';
import {makeFolder} from './folder.ts';

export type PageBytes = 4096 | 16_384;
const MAGIC = 'SQLite format 3\0';

/**
 * The first page of an empty database that is already in WAL mode, byte for byte as SQLite 3.53 writes it (file
 * format: https://sqlite.org/fileformat2.html). A database is created by renaming this file into place. If SQLite
 * switched a new file to WAL, it would write its first page through a rollback journal, which the WASM driver cannot
 * recover.
 */
export function emptyDatabase(pageBytes: PageBytes = 4096): Uint8Array {
  const page = Buffer.alloc(pageBytes);
  page.write(MAGIC, 0, 'latin1');
  page.writeUInt16BE(pageBytes, 16);
  page[18] = 2; // written by WAL
  page[19] = 2; // read by WAL
  page.set([64, 32, 32], 21); // fixed payload fractions
  page.writeUInt32BE(1, 24); // change counter
  page.writeUInt32BE(1, 28); // pages
  page.writeUInt32BE(1, 92); // the change counter for which the page count is valid
  page.writeUInt32BE(3_053_004, 96); // version of the library that wrote it
  page[100] = 13; // an empty table leaf: the schema
  page.writeUInt16BE(pageBytes, 105); // its cells begin at the end of the page
  return page;
}

/**
 * Creates the folder (0700) and an empty database (0600) if there is none, and refuses a file that is not a database.
 * An empty file counts as none; an existing database is not changed. Throws RemitError STATE or STATE_DAMAGED.
 */
export function ensureDatabaseFile(file: string, pageBytes?: PageBytes): void {
  const header = readHeader(file);
  if (header === undefined || header.length === 0) {
    makeFolder(dirname(file));
    removeForeignLog(`${file}-wal`);
    writeFileAtomic(file, emptyDatabase(pageBytes), {mode: 0o600});
    return;
  }
  if (!header.equals(Buffer.from(MAGIC, 'latin1'))) {
    throw new RemitError(
      'STATE_DAMAGED',
      `Could not open ${file}: it is not a remit database, or its beginning was overwritten`,
      {
        hint: 'restore the file from a backup, or move it to start with an empty one',
        details: {file},
      },
    );
  }
  refuseRollbackJournal(file);
}

/** The log of a database that was moved away: SQLite would apply it to the new one. */
function removeForeignLog(file: string): void {
  if (!existsSync(file)) return;
  try {
    rmSync(file, {force: true});
  } catch (error) {
    throw fileFailure(error, 'remove', file);
  }
}

/** First bytes of the file, or undefined if there is none. */
function readHeader(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileFailure(error, 'open', file);
  }
  try {
    const header = Buffer.alloc(MAGIC.length);
    return header.subarray(0, readSync(descriptor, header, 0, header.length, 0));
  } catch (error) {
    throw fileFailure(error, 'read', file);
  } finally {
    closeSync(descriptor);
  }
}

/** We never write one, so another program did. The WASM driver would silently ignore it and read half of a change. */
function refuseRollbackJournal(file: string): void {
  const journal = statSync(`${file}-journal`, {throwIfNoEntry: false});
  if (journal === undefined || journal.size === 0) return;
  throw new RemitError(
    'STATE_DAMAGED',
    `Could not open ${file}: another program was interrupted while changing the file`,
    {
      hint: `let SQLite repair it: sqlite3 '${file}' 'PRAGMA journal_mode = wal'`,
      details: {file, journal: `${file}-journal`},
    },
  );
}
