import {ExactNumber, type Json, type JsonFields} from '../narrow.ts';

/** What ids look like. The interface document promises UUIDs; the ids of other services may be any plain text. */
export const ID_FORMATS = ['uuid', 'any'] as const;
export type IdFormat = (typeof ID_FORMATS)[number];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Needs no escaping in JSON and is no formula in a spreadsheet; four times the length of a UUID at most. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.:~-]{0,143}$/;

export const isUuid = (text: string): boolean => UUID.test(text);
export const isId = (text: string, format: IdFormat): boolean =>
  isUuid(text) || (format === 'any' && PLAIN.test(text));

/** Upper and lower case are the same in a UUID, and differ in any other id. */
export const usualId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);
export const isSameId = (a: string, b: string): boolean => a === b || usualId(a) === usualId(b);

export const isIdField = (name: string): boolean => name === 'id' || name.endsWith('_id');

/**
 * An id as text, also if the service sends it as a JSON number. Undefined for a number that was rounded when it was read
 * (2^53 and above, unless it is an `ExactNumber`) and for anything else.
 */
export function idText(value: Json): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (value instanceof ExactNumber) return /^\d{1,40}$/.test(value.text) ? value.text : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The record with text instead of numbers in these fields; undefined if one of the numbers was rounded. */
export function withTextIds<R extends JsonFields>(record: R, fields: readonly string[]): R | undefined {
  let changed: Record<string, Json> | undefined;
  for (const field of fields) {
    const value = record[field];
    if (typeof value === 'string') continue;
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
    const text = idText(value);
    if (text !== undefined) (changed ??= {...record})[field] = text;
  }
  return changed === undefined ? record : (changed as R); // the same fields; ids are typed as text
}
