import {createHash} from 'node:crypto';
import {LIMITS} from '../../contract/limits.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';

/** One page, as the service sent it. */
export interface Page<T> {
  items: readonly T[];
  /** Cursor of the next page; undefined on the last one. */
  nextCursor: string | undefined;
  /** Keys of the answer that announce another page although there is no `next_cursor` to fetch it with. */
  moreBy?: readonly string[];
}

export interface ListOptions {
  /** Maximum number of items; absent: all. */
  limit?: number | undefined;
  /** All items, regardless of `limit`. */
  all?: boolean | undefined;
  /** Items per request, 1 to 100; a service may send fewer. */
  pageSize?: number | undefined;
  /** Where to start: the `nextCursor` of an earlier list. */
  cursor?: string | undefined;
  /** Stops the list with an error after this many pages; a million if absent. */
  mostPages?: number | undefined;
}

/** @param page.signal aborted when the page is no longer wanted */
export type FetchPage<T> = (page: {
  cursor: string | undefined;
  limit: number;
  signal: AbortSignal;
}) => Promise<Page<T>>;

/** Pages that are read one by one; after them the list is long, and the next page is requested early. */
const PAGES_ONE_BY_ONE = 2;

/**
 * Items of a cursor list, fetched as they are read; it can be read only once. From the third page on, the next page is
 * requested while the items of one are read, so that the service and the reader work at the same time. A null, missing or empty cursor ends
 * it, an empty page does not. A repeated cursor stops it with an error, after the items that came with it.
 *
 * To continue later: the last page is requested with the number of items missing to `limit`, so that a limit is
 * reached at the end of a page and `nextCursor` points to the next item. If the service sends more than requested, or
 * the reader stops in the middle of a page, `nextCursor` leads to the page that was being read, and `overlap` is the
 * number of its items that were already delivered.
 */
export class Listing<T> implements AsyncIterable<T> {
  readonly #fetch: FetchPage<T>;
  readonly #limit: number;
  readonly #pageSize: number;
  readonly #start: string | undefined;
  readonly #mostPages: number;
  #position: {cursor: string | undefined; overlap: number} | 'end';

  constructor(fetch: FetchPage<T>, options: ListOptions = {}) {
    this.#fetch = fetch;
    this.#limit =
      options.all === true || options.limit === undefined ? Infinity : atLeastOne('limit', options.limit);
    this.#pageSize = pageSizeOf(options.pageSize);
    this.#start = options.cursor;
    this.#mostPages = options.mostPages ?? MOST_PAGES;
    this.#position = {cursor: options.cursor, overlap: 0};
  }

  /** True while more items may follow. */
  get more(): boolean {
    return this.#position !== 'end';
  }

  /**
   * Continues after the delivered items; undefined at the end, and before the first page of a list without a cursor.
   */
  get nextCursor(): string | undefined {
    return this.#position === 'end' ? undefined : this.#position.cursor;
  }

