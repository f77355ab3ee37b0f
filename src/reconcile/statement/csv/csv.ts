import {CsvRecords} from '../../../batch/input/csv-records.ts';
import {RemitError} from '../../../errors.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {CsvAmounts} from './csv-amounts.ts';
import {statementColumns, type CsvColumn, type CsvColumns} from './csv-columns.ts';
import {shortQuote, type Refuse} from '../file/refusal.ts';
import type {CsvDayFormat, StatementOptions} from '../file/statement.ts';
import {dayOfParts, type ValuePlace} from '../file/values.ts';

const STATES: Readonly<Record<string, 'posted' | 'pending'>> = {
  ...{'': 'posted', posted: 'posted', booked: 'posted', book: 'posted'},
  ...{pending: 'pending', pdng: 'pending'},
};

/** Reads a CSV whose columns have the names of `csv-columns.ts` or are mapped to them. */
export async function readCsv(
  chunks: AsyncGenerator<string>,
  name: string,
  into: CollectedStatement,
  refuse: Refuse,
  options: StatementOptions,
): Promise<void> {
  const amounts = new CsvAmounts(refuse, options.numberFormat);
  let columns: CsvColumns | undefined;
  let width = 0;
  try {
    for await (const read of new CsvRecords({path: name, chunks}).read()) {
      if ('header' in read) {
        columns = statementColumns(read.header.cells, options.map ?? {}, refuse);
        width = read.header.cells.length;
        continue;
      }
      for (const {line, cells} of read.records) {
        if (cells.length !== width)
          throw refuse({line}, `has ${cells.length} cells; the header has ${width}`);
        if (columns !== undefined) readRow({cells, line, columns}, into, amounts, {refuse, options});
      }
    }
  } catch (cause) {
    if (!(cause instanceof RemitError) || cause.code !== 'CSV_INVALID') throw cause;
    const {message, details, openHint: hint} = cause;
    throw new RemitError('STATEMENT_INVALID', message, {hint, details, cause});
  }
  amounts.end();
}

interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
  readonly columns: CsvColumns;
}

function readRow(
  {cells, line, columns}: CsvRow,
  into: CollectedStatement,
  amounts: CsvAmounts,
  {refuse, options}: {refuse: Refuse; options: StatementOptions},
): void {
  const at: ValuePlace = {refuse, place: {line}};
  const cell = (column: CsvColumn): string => {
    const index = columns.at[column];
    return index === undefined ? '' : (cells[index] ?? '').trim();
  };
  const currency = cell('currency_code') || (options.currencyDefault ?? '');
  if (currency === '')
    throw refuse(
      {line},
      'the currency is missing',
      'name it with --currency, or map a column: --map currency_code=HEADER',
    );
  const state = STATES[cell('status').toLowerCase()];
  if (state === undefined)
    throw refuse({line}, `the status ${shortQuote(cell('status'))} is neither posted nor pending`);
  const {dayFormat = 'YYYY-MM-DD'} = options;
  if (cell('booking_date') === '') throw refuse({line}, 'the booking date is missing');
  const value = cell('value_date');
  into.line({
    number: cell('account').replaceAll(' ', ''),
    id: cell('id') || undefined,
    amount: amounts.of(cell, currency, at),
    currency,
    bookingDay: dayIn(cell('booking_date'), dayFormat, at),
    valueDay: value === '' ? undefined : dayIn(value, dayFormat, at),
    state,
    returnCode: cell('return_code') || undefined,
    texts: columns.texts
      .map(({header, index}) => ({path: header, text: (cells[index] ?? '').trim()}))
      .filter(({text}) => text !== ''),
  });
}

const DAY_FORMS: Readonly<Record<CsvDayFormat, RegExp>> = {
  'YYYY-MM-DD': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  'MM/DD/YYYY': /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/,
  'DD/MM/YYYY': /^(?<day>\d{1,2})\/(?<month>\d{1,2})\/(?<year>\d{4})$/,
  'DD.MM.YYYY': /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/,
};

function dayIn(text: string, format: CsvDayFormat, at: ValuePlace): string {
  const {year = '', month = '', day = ''} = DAY_FORMS[format].exec(text)?.groups ?? {};
  if (year === '')
    throw at.refuse(
      at.place,
      `${shortQuote(text)} is not a date in the form ${format}`,
      `name the form with --day-format: ${Object.keys(DAY_FORMS).join(', ')}`,
    );
  return dayOfParts([year, month.padStart(2, '0'), day.padStart(2, '0')], at);
}
