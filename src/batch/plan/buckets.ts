import {nextTurn} from '../../clock.ts';
import {must, ownJson} from '../../narrow.ts';
import type {DraftPages} from '../journal/draft-pages.ts';
import {HASH_BITS} from '../model/name-hash.ts';

const BUCKET_BITS = 7;
const BUCKETS = 2 ** BUCKET_BITS;
/** Records that are written together. */
const RECORDS_A_PAGE = 128;
/** Pages per bucket; page ids stay below 2^31. */
const PAGES = 2 ** 22;
/**
 * Records processed in one transaction and in one turn of the event loop. The limit is work done and not time, so a
 * plan takes the same turns every time.
 */
const RECORDS_A_TURN = 8192;

export interface Dealt {
  /** Row number. */
  n: number;
  text: string;
}

/** Row numbers and texts, alternating. */
type Page = (number | string)[];

interface Bucket {
  /** Both count the pages in the table and what waits for the next one. */
  records: number;
  pages: number;
  waiting: Page;
}

/**
 * Texts of the rows of a plan, distributed by a hash. Equal texts are in the same bucket, so duplicates are found one
 * bucket at a time. Memory does not grow with the file as long as most texts differ, or all are equal. What does not
 * fit is kept in a table of the plan until it is removed: SQLite in WASM has no temporary files, and would sort in
 * memory that it never releases.
 */
export class Buckets {
  readonly #store: DraftPages;
  /** Number of this set of buckets in the plan. */
  readonly #series: number;
  readonly #recordsAPage: number;
  readonly #buckets: readonly Bucket[] = Array.from({length: BUCKETS}, () => ({
    records: 0,
    pages: 0,
    waiting: [],
  }));

  constructor(store: DraftPages, series: 0 | 1 | 2, recordsAPage: number = RECORDS_A_PAGE) {
    this.#store = store;
    this.#series = series;
    this.#recordsAPage = recordsAPage;
  }

  /** Runs within the caller's transaction. Higher hashes go to later buckets. */
  add(hash: number, n: number, text: string): void {
    const index = hash >>> (HASH_BITS - BUCKET_BITS);
    const bucket = this.#at(index);
    bucket.records++;
    bucket.waiting.push(n, text);
    if (bucket.waiting.length < 2 * this.#recordsAPage) return;
    this.#store.write(this.#firstPage(index) + bucket.pages++, JSON.stringify(bucket.waiting));
    bucket.waiting.length = 0;
  }

  #at(index: number): Bucket {
    return must(this.#buckets[index], 'bucket');
  }

  #firstPage(index: number): number {
    return (this.#series * BUCKETS + index) * PAGES;
  }

  /**
   * Yields the records of a bucket in the order in which they were added. The same database may be written at the
   * same time.
   */
  *records(index: number): Generator<Dealt> {
    const first = this.#firstPage(index);
    const bucket = this.#at(index);
    for (let page = 0; page < bucket.pages; page++)
      yield* recordsOf(ownJson<Page>(this.#store.read(first + page))); // as it was written above
    yield* recordsOf(bucket.waiting);
  }

  /** Processes every non-empty bucket, in ascending order, and empties it. */
  async drain(work: (bucket: number) => void): Promise<void> {
    for (const [index, portion] of this.#portions().entries()) {
      if (index > 0) await nextTurn();
      this.#store.transaction(() => {
        for (const bucket of portion) {
          work(bucket);
          this.#empty(bucket);
        }
      });
    }
  }

  #portions(): number[][] {
    const portions: number[][] = [];
    let portion: number[] = [];
    let records = 0;
    for (const [index, bucket] of this.#buckets.entries()) {
      if (bucket.records === 0) continue;
      portion.push(index);
      records += bucket.records;
      if (records < RECORDS_A_TURN) continue;
      portions.push(portion);
      portion = [];
      records = 0;
    }
    if (portion.length > 0) portions.push(portion);
    return portions;
  }

  clear(): void {
    for (const index of this.#buckets.keys()) this.#empty(index);
  }

  #empty(index: number): void {
    const first = this.#firstPage(index);
    const bucket = this.#at(index);
    if (bucket.pages > 0) this.#store.remove(first, first + bucket.pages - 1);
    bucket.pages = bucket.records = bucket.waiting.length = 0;
  }
}

function* recordsOf(page: Page): Generator<Dealt> {
  for (let at = 0; at < page.length; at += 2) yield {n: page[at] as number, text: page[at + 1] as string}; // alternating
}