  /** Items that a list from `nextCursor` will deliver again. */
  get overlap(): number {
    return this.#position === 'end' ? 0 : this.#position.overlap;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const {items, from, next} of this.#walk()) {
      for (const [at, item] of items.entries()) {
        this.#position = at + 1 === items.length ? next : {cursor: from, overlap: at + 1};
        yield item;
      }
    }
  }

  /** Page by page, truncated to the limit; an empty page is delivered too. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for await (const {items, next} of this.#walk()) {
      this.#position = next;
      yield {items, nextCursor: next === 'end' ? undefined : next.cursor};
    }
  }

  /** All items in one array. */
  async toArray(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  async *#walk(): AsyncGenerator<
    {items: readonly T[]; from: string | undefined; next: Position},
    void,
    undefined
  > {
    const seen = new Set<string>(this.#start === undefined ? [] : [shortOf(this.#start)]);
    let from = this.#start;
    let pages = 0;
    let empty = 0;
    const reader = new PageReader(this.#fetch);
    const asking = (cursor: string | undefined, left: number) => ({
      cursor,
      limit: Math.min(this.#pageSize, left),
    });
    try {
      for (let left = this.#limit; left > 0;) {
        const page = await reader.read(asking(from, left));
        const whole = page.items.length <= left;
        const items = whole ? page.items : page.items.slice(0, left);
        left -= items.length;
        const {moreBy, nextCursor: cursor} = page;
        const repeated = cursor !== undefined && seen.has(shortOf(cursor));
        const isLast = (cursor === undefined && moreBy === undefined) || repeated;
        const after: Position = isLast ? 'end' : {cursor, overlap: 0};
        const next: Position = whole ? after : {cursor: from, overlap: items.length};
        if (items.length === 0) this.#position = next;
        const isLong = pages >= PAGES_ONE_BY_ONE && pages + 1 < this.#mostPages;
        if (isLong && !isLast && cursor !== undefined && left > 0 && items.length > 0)
          reader.requestEarly(asking(cursor, left));
        yield {items, from, next};
        if (repeated && left > 0) throw repeatedCursor(cursor);
        if (moreBy !== undefined && left > 0) throw unclearEnd(moreBy);
        if (cursor === undefined) return;
        empty = items.length === 0 ? empty + 1 : 0;
        if (empty === MOST_EMPTY_PAGES) throw endless();
        if (++pages === this.#mostPages && left > 0) throw tooManyPages(this.#mostPages, cursor);
        seen.add(shortOf(cursor));
        from = cursor;
      }
    } finally {
      reader.stop();
    }
  }
}

/** Requests pages one after the other, the next one early on request. */
class PageReader<T> {
  readonly #fetch: FetchPage<T>;
  readonly #reading = new AbortController();
  #early: Promise<Page<T>> | undefined;

  constructor(fetch: FetchPage<T>) {
    this.#fetch = fetch;
  }

  /** The page that was requested early, or this one. */
  async read(page: {cursor: string | undefined; limit: number}): Promise<Page<T>> {
    const read = await (this.#early ?? this.#request(page));
    this.#early = undefined;
    return read;
  }

  /** Its error is thrown by `read`, after the items of the page before it. */
  requestEarly(page: {cursor: string | undefined; limit: number}): void {
    this.#early = this.#request(page);
    this.#early.catch(() => undefined);
  }

  /** The list is at its end, or its reader has stopped: a page that was requested early is not waited for. */
  stop(): void {
    if (this.#early !== undefined) this.#reading.abort();
  }

  #request(page: {cursor: string | undefined; limit: number}): Promise<Page<T>> {
    return this.#fetch({...page, signal: this.#reading.signal});
  }
}

type Position = {cursor: string | undefined; overlap: number} | 'end';

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
const MORE = /^(has_?)?(more|next(_?page)?)$/i;
/** `next_cursor`, `nextPageToken`, `next`, `next_url`, `end_cursor`, `cursor`, `after`; not `previous` or similar. */
const FORWARD = /^(next.*|(end_?)?cursor|after|starting_?after|page_?token|continuation.*)$/i;
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
  const flags = entries.filter(({name, value}) => MORE.test(name) && typeof value === 'boolean');
  if (flags.length > 0 && flags.every(({value}) => value === false)) return [];
  const links = entries.filter(({name, value}) => FORWARD.test(name) && isLink(value));
  return [...flags.filter(({value}) => value === true), ...links].map(({path}) => path);
}

const isLink = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (typeof value === 'number' && value > 0) ||
  (isObject(value) && typeof value['href'] === 'string');

function pageSizeOf(pageSize: number = LIMITS.pageSizeMax): number {
  if (Number.isInteger(pageSize) && pageSize >= LIMITS.pageSizeMin && pageSize <= LIMITS.pageSizeMax)
    return pageSize;
  throw new RemitError(
    'USAGE',
    `a page size must be ${LIMITS.pageSizeMin} to ${LIMITS.pageSizeMax} items, not ${pageSize}`,
  );
}

function atLeastOne(name: string, count: number): number {
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RemitError('USAGE', `${name} must be a whole number of items, at least 1, not ${count}`);
}

function repeatedCursor(cursor: string): RemitError {
  return new RemitError(
    'CURSOR_REPEATED',
    'the service sent the same page cursor twice; the list was stopped there',
    {
      details: {cursor},
    },
  );
}

/**
 * Every cursor is kept, so that a repeated one is noticed. Long ones are kept as hashes: then this many need less than
 * 100 MB.
 */
const MOST_PAGES = 1_000_000;
const LONGEST_KEPT = 24;

const shortOf = (cursor: string): string =>
  cursor.length <= LONGEST_KEPT
    ? cursor
    : `#${createHash('sha256').update(cursor).digest('base64url').slice(0, LONGEST_KEPT)}`;

const tooManyPages = (pages: number, cursor: string): RemitError =>
  new RemitError(
    'LIST_CUT',
    `the service sent ${pages} pages and has more; the list was stopped there, and continues at the cursor ${cursor}`,
    {details: {cursor}},
  );

/** A filter may leave pages empty, but not this many; such a list would never end. */
const MOST_EMPTY_PAGES = 1000;

const endless = (): RemitError =>
  new RemitError(
    'LIST_CUT',
    `the service sent ${MOST_EMPTY_PAGES} empty pages in a row, each with another next_cursor; the list was stopped there`,
  );

function unclearEnd(keys: readonly string[]): RemitError {
  const names = keys.join(', ');
  return new RemitError(
    'LIST_CUT',
    `the service announced more pages (${names}), but sent no next_cursor: the list is incomplete`,
    {details: {keys}},
  );
}
