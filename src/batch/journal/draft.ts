import {BulkInsert} from '../../store/port/bulk-insert.ts';
import type {SqliteDatabase, SqliteStatement} from '../../store/port/port.ts';
import type {Issue} from '../model/issue.ts';
import {FIELD_NAMES, type RowContent} from '../model/row-fields.ts';
import {pagesOf} from '../model/pages.ts';
import {DraftPages} from './draft-pages.ts';

/** A record of the file as it is stored. */
export interface DraftRecord {
  n: number;
  line: number;
  /** JSON array of texts. */
  cells: string;
}

/** A valid row without its reference, which may be derived from its content. */
export interface DraftRow extends RowContent {
  /** 1 for the first record after the header. */
  row: number;
  line: number;
  fingerprint: string;
}

/** The parts of a row that the figures and the hash of a plan depend on. */
export interface SummedRow {
  n: number;
  reference: string;
  /** Minor units. */
  amount: number;
  currency: string;
  rail: string | null;
  scheduled: string | null;
  fingerprint: string;
}

/** The parts of a row that are shown. */
export interface ShownRow {
  line: number;
  reference: string;
  party: string;
  amount: number;
  currency: string;
}

/** Rows per page. */
export const PAGE = 1000;

/** The tables of a plan while it is made from a file: records, valid rows and issues. None of it was ever sent. */
export class Draft {
  readonly pages: DraftPages;
  readonly #db: SqliteDatabase;
  readonly #insertRecord: SqliteStatement;
  readonly #insertRow: SqliteStatement;
  readonly #insertIssue: SqliteStatement;
  readonly #names: BulkInsert;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.pages = new DraftPages(db);
    this.#insertRecord = db.prepare('insert into cells (n, line, cells) values (?, ?, ?)');
    this.#insertRow = db.prepare(
      `insert into rows (n, line, reference, fold, fingerprint, ${FIELD_NAMES.join(', ')})
       values (?, ?, ?, ?, ?, ${FIELD_NAMES.map(() => '?').join(', ')})`,
    );
    this.#insertIssue = db.prepare(
      'insert into issues (n, line, col, code, message, value) values (?, ?, ?, ?, ?, ?)',
    );
    this.#names = new BulkInsert(db, {head: 'insert into row_names (hash, n)', row: '(?, ?)'});
  }

  transaction(work: () => void): void {
    this.#db.transaction(work);
  }

  addRecord(n: number, line: number, cells: string): void {
    this.#insertRecord.run(n, line, cells);
  }

  addRow(row: DraftRow, {reference, fold}: {reference: string; fold: string}): void {
    const content = FIELD_NAMES.map((name) => row[name]);
    this.#insertRow.run(row.row, row.line, reference, fold, row.fingerprint, ...content);
  }

  addIssue({row, line, column, code, message, value}: Issue): void {
    this.#insertIssue.run(row, line, column, code, message, value);
  }

  /** Index by which a journal finds the row of a reference: `hash, n` alternating, in ascending order. */
  addNames(hashesAndRows: readonly number[]): void {
    this.#names.run(hashesAndRows);
  }

  /** Sets the name of a row that is derived from its content. */
  rename(n: number, reference: string): void {
    this.#db.prepare('update rows set reference = ?, fold = ? where n = ?').run(reference, reference, n);
  }

  removeRow(n: number): void {
    this.#db.prepare('delete from rows where n = ?').run(n);
  }

  removeRows(): void {
    this.#db.exec('delete from rows');
  }

  lineOf(n: number): number {
    return this.#db.prepare<{line: number}>('select line from rows where n = ?').one(n).line;
  }

  shown(n: number): ShownRow {
    return this.#db
      .prepare<ShownRow>('select line, reference, party, amount, currency from rows where n = ?')
      .one(n);
  }

  /** Records after `after`, one page at a time; an empty page is the end. */
  records(after: number): DraftRecord[] {
    return this.#db
      .prepare<DraftRecord>(`select n, line, cells from cells where n > ? order by n limit ${PAGE}`)
      .all(after);
  }

  /** Valid rows after `after`, one page at a time; an empty page is the end. */
  rows(after: number): SummedRow[] {
    return this.#db
      .prepare<SummedRow>(
        `select n, reference, amount, currency, rail, scheduled, fingerprint from rows where n > ? order by n limit ${PAGE}`,
      )
      .all(after);
  }

  /** The first issues, in row order. */
  firstIssues(limit: number): Issue[] {
    return this.#db
      .prepare<Issue>(
        `select n as row, line, col as "column", code, message, value from issues order by n, seq limit ?`,
      )
      .all(limit);
  }

  /** All issues in the order in which they were found, read in pages so that memory does not grow with the file. */
  *issues(): Generator<Issue> {
    const page = this.#db.prepare<Issue & {n: number}>(
      `select seq as n, n as row, line, col as "column", code, message, value from issues where seq > ? order by seq limit ${PAGE}`,
    );
    for (const rows of pagesOf((after) => page.all(after), PAGE))
      for (const {row, line, column, code, message, value} of rows)
        yield {row, line, column, code, message, value};
  }
}
