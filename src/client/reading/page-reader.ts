import type {Page} from './page.ts';

/** What the next request of a list is for. */
export interface PageWanted {
  cursor: string | undefined;
  limit: number;
  /** Undefined if the list was not read from its beginning. */
  readBefore: ReadBefore | undefined;
}

/** What was read of a list before a page. */
export interface ReadBefore {
  readonly count: number;
  /** The number of all records, as the first page stated it: later pages may count new records that are not in them. */
  readonly total: number | undefined;
}

/** @param page.signal aborted when the page is no longer wanted */
export type FetchPage<T> = (page: PageWanted & {signal: AbortSignal}) => Promise<Page<T>>;

/** Requests pages one after the other, the next one early on request. */
export class PageReader<T> {
  readonly #fetch: FetchPage<T>;
  readonly #reading = new AbortController();
  #early: Promise<Page<T>> | undefined;

  constructor(fetch: FetchPage<T>) {
    this.#fetch = fetch;
  }

  /** The page that was requested early, or this one. */
  async read(page: PageWanted): Promise<Page<T>> {
    const read = await (this.#early ?? this.#request(page));
    this.#early = undefined;
    return read;
  }

  /** Its error is thrown by `read`, after the items of the page before it. */
  requestEarly(page: PageWanted): void {
    this.#early = this.#request(page);
    this.#early.catch(() => undefined);
  }

  /** The list is at its end, or its reader has stopped: a page that was requested early is not waited for. */
  stop(): void {
    if (this.#early !== undefined) this.#reading.abort();
  }

  #request(page: PageWanted): Promise<Page<T>> {
    return this.#fetch({...page, signal: this.#reading.signal});
  }
}
