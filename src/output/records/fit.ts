import {must} from '../../narrow.ts';

/** Spaces between two columns. */
export const GAP = 2;

/** What the layout of a table needs to know about one column. */
export interface ColumnSize {
  /** Narrow terminals leave out the highest rank first; 0 is always shown. */
  rank: number;
  /** Cells that its widest value takes. */
  width: number;
  /** The same with shortened ids; equal to `width` if it contains none. */
  short: number;
  /** The width to which it can be broken between words. */
  least: number;
}

/** Columns of this rank and above go before an id is shortened. */
const MINOR_RANK = 3;
/** A column is not broken to fewer cells than this in order to keep another one. */
const LEAST_WORDS = 16;

export interface Fit {
  /** Indexes of the shown columns, in their order. */
  kept: number[];
  /** Indexes of the shown columns whose ids are shortened. */
  shortened: Set<number>;
}

/**
 * Chooses columns for a terminal. In this order, until they fit: the ids of other records are shortened, columns of
 * minor interest are left out, the first column (the record's id) is shortened, texts are broken between words, and
 * the other columns are left out. What fits again afterwards is put back.
 */
export function fitColumns(columns: readonly ColumnSize[], room: number): Fit {
  const shortened = new Set<number>();
  let kept = columns.map((_, index) => index);
  const at = (index: number) => must(columns[index], 'column of this table');
  const widthOf = (index: number) => (shortened.has(index) ? at(index).short : at(index).width);
  const leastOf = (index: number) => Math.min(widthOf(index), Math.max(at(index).least, LEAST_WORDS));
  const total = (width: (index: number) => number) =>
    kept.reduce((sum, index) => sum + width(index) + GAP, -GAP);
  const shorten = (index: number) => {
    if (at(index).short < at(index).width) shortened.add(index);
  };
  const leaveOut = (from: number, width: (index: number) => number) => {
    while (total(width) > room) {
      const worst = kept.reduce((a, b) => (at(b).rank >= at(a).rank ? b : a));
      if (at(worst).rank < from) return;
      kept = kept.filter((index) => index !== worst);
    }
  };

  for (const index of kept.slice(1).reverse()) if (total(widthOf) > room) shorten(index);
  leaveOut(MINOR_RANK, widthOf);
  if (total(widthOf) > room) shorten(0);
  leaveOut(1, leastOf);

  const all = columns.map((_, index) => index);
  const byRank = [...all].sort((a, b) => at(a).rank - at(b).rank || a - b);
  for (const index of byRank.filter((one) => !kept.includes(one))) {
    const before = kept;
    kept = all.filter((one) => kept.includes(one) || one === index);
    if (total(leastOf) > room) kept = before;
  }
  for (const index of all.filter((one) => shortened.has(one))) {
    shortened.delete(index);
    if (total(widthOf) > room) shortened.add(index);
  }
  return {kept, shortened: new Set([...shortened].filter((index) => kept.includes(index)))};
}
