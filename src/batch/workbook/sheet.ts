import {cellPlace, MOST_COLUMNS, MOST_ROWS, type SheetCell, type SheetRow} from './cell.ts';
import {brokenWorkbook} from './refusal.ts';
import type {SharedStrings} from './shared-strings.ts';
import {isStrike, isTrue, unescaped, type XmlHandler} from './xml.ts';

/** A range of merged cells; rows count from 1, columns from 0. */
export interface Range {
  name: string;
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Merged ranges that are kept, to name them. */
const KEPT_RANGES = 10_000;

interface OpenCell {
  column: number;
  type: string;
  style: number;
  isFormula: boolean;
  isStruck: boolean;
  hasValue: boolean;
  /** Elements `v` so far. */
  values: number;
  value: string;
}

/** Reads the rows of a sheet in the order of the file. `take()` returns those that are complete. */
export class SheetReader implements XmlHandler {
  readonly #path: string;
  readonly #what: string;
  readonly #strings: SharedStrings | undefined;
  #rows: SheetRow[] = [];
  #row: SheetRow | undefined;
  #cell: OpenCell | undefined;
  #lastRow = 0;
  #isData = false;
  #takesText = false;
  #isPhonetic = false;
  #hasData = false;

  readonly hiddenColumns: {from: number; to: number}[] = [];
  readonly merged: Range[] = [];
  /** Rules that format cells by their values, with the number of their format. */
  readonly rules: {dxfId: number; range: Range}[] = [];
  #ruled: Range[] = [];

  /** @param what the sheet, as errors name it */
  constructor(path: string, what: string, strings: SharedStrings | undefined) {
    this.#path = path;
    this.#what = what;
    this.#strings = strings;
  }

  get hasData(): boolean {
    return this.#hasData;
  }

  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#cell !== undefined) {
      if (name === 'f') this.#cell.isFormula = true;
      else if (name === 'strike') this.#cell.isStruck ||= isStrike(attributes);
      else if (name === 'rPh') this.#isPhonetic = true;
      else if (name === 'v' || name === 't') {
        if (name === 'v' && this.#cell.values++ > 0) throw this.#broken('a cell has two values'); // 1 and 0 are not 10
        this.#cell.hasValue = true;
        this.#takesText = true;
      }
    } else if (name === 'c' && this.#row !== undefined) this.#cell = this.#begin(this.#row, attributes);
    else if (name === 'row' && this.#isData) this.#row = this.#beginRow(attributes);
    else if (name === 'sheetData') {
      if (this.#hasData) throw this.#broken('it has its rows twice');
      this.#isData = true;
      this.#hasData = true;
    } else if (name === 'col' && isTrue(attributes['hidden']))
      this.hiddenColumns.push({from: Number(attributes['min']) - 1, to: Number(attributes['max']) - 1});
    else if (name === 'mergeCell') this.#merge(attributes['ref'] ?? '');
    else if (name === 'conditionalFormatting') this.#ruled = rangesOf(attributes['sqref'] ?? '');
    else if (name === 'cfRule' && this.rules.length < KEPT_RANGES)
      for (const range of this.#ruled) this.rules.push({dxfId: Number(attributes['dxfId'] ?? -1), range});
  }

  text(text: string): void {
    if (this.#takesText && !this.#isPhonetic && this.#cell !== undefined) this.#cell.value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#takesText = false;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'c' && this.#cell !== undefined) {
      const cell = this.#finish(this.#cell);
      if (cell !== undefined) this.#row?.cells.push(cell);
      this.#cell = undefined;
    } else if (name === 'row' && this.#row !== undefined) {
      this.#rows.push(this.#row);
      this.#row = undefined;
    } else if (name === 'sheetData') this.#isData = false;
  }

  #beginRow(attributes: Readonly<Record<string, string>>): SheetRow {
    const stated = attributes['r'];
    const number = stated === undefined ? this.#lastRow + 1 : Number(stated);
    if (!Number.isInteger(number) || number <= this.#lastRow || number > MOST_ROWS)
      throw this.#broken(`row ${stated ?? number} follows row ${this.#lastRow}`);
    this.#lastRow = number;
    this.#lastColumn = -1;
    const isFlat = isTrue(attributes['customHeight']) && Number(attributes['ht']) === 0;
    return {number, isHidden: isTrue(attributes['hidden']) || isFlat, cells: []};
  }

  #lastColumn = -1;

  #begin({number}: SheetRow, attributes: Readonly<Record<string, string>>): OpenCell {
    const stated = attributes['r'];
    const place = stated === undefined ? {column: this.#lastColumn + 1, row: number} : cellPlace(stated);
    if (place?.row !== number || place.column <= this.#lastColumn || place.column >= MOST_COLUMNS)
      throw this.#broken(`a cell of row ${number} is named ${(stated ?? '').slice(0, 20)}`);
    this.#lastColumn = place.column;
    return {
      column: place.column,
      type: attributes['t'] ?? 'n',
      style: Number(attributes['s'] ?? 0),
      isFormula: false,
      isStruck: false,
      hasValue: false,
      values: 0,
      value: '',
    };
  }

  /** Undefined for an empty cell, such as one that only has a colour. */
  #finish({column, type, style, isFormula, isStruck, hasValue, value}: OpenCell): SheetCell | undefined {
    const cell = (kind: SheetCell['kind'], text: string): SheetCell => ({
      column,
      kind,
      text,
      style,
      isFormula,
      isStruck: isStruck || (type === 's' && this.#strings?.isStruck(Number(value)) === true),
    });
    if (!hasValue && !isFormula) return undefined;
    switch (type) {
      case 'n':
        if (value.trim() === '') return isFormula ? cell('no-result', '') : undefined;
        return cell('number', value.trim());
      case 's':
        return cell('text', this.#shared(value));
      case 'inlineStr':
        return cell('text', unescaped(value));
      case 'str':
        return hasValue ? cell('text', unescaped(value)) : cell('no-result', '');
      case 'b':
        return cell('boolean', value.trim());
      case 'e':
        return cell('error', value.trim());
      case 'd':
        return cell('iso-date', value.trim());
      default:
        throw this.#broken(`a cell has the unknown type ${type.slice(0, 20)}`);
    }
  }

  #shared(value: string): string {
    const text = /^\s*\d{1,9}\s*$/u.test(value) ? this.#strings?.get(Number(value)) : undefined;
    if (text === undefined) throw this.#broken('a cell refers to a text that is not in the workbook');
    return text;
  }

  #merge(name: string): void {
    const range = rangeOf(name);
    if (range === undefined) throw this.#broken(`its merged cells are ${name.slice(0, 40)}`);
    if (this.merged.length < KEPT_RANGES) this.merged.push(range);
  }

  #broken(what: string): Error {
    return brokenWorkbook(this.#path, `in ${this.#what}, ${what}`);
  }
}

/** `A2:D9`; undefined if it is no range. */
function rangeOf(name: string): Range | undefined {
  const [first = '', last = first] = name.split(':');
  const [from, to] = [cellPlace(first), cellPlace(last)];
  if (from === undefined || to === undefined) return undefined;
  return {name, top: from.row, left: from.column, bottom: to.row, right: to.column};
}

/** `A2:D9 F2:F9`. What is no range may be anywhere in the sheet. */
const rangesOf = (names: string): Range[] =>
  names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => rangeOf(name) ?? {name, top: 1, left: 0, bottom: MOST_ROWS, right: MOST_COLUMNS});
