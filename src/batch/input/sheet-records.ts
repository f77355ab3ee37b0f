import {counted} from '../../phrases.ts';
import {fstatSync, type Stats} from 'node:fs';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import type {Delimiter} from '../model/plan-facts.ts';
import {ROW_FIELDS} from '../model/row-fields.ts';
import {columnLetters, quotedSheet, type SheetCell, type SheetRow} from '../workbook/cell.ts';
import type {SheetEntry} from '../workbook/parts.ts';
import {refusedWorkbook} from '../workbook/refusal.ts';
import type {Range} from '../workbook/sheet.ts';
import type {Workbook} from '../workbook/workbook.ts';
import {currencyOf} from './amounts.ts';
import {OTHER_CURRENCY} from './issue-groups.ts';
import {type CellRole, readCell, signFault} from './cell-text.ts';
import type {ColumnMap} from './columns.ts';
import {startFrom} from './csv-input.ts';
import {sha256Of} from './file-hash.ts';
import {maskCell} from './issues.ts';
import type {CellFault, InputRecord, RecordSource, SheetPlace, SourceEnd, SourceRules} from './record.ts';

/** Hidden rows and merged ranges that are named. */
const NAMED = 5;

/** A workbook that was opened for a plan. */
export interface OpenSheet {
  path: string;
  fd: number;
  workbook: Workbook;
  sheet: SheetEntry;
  isOneOfSeveral: boolean;
  /** The file for the texts of the workbook, which does not exist yet, in a private folder. */
  spool: string;
  template: readonly string[] | undefined;
}

/** What is counted in a column, and where it was first seen. */
interface ColumnCount {
  count: number;
  first: string;
}

/**
 * The records of one sheet. The first row that is not empty is the header, and the columns of the table are those that
 * have one. Every cell becomes the text that a person would type from what the sheet shows, or an error.
 */
export class SheetRecords implements RecordSource {
  readonly delimiter: Delimiter = ',';
  readonly sheet: SheetPlace;
  readonly #open: OpenSheet;
  readonly #before: Stats;
  /** Column of the sheet for each header. */
  #columns: number[] = [];
  #headers: string[] = [];
  #headerRow = 0;
  #lastRow = 0;
  #roles = new Map<number, {role: CellRole; index: number}>();
  #emptyRecords = 0;
  #hidden = {count: 0, lines: [] as number[]};
  #currencyOf: (cells: string[]) => string = () => '';
  readonly #formulas: ColumnCount = {count: 0, first: ''};
  readonly #numberedNames = new Map<number, ColumnCount>();
  #records = 0;

  constructor(open: OpenSheet) {
    this.#open = open;
    this.#before = fstatSync(open.fd);
    const {name} = open.sheet;
    this.sheet = {
      name,
      quoted: quotedSheet(name),
      isOneOfSeveral: open.isOneOfSeveral,
      lettersOf: (header) => this.#lettersOf(header),
    };
  }

