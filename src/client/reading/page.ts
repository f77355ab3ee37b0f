import {isObject} from '../../narrow.ts';

/** One page, as the service sent it. */
export interface Page<T> {
  items: readonly T[];
  /** Cursor of the next page; undefined on the last one. */
  nextCursor: string | undefined;
  /** Keys of the answer that announce another page although there is no `next_cursor` to fetch it with. */
  moreBy?: readonly string[];
}

/**
 * Reads a page: `{data, next_cursor}` (assumption 39) or a bare list. Undefined if it is neither. A missing or null
 * `next_cursor` ends the list, unless another key announces another page; then the list must not end without an
 * error.
 *
 * @param linkHeader the answer's `Link` header
 */
export function readPage(json: unknown, linkHeader?: string): Page<unknown> | undefined {
  const linked = /;\s*rel="?next\b/i.test(linkHeader ?? '') ? ['the Link header'] : [];
  if (Array.isArray(json)) return lastPage(json, linked);
  if (!isObject(json) || !Array.isArray(json['data'])) return undefined;
  const cursor = json['next_cursor'];
  if (typeof cursor === 'number') return {items: json['data'], nextCursor: String(cursor)};
  if (typeof cursor === 'string' && cursor !== '') return {items: json['data'], nextCursor: cursor};
  return lastPage(json['data'], [...keysOfMore(json), ...linked]);
}

const lastPage = (items: readonly unknown[], moreBy: readonly string[]): Page<unknown> =>
  moreBy.length === 0 ? {items, nextCursor: undefined} : {items, nextCursor: undefined, moreBy};

/** `has_more`, `hasMore`, `more`. */
export const MORE_KEY = /^(has_?)?(more|next(_?page)?)$/i;
/** `next_cursor`, `nextPageToken`, `next`, `next_url`, `end_cursor`, `cursor`, `after`; not `previous` or similar. */
export const NEXT_KEY = /^(next.*|(end_?)?cursor|after|starting_?after|page_?token|continuation.*)$/i;
/** Objects that contain such keys. */
const HOLDERS = /^(_?links|pagination|paging|pages?|page_?info|meta|metadata|cursors?)$/i;

/**
 * Keys that announce another page: a true `has_more`, or another cursor or link. An explicit "no more" takes
 * precedence.
 */
function keysOfMore(json: Readonly<Record<string, unknown>>): string[] {
  const levels: [prefix: string, level: Readonly<Record<string, unknown>>][] = [['', json]];
  for (const [name, value] of Object.entries(json))
    if (HOLDERS.test(name) && isObject(value)) levels.push([`${name}.`, value]);
  const entries = levels.flatMap(([prefix, level]) =>
    Object.entries(level).map(([name, value]) => ({name, path: prefix + name, value})),
  );
  const flags = entries.filter(({name, value}) => MORE_KEY.test(name) && typeof value === 'boolean');
  if (flags.length > 0 && flags.every(({value}) => value === false)) return [];
  const links = entries.filter(
    ({name, path, value}) =>
      NEXT_KEY.test(name) && (isLink(value) || (path === 'next_cursor' && isOdd(value))),
  );
  return [...flags.filter(({value}) => value === true), ...links].map(({path}) => path);
}

const isLink = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (typeof value === 'number' && value > 0) ||
  (isObject(value) && typeof value['href'] === 'string');

/** A cursor that is neither text nor a number: it cannot be sent, but it is not the end of the list either. */
const isOdd = (cursor: unknown): boolean =>
  cursor === true || (typeof cursor === 'object' && cursor !== null && Object.keys(cursor).length > 0);
