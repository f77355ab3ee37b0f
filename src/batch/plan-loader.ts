import type {SqliteDatabase} from '../store/port.ts';
import type {ColumnMap} from './columns.ts';
import type {CsvRecord} from './csv-records.ts';
import {referenceOfContent} from './identity.ts';
import type {Issue} from './issues.ts';
import {hashText} from './name-hash.ts';
import type {Buckets} from './plan-buckets.ts';
import {alikeText} from './plan-figures.ts';
import {type PlannedRow, readRow, type RowRules} from './rows.ts';

/** Prepares the statement that keeps an issue in the plan. */
export function insertIssue(db: SqliteDatabase): (issue: Issue) => void {
  const insert = db.prepare(
    'insert into issues (n, line, col, code, message, value) values (?, ?, ?, ?, ?, ?)',
  );
  return ({row, line, column, code, message, value}) =>
    void insert.run(row, line, column, code, message, value);
}

/** Texts of the rows of a plan, to find those that stand twice. */
export interface RowTexts {
  references: Buckets;
  /** Fingerprints, where the file has no references. */
  contents: Buckets;
  /** What looks paid twice when it is the same. */
  alike: Buckets;
}

/** Checks records and writes them into the plan, a page at a time. */
export class PlanLoader {
  readonly #db: SqliteDatabase;
  readonly #map: ColumnMap;
  readonly #rules: RowRules;
  readonly #texts: RowTexts;
  readonly #insertIssue: (issue: Issue) => void;
  readonly #insertRow;
  readonly #insertCells;
  #anyDecimals = false;
  #anyAmount = false;

  /** Records that were loaded, valid or not. */
  records = 0;

  constructor(db: SqliteDatabase, map: ColumnMap, rules: RowRules, texts: RowTexts) {
    this.#db = db;
    this.#map = map;
    this.#rules = rules;
    this.#texts = texts;
    this.#insertIssue = insertIssue(db);
    this.#insertCells = db.prepare('insert into cells (n, line, cells) values (?, ?, ?)');
    this.#insertRow = db.prepare(
      `insert into rows (n, line, reference, fold, party, amount, currency, rail, method, subaccount, scheduled, metadata, fingerprint)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  load(records: readonly CsvRecord[]): void {
    this.#db.transaction(() => {
      for (const record of records) this.#loadOne(record);
    });
  }

  #loadOne(record: CsvRecord): void {
    const {row, issues, hasDecimals} = readRow(record, this.#map, this.#rules);
    this.#anyDecimals ||= hasDecimals;
    this.#anyAmount = true;
    this.records++;
    this.#insertCells.run(record.row, record.line, JSON.stringify(record.cells));
    issues.forEach(this.#insertIssue);
    if (row === undefined) return;
    const {party, amount, currency, rail, method, subaccount, scheduled, metadata, fingerprint} = row;
    const {reference, fold} = this.#name(row);
    const alike = alikeText(row);
    this.#texts.alike.add(hashText(alike), row.row, alike);
    this.#insertRow.run(
      ...[row.row, row.line, reference, fold, party, amount, currency],
      ...[rail, method, subaccount, scheduled, metadata, fingerprint],
    );
  }

  /** A row without a reference counts as the first of its content until all are known. */
  #name({row: n, reference, fold, fingerprint}: PlannedRow): {reference: string; fold: string} {
    if (this.#map.at['reference'] === undefined) {
      this.#texts.contents.add(hashText(fingerprint), n, fingerprint);
      const first = referenceOfContent(fingerprint, 1);
      return {reference: first, fold: first};
    }
    this.#texts.references.add(hashText(fold), n, reference);
    return {reference, fold};
  }

  /**
   * After the last record: a column `amount` without a single decimal point may as well hold cents, which would be a
   * hundred times too much, so the file must say its unit.
   */
  finish(): void {
    const {amountUnit} = this.#rules;
    const index = this.#map.at['amount'];
    if (index === undefined || amountUnit !== undefined || this.#anyDecimals || !this.#anyAmount) return;
    this.#insertIssue({
      row: 0,
      line: 0,
      column: this.#map.headers[index]!,
      code: 'amount-unit',
      message:
        'no amount has a decimal point, so this could be dollars or cents; say --amount-unit major or --amount-unit minor',
      value: '',
    });
    this.#db.exec('delete from rows'); // not one of them is known to be right, also under --valid-only
    for (const buckets of [this.#texts.references, this.#texts.contents, this.#texts.alike]) buckets.clear();
  }
}
