import {contradiction} from '../../money/currency-signs.ts';
import {decimalOf, decimalsIn} from '../workbook/decimal.ts';
import type {SheetCell} from '../workbook/cell.ts';
import {dayOf, dayOfIso} from '../workbook/dates.ts';
import type {ShownAs} from '../workbook/number-format.ts';

/** What a column contains, as far as it decides how a cell is read. */
export type CellRole = 'name' | 'digits' | 'amount' | 'minor' | 'day' | 'code' | 'metadata';

/** A cell as text, or why it has none. */
export type CellReading =
  | {text: string; isNumberedName?: boolean; hasDecimals?: boolean}
  | {code: string; message: string; value: string};

const AS_TEXT = 'format the column as text and enter the value again';

/**
 * The text of a cell, as a careful person would type it from what the sheet shows. A cell whose content differs from
 * what it shows, or that Excel has changed, has none.
 */
export function readCell(cell: SheetCell, role: CellRole, format: ShownAs, is1904: boolean): CellReading {
  switch (cell.kind) {
    case 'text':
      if (!format.changesText) return {text: cell.text};
      return fault('cell-format', `is a text that its format shows as something else; ${AS_TEXT}`, cell);
    case 'no-result':
      return fault('no-result', 'is a formula without a saved result; open the file in Excel and save it');
    case 'error':
      return fault(
        'cell-error',
        'is an error of the spreadsheet; correct the formula or what it refers to',
        cell,
      );
    case 'boolean':
      return readBoolean(cell, role);
    case 'iso-date':
      return readDate(dayOfIso(cell.text), role, cell);
    case 'number':
      return readNumber(cell, role, format, is1904);
  }
}

const fault = (code: string, message: string, {text}: {text: string} = {text: ''}): CellReading => ({
  code,
  message,
  value: text,
});

function readBoolean({text}: SheetCell, role: CellRole): CellReading {
  const shown = text === '1' ? 'TRUE' : 'FALSE';
  return role === 'metadata'
    ? {text: shown}
    : fault('cell-boolean', `is ${shown}, which is not text; ${AS_TEXT}`);
}

function readDate(day: string | undefined, role: CellRole, cell: SheetCell): CellReading {
  if (role === 'day' || role === 'metadata') {
    if (day !== undefined) return {text: day};
    return fault('date', 'is a date with a time of day, or not a valid date; enter only the date', cell);
  }
  const expected = role === 'amount' || role === 'minor' ? 'an amount' : 'text';
  return fault(
    'cell-date',
    `is a date, but ${expected} is expected: the spreadsheet has probably converted what was typed; ${AS_TEXT}`,
    {text: day ?? cell.text},
  );
}

function readNumber(cell: SheetCell, role: CellRole, format: ShownAs, is1904: boolean): CellReading {
  const {kind} = format;
  if (kind === 'date' || kind === 'date-time' || kind === 'time')
    return readDate(dayOf(cell.text, is1904), role, cell);
  if (role === 'day')
    return fault(
      'date',
      'is a number; format the cell as a date, or enter it as text in the form YYYY-MM-DD',
      cell,
    );
  const decimal = decimalOf(cell.text);
  if (decimal === undefined)
    return fault(
      'excel-damaged',
      `is a number of more than 15 digits, which a spreadsheet does not keep; ${AS_TEXT}`,
      cell,
    );
  if (role === 'name') return readName(decimal, format);
  // The number of an account: it is not repeated, and what it was before Excel read it is unknown.
  if (role === 'digits')
    return fault('excel-damaged', `is a number, so zeros at its beginning may be lost; ${AS_TEXT}`);
  if (role === 'code') return {text: decimal};
  if (kind === 'scientific' || kind === 'other')
    return fault('cell-format', `contains ${decimal}, but is shown as something else; ${asNumber(role)}`);
  const decimals = decimalsIn(decimal);
  if (kind === 'plain' && decimals > format.decimals)
    return fault(
      'hidden-decimals',
      `contains ${decimal}, but is shown with ${format.decimals === 0 ? 'no' : format.decimals} decimals; round the value itself, for example with =ROUND(…;2), or show all decimals`,
    );
  if (role === 'metadata') return {text: padded(decimal, decimals, format)};
  if (role === 'minor' && format.fixedDecimals > 0)
    return fault(
      'amount-minor',
      'is shown with decimals, but amounts in minor units have none; format the cell without decimals, or use the column amount',
    );
  return {text: decimal, hasDecimals: decimals > 0 || format.fixedDecimals > 0};
}

/** Why the format of an amount contradicts the currency of its row; undefined if it does not. */
export function signFault({signs}: ShownAs, currency: string): string | undefined {
  for (const sign of signs) {
    const words = contradiction(sign, currency);
    if (words !== undefined) return `is shown with ${words}`;
  }
  return undefined;
}

const asNumber = (role: CellRole): string =>
  role === 'metadata' ? AS_TEXT : 'format the cell as a number, and check the value';

/** A reference or an id. Only whole numbers that are shown as they are survive a spreadsheet. */
function readName(decimal: string, {kind, decimals, digits, isBare}: ShownAs): CellReading {
  if (!/^\d+$/u.test(decimal))
    return fault('excel-damaged', `is the number ${decimal}: zeros at its ends may be lost; ${AS_TEXT}`);
  if (kind === 'scientific') return fault('excel-damaged', `is shown in scientific notation; ${AS_TEXT}`);
  if (kind === 'text') return {text: decimal, isNumberedName: true};
  if (!isBare || decimals > 0)
    return fault('cell-format', `is the number ${decimal}, but is shown as something else; ${AS_TEXT}`);
  return digits > 1 ? {text: decimal.padStart(digits, '0')} : {text: decimal, isNumberedName: true};
}

/** `7` as 0.00 is `7.00`, and as 000 it is `007`. */
function padded(decimal: string, decimals: number, {fixedDecimals, digits, isBare}: ShownAs): string {
  const point = decimals === 0 && fixedDecimals > 0 ? '.' : '';
  const text = `${decimal}${point}${'0'.repeat(Math.max(0, fixedDecimals - decimals))}`;
  const whole = text.split('.')[0] ?? '';
  return isBare && digits > whole.length ? '0'.repeat(digits - whole.length) + text : text;
}
