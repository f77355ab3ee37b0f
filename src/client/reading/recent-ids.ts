import {createHash} from 'node:crypto';
import {isObject, type Printable} from '../../narrow.ts';

/** Records whose ids are kept: a list that moves while it is read repeats records of the pages just before. */
const MOST_IDS = 10_000;

/** Finds the records and the pages that a list repeats. */
export class RecentIds {
  /** Records that were sent again. */
  repeated = 0;
  readonly #ids = new Set<string>();
  /** The first id of every page: whole pages are found however long ago they were sent. */
  readonly #firsts = new Set<string>();

  /**
   * The items of a page that no page before it had, and whether the page begins with the same record as an earlier one
   * (`again`), or has no new one (`old`). Items without an id count as new.
   */
  add<T extends Printable>(page: readonly T[]): {items: readonly T[]; repeats: 'again' | 'old' | undefined} {
    const ids = page.map(idOf);
    const [first] = ids;
    const items = page.filter((_, at) => {
      const id = ids[at];
      const isNew = id === undefined || !this.#ids.has(id);
      this.#keep(id);
      return isNew;
    });
    const isAgain = first !== undefined && this.#firsts.has(shortOf(first));
    const repeats = isAgain ? 'again' : items.length === 0 && page.length > 0 ? 'old' : undefined;
    if (first !== undefined) this.#firsts.add(shortOf(first));
    this.repeated += page.length - items.length;
    return {items, repeats};
  }

  /** Whether most items of a page have come before. */
  hasMostOf(page: readonly Printable[]): boolean {
    const known = page.filter((item) => this.#ids.has(idOf(item) ?? ''));
    return page.length > 0 && known.length * 2 > page.length;
  }

  #keep(id: string | undefined): void {
    if (id === undefined) return;
    this.#ids.add(id);
    if (this.#ids.size <= MOST_IDS) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}

function idOf(item: Printable): string | undefined {
  const id = isObject(item) ? item['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const LONGEST_KEPT = 24;

/** A text as it is kept for every page of a list: a long one as its hash. */
export const shortOf = (text: string): string =>
  text.length <= LONGEST_KEPT
    ? text
    : `#${createHash('sha256').update(text).digest('base64url').slice(0, LONGEST_KEPT)}`;
