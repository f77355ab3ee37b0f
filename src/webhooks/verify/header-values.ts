import {isMap} from 'node:util/types';
import {isList} from '../../narrow.ts';

/** The part of a Fetch `Headers` object that is used here. */
export interface FetchHeaders {
  get(name: string): string | null;
}

/**
 * The headers of a delivery in any form that servers provide: Node's `request.rawHeaders` (best: nothing is joined or
 * dropped), `request.headers`, a Fetch `Headers` object, or a list of name and value pairs.
 */
export type WebhookHeaders =
  | FetchHeaders
  | readonly string[]
  | readonly (readonly [name: string, value: string])[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * All values of one header, in order of arrival, without surrounding white space; what is not text is ignored. A value is
 * split at commas, because Node and Fetch join repeated headers with a comma.
 * @param name in lower case
 */
export function headerValues(headers: WebhookHeaders, name: string): string[] {
  const found: string[] = [];
  for (const text of rawValues(headers, name)) {
    if (!text.includes(',')) found.push(trimmed(text));
    else for (const part of text.split(',')) found.push(trimmed(part));
  }
  return found;
}

/**
 * All values of a header whose values contain commas, such as `v1,g0hM…` of Standard Webhooks: separated by blanks, and by the comma
 * with which a repeated header was joined.
 */
export const spacedValues = (headers: WebhookHeaders, name: string): string[] =>
  rawValues(headers, name).flatMap((text) =>
    text
      .split(/[ \t]+/)
      .map((part) => (part.endsWith(',') ? part.slice(0, -1) : part))
      .filter((part) => part !== ''),
  );

/** Optional white space as HTTP defines it: `trim()` would also remove characters that are part of a value. */
export function trimmed(text: string, from = 0, to = text.length): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function rawValues(headers: WebhookHeaders, name: string): readonly string[] {
  if (Array.isArray(headers)) return fromList(headers as readonly unknown[], name);
  if (isMap(headers)) return fromList([...headers], name); // its names may be in any case
  if (isFetchHeaders(headers)) {
    const value: unknown = headers.get(name);
    return typeof value === 'string' ? [value] : [];
  }
  return fromRecord(headers as Readonly<Record<string, string | readonly string[] | undefined>>, name);
}

const isFetchHeaders = (headers: object): headers is FetchHeaders =>
  typeof (headers as Partial<FetchHeaders>).get === 'function';

/** Node's flat list of names and values, or a list of pairs. */
function fromList(list: readonly unknown[], name: string): string[] {
  const found: string[] = [];
  if (Array.isArray(list[0]))
    for (const pair of list as readonly (readonly unknown[])[]) add(found, pair[0], pair[1], name);
  else for (let at = 0; at + 1 < list.length; at += 2) add(found, list[at], list[at + 1], name);
  return found;
}

function add(found: string[], key: unknown, value: unknown, name: string): void {
  if (isNamed(key, name) && typeof value === 'string') found.push(value);
}

/** Most names differ in length already. */
const isNamed = (key: unknown, name: string): boolean =>
  typeof key === 'string' && key.length === name.length && key.toLowerCase() === name;

function fromRecord(
  record: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): readonly string[] {
  const found: string[] = [];
  for (const key of Object.keys(record)) {
    if (!isNamed(key, name)) continue;
    const value: unknown = record[key];
    for (const text of isList(value) ? value : [value]) if (typeof text === 'string') found.push(text);
  }
  return found;
}
