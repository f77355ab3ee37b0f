import {chmodSync, existsSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {checkCopyName, noCopy} from '../files/copy-name.ts';
import {fileFailure} from '../files/failures.ts';
import {makeFolder} from '../files/folder.ts';
import type {Copy, SqliteDatabase} from '../port/port.ts';

/** Copies of a database are in a folder next to it. */
const fileOf = (database: string, name: string) =>
  join(`${database}-checkpoints`, `${checkCopyName(name)}.db`);

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Writes a named copy of the database, by rename. Outside a transaction. */
export function saveCopy(db: SqliteDatabase, database: string, name: string): void {
  const file = fileOf(database, name);
  const temporary = `${file}.tmp`;
  try {
    makeFolder(`${database}-checkpoints`);
    rmSync(temporary, {force: true});
    db.exec(`VACUUM INTO ${quoted(temporary)}`);
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (error) {
    throw fileFailure(error, 'write the checkpoint', file);
  }
}

/** Attaches a copy for reading, until `detach`. Outside a transaction. */
export function attachCopy(
  db: SqliteDatabase,
  database: string,
  name: string,
): {copy: Copy; detach: () => void} {
  const file = fileOf(database, name);
  if (!existsSync(file)) throw noCopy(name, file);
  const detach = () => db.exec('DETACH DATABASE checkpoint');
  db.exec(`ATTACH DATABASE ${quoted(file)} AS checkpoint`);
  try {
    checkAttached(db, file);
    const tables = db.prepare("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name").all();
    return {
      copy: {tables: tables.map((row) => String(row['name'])), of: (table) => `checkpoint.${table}`},
      detach,
    };
  } catch (error) {
    detach();
    throw error;
  }
}

function checkAttached(db: SqliteDatabase, file: string): void {
  let found: unknown;
  try {
    found = db.prepare('PRAGMA checkpoint.quick_check(1)').get()?.['quick_check'];
  } catch (error) {
    found = error instanceof Error ? error.message : error;
  }
  if (found === 'ok') return;
  throw new RemitError('STATE_DAMAGED', `The checkpoint ${file} cannot be read: ${String(found)}`, {
    hint: 'remit sandbox checkpoint list',
    details: {file},
  });
}
