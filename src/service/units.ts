import {exponentOf} from '../money/currencies.ts';
import {formatMajor} from '../money/amount.ts';
import {ExactNumber, type Json, type JsonValue} from '../narrow.ts';
import {AMOUNT_UNITS, type AmountUnit, TIME_UNITS, type TimeUnit, type Unit} from './service-file.ts';

export const isAmountField = (field: string): boolean => /_in_(minor_units|cents)$/.test(field);
export const isTimeField = (field: string): boolean => /(_at|^as_of|_from|_to)$/.test(field);
export const isAmountUnit = (unit: Unit): unit is AmountUnit => AMOUNT_UNITS.some((one) => one === unit);
export const isTimeUnit = (unit: Unit): unit is TimeUnit => TIME_UNITS.some((one) => one === unit);

/** A value as the service writes it; undefined if it cannot be written exactly. */
export function toUnit(value: JsonValue, unit: Unit, currency: Json): Json {
  return isAmountUnit(unit) ? amountToUnit(value, unit, currency) : timeToUnit(value, unit);
}

/** The canonical form of a value in a given unit; undefined if it cannot be read. */
export function fromUnit(value: JsonValue, unit: Unit, currency: Json): Json {
  return isAmountUnit(unit) ? amountFromUnit(value, unit, currency) : timeFromUnit(value, unit);
}

function amountToUnit(value: JsonValue, unit: AmountUnit, currency: Json): Json {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
  if (unit === 'minor') return value;
  if (unit === 'minor-text') return String(value);
  if (!isKnown(currency)) return undefined;
  const text = formatMajor(BigInt(value), currency);
  if (unit === 'major') return text;
  const number = Number(text);
  return number.toFixed(exponentOf(currency)) === text ? number : undefined;
}

const WHOLE = /^-?\d{1,40}$/;
const DECIMAL = /^-?\d{1,40}(\.\d{1,6})?$/;

function amountFromUnit(value: JsonValue, unit: AmountUnit, currency: Json): Minor | undefined {
  if (typeof value !== 'number' && typeof value !== 'string' && !(value instanceof ExactNumber))
    return undefined;
  const text = String(value);
  if (unit === 'minor' || unit === 'minor-text') return WHOLE.test(text) ? minorOf(text) : undefined;
  const places = typeof currency === 'string' ? exponentOf(currency) : undefined;
  if (!DECIMAL.test(text) || places === undefined) return undefined;
  const point = text.indexOf('.');
  const [whole, decimals] = point < 0 ? [text, ''] : [text.slice(0, point), text.slice(point + 1)];
  if (decimals.length > places && /[1-9]/.test(decimals.slice(places))) return undefined; // a fraction of the smallest unit
  return minorOf(whole + decimals.slice(0, places).padEnd(places, '0'));
}

type Minor = number | ExactNumber;

/** Digits with or without a sign, as a JSON number. */
const minorOf = (digits: string): Minor => {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : new ExactNumber(String(BigInt(digits)));
};

const isKnown = (currency: Json): currency is string =>
  typeof currency === 'string' && exponentOf(currency) !== undefined;

function timeToUnit(value: JsonValue, unit: TimeUnit): Json {
  if (unit === 'iso') return value;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return unit === 'seconds' ? Math.floor(ms / 1000) : ms;
}

/** Most records of a batch were made in the same second as the one before, and writing a time takes long. */
let written = {ms: Number.NaN, text: ''};

function timeFromUnit(value: JsonValue, unit: TimeUnit): Json {
  if (unit === 'iso') return value;
  const number = typeof value === 'string' && /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  const ms = unit === 'seconds' ? number * 1000 : number;
  if (ms === written.ms) return written.text;
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return undefined;
  written = {ms, text: at.toISOString()};
  return written.text;
}
