import {statSync} from 'node:fs';
import {RemitError} from '../../errors.ts';
import type {SqliteDatabase} from '../port/port.ts';

/**
 * A file up to this size is checked at each start, which takes about 50 ms. A larger one is checked only after an
 * unclean end.
 */
const ALWAYS_BYTES = 32 * 1024 * 1024;

/** Whether the file should be checked: it is small, or its last process left a WAL, as a killed one does. */
export function needsCheck(file: string): boolean {
  const size = (path: string) => statSync(path, {throwIfNoEntry: false})?.size ?? 0;
  return size(file) <= ALWAYS_BYTES || size(`${file}-wal`) > 0;
}

/**
 * Reads every page: order, pointers and lengths, but not whether indexes and rows agree (`PRAGMA quick_check`).
 * @throws {RemitError} STATE_DAMAGED
 */
export function checkIntegrity(db: SqliteDatabase, file: string): void {
  const found = findDamage(db);
  if (found === undefined) return;
  throw new RemitError('STATE_DAMAGED', `The database ${file} is damaged: ${found}`, {
    // Without the file, the next start creates an empty one.
    hint: `mv '${file}' '${file}.damaged'`,
    details: {file, found},
  });
}

function findDamage(db: SqliteDatabase): string | undefined {
  try {
    const row = db.prepare('PRAGMA quick_check(1)').get();
    const found = String(row === undefined ? 'the check returned nothing' : Object.values(row)[0]);
    return found === 'ok' ? undefined : found.replaceAll('\n', ' ');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
