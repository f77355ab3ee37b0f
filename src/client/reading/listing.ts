import {createHash} from 'node:crypto';
import {LIMITS} from '../../contract/limits.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {endless, repeatedCursor, repeatedPage, tooManyPages, unclearEnd} from './list-errors.ts';
import type {Page} from './page.ts';
import {type FetchPage, PageReader} from './page-reader.ts';

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
  /** Stops with FILTER_IGNORED at the first page with an item that a filter of the query excludes. */
  checksFilters?: boolean | undefined;
  /** Called once for each different warning of a page, and for a 207 without one. */
  onWarning?: ((warning: {status: number; text: string | undefined}) => void) | undefined;
}

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
    let before: ReadonlySet<string> | undefined; // the ids of the previous page
    const reader = new PageReader(this.#fetch);
    const asking = (cursor: string | undefined, left: number) => ({
      cursor,
      limit: Math.min(this.#pageSize, left),
    });
    try {
      for (let left = this.#limit; left > 0;) {
        const page = await reader.read(asking(from, left));
        const ids = idsOf(page.items);
        if (ids !== undefined && before !== undefined && isRepeated(ids, before)) throw repeatedPage();
        before = ids;
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
        if (empty === MOST_EMPTY_PAGES) throw endless(MOST_EMPTY_PAGES);
        if (++pages === this.#mostPages && left > 0) throw tooManyPages(this.#mostPages, cursor);
        seen.add(shortOf(cursor));
        from = cursor;
      }
    } finally {
      reader.stop();
    }
  }
}

type Position = {cursor: string | undefined; overlap: number} | 'end';

/**
 * Whether a page has the same records as the one before it, or only the first of them, because fewer were requested. The
 * last ones may repeat: a list can change while it is read.
 */
function isRepeated(ids: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  const first = new Set([...before].slice(0, ids.size));
  return ids.size <= before.size && [...ids].every((id) => first.has(id));
}

/** Undefined if an item has no id. */
function idsOf(items: readonly unknown[]): ReadonlySet<string> | undefined {
  const ids = new Set<string>();
  for (const item of items) {
    const id = isObject(item) ? item['id'] : undefined;
    if (typeof id !== 'string') return undefined;
    ids.add(id);
  }
  return ids.size === 0 ? undefined : ids;
}

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

/** A filter may leave pages empty, but not this many; such a list would never end. */
const MOST_EMPTY_PAGES = 1000;
