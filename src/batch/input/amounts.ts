import {
  AmountError,
  NUMBER_FORMATS,
  type NumberFormat,
  parseMajor,
  parseMinor,
  requireExponent,
  toWire,
} from '../../money/amount.ts';
import {contradiction} from '../../money/currency-signs.ts';
import {isCertain} from './amount-format.ts';
import {OTHER_CURRENCY} from './issue-groups.ts';
import {cellOf, type ColumnMap} from './columns.ts';
import type {Complain} from './issues.ts';
import type {InputRecord} from './record.ts';

/** How the amounts of a file are read. */
export interface AmountRules {
  /**
   * How to read integers in `amount`. If undefined, they are major units and the plan checks that some row has
   * decimals.
   */
  amountUnit: 'major' | 'minor' | undefined;
  numberFormat: NumberFormat | undefined;
  /** The format found in the amounts of the file, if none was declared. */
  foundFormat?: NumberFormat | undefined;
  /** How amounts of the file contradict each other; shown for amounts that do not fit the format. */
  formatDoubt?: string | undefined;
  /** Currency of rows that do not name one. */
  currency: string | undefined;
}

/**
 * What the amount of a row shows about the unit of its column. `proven`: it was read, and its decimals show major
 * units (thousands separators prove nothing). `none`: it was read, and has no decimals. `seen` and `unread`: it was
 * not read, and appears to have decimals or not.
 */
export type Decimals = 'proven' | 'none' | 'seen' | 'unread';

export function decimalsOf(
  amount: number | undefined,
  record: InputRecord,
  map: ColumnMap,
  {numberFormat, foundFormat}: AmountRules,
): Decimals {
  const typed = record.typed?.amount;
  if (typed !== undefined) return amount === undefined ? 'unread' : typed.hasDecimals ? 'proven' : 'none';
  const text = amountText(record, map);
  if (amount === undefined) return /\d[.,]\d{1,2}$/.test(text) ? 'seen' : 'unread';
  return text.includes(NUMBER_FORMATS[numberFormat ?? foundFormat ?? '1234.56'].decimal) ? 'proven' : 'none';
}

/** A code in lower case is unambiguous. */
export function currencyOf(
  record: Pick<InputRecord, 'cells'>,
  map: ColumnMap,
  rules: Pick<AmountRules, 'currency'>,
): string {
  const text = cellOf(record.cells, map, 'currency_code').trim() || (rules.currency ?? '');
  return /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : text;
}

const amountColumn = (map: ColumnMap): 'amount' | 'amount_in_minor_units' =>
  map.at['amount'] === undefined ? 'amount_in_minor_units' : 'amount';

/** Removes surrounding spaces; other white space is kept, and refused later. */
export const amountText = (record: InputRecord, map: ColumnMap): string =>
  cellOf(record.cells, map, amountColumn(map)).replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');

export function readAmount(
  record: InputRecord,
  map: ColumnMap,
  rules: AmountRules,
  currency: string,
  complain: Complain,
): number | undefined {
  const name = amountColumn(map);
  const text = amountText(record, map);
  if (currency === '') {
    complain(
      'currency_code',
      'missing',
      'is empty; write one (USD), or use --currency USD for every row without one',
    );
    return undefined;
  }
  try {
    requireExponent(currency);
  } catch (error) {
    complain('currency_code', 'currency', amountError(error).message, currency);
    return undefined;
  }
  const isNumber = record.typed?.amount !== undefined; // written by the sheet, so it has one reading
  const other = isNumber ? undefined : otherCurrencyIn(text, currency);
  if (other !== undefined) {
    complain(name, OTHER_CURRENCY, other, text);
    return undefined;
  }
  const {formatDoubt: doubt} = rules;
  if (!isNumber && doubt !== undefined && !isCertain(text)) {
    complain(name, 'amount-grouping', doubt, text);
    return undefined;
  }
  const isMinor = name === 'amount_in_minor_units' || rules.amountUnit === 'minor';
  try {
    return toWire(
      isMinor
        ? parseMinor(text)
        : isNumber
          ? parseMajor(text, currency, '1,234.56')
          : readMajor(text, currency, rules),
    );
  } catch (error) {
    const {message, problem} = amountError(error);
    if (doubt !== undefined && problem === 'grouping') complain(name, `amount-${problem}`, doubt, text);
    else complain(name, `amount-${problem}`, message);
    return undefined;
  }
}

/** The error of an amount that names another currency than its row. Only the author of the file knows which is wrong. */
function otherCurrencyIn(text: string, currency: string): string | undefined {
  const sign = text.replace(/[\d\s.,'+()-]/gu, '');
  const words = contradiction(/^[a-z]{3}$/iu.test(sign) ? sign.toUpperCase() : sign, currency);
  return words === undefined ? undefined : `shows ${words}`;
}

/** If no format was declared, the message about an amount in a third format must not mention a declared one. */
function readMajor(text: string, currency: string, {numberFormat, foundFormat}: AmountRules): bigint {
  try {
    return parseMajor(text, currency, numberFormat ?? foundFormat ?? 'undeclared');
  } catch (error) {
    const isThird = foundFormat !== undefined && error instanceof AmountError && error.problem === 'grouping';
    if (!isThird) throw error;
    return parseMajor(text, currency, 'undeclared');
  }
}

function amountError(error: unknown): AmountError {
  if (error instanceof AmountError) return error;
  throw error;
}
