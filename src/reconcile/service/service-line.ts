import {hash} from 'node:crypto';
import {idText} from '../../contract/ids.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {isObject, type JsonFields, type Json} from '../../narrow.ts';
import {isDay} from '../model/day.ts';
import type {BankLine, LineText} from '../model/line.ts';
import {fieldOf, textLeaves} from './leaves.ts';

/** A record that cannot be used, and why. */
export interface Unread {
  readonly unread: string;
}
export const isUnread = (value: object): value is Unread => 'unread' in value;

/** The calendar day in New York at a time, in milliseconds since the epoch. */
export type DayAt = (ms: number) => string;

const MOST_MINOR = 2n ** 63n - 1n;

/** An amount without a sign, minor units. Undefined for any other value, and for one that the book cannot store. */
export function storedAmount(value: unknown): bigint | undefined {
  const minor = minorUnitsIn(value);
  return minor === undefined || minor < 0n || minor > MOST_MINOR ? undefined : minor;
}

/** What these fields say is in the line itself. */
const READ: ReadonlySet<string> = new Set(
  'id account_id amount_in_minor_units amount_in_cents currency_code direction status posted_at value_date'.split(
    ' ',
  ),
);
/** `R01`, and reasons of ISO 20022. */
const RETURN_CODE = /^(?:R\d{2}|[A-Z]{2}\d{2})$/;

/**
 * One bank-reported transaction of the service, in canonical form. Nothing is guessed: a record without a readable
 * amount, direction, currency, status or date is returned as unread.
 * @param received its id before anything was masked or removed in it: two ids may differ only there
 */
export function serviceLine(
  record: Json,
  account: string,
  dayAt: DayAt,
  received: Json = isObject(record) ? record['id'] : undefined,
): BankLine | Unread {
  if (!isObject(record)) return {unread: 'a bank transaction is not an object'};
  const id = idText(record['id']) || undefined; // an empty id is none
  const of = `bank transaction ${id ?? 'without an id'}`;
  const {direction, currency_code: currency} = record;
  const amount = storedAmount(record['amount_in_minor_units']);
  if (amount === undefined) return {unread: `${of} has no readable amount`};
  if (direction !== 'credit' && direction !== 'debit') return {unread: `${of} has no readable direction`};
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    return {unread: `${of} has no readable currency`};
  const days = daysOf(record, dayAt);
  if (days === undefined) return {unread: `${of} has no readable date`};
  const state = stateOf(record);
  if (state === undefined) return {unread: `${of} is neither posted nor pending`};
  const texts = textLeaves(record).filter((leaf) => !READ.has(leaf.path));
  const line: Omit<BankLine, 'key'> = {
    source: 'service',
    ...{account, id, state, currency, texts, ...days},
    amount: direction === 'debit' ? -amount : amount,
    returnCode: returnCodeIn(texts),
  };
  return {key: keyOf(line, idText(received) || id), ...line};
}

/** In a field of its own, or as a word of the text: `Return of payout 018f…, R03`. */
const returnCodeIn = (texts: readonly LineText[]): string | undefined =>
  texts.find((leaf) => /code$/i.test(fieldOf(leaf)) && RETURN_CODE.test(leaf.text))?.text ??
  texts.flatMap(({text}) => (/\breturn\b/i.test(text) ? (/\bR\d{2}\b/.exec(text) ?? []) : []))[0];

/**
 * A line without an id has the hash of its content; the book tells equal ones apart. An id that is not shown as it was
 * received has its own hash, as one that looks like a hash has.
 */
function keyOf({account, id, ...content}: Omit<BankLine, 'key'>, received: string | undefined): string {
  if (received !== undefined && received === id && !id.startsWith('#')) return `service:${account}:${id}`;
  const {amount, currency, bookingDay, texts} = content;
  const hashed = received === undefined ? [String(amount), currency, bookingDay, texts] : [received];
  return `service:${account}:#${hash('sha256', JSON.stringify(hashed), 'base64url').slice(0, 22)}`;
}

/** A bank states the day, or the service a time, whose day is that of New York. */
function daysOf(record: JsonFields, dayAt: DayAt): Pick<BankLine, 'bookingDay' | 'valueDay'> | undefined {
  const {posted_at: posted, value_date: value} = record;
  const valueDay = typeof value === 'string' && isDay(value) ? value : undefined;
  const bookingDay = typeof posted === 'string' ? dayOfTime(posted, dayAt) : valueDay;
  return bookingDay === undefined ? undefined : {bookingDay, valueDay};
}

/** The day of a time with a zone, or a day as it is. Undefined for any other text: without a zone it could be two days. */
export function dayOfTime(text: string, dayAt: DayAt): string | undefined {
  if (isDay(text)) return text;
  const ms =
    isDay(text.slice(0, 10)) && /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : dayAt(ms);
}

function stateOf({status, posted_at: posted}: JsonFields): BankLine['state'] | undefined {
  if (status === undefined || status === null) return typeof posted === 'string' ? 'posted' : 'pending';
  const word = typeof status === 'string' ? status.toLowerCase() : '';
  return word === 'posted' || word === 'pending' ? word : undefined;
}
