import type {SqliteDatabase} from '../../store/port/port.ts';

/** Numbered pages of text that do not fit in memory while a plan is made. The table is not part of the plan. */
export class DraftPages {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  create(): void {
    this.#db.exec('create table plan_pages (id integer primary key, records text not null)');
  }

  drop(): void {
    this.#db.exec('drop table plan_pages');
  }

  transaction(work: () => void): void {
    this.#db.transaction(work);
  }

  write(id: number, text: string): void {
    this.#db.prepare('insert into plan_pages (id, records) values (?, ?)').run(id, text);
  }

  read(id: number): string {
    return this.#db.prepare<{records: string}>('select records from plan_pages where id = ?').one(id).records;
  }

  remove(first: number, last: number): void {
    this.#db.prepare('delete from plan_pages where id between ? and ?').run(first, last);
  }
}
