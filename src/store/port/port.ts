/**
 * The SQL port. `SqliteDatabase` is the synchronous driver (node:sqlite, or SQLite in WASM on Node 20) for hot paths
 * that own their file: the batch journal. `Store` is the asynchronous port, which PostgreSQL also implements. SQL is
 * written with `?` placeholders. A database file is only opened under our own lock (`lock.ts`).
 */

/** Values that both drivers accept and return reliably: integers must be safe, or bigint. */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface SqliteStatement<Row = SqlRow> {
  /** Number of changed rows. */
  run(...params: SqlValue[]): number;
  get(...params: SqlValue[]): Row | undefined;
  /** The row of a query that always finds one, such as a count. */
  one(...params: SqlValue[]): Row;
  all(...params: SqlValue[]): Row[];
}

export interface SqliteDatabase {
  readonly driver: 'node:sqlite' | 'wasm';
  /** Also false after SQLite itself rolled back, as it does on a full disk. */
  readonly inTransaction: boolean;
  exec(sql: string): void;
  /**
   * Kept and shared by its text for as long as the database is open: put values into parameters, not into the text.
   * `Row` names the columns that the query reads, as the tables define them; rows are not checked again.
   */
  prepare<Row extends object = SqlRow>(sql: string): SqliteStatement<Row>;
  /** BEGIN IMMEDIATE, `work`, COMMIT; ROLLBACK if `work` throws. A failed COMMIT is fatal: it closes the database. */
  transaction<T>(work: () => T): T;
  /** The parts of `transaction`, for work that cannot be one synchronous function. */
  begin(): void;
  commit(): void;
  /**
   * Does nothing outside a transaction. `reason` is reported if the rollback fails too, which closes the database.
   */
  rollback(reason?: unknown): void;
  /** Releases statements and file; safe to call twice. */
  close(): void;
}

/** `full` survives power loss at each commit (journal); `normal` survives SIGKILL (sandbox). */
export type Durability = 'full' | 'normal';

export interface Queries {
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  get(sql: string, params?: readonly SqlValue[]): Promise<SqlRow | undefined>;
  all(sql: string, params?: readonly SqlValue[]): Promise<SqlRow[]>;
}

export interface WriteOptions {
  /**
   * No other process writes at the same time: for changes to everything, which would always conflict with small ones.
   */
  alone?: boolean | undefined;
}

/** A copy of all tables, while a change reads it. */
export interface Copy {
  /** The store's own tables. */
  readonly tables: readonly string[];
  /** How SQL names a table of the copy. */
  of(table: string): string;
}

/**
 * The guarantee of both databases: changes have the same result as if they had run one after the other, in any
 * process. `work` may run more than once (PostgreSQL undoes one of two conflicting changes, SQLite a group in which
 * one throws), so it uses only `queries`, or has only side effects that may happen twice. A failed query ends its
 * work: catching the error and continuing is refused at the end.
 */
export interface Store {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads of one consistent snapshot. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** The rows of one query. Cheaper than `read` if each step is a round trip to a server. */
  glance(sql: string, params?: readonly SqlValue[]): Promise<SqlRow[]>;
  /**
   * One atomic change: all of `work` or nothing. On SQLite, waiting changes are committed together, and each promise
   * resolves only after the common commit. A change that throws does not affect the others: if it had changed
   * something, all of them run again.
   */
  write<T>(work: (queries: Queries) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Copies all tables as one consistent snapshot; an older copy with that name is replaced. Names: see
   * `copy-name.ts`.
   */
  saveCopy(name: string): Promise<void>;
  /**
   * A `write` that also reads a copy, alone.
   * @throws RemitError STATE if there is no such copy, STATE_DAMAGED if it cannot be read
   */
  writeFromCopy<T>(name: string, work: (queries: Queries, copy: Copy) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
