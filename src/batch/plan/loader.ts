import {nextTurn} from '../../clock.ts';
import {formatMajor} from '../../money/amount.ts';
import {ownJson} from '../../narrow.ts';
import {type Draft, PAGE} from '../journal/draft.ts';
import {AmountFormats, waitsForOthers} from '../input/amount-format.ts';
import {amountText, currencyOf, type Decimals} from '../input/amounts.ts';
import {cellsAt, type ColumnMap, headerAt} from '../input/columns.ts';
import type {InputRecord} from '../input/record.ts';
import {referenceOfContent} from '../model/identity.ts';
import {hashText} from '../model/name-hash.ts';
import {pagesOf} from '../model/pages.ts';
import type {Buckets} from './buckets.ts';
import {alikeText} from './figures.ts';
import {RowSet} from '../input/row-set.ts';
import {type PlannedRow, readRow, type RowRules} from '../input/rows.ts';
import {ExposedNumbers} from './exposed-numbers.ts';

/** Texts of the rows of a plan, used to find duplicates. */
export interface RowTexts {
  references: Buckets;
  /** Fingerprints, if the file has no references. */
  contents: Buckets;
  /** Rows with the same text look like a double payment. */
  alike: Buckets;
}

/** Checks records and writes them into the plan, one page at a time. */
export class PlanLoader {
  readonly #draft: Draft;
  readonly #map: ColumnMap;
  readonly #rules: RowRules;
  readonly #texts: RowTexts;
  readonly #formats = new AmountFormats();
  /** Rows whose amounts are read after those of the other rows. */
  readonly #waiting = new RowSet();
  readonly #decimals = new Set<Decimals>();
  readonly #numbers = new ExposedNumbers();
  #anyWaits = false;

  /** Records loaded so far, valid or not. */
  records = 0;
  /** How ambiguous amounts were read, and which rows expose a number. */
  readonly warnings: string[] = [];

  constructor(draft: Draft, map: ColumnMap, rules: RowRules, texts: RowTexts) {
    this.#draft = draft;
    this.#map = map;
    this.#rules = rules;
    this.#texts = texts;
  }

  load(records: readonly InputRecord[]): void {
    this.#draft.transaction(() => {
      for (const record of records) this.#loadOne(record);
    });
  }

  #loadOne(record: InputRecord): void {
    this.records++;
    this.#draft.addRecord(record.row, record.line, JSON.stringify(keptCells(record.cells, this.#map)));
    if (this.#mustWait(record)) return;
    const {decimals} = this.#read(record, this.#rules);
    if (decimals === 'proven' && !this.#formats.hasPoint && record.typed?.amount === undefined)
      this.#formats.notePoint(amountText(record, this.#map), record.line);
  }

  /** Whether an amount is ambiguous by itself; then the record is read after the last one. */
  #mustWait(record: InputRecord): boolean {
    const {amountUnit, numberFormat} = this.#rules;
    if (amountUnit === 'minor' || numberFormat !== undefined || this.#map.at['amount'] === undefined)
      return false;
    if (record.cells.length !== this.#map.headers.length) return false;
    const {typed} = record;
    if (typed !== undefined && (typed.amount !== undefined || typed.faults.length > 0)) return false;
    const text = amountText(record, this.#map);
    if (!waitsForOthers(text)) return false;
    this.#formats.note(text, currencyOf(record, this.#map, this.#rules), record.line);
    this.#waiting.add(record.row);
    this.#anyWaits = true;
    return true;
  }

  #read(record: InputRecord, rules: RowRules): ReturnType<typeof readRow> {
    const read = readRow(record, this.#map, rules);
    this.#decimals.add(read.decimals);
    for (const issue of read.issues) this.#draft.addIssue(issue);
    if (read.row !== undefined) this.#insert(read.row);
    return read;
  }

  #insert(row: PlannedRow): void {
    const name = this.#name(row);
    this.#numbers.note(row);
    const alike = alikeText(row);
    this.#texts.alike.add(hashText(alike), row.row, alike);
    this.#draft.addRow(row, name);
  }

  /** A row without a reference counts as the first of its content until all rows are known. */
  #name({row: n, reference, fold, fingerprint}: PlannedRow): {reference: string; fold: string} {
    if (this.#map.at['reference'] === undefined) {
      this.#texts.contents.add(hashText(fingerprint), n, fingerprint);
      const first = referenceOfContent(fingerprint, 1);
      return {reference: first, fold: first};
    }
    this.#texts.references.add(hashText(fold), n, reference);
    return {reference, fold};
  }

  /** Reads the ambiguous amounts after the last record, and makes the checks that need the whole file. */
  async finish(): Promise<void> {
    if (this.#anyWaits) await this.#readWaiting();
    this.#checkUnit();
    this.warnings.push(...this.#numbers.warnings());
  }

  async #readWaiting(): Promise<void> {
    const {format, doubt} = this.#formats.found();
    const rules = {...this.#rules, foundFormat: format, formatDoubt: doubt};
    let example: string | undefined;
    for (const page of pagesOf((after) => this.#draft.records(after), PAGE)) {
      this.#draft.transaction(() => {
        for (const {n, line, cells} of page) {
          if (!this.#waiting.has(n)) continue;
          const record = {row: n, line, cells: fileCells(cells, this.#map)};
          const {row} = this.#read(record, rules);
          if (row === undefined) continue;
          const value = `${formatMajor(BigInt(row.amount), row.currency)} ${row.currency}`;
          example ??= `${amountText(record, this.#map)} on line ${row.line} is ${value}`;
        }
      });
      await nextTurn();
    }
    if (format !== undefined && example !== undefined)
      this.warnings.push(
        `amounts are read as ${format}: ${example}; if that is wrong, declare --number-format`,
      );
  }

  /**
   * A column `amount` without a single decimal point might hold cents, which would be a hundred times too much, so
   * the file must declare its unit. No row is known to be right then, even with --valid-only.
   */
  #checkUnit(): void {
    const {amountUnit} = this.#rules;
    const index = this.#map.at['amount'];
    if (index === undefined || amountUnit !== undefined || this.#decimals.has('proven')) return;
    if (!this.#decimals.has('none')) return; // the errors of the rows already cover it
    const isSeen = this.#decimals.has('seen');
    this.#draft.addIssue({
      row: 0,
      line: 0,
      column: headerAt(this.#map, index),
      code: 'amount-unit',
      message: isSeen
        ? 'only rows with errors have an amount with a decimal point, so the others could be dollars or cents; fix those rows, or add --amount-unit major or --amount-unit minor'
        : 'no amount has a decimal point, so this could be dollars or cents; add --amount-unit major or --amount-unit minor',
      value: '',
    });
    this.#draft.removeRows();
    for (const buckets of [this.#texts.references, this.#texts.contents, this.#texts.alike]) buckets.clear();
  }
}

/** The cells that are stored. In a row with too many or too few cells, any cell may belong to an ignored column. */
function keptCells(cells: readonly string[], {headers, kept}: ColumnMap): readonly string[] {
  if (kept.length === headers.length) return cells;
  return cells.length === headers.length ? cellsAt(cells, kept) : [];
}

/** Puts stored cells back in their places in the file. */
function fileCells(stored: string, {headers, kept}: ColumnMap): string[] {
  const cells = Array<string>(headers.length).fill('');
  const keptOnes = ownJson<string[]>(stored); // written by the loader
  for (const [at, index] of kept.entries()) cells[index] = keptOnes[at] ?? '';
  return cells;
}
