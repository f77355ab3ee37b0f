import {isList, isObject, type JsonFields, type Json, type JsonValue, parseJson} from '../../narrow.ts';
import {readListHeaders} from './list-headers.ts';

/** One page of a list. */
export interface Page<T = JsonValue> {
  items: readonly T[];
  /** Cursor of the next page; undefined on the last one. */
  nextCursor: string | undefined;
  /** Keys of the answer that announce another page although there is no cursor to fetch it with. */
  moreBy?: readonly string[];
  /** The first of them that contains a cursor or an address; absent if all are flags, numbers of pages or headers. */
  cursorKey?: string;
  /** Nothing in the answer states whether the list ends here. */
  lacksEnd?: true;
  /** The list probably ends here: if the service refuses to send the next page, it does. */
  seemsLast?: true;
  /** The page has a cursor, and a flag which states that no page follows. */
  saysLast?: true;
  /** The cursor of the next page if the service counts pages from 0, which nothing states. */
  ifFromZero?: string;
  /** Number of records in the whole list. */
  total?: number;
  /** The list has more records than were read, according to the number of all of them; the key that may explain it. */
  missing?: {readonly read: number; readonly total: number; readonly key: 'paging.by' | 'envelopes.total'};
}

/** One page as the service sent it, with everything that it states about the rest of the list. */
export interface SentPage extends Page {
  /** The last page: stated by a flag, or only by an empty key or header of the next page. */
  end?: 'flag' | 'next';
  /** Number of this page and of the last one, and the key of the latter. */
  pages?: {readonly current: number; readonly last: number; readonly key: string};
  /** Number of all pages, in an answer without the number of this one. */
  pageCount?: {readonly last: number; readonly key: string};
  /** Address of the next page in the `Link` header. */
  nextLink?: string;
  /** The answer has a `Link` header. */
  isLinked?: true;
}

/**
 * Reads a page: `{data, next_cursor}` (assumption 39) or a bare list. Undefined if it is neither. A `next_cursor` that
 * is null or empty ends the list, unless another key announces another page; then the list must not end without an
 * error.
 *
 * @param headers of the answer, with lower-case names: `Link`, `X-Total-Count` and others state what follows
 */
export function readPage(json: Json, headers: Readonly<Record<string, string>> = {}): SentPage | undefined {
  const items = isObject(json) ? json['data'] : json;
  if (!Array.isArray(items)) return undefined;
  const entries = [...(isObject(json) ? entriesOf(json) : []), ...entriesInHeader(headers['x-pagination'])];
  const {moreBy: announced, isEnd, ...beside} = readListHeaders(headers);
  const page: SentPage = {
    ...{items, nextCursor: cursorIn(json)},
    ...{...beside, ...countsIn(entries, items.length)},
  };
  const {moreBy, cursorKey, end = isEnd === true ? 'next' : undefined} = endIn(entries);
  if (page.nextCursor !== undefined) return end === 'flag' ? {...page, end} : page;
  const keys = end === 'flag' ? moreBy : [...moreBy, ...announced];
  if (keys.length > 0) return {...page, moreBy: keys, ...(cursorKey === undefined ? {} : {cursorKey})};
  return end === undefined ? page : {...page, end};
}

function cursorIn(json: Json): string | undefined {
  const cursor = isObject(json) ? json['next_cursor'] : undefined;
  if (typeof cursor === 'number') return String(cursor);
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

/** `has_more`, `hasMore`, `more`. */
export const MORE_KEY = /^(has_?)?(more(_?(results|items|records|data))?(_?available)?|next(_?page)?)$/i;
/** `next_cursor`, `nextPageToken`, `next`, `next_url`, `end_cursor`, `cursor`, `after`; not `previous` or similar. */
export const NEXT_KEY =
  /^(@?odata\.)?(next.*|(end_?)?cursor|after|starting_?after|page_?token|continuation.*)$/i;
/** `truncated`, `is_partial`: true if the page is not the last one. False states no end. */
const CUT_KEY = /^(is_?)?(truncated|partial|incomplete)$/i;
/** `last`, `is_last`, `complete`: false if the page is not the last one. True states no end. */
const WHOLE_KEY = /^(is_?)?(last(_?page)?|complete|final)$/i;
/** `remaining`, `remaining_items`: the number of records after the page. */
const LEFT_KEY = /^(remaining(_?(count|items|records|results))?|(items|records|results)_?remaining)$/i;
/** Objects that contain such keys. */
const HOLDERS = /^(_?links|pagination|paging|pages?|page_?info|meta|metadata|cursors?)$/i;
/** `total`, `total_count`, `totalItems`. */
const TOTAL_KEY = /^total(_?(count|items|records|results|elements|entries|size))?$/i;
/** `count`, `results`, `item_count`: the number of all records if it is larger than the page, otherwise that of the page. */
const COUNT_KEY = /^(count|results|num_?results|(items?|records?|results?|elements?|entries|rows?)_?count)$/i;
const CURRENT_KEY = /^(page|current_?page|page_?(number|no|index))$/i;
const LAST_KEY = /^(total_?pages|last_?page|pages|page_?count)$/i;

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly value: Json;
}

