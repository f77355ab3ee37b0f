import type {Store} from '../../store/port/port.ts';

/**
 * The sandbox's tables. A change is a file of its own in `migrations/`, named like `002-moves.ts`, with one export:
 *
 *     export const moves: SandboxMigration = {
 *       name: '002-moves', // as the file: the database remembers it
 *       sql: ({clustered}) => `create table moves (... primary key (entity_id, id))${clustered};`,
 *     };
 *
 * and one line at the end of `ALL` in `list.ts`. Entries that were released never change, move or go away.
 *
 * SQL that SQLite and PostgreSQL both take: `text` for ids, `bigint` for numbers (0 and 1 for booleans), times in
 * milliseconds (`..._ms`), JSON as text; indexes that a list's order needs. A table of records that `sandbox reset`
 * shall empty is named in `RECORDS` of `entities.ts` as well; a checkpoint copies every table without being told.
 */
export interface SandboxMigration {
  readonly name: string;
  readonly sql: (words: DialectWords) => string;
}

/** The differences between the two databases. */
export interface DialectWords {
  /** The database that alone needs the change. */
  dialect: Store['dialect'];
  /**
   * Ends a `create table` whose primary key is the order in which its rows are read: SQLite then stores the rows in
   * that order and needs no second index. Empty on PostgreSQL.
   */
  clustered: string;
}
