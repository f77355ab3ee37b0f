import {must} from '../../narrow.ts';

/** Spaces between two columns. */
export const GAP = 2;

/** What the layout of a table needs to know about one column. */
export interface ColumnSize {
  /** Narrow terminals leave out the highest rank first; 0 is always shown. */
  rank: number;
  /** Cells that its widest value takes. */
  width: number;
  /** The width to which it can be broken between words. */
  least: number;
}

/** Columns of this rank and above go before a text is broken. */
const MINOR_RANK = 3;
/** A column is not broken to fewer cells than this in order to keep another one. */
const LEAST_WORDS = 16;

/**
 * Chooses columns for a terminal. In this order, until they fit: columns of minor interest are left out, texts are broken
 * between words, and the other columns are left out. What fits again afterwards is put back. A value without spaces, such
 * as an id, is always whole, so that it can be copied.
 * @returns the indexes of the shown columns, in their order
 */
export function fitColumns(columns: readonly ColumnSize[], room: number): number[] {
  const all = columns.map((_, index) => index);
  let kept = all;
  const at = (index: number) => must(columns[index], 'column of this table');
  const widthOf = (index: number) => at(index).width;
  const leastOf = (index: number) => Math.min(widthOf(index), Math.max(at(index).least, LEAST_WORDS));
  const total = (width: (index: number) => number) =>
    kept.reduce((sum, index) => sum + width(index) + GAP, -GAP);
  const leaveOut = (from: number, width: (index: number) => number) => {
    while (total(width) > room) {
      const worst = kept.reduce((a, b) => (at(b).rank >= at(a).rank ? b : a));
      if (at(worst).rank < from) return;
      kept = kept.filter((index) => index !== worst);
    }
  };

  leaveOut(MINOR_RANK, widthOf);
  leaveOut(1, leastOf);
  const byRank = [...all].sort((a, b) => at(a).rank - at(b).rank || a - b);
  for (const index of byRank.filter((one) => !kept.includes(one))) {
    const before = kept;
    kept = all.filter((one) => kept.includes(one) || one === index);
    if (total(leastOf) > room) kept = before;
  }
  return kept;
}
