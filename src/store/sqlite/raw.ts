import type {SqlRow, SqlValue} from '../port/port.ts';

/**
 * The interface of a driver adapter: plain SQLite without our rules; `sqlite.ts` adds errors, caching and
 * transactions.
 */
export interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): RawStatement;
  readonly inTransaction: boolean;
  /** Also finalizes all statements. */
  close(): void;
}

/** Leaves nothing open: after each call the statement is reset. */
export interface RawStatement {
  run(params: SqlValue[]): number;
  get(params: SqlValue[]): SqlRow | undefined;
  all(params: SqlValue[]): SqlRow[];
}
