import type {Buckets, Dealt} from './buckets.ts';
import type {RowSet} from '../input/row-set.ts';

const EXAMPLES = 5;
const ROWS_AN_EXAMPLE = 4;

/** Rows with the same text: the first four of them, and their number. */
export interface Group {
  text: string;
  rows: [first: number, ...others: number[]];
  copies: number;
}

/** Finds rows that share a text, one part of the rows at a time. */
export class Duplicates {
  /** Rows that repeat an earlier one. */
  count = 0;
  /** The first five groups, in the order of their first rows. */
  groups: Group[] = [];

  /** Adds a part that contains all rows of each of its texts, in ascending order. */
  take(part: Iterable<Dealt>): void {
    const found = new Map<string, number | Group>(); // most rows have no copy and need no object
    for (const {n, text} of part) {
      const known = found.get(text);
      if (known === undefined) found.set(text, n);
      else if (typeof known === 'number') found.set(text, {text, rows: [known, n], copies: 2});
      else if (known.copies++ < ROWS_AN_EXAMPLE) known.rows.push(n);
    }
    for (const group of found.values()) if (typeof group !== 'number') this.#note(group);
  }

  #note(group: Group): void {
    this.count += group.copies - 1;
    const last = this.groups.at(-1);
    if (last !== undefined && this.groups.length === EXAMPLES && group.rows[0] > last.rows[0]) return;
    this.groups.push(group);
    this.groups.sort((a, b) => a.rows[0] - b.rows[0]);
    this.groups.length = Math.min(this.groups.length, EXAMPLES);
  }
}

/** Rows of the plan that repeat the text of an earlier row. Rows in `refused` are no longer in the plan. */
export async function findDuplicates(texts: Buckets, refused: RowSet): Promise<Duplicates> {
  const duplicates = new Duplicates();
  await texts.drain((bucket) => duplicates.take(without(refused, texts.records(bucket))));
  return duplicates;
}

function* without(refused: RowSet, records: Iterable<Dealt>): Generator<Dealt> {
  for (const record of records) if (!refused.has(record.n)) yield record;
}
