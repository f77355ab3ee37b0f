import {LIMITS} from '../../contract/limits.ts';
import {RemitError} from '../../errors.ts';
import {endless, repeatedCursor, repeatedPage, tooManyPages, unclearEnd} from './list-errors.ts';
import {RecentIds, shortOf} from './recent-ids.ts';
import type {Printable} from '../../narrow.ts';
import type {Page} from './page.ts';
import {type FetchPage, PageReader, type ReadBefore} from './page-reader.ts';

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

/** What the service makes necessary. */
export interface ListRules<T> {
  /** Every page is requested with the same size, because the service counts pages. */
  isFixedSize?: boolean;
  /** Delivers only these items: a filter that the service does not have. */
  keeps?(this: void, item: T): boolean;
}

/** Pages that are read one by one; after them the list is long, and the next page is requested early. */
const PAGES_ONE_BY_ONE = 2;

/**
 * Items of a cursor list, fetched as they are read; it can be read only once. From the third page on, the next page is
 * requested while the items of one are read, so that the service and the reader work at the same time. A null, missing or empty cursor ends
 * it, an empty page does not. A repeated cursor stops it with an error, after the items that came with it. A record that
 * the service sends twice, because the list changes while it is read, is delivered once, and reported as a warning.
 *
 * To continue later: the last page is requested with the number of items missing to `limit`, so that a limit is
 * reached at the end of a page and `nextCursor` points to the next item. If the service sends more than requested, or
 * the reader stops in the middle of a page, `nextCursor` leads to the page that was being read, and `overlap` is the
 * number of its items that were already delivered.
 */
export class Listing<T extends Printable> implements AsyncIterable<T> {
  readonly #fetch: FetchPage<T>;
  readonly #limit: number;
  readonly #pageSize: number;
  readonly #start: string | undefined;
  readonly #mostPages: number;
  readonly #rules: ListRules<T>;
  readonly #onWarning: ListOptions['onWarning'];
  #position: {cursor: string | undefined; overlap: number} | 'end';
  #hasMoved = false;

  constructor(fetch: FetchPage<T>, options: ListOptions = {}, rules: ListRules<T> = {}) {
    this.#fetch = fetch;
    this.#rules = rules;
    this.#onWarning = options.onWarning;
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

  /** True if records were repeated because the list changed while it was read: some may be missing. */
  get hasMoved(): boolean {
    return this.#hasMoved;
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
    let readBefore: ReadBefore | undefined =
      this.#start === undefined ? {count: 0, total: undefined} : undefined;
    let seemedLast = false;
    /** The second page if the service counts pages from 1, while a request finds out whether it does. */
    let fromOne: string | undefined;
    const recent = new RecentIds();
    const {keeps, isFixedSize} = this.#rules;
    const reader = new PageReader(this.#fetch);
    const size = Math.min(this.#pageSize, keeps === undefined ? this.#limit : Infinity);
    const asking = (cursor: string | undefined, left: number) => ({
      ...{cursor, readBefore},
      limit: isFixedSize === true || keeps !== undefined ? size : Math.min(size, left),
    });
    try {
      for (let left = this.#limit; left > 0;) {
        let page: Page<T> = await reader.read(asking(from, left)).catch((error: unknown) => {
          if (seemedLast && isRefusal(error)) return EMPTY;
          throw error;
        });
        if (fromOne !== undefined) {
          const countsFromOne = recent.hasMostOf(page.items);
          if (countsFromOne) from = fromOne;
          fromOne = undefined;
          if (countsFromOne) continue;
        }
        readBefore &&= {
          count: readBefore.count + page.items.length,
          total: readBefore.total ?? page.total,
        };
        const fresh = recent.add(page.items);
        this.#hasMoved = recent.repeated > 0;
        // A list that grew while it was read has moved its last records behind the page that seemed to be the last.
        if (fresh.repeats === 'old' && seemedLast) page = EMPTY;
        if (page.items.length === 0 && seemedLast && page.saysLast === true) page = EMPTY;
        seemedLast = page.seemsLast === true;
        const {moreBy, lacksEnd, nextCursor: cursor} = page;
        const isOpen = moreBy !== undefined || lacksEnd === true;
        if (fresh.repeats !== undefined && (cursor !== undefined || isOpen)) {
          recent.repeated = 0; // the error reports it
          throw repeatedPage();
        }
        const wanted = keeps === undefined ? fresh.items : fresh.items.filter(keeps);
        const whole = wanted.length <= left;
        const items = whole ? wanted : wanted.slice(0, left);
        left -= items.length;
        const repeated = cursor !== undefined && seen.has(shortOf(cursor));
        const isLast = (cursor === undefined && !isOpen) || repeated;
        const after: Position = isLast ? 'end' : {cursor, overlap: 0};
        const next: Position = whole ? after : {cursor: from, overlap: items.length};
        if (items.length === 0) this.#position = next;
        const isLong = pages >= PAGES_ONE_BY_ONE && pages + 1 < this.#mostPages;
        if (isLong && !isLast && cursor !== undefined && left > 0 && page.items.length > 0)
          reader.requestEarly(asking(cursor, left));
        yield {items, from, next};
        if (repeated && page.saysLast === true) return;
        if (repeated && left > 0) throw repeatedCursor(cursor);
        if (isOpen && left > 0) throw unclearEnd(page);
        if (cursor === undefined) return;
        empty = page.items.length === 0 ? empty + 1 : 0;
        if (empty === MOST_EMPTY_PAGES) throw endless(MOST_EMPTY_PAGES);
        if (++pages === this.#mostPages && left > 0) throw tooManyPages(this.#mostPages, cursor);
        from = page.ifFromZero ?? cursor;
        if (page.ifFromZero !== undefined) fromOne = cursor;
        seen.add(shortOf(from));
      }
    } finally {
      reader.stop();
      if (recent.repeated > 0) this.#onWarning?.({status: 200, text: repeatedText(recent.repeated)});
    }
  }
}

const repeatedText = (count: number): string =>
  `the service sent ${count === 1 ? '1 record' : `${count} records`} twice, each is used once: the list changed while it was read, and records may be missing`;

const EMPTY: Page<never> = {items: [], nextCursor: undefined};

/** How services answer a request for a page after the last one, if not with an empty page. */
const isRefusal = (error: unknown): boolean =>
  error instanceof RemitError && [400, 404, 416, 422].includes(error.httpStatus ?? 0);

type Position = {cursor: string | undefined; overlap: number} | 'end';

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

/** Every cursor is kept, so that a repeated one is noticed: as `shortOf` it, this many need less than 100 MB. */
const MOST_PAGES = 1_000_000;
/** A filter may leave pages empty, but not this many; such a list would never end. */
const MOST_EMPTY_PAGES = 1000;
