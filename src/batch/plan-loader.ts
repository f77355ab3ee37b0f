import type {SqliteDatabase} from '../store/port.ts';
import type {ColumnMap} from './columns.ts';
import type {CsvRecord} from './csv-records.ts';
import type {Issue} from './issues.ts';
import {readRow, type RowRules} from './rows.ts';

/** Prepares the statement that keeps an issue in the plan. */
export function insertIssue(db: SqliteDatabase): (issue: Issue) => void {
  const insert = db.prepare(
    'insert into issues (n, line, col, code, message, value) values (?, ?, ?, ?, ?, ?)',
  );
  return ({row, line, column, code, message, value}) =>
    void insert.run(row, line, column, code, message, value);
}

/** Checks records and writes them into the plan, a page at a time. */
export class PlanLoader {
  readonly #db: SqliteDatabase;
  readonly #map: ColumnMap;
  readonly #rules: RowRules;
  readonly #insertIssue: (issue: Issue) => void;
  readonly #insertRow;
  readonly #insertCells;
  #anyDecimals = false;
  #anyAmount = false;

  constructor(db: SqliteDatabase, map: ColumnMap, rules: RowRules) {
    this.#db = db;
    this.#map = map;
    this.#rules = rules;
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
    this.#insertCells.run(record.row, record.line, JSON.stringify(record.cells));
    issues.forEach(this.#insertIssue);
    if (row === undefined) return;
    const {
      reference,
      fold,
      party,
      amount,
      currency,
      rail,
      method,
      subaccount,
      scheduled,
      metadata,
      fingerprint,
    } = row;
    this.#insertRow.run(
      ...[row.row, row.line, reference, fold, party, amount, currency],
      ...[rail, method, subaccount, scheduled, metadata, fingerprint],
    );
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
  }
}
