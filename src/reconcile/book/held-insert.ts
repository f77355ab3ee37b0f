import {BulkInsert} from '../../store/port/bulk-insert.ts';
import type {SqliteDatabase, SqlValue} from '../../store/port/port.ts';

/** Rows that are inserted together. */
export const HELD_ROWS = 256;

/** Rows of one table that wait to be inserted together. */
export class HeldInsert {
  readonly #insert: BulkInsert;
  readonly #values: SqlValue[] = [];

  constructor(db: SqliteDatabase, table: string, columns: readonly string[], tail = '') {
    this.#insert = new BulkInsert(db, {
      head: `insert into ${table} (${columns.join(', ')})`,
      row: `(${columns.map(() => '?').join(', ')})`,
      tail,
    });
  }

  hold(...row: readonly SqlValue[]): void {
    this.#values.push(...row);
  }

  write(): void {
    this.#insert.run(this.#values);
    this.#values.length = 0;
  }
}
