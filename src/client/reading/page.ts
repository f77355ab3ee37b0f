import {isObject} from '../../narrow.ts';

/** One page, as the service sent it. */
export interface Page<T> {
  items: readonly T[];
  /** Cursor of the next page; undefined on the last one. */
  nextCursor: string | undefined;
  /** Keys of the answer that announce another page although there is no `next_cursor` to fetch it with. */
  moreBy?: readonly string[];
  /** Nothing in the answer states whether the list ends here. */
  lacksEnd?: true;
  /** Number of records in the whole list. */
  total?: number;
  /** Number of this page and of the last one. */
  pages?: {readonly current: number; readonly last: number};
  /** Address of the next page in the `Link` header. */
  nextLink?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a page: `{data, next_cursor}` (assumption 39) or a bare list. Undefined if it is neither. A `next_cursor` that
 * is null or empty ends the list, unless another key announces another page; then the list must not end without an
 * error.
 *
 * @param linkHeader the answer's `Link` header
 */
export function readPage(json: unknown, linkHeader = ''): Page<unknown> | undefined {
  const nextLink = /<([^>]{0,4000})>\s{0,9};\s{0,9}rel="?next\b/i.exec(linkHeader)?.[1];
  const linked = nextLink === undefined ? {} : {nextLink};
  const isLinkedEnd = nextLink === undefined && /;\s{0,9}rel="?(prev|first|last)\b/i.test(linkHeader);
  if (Array.isArray(json)) return withEnd({items: json, nextCursor: undefined, ...linked}, isLinkedEnd);
  if (!isObject(json) || !Array.isArray(json['data'])) return undefined;
  const cursor = json['next_cursor'];
  const entries = entriesOf(json);
  const page = {items: json['data'], nextCursor: undefined, ...linked, ...countsIn(entries)};
  if (typeof cursor === 'number') return {...page, nextCursor: String(cursor)};
  if (typeof cursor === 'string' && cursor !== '') return {...page, nextCursor: cursor};
  const {moreBy, isEnd} = endIn(entries, page);
  return withEnd(moreBy.length === 0 ? page : {...page, moreBy}, isEnd || isLinkedEnd);
}

function withEnd(page: Page<unknown>, isEnd: boolean): Page<unknown> {
  const moreBy = [...(page.moreBy ?? []), ...(page.nextLink === undefined ? [] : [LINK])];
  if (moreBy.length > 0) return {...page, moreBy};
  return isEnd || page.items.length === 0 ? page : {...page, lacksEnd: true};
}

/** The key that stands for the header in `moreBy`. */
export const LINK = 'the Link header';

/** `has_more`, `hasMore`, `more`. */
export const MORE_KEY = /^(has_?)?(more|next(_?page)?)$/i;
/** `next_cursor`, `nextPageToken`, `next`, `next_url`, `end_cursor`, `cursor`, `after`; not `previous` or similar. */
export const NEXT_KEY = /^(next.*|(end_?)?cursor|after|starting_?after|page_?token|continuation.*)$/i;
/** Objects that contain such keys. */
const HOLDERS = /^(_?links|pagination|paging|pages?|page_?info|meta|metadata|cursors?)$/i;
/** `total`, `total_count`, `totalItems`. */
const TOTAL_KEY = /^total(_?(count|items|records|results|elements|entries|size))?$/i;
const CURRENT_KEY = /^(page|current_?page|page_?(number|no|index))$/i;
const LAST_KEY = /^(total_?pages|last_?page|pages|page_?count)$/i;

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
}

function entriesOf(json: Json): Entry[] {
  const levels: [prefix: string, level: Json][] = [['', json]];
  for (const [name, value] of Object.entries(json))
    if (HOLDERS.test(name) && isObject(value)) levels.push([`${name}.`, value]);
  return levels.flatMap(([prefix, level]) =>
    Object.entries(level).map(([name, value]) => ({name, path: prefix + name, value})),
  );
}

function countsIn(entries: readonly Entry[]): Pick<Page<unknown>, 'total' | 'pages'> {
  const number = (key: RegExp) =>
    entries.flatMap(({name, value}) => (key.test(name) ? numberOf(value) : []))[0];
  const [total, current, last] = [number(TOTAL_KEY), number(CURRENT_KEY), number(LAST_KEY)];
  return {
    ...(total === undefined ? {} : {total}),
    ...(current === undefined || last === undefined ? {} : {pages: {current, last}}),
  };
}

/** Some services send numbers and flags as text. */
const numberOf = (value: unknown): number[] =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? [Number(value)] : [];

function flagOf({name, value}: Entry): boolean | undefined {
  if (!MORE_KEY.test(name)) return undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && /more$/i.test(name)) return value > 0;
  return typeof value === 'string' && /^(true|false)$/i.test(value) ? /^true$/i.test(value) : undefined;
}

/**
 * Keys that announce another page: a true `has_more`, another cursor or link, or a page before the last one. An explicit
 * "no more" takes precedence.
 */
function endIn(
  entries: readonly Entry[],
  {pages}: Pick<Page<unknown>, 'pages'>,
): {moreBy: string[]; isEnd: boolean} {
  const flags = entries.map((entry) => ({path: entry.path, flag: flagOf(entry)}));
  const given = flags.filter(({flag}) => flag !== undefined);
  if (given.length > 0 && given.every(({flag}) => flag === false)) return {moreBy: [], isEnd: true};
  const links = entries.filter(
    (entry) =>
      NEXT_KEY.test(entry.name) &&
      flagOf(entry) === undefined &&
      (isLink(entry.value) || (entry.path === 'next_cursor' && isOdd(entry.value))),
  );
  const last = entries.filter(({name}) => LAST_KEY.test(name));
  const isBefore = pages !== undefined && pages.current < pages.last;
  const announcing = [...given.filter(({flag}) => flag === true), ...links, ...(isBefore ? last : [])];
  const isEnd = pages !== undefined || entries.some(({name, value}) => END_KEY.test(name) && !value);
  return {moreBy: announcing.map(({path}) => path), isEnd};
}

/** A null or empty value of such a key ends the list; the value of `cursor` or `after` may be that of the request. */
const END_KEY = /^next/i;

const isLink = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (typeof value === 'number' && value > 0) ||
  (isObject(value) && typeof value['href'] === 'string');

/** A cursor that is neither text nor a number: it cannot be sent, but it is not the end of the list either. */
const isOdd = (cursor: unknown): boolean =>
  cursor === true || (typeof cursor === 'object' && cursor !== null && Object.keys(cursor).length > 0);
