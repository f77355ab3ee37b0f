import {ExactNumber, keysOf, type Json} from '../narrow.ts';
import {CURRENCIES, exponentOf, successorOf} from './currencies.ts';

/** The wire field is a JSON integer; JSON readers do not keep integers above 2^53 - 1 exact. */
const MAX_MINOR = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_DIGITS = String(MAX_MINOR).length;

export type AmountProblem =
  | 'empty'
  | 'space'
  | 'not-ascii'
  | 'sign'
  | 'currency-sign'
  | 'exponent'
  | 'hex'
  | 'grouping'
  | 'ambiguous'
  | 'incomplete'
  | 'not-a-number'
  | 'not-digits'
  | 'too-many-decimals'
  | 'zero'
  | 'too-large'
  | 'unknown-currency'
  | 'no-exponent';

/** An invalid amount or currency; `message` is one sentence that says what is wrong and how to fix it. */
export class AmountError extends Error {
  override readonly name = 'AmountError';
  readonly problem: AmountProblem;

  constructor(problem: AmountProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

interface Format {
  decimal: '.' | ',';
  /** Absent: groups are refused. Present: either none at all, or everywhere in threes. */
  group?: string;
}

/** How amounts in major units may be written, named by an example, as in `--number-format`. */
export const NUMBER_FORMATS = {
  '1234.56': {decimal: '.'},
  '1234,56': {decimal: ','},
  '1,234.56': {decimal: '.', group: ','},
  '1.234,56': {decimal: ',', group: '.'},
  '1 234.56': {decimal: '.', group: ' '},
  '1 234,56': {decimal: ',', group: ' '},
  "1'234.56": {decimal: '.', group: "'"},
} as const satisfies Record<string, Format>;
export type NumberFormat = keyof typeof NUMBER_FORMATS;

/**
 * Converts major units to minor units: `parseMajor('1500.75', 'USD')` is `150075n`. Nothing is rounded and no digit
 * is lost. Amounts are read as 1234.56, or in the declared format. `undeclared` is for files: there, `1.234` is refused for
 * a currency with three decimals as well, because many people would read it as more than a thousand.
 * @throws AmountError
 */
export function parseMajor(text: string, currency: string, source?: NumberFormat | 'undeclared'): bigint {
  const exponent = requireExponent(currency);
  refuseForeignForms(text);
  const format = source === 'undeclared' ? undefined : source;
  const {decimal, group}: Format = NUMBER_FORMATS[format ?? '1234.56'];
  const [whole = '', fraction, ...more] = text.split(decimal);
  if (more.length > 0 || fraction === '' || whole === '') refuseShape(text, format);
  if (fraction !== undefined && !isDigits(fraction)) refuseShape(text, format);
  const digits = group === undefined ? whole : ungroup(whole, group);
  if (digits === undefined || !isDigits(digits)) refuseShape(text, format);

  if (source === 'undeclared' && /^[1-9][0-9]{0,2}\.[0-9]{3}$/.test(text))
    refuseAmbiguous(text, currency, exponent);
  if (fraction !== undefined && fraction.length > exponent) refuseDecimals(text, currency, exponent);
  return positive(digits + (fraction ?? '').padEnd(exponent, '0'), text);
}

/**
 * Reads minor units, digits only: `parseMinor('150075')` is `150075n`.
 * @throws AmountError
 */
export function parseMinor(text: string): bigint {
  refuseForeignForms(text);
  if (!isDigits(text)) {
    throw new AmountError(
      'not-digits',
      `${quoted(text)} is not a whole number of minor units; write digits only (12500), or give the amount in major units (125.00)`,
    );
  }
  return positive(text, text);
}

/**
 * Converts minor units to major units, always with the currency's decimals, '.' and no grouping: `1500.75`, `1500`,
 * `-0.005`.
 * @throws AmountError for a currency that is unknown or has no minor unit
 */
export function formatMajor(minor: bigint, currency: string): string {
  const exponent = requireExponent(currency);
  const sign = minor < 0n ? '-' : '';
  const digits = String(minor < 0n ? -minor : minor).padStart(exponent + 1, '0');
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * The minor units in a field of an answer: a whole number in any form of JSON, also one that a double does not hold, or
 * plain digits as text. Undefined for a fraction and for anything else.
 */
export function minorUnitsIn(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (value instanceof ExactNumber) return wholeIn(value.text);
  return typeof value === 'string' && /^(?:0|-?[1-9]\d{0,39})$/.test(value) ? BigInt(value) : undefined;
}

const MOST_DIGITS = 40;
/** Longer literals are not read; those of whole numbers may end with zeros. */
const LONGEST_LITERAL = 100;

/** The value of a JSON number if it is whole and has at most 40 digits: `1e20`, `9007199254740993.0`. */
function wholeIn(literal: string): bigint | undefined {
  if (literal.length > LONGEST_LITERAL) return undefined;
  const [, sign = '', whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  if (whole === undefined) return undefined;
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length; // a pattern for the zeros at the end takes quadratic time
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end);
  if (digits === '') return 0n;
  const zeros = Number(exponent) - fraction.length + (all.length - end);
  if (zeros < 0 || digits.length + zeros > MOST_DIGITS) return undefined;
  return BigInt(sign + digits + '0'.repeat(zeros));
}

/** The minor units in a field, in major units: `1500.75`. Undefined if either field cannot be read. */
export function majorIn(minor: unknown, currency: Json): string | undefined {
  const units = minorUnitsIn(minor);
  if (units === undefined || typeof currency !== 'string' || exponentOf(currency) === undefined)
    return undefined;
  return formatMajor(units, currency);
}

/** Groups major units for display: `3771787.00` becomes `3,771,787.00`. Nothing reads this form back. */
export function groupMajor(major: string): string {
  const [whole = '', ...fraction] = major.split('.');
  const head = (whole.startsWith('-') ? 1 : 0) + ((whole.replace('-', '').length - 1) % 3) + 1;
  return [whole.slice(0, head) + whole.slice(head).replace(/\d{3}/g, ',$&'), ...fraction].join('.');
}

/**
 * The JSON integer of an amount.
 * @throws AmountError above 2^53 - 1 (either sign), where a JSON number would no longer be exact
 */
export function toWire(minor: bigint): number {
  if (minor > MAX_MINOR || minor < -MAX_MINOR) refuseTooLarge(String(minor));
  return Number(minor);
}

/**
 * An amount of a currency for a hint: `125.00`, `125.000`; that of USD for a currency that is unknown. It has other
 * digits than the amount that was typed: 125 JPY after 12.5 would look like a correction.
 */
export function exampleOf(
  currency: string | undefined,
  typed = '',
): {currency: string; major: string; minor: bigint} {
  const known = currency !== undefined && exponentOf(currency) !== undefined ? currency : 'USD';
  const digits = typed.slice(0, MAX_DIGITS).replace(/[^1-9]/g, '');
  const isClose = digits !== '' && (digits.startsWith('125') || '125'.startsWith(digits));
  const minor = (isClose ? 340n : 125n) * 10n ** BigInt(requireExponent(known));
  return {currency: known, major: formatMajor(minor, known), minor};
}

/** Decimals of a currency, or an AmountError that says what is wrong with the code. */
export function requireExponent(currency: string): number {
  const exponent = CURRENCIES.get(currency);
  if (exponent === undefined) {
    throw new AmountError(
      'unknown-currency',
      `${quoted(currency)} is not an ISO 4217 currency code${codeAdvice(currency)}`,
    );
  }
  if (exponent === null) {
    throw new AmountError(
      'no-exponent',
      `${currency} has no minor unit in ISO 4217, so amounts in it cannot be sent; use a currency that has one`,
    );
  }
  return exponent;
}

function codeAdvice(currency: string): string {
  const capitals = currency.trim().toUpperCase();
  const successor = successorOf(capitals);
  if (successor !== undefined) return ` in use; ${successor} replaced it`;
  if (CURRENCIES.has(capitals)) return `; write ${capitals}`;
  return '; write three capitals, such as USD';
}

const isDigits = (text: string): boolean => /^[0-9]+$/.test(text);

/**
 * What is wrong regardless of the format, in more detail than "not a number". Order matters: the first match is
 * reported.
 */
function refuseForeignForms(text: string): void {
  const refuse = (problem: AmountProblem, what: string): never => {
    throw new AmountError(problem, `${quoted(text)} ${what}`);
  };
  if (text.trim() === '') throw new AmountError('empty', 'the amount is empty; enter one, such as 125.00');
  if (/\p{Sc}/u.test(text))
    refuse(
      'currency-sign',
      'contains a currency symbol; enter the number only, the currency is stated separately',
    );
  if (/[^\x20-\x7e]/.test(text)) {
    refuse(
      'not-ascii',
      'contains a character other than plain ASCII, such as a no-break space; type it again with 0-9',
    );
  }
  if (text !== text.trim()) refuse('space', 'has spaces around it; remove them');
  if (/^[+-]|[-+]$|^\(.*\)$/.test(text))
    refuse('sign', 'has a sign or parentheses; amounts are positive; enter digits only');
  if (/^[A-Za-z]{3}\s?[0-9]|[0-9]\s?[A-Z]{3}$/.test(text)) {
    refuse(
      'currency-sign',
      'contains a currency code; enter the number only, the currency is stated separately',
    );
  }
  if (/^0[xob]/i.test(text)) refuse('hex', 'is not written in decimal digits; use 0-9 only');
  if (/^[0-9.,]+e[+-]?[0-9]+$/i.test(text)) {
    refuse(
      'exponent',
      'is in scientific notation; write all its digits (in a spreadsheet, format the cells as text)',
    );
  }
}

/** Refuses a text that does not match the declared format, with the most likely reason. */
function refuseShape(text: string, format: NumberFormat | undefined): never {
  const written = quoted(text);
  const shape = format ?? '1234.56';
  const {decimal}: Format = NUMBER_FORMATS[shape];
  if (!/^[0-9., ']+$/.test(text)) {
    throw new AmountError('not-a-number', `${written} is not a number; write it like ${shape}`);
  }
  if (/^[.,]|[.,]$/.test(text)) {
    throw new AmountError(
      'incomplete',
      `${written} lacks digits next to its separator; write it like 0${decimal}50 or 5`,
    );
  }
  throw new AmountError(
    'grouping',
    format === undefined
      ? `${written} has separators; write it like 1234.56, or declare the format of the file, such as --number-format ${quotedFormat(formatOf(text))}`
      : `${written} does not match the declared number format ${shape}; correct the amount, or declare the number format of the whole file`,
  );
}

/** The most likely format of a text with separators: the last separator is the decimal sign. */
function formatOf(text: string): NumberFormat {
  const fits = keysOf(NUMBER_FORMATS).find((name) => {
    const {decimal, group}: Format = NUMBER_FORMATS[name];
    const [whole = '', fraction = '0', ...more] = text.split(decimal);
    if (more.length > 0 || !isDigits(fraction) || fraction.length === 3) return false; // three digits are a group
    return isDigits(whole) || (group !== undefined && isDigits(ungroup(whole, group) ?? ''));
  });
  return fits ?? '1,234.56';
}

/** The format as a shell word. */
const quotedFormat = (format: NumberFormat): string =>
  format.includes("'") ? `"${format}"` : format.includes(' ') ? `'${format}'` : format;

function refuseAmbiguous(text: string, currency: string, exponent: number): void {
  if (exponent < 3) {
    throw new AmountError(
      'too-many-decimals',
      `${quoted(text)} has 3 decimals, ${currency} has ${exponent}; if the point groups thousands, declare --number-format 1.234,56`,
    );
  }
  throw new AmountError(
    'ambiguous',
    `${quoted(text)} may be a grouped thousand or three decimals of ${currency}; declare --number-format 1234.56 (or 1.234,56), or give minor units`,
  );
}

function refuseDecimals(text: string, currency: string, exponent: number): never {
  const has = exponent === 0 ? 'has none' : `has ${exponent}`;
  throw new AmountError(
    'too-many-decimals',
    `${quoted(text)} has more decimals than ${currency}, which ${has}; amounts are never rounded, so enter the exact amount`,
  );
}

function refuseTooLarge(text: string): never {
  throw new AmountError(
    'too-large',
    `an amount of ${text.replace(/[^0-9]/g, '').length} digits is too large: the maximum is ${MAX_MINOR} minor units; split the payment`,
  );
}

/** Whole digits without their group separators, or undefined if the groups are not threes. */
function ungroup(whole: string, group: string): string | undefined {
  if (!whole.includes(group)) return whole;
  const [first = '', ...rest] = whole.split(group);
  const wellFormed = /^[1-9][0-9]{0,2}$/.test(first) && rest.every((part) => /^[0-9]{3}$/.test(part));
  return wellFormed ? first + rest.join('') : undefined;
}

function positive(digits: string, text: string): bigint {
  const significant = digits.replace(/^0+/, '');
  if (significant === '')
    throw new AmountError('zero', `${quoted(text)} is zero; enter an amount above zero, or remove the row`);
  if (significant.length > MAX_DIGITS) refuseTooLarge(text); // before BigInt, whose cost grows with the square of the length
  const minor = BigInt(significant);
  if (minor > MAX_MINOR) refuseTooLarge(text);
  return minor;
}

/** The text as found, on one line, truncated, and without a run of digits that may be an account or card number. */
function quoted(text: string): string {
  const masked = text.slice(0, 200).replace(/[0-9]{12,}/g, (run) => `…${run.slice(-4)}`);
  return JSON.stringify(masked.length > 40 ? `${masked.slice(0, 40)}…` : masked);
}
