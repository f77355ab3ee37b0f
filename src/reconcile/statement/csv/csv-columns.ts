import type {Refuse} from '../file/refusal.ts';
import {shortQuote} from '../file/refusal.ts';

/** Columns with a meaning. Every other column is a text of the line. */
const COLUMNS = [
  'booking_date',
  'value_date',
  'amount',
  'amount_in_minor_units',
  'debit',
  'credit',
  'direction',
  'currency_code',
  'status',
  'id',
  'return_code',
  'account',
] as const;
export type CsvColumn = (typeof COLUMNS)[number];

/** Where the columns of a file are. */
export interface CsvColumns {
  readonly at: Readonly<Partial<Record<CsvColumn, number>>>;
  readonly texts: readonly {readonly header: string; readonly index: number}[];
}

/** `Booking date`, `booking-date` and `BOOKING_DATE` are equal. */
const folded = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]+/g, '');

/**
 * Finds the columns by their names, or as a mapping says: column to header.
 * @throws RemitError for a header that is missing, named twice, or a column that is needed and not there
 */
export function statementColumns(
  headers: readonly string[],
  mapping: Readonly<Record<string, string>>,
  refuse: Refuse,
): CsvColumns {
  const hint = `the columns are ${COLUMNS.join(', ')}; name others with --map booking_date=HEADER`;
  const fail = (why: string) => refuse({line: 1}, why, hint);
  const at: Partial<Record<CsvColumn, number>> = {};
  const taken = new Set<number>();
  const indexOf = (wanted: string): number | undefined => {
    const found = headers.flatMap((header, index) => (folded(header) === folded(wanted) ? [index] : []));
    if (found.length > 1) throw fail(`has several columns ${shortQuote(wanted)}`);
    return found[0];
  };
  for (const name of Object.keys(mapping))
    if (!COLUMNS.some((column) => column === name))
      throw fail(`there is no column ${shortQuote(name)} to map to`);
  const mapped = COLUMNS.filter((column) => mapping[column] !== undefined);
  for (const column of new Set([...mapped, ...COLUMNS])) {
    const header = mapping[column];
    const index = indexOf(header ?? column);
    if (header !== undefined && index === undefined) throw fail(`has no column ${shortQuote(header)}`);
    if (index === undefined || (header === undefined && taken.has(index))) continue;
    if (taken.has(index)) throw fail(`--map reads ${shortQuote(header ?? column)} twice`);
    at[column] = index;
    taken.add(index);
  }
  checkNeeded(at, fail);
  const texts = headers.map((header, index) => ({header: header.trim(), index}));
  return {at, texts: texts.filter(({index}) => !taken.has(index))};
}

function checkNeeded(at: CsvColumns['at'], fail: (why: string) => Error): void {
  if (at.booking_date === undefined) throw fail('has no column booking_date');
  const forms = [at.amount, at.amount_in_minor_units, at.debit ?? at.credit].filter(
    (form) => form !== undefined,
  );
  if (forms.length === 0) throw fail('has no column amount, amount_in_minor_units, or debit and credit');
  if (forms.length > 1)
    throw fail('has amounts in several columns: amount, amount_in_minor_units, debit and credit');
  const isPair = (at.debit === undefined) === (at.credit === undefined);
  if (!isPair) throw fail('has only one of the columns debit and credit');
  if (at.debit !== undefined && at.direction !== undefined)
    throw fail('has a column direction beside debit and credit');
}