  async *read(): AsyncGenerator<{header: readonly string[]} | {records: InputRecord[]}> {
    const {workbook, sheet, spool} = this.#open;
    for await (const rows of workbook.rows(sheet, spool)) {
      const rest = [...rows];
      if (this.#headerRow === 0) {
        const header = this.#takeHeader(rest);
        if (!header) continue;
        yield {header: this.#headers};
      }
      const records = rest.flatMap((row) => this.#record(row) ?? []);
      if (records.length > 0) yield {records};
    }
    if (this.#headerRow === 0) throw this.#refused('is empty: it has no header', this.#open.template);
    this.#refuseRanges();
  }

  begin(map: ColumnMap, {kind, currency}: SourceRules): void {
    this.#currencyOf = (cells) => currencyOf({cells}, map, {currency});
    const roles = new Map<number, CellRole>(map.kept.map((index) => [index, 'metadata']));
    const role = (name: string, cellRole: CellRole) => {
      const index = map.at[name];
      if (index !== undefined) roles.set(index, cellRole);
    };
    for (const field of ROW_FIELDS)
      if (field.cell !== 'metadata') role(field.wire[kind.kind], ROLES[field.cell]);
    role('amount', 'amount');
    role('reference', 'name');
    this.beginWith(roles);
  }

  beginWith(roles: ReadonlyMap<number, CellRole>): void {
    for (const [index, role] of roles)
      this.#roles.set(must(this.#columns[index], 'column of a header'), {role, index});
  }

  end(): SourceEnd {
    const sha256 = sha256Of(this.#open.fd);
    const after = fstatSync(this.#open.fd);
    if (after.size !== this.#before.size || after.mtimeMs !== this.#before.mtimeMs)
      throw refusedWorkbook(
        this.#open.path,
        'changed while it was read',
        'wait until the program that writes it has finished, then run the same command again',
      );
    return {
      facts: {sha256, bytes: after.size, endsWithNewline: true},
      emptyRecords: this.#emptyRecords,
      hiddenRecords: this.#hidden,
      warnings: this.#warnings(),
    };
  }

  close(): void {
    this.#open.workbook.close();
  }

  /** Removes the rows up to the header. Returns whether it was among them. */
  #takeHeader(rows: SheetRow[]): boolean {
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      const named = row.cells.filter(({text}) => text.trim() !== '');
      if (named.length === 0) continue;
      this.#columns = named.map(({column}) => column);
      this.#headers = named.map(({text}) => text);
      this.#headerRow = row.number;
      this.#lastRow = row.number;
      return true;
    }
    return false;
  }

  #record({number: line, cells, isHidden}: SheetRow): InputRecord | undefined {
    if (!cells.some(isFilled)) {
      this.#emptyRecords++;
      return undefined;
    }
    this.#records++;
    this.#lastRow = line;
    if (isHidden || cells.some((cell) => isFilled(cell) && this.#open.workbook.isStruck(cell))) {
      this.#hidden.count++;
      if (this.#hidden.lines.length < NAMED) this.#hidden.lines.push(line);
    }
    const texts = Array<string>(this.#headers.length).fill('');
    const faults: CellFault[] = [];
    let amount: {index: number; style: number; hasDecimals: boolean} | undefined;
    for (const cell of cells) {
      const place = this.#roles.get(cell.column);
      if (place === undefined) {
        if (isFilled(cell) && !this.#columns.includes(cell.column)) faults.push(outside(cell, line));
        continue; // an ignored column
      }
      const {role, index} = place;
      const reading = this.#read(cell, role, line);
      if ('code' in reading) {
        faults.push({index, ...reading, value: maskCell(reading.value)});
        continue;
      }
      texts[index] = reading.text;
      if (cell.kind === 'number' && (role === 'amount' || role === 'minor'))
        amount = {index, style: cell.style, hasDecimals: reading.hasDecimals ?? false};
    }
    if (amount !== undefined) {
      const {index, style} = amount;
      const message = signFault(this.#open.workbook.format(style), this.#currencyOf(texts));
      if (message !== undefined) {
        faults.push({index, code: OTHER_CURRENCY, message, value: maskCell(texts[index] ?? '')});
        texts[index] = ''; // a CSV with the rows to correct would not show the sign
        amount = undefined;
      }
    }
    return {row: this.#records, line, cells: texts, typed: {faults, amount}};
  }

  #read(cell: SheetCell, role: CellRole, line: number): ReturnType<typeof readCell> {
    const {workbook} = this.#open;
    const name = `${columnLetters(cell.column)}${line}`;
    if (cell.isFormula) note(this.#formulas, name);
    const reading = readCell(cell, role, workbook.format(cell.style), workbook.is1904);
    if ('isNumberedName' in reading && reading.isNumberedName === true) {
      const seen = this.#numberedNames.get(cell.column) ?? {count: 0, first: ''};
      this.#numberedNames.set(cell.column, seen);
      note(seen, name);
    }
    return reading;
  }

  #warnings(): string[] {
    const {quoted} = this.sheet;
    const warnings: string[] = [];
    for (const [column, {count, first}] of this.#numberedNames)
      warnings.push(
        `${counted(count, 'cell')} of the column ${this.#headerOf(column)} ${count === 1 ? 'is a number' : 'are numbers'} (${quoted}!${first}): zeros at their beginning, if any were typed, are lost; to keep them, format the column as text and enter the values again`,
      );
    const {count, first} = this.#formulas;
    if (count > 0)
      warnings.push(
        `${counted(count, 'cell')} ${count === 1 ? 'is a formula' : 'are formulas'} (${quoted}!${first}); the results of the last save are used`,
      );
    for (const {from, to} of this.#open.workbook.facts().hiddenColumns)
      for (const [column] of this.#roles)
        if (column >= from && column <= to)
          warnings.push(
            `the column ${this.#headerOf(column)} (${quoted}!${columnLetters(column)}) is hidden in the sheet, and is used`,
          );
    return warnings;
  }

  /** A merged range has one value, so its other cells look empty. A rule may strike rows through, for some values only. */
  #refuseRanges(): void {
    const {merged, restyled} = this.#open.workbook.facts();
    this.#refuseIn(merged, this.#headerRow, [
      'has merged cells in the table',
      'unmerge them, give each row its values, save, and run the same command again',
    ]);
    this.#refuseIn(restyled, this.#headerRow + 1, [
      'has conditional formatting in the table that strikes text through or changes how numbers are shown',
      'remove these rules, delete the rows that are not to be sent, save, and run the same command again',
    ]);
  }

  #refuseIn(ranges: readonly Range[], firstRow: number, [what, hint]: readonly [string, string]): void {
    const inTable = ranges.filter(
      ({top, left, bottom, right}) =>
        bottom >= firstRow &&
        top <= this.#lastRow &&
        this.#columns.some((column) => column >= left && column <= right),
    );
    if (inTable.length === 0) return;
    const named = inTable.slice(0, NAMED).map(({name}) => `${this.sheet.quoted}!${name}`);
    const more = inTable.length > NAMED ? `, and ${inTable.length - NAMED} more` : '';
    throw this.#refused(`${what}: ${named.join(', ')}${more}`, hint);
  }

  #refused(what: string, hint: string | readonly string[] | undefined): RemitError {
    const {path, sheet} = this.#open;
    return new RemitError('CSV_INVALID', `${path}: sheet ${sheet.name} ${what}`, {
      hint: typeof hint === 'string' || hint === undefined ? hint : startFrom(hint),
    });
  }

  #headerOf(column: number): string {
    return must(this.#headers[this.#columns.indexOf(column)], 'header of a column');
  }

  #lettersOf(header: string): string | undefined {
    const column = this.#columns[this.#headers.indexOf(header)];
    return column === undefined ? undefined : columnLetters(column);
  }
}

/** How the cells of each field are read. */
const ROLES: Readonly<Record<Exclude<(typeof ROW_FIELDS)[number]['cell'], 'metadata'>, CellRole>> = {
  party: 'name',
  uuid: 'name',
  amount: 'minor',
  currency: 'code',
  rail: 'code',
  day: 'day',
};

const isFilled = ({kind, text}: SheetCell): boolean => kind !== 'text' || text.trim() !== '';

const outside = ({column}: SheetCell, line: number): CellFault => ({
  index: -1,
  code: 'outside-table',
  message: `cell ${columnLetters(column)}${line} has a value, but its column has no header; name the column, or clear the cell`,
  value: '',
});

function note(seen: ColumnCount, name: string): void {
  seen.count++;
  if (seen.count === 1) seen.first = name;
}
