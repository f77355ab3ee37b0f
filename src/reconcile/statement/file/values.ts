import {AmountError, requireExponent} from '../../../money/amount.ts';
import {isDay} from '../../model/day.ts';
import type {Refuse, StatementPlace} from './refusal.ts';
import {shortQuote} from './refusal.ts';

const LONGEST_AMOUNT = 40;
const MOST_MINOR = 2n ** 63n - 1n;

/** How a value is named in an error, and where it is. */
export interface ValuePlace {
  readonly refuse: Refuse;
  readonly place: StatementPlace;
}

/** Decimals of the currency. @throws RemitError for an unknown currency, or one without minor units */
export function currencyDecimals(currency: string, {refuse, place}: ValuePlace): number {
  try {
    return requireExponent(currency);
  } catch (cause) {
    if (cause instanceof AmountError) throw refuse(place, cause.message, undefined, cause);
    throw cause;
  }
}

/**
 * An amount in major units, with its sign, in minor units. Zeros after the decimals of the currency are accepted,
 * because the decimal sign is known; other digits are not.
 * @param decimal the signs that separate decimals
 */
export function signedMinor(
  text: string,
  currency: string,
  decimal: '.' | ',' | '.,',
  at: ValuePlace,
): bigint {
  const exponent = currencyDecimals(currency, at);
  const [, sign = '', whole, mark = '', fraction = ''] =
    text.length > LONGEST_AMOUNT ? [] : (/^([+-]?)(\d*)(?:([.,])(\d*))?$/.exec(text) ?? []);
  const isAmount = whole !== undefined && whole + fraction !== '' && decimal.includes(mark);
  if (!isAmount) throw at.refuse(at.place, `${shortQuote(text)} is not an amount`);
  const digits = fraction.slice(0, exponent).padEnd(exponent, '0');
  if (/[^0]/.test(fraction.slice(exponent)))
    throw at.refuse(
      at.place,
      `${shortQuote(text)} has more decimals than ${currency}, which has ${exponent}`,
    );
  return within64Bits(BigInt(`${sign === '-' ? '-' : ''}${whole}${digits}`), text, at);
}

/** A whole number of minor units, with its sign. */
export function wholeMinor(text: string, at: ValuePlace): bigint {
  if (text.length > LONGEST_AMOUNT || !/^[+-]?\d+$/.test(text))
    throw at.refuse(at.place, `${shortQuote(text)} is not a whole number of minor units`);
  return within64Bits(BigInt(text.replace('+', '')), text, at);
}

/** The book stores 64 bits. */
function within64Bits(minor: bigint, text: string, {refuse, place}: ValuePlace): bigint {
  if (minor <= MOST_MINOR && minor >= -MOST_MINOR) return minor;
  throw refuse(place, `the amount ${shortQuote(text)} is too large`);
}

/** `YYYY-MM-DD` of a year, month and day in digits. */
export function dayOfParts(
  parts: readonly [year: string, month: string, day: string],
  at: ValuePlace,
): string {
  const day = parts.join('-');
  if (!isDay(day)) throw at.refuse(at.place, `${shortQuote(day)} is not a day`);
  return day;
}

/** The day of an ISO 8601 date or time, as the bank states it: its time zone is not considered. */
export function isoDay(text: string, at: ValuePlace): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})(?:$|T|[+-]\d|Z)/.exec(text) ?? [];
  if (year === '') throw at.refuse(at.place, `${shortQuote(text)} is not a date such as 2026-03-31`);
  return dayOfParts([year, month, day], at);
}

/** Two digits of a year: 80 to 99 are of the last century (SWIFT). */
const fullYear = (yy: string): string => `${Number(yy) >= 80 ? '19' : '20'}${yy}`;

/** `YYMMDD` */
export function shortDay(text: string, at: ValuePlace): string {
  const [, yy = '', month = '', day = ''] = /^(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (yy === '') throw at.refuse(at.place, `${shortQuote(text)} is not a date such as 260331`);
  return dayOfParts([fullYear(yy), month, day], at);
}

const DAY_MS = 86_400_000;

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