function entriesOf(json: JsonFields): Entry[] {
  const levels: [prefix: string, level: JsonFields][] = [['', json], ...heldBy('', json)];
  for (const [prefix, level] of levels.slice(1)) levels.push(...heldBy(prefix, level)); // paging.cursors
  return levels.flatMap(([prefix, level]) =>
    Object.entries(level).map(([name, value]) => ({name, path: prefix + name, value})),
  );
}

/** A header with the same keys as JSON. */
function entriesInHeader(text: string | undefined): Entry[] {
  let json: Json;
  try {
    json = parseJson(text ?? '');
  } catch {
    return [];
  }
  return isObject(json)
    ? entriesOf(json).map((entry) => ({...entry, path: `x-pagination header, ${entry.path}`}))
    : [];
}

const heldBy = (prefix: string, level: JsonFields): [prefix: string, level: JsonFields][] =>
  Object.entries(level).flatMap(([name, value]) => {
    if (!HOLDERS.test(name)) return [];
    const held = isList(value) ? linksIn(value) : value;
    return isObject(held) ? [[`${prefix}${name}.`, held]] : [];
  });

/** `[{rel: 'next', href: '…'}]`, by their relations. */
const linksIn = (list: readonly Json[]): JsonFields =>
  Object.fromEntries(
    list.flatMap((link) =>
      isObject(link) && typeof link['rel'] === 'string' ? [[link['rel'], link['href']]] : [],
    ),
  );

function countsIn(entries: readonly Entry[], read: number): Pick<SentPage, 'total' | 'pages' | 'pageCount'> {
  const numbers = (key: RegExp, among = entries) =>
    among.flatMap(({name, path, value}) => (key.test(name) ? numberOf(value).map((n) => ({n, path})) : []));
  // A total that the service file places elsewhere is at the top, even where the answer has none.
  const own = entries.filter(({path}) => path === 'total');
  const [total = own.length > 0 ? undefined : numbers(COUNT_KEY).find(({n}) => n > read)] = numbers(
    TOTAL_KEY,
    own.length > 0 ? own : entries,
  );
  const [[current], [last]] = [numbers(CURRENT_KEY), numbers(LAST_KEY)];
  return {
    ...(total === undefined ? {} : {total: total.n}),
    ...(last === undefined
      ? {}
      : current === undefined
        ? {pageCount: {last: last.n, key: last.path}}
        : {pages: {current: current.n, last: last.n, key: last.path}}),
  };
}

/** Some services send numbers and flags as text. */
const numberOf = (value: Json): number[] =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? [Number(value)] : [];

function flagOf({name, value}: Entry): boolean | undefined {
  if (!MORE_KEY.test(name)) return undefined;
  if (typeof value === 'number' && /more$/i.test(name)) return value > 0;
  return booleanOf(value);
}

function booleanOf(value: Json): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && /^(true|false|yes|no)$/i.test(value)
    ? /^(true|yes)$/i.test(value)
    : undefined;
}

/** Whether a key states that records follow the page, in another way than `has_more`. */
const isCut = ({name, path, value}: Entry): boolean =>
  (CUT_KEY.test(name) && booleanOf(value) === true) ||
  (WHOLE_KEY.test(name) && booleanOf(value) === false) ||
  // `meta.remaining` may be the number of requests before a rate limit.
  (LEFT_KEY.test(name) && !/^meta(data)?\.remaining$/i.test(path) && numberOf(value).some((n) => n > 0));

/** Keys that announce another page: a true `has_more`, another cursor or link. An explicit "no more" takes precedence. */
function endIn(entries: readonly Entry[]): {moreBy: string[]; cursorKey?: string; end?: 'flag' | 'next'} {
  const flags = entries.map((entry) => ({path: entry.path, flag: flagOf(entry)}));
  const given = flags.filter(({flag}) => flag !== undefined);
  const cut = entries.filter(isCut);
  if (given.length > 0 && cut.length === 0 && given.every(({flag}) => flag === false))
    return {moreBy: [], end: 'flag'};
  const links = entries.filter(
    (entry) =>
      NEXT_KEY.test(entry.name) &&
      flagOf(entry) === undefined &&
      (isLink(entry.value) || (entry.path === 'next_cursor' && isOdd(entry.value))),
  );
  const moreBy = [...given.filter(({flag}) => flag === true), ...cut, ...links].map(({path}) => path);
  // The number of the next page is not a cursor.
  const [cursor] = links.filter(({name, value}) => !(MORE_KEY.test(name) && typeof value === 'number'));
  const isEmpty = entries.some(({name, value}) => END_KEY.test(name) && !value);
  if (moreBy.length === 0) return isEmpty ? {moreBy, end: 'next'} : {moreBy};
  return cursor === undefined ? {moreBy} : {moreBy, cursorKey: cursor.path};
}

/** A null or empty value of such a key ends the list; the value of `cursor` or `after` may be that of the request. */
const END_KEY = /^(@?odata\.)?next/i;

const isLink = (value: Json): boolean =>
  (typeof value === 'string' && value !== '') ||
  (typeof value === 'number' && value > 0) ||
  (isObject(value) && typeof value['href'] === 'string');

/** A cursor that is neither text nor a number: it cannot be sent, but it is not the end of the list either. */
const isOdd = (cursor: Json): boolean =>
  cursor === true || (typeof cursor === 'object' && cursor !== null && Object.keys(cursor).length > 0);
