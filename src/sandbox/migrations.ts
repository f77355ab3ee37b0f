import type {Migration} from '../store/migrate.ts';
import type {Store} from '../store/port.ts';
import {firstSandbox} from './migrations/001-first-sandbox.ts';
import {webhooks} from './migrations/002-webhooks.ts';
import {checkpoints} from './migrations/003-checkpoints.ts';
import {accounts} from './migrations/004-accounts.ts';
import {parkedTimers} from './migrations/005-parked-timers.ts';
import {keyLog} from './migrations/006-key-log.ts';
import {keysOfTransfers} from './migrations/007-keys-of-transfers.ts';

/**
 * The sandbox's tables. A change is a file of its own in `migrations/`, named like `002-moves.ts`, with one export:
 *
 *     export const moves: SandboxMigration = {
 *       name: '002-moves', // as the file: the database remembers it
 *       sql: ({clustered}) => `create table moves (... primary key (entity_id, id))${clustered};`,
 *     };
 *
 * and one line at the end of `ALL`. Entries that were released never change, move or go away.
 *
 * SQL that SQLite and PostgreSQL both take: `text` for ids, `bigint` for numbers (0 and 1 for booleans), times in
 * milliseconds (`..._ms`), JSON as text; indexes that a list's order needs. A table of records that `sandbox reset`
 * shall empty is named in `RECORDS` of `world.ts` as well; a checkpoint copies every table without being told.
 */
export interface SandboxMigration {
  readonly name: string;
  readonly sql: (words: DialectWords) => string;
}

/** What the two databases call differently. */
export interface DialectWords {
  /** For a change that only one of them needs. */
  dialect: Store['dialect'];
  /**
   * Ends a `create table` whose primary key is the order in which its rows are read: SQLite then keeps the rows in that
   * key and no second index is written. Empty on PostgreSQL.
   */
  clustered: string;
}

const ALL: readonly SandboxMigration[] = [
  firstSandbox,
  webhooks,
  checkpoints,
  accounts,
  parkedTimers,
  keyLog,
  keysOfTransfers,
];

const WORDS: Readonly<Record<Store['dialect'], DialectWords>> = {
  sqlite: {dialect: 'sqlite', clustered: ' without rowid'},
  postgres: {dialect: 'postgres', clustered: ''},
};

/** All changes since the first, oldest first, in the words of one database. */
export const migrations = (dialect: Store['dialect']): readonly Migration[] =>
  ALL.map(({name, sql}) => ({name, sql: sql(WORDS[dialect])}));
