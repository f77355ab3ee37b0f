import {Totals} from '../../money/totals.ts';

/** Some rows of a batch, with their totals. */
export interface Part {
  rows: number;
  totals: Totals;
}

export const emptyPart = (): Part => ({rows: 0, totals: new Totals()});

/** @param row with its amount in minor units */
export function addRow(part: Part, {currency, amount}: {currency: string; amount: number}): void {
  part.rows++;
  part.totals.add(currency, BigInt(amount));
}

export function plus(parts: readonly Part[]): Part {
  const sum = emptyPart();
  for (const {rows, totals} of parts) {
    sum.rows += rows;
    sum.totals.merge(totals);
  }
  return sum;
}

export function minus(from: Part, part: Part): Part {
  const rest = plus([from]);
  rest.rows -= part.rows;
  for (const [currency, minor] of part.totals.entries()) rest.totals.subtract(currency, minor);
  return rest;
}
