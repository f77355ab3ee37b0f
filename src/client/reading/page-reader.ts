import type {Page} from './page.ts';

/** What the next request of a list is for. */
export interface PageWanted {
  cursor: string | undefined;
  limit: number;
  /** Records of the list that were read before. */
  readBefore: number;
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
