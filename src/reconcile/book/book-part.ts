import type {SqliteDatabase} from '../../store/port/port.ts';

/** A part of the book, in one scope. */
export abstract class BookPart {
  protected readonly db: SqliteDatabase;
  protected readonly scope: number;

  constructor(db: SqliteDatabase, scope: number) {
    this.db = db;
    this.scope = scope;
  }
}
