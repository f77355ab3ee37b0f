import {formatMajor} from '../../money/amount.ts';
import {Totals} from '../../money/totals.ts';
import type {Draft, ShownRow, SummedRow} from '../journal/draft.ts';
import type {Duplicates, Group} from './duplicates.ts';
import type {PlanFigures} from '../model/plan-facts.ts';

/** Rows with the same text look like a double payment. */
export const alikeText = (row: {party: string; amount: number; currency: string}): string =>
  `${row.party} ${row.amount} ${row.currency}`;

interface RailSum {
  rail: string | null;
  currency: string;
  rows: number;
  sum: bigint;
}

/** Adds up the valid rows of a plan as they are read; all sums are exact. */
export class FigureSums {
  rows = 0;
  readonly #rails = new Map<string, RailSum>();
  readonly #maxima = new Map<string, number>();
  #largest = {n: 0, amount: -1};
  #firstScheduled: string | null = null;
  #lastScheduled: string | null = null;

  /** Rows come in file order. */
  add({n, amount, currency, rail, scheduled}: SummedRow): void {
    this.rows++;
    const name = `${rail ?? ''} ${currency}`; // a rail is never an empty text
    let sum = this.#rails.get(name);
    if (sum === undefined) this.#rails.set(name, (sum = {rail, currency, rows: 0, sum: 0n}));
    sum.rows++;
    sum.sum += BigInt(amount);
    this.#maxima.set(currency, Math.max(amount, this.#maxima.get(currency) ?? amount));
    if (amount > this.#largest.amount) this.#largest = {n, amount};
    if (scheduled === null) return;
    if (this.#firstScheduled === null || scheduled < this.#firstScheduled) this.#firstScheduled = scheduled;
    if (this.#lastScheduled === null || scheduled > this.#lastScheduled) this.#lastScheduled = scheduled;
  }

  figures(draft: Draft, found: {alike: Duplicates; similar: Duplicates}): PlanFigures {
    const totals = new Totals();
    const sums = [...this.#rails.values()].sort(byRailAndCurrency);
    for (const {currency, sum} of sums) totals.add(currency, sum);
    const referencesOf = ({rows}: Group) => rows.map((n) => draft.shown(n).reference);
    return {
      rows: this.rows,
      totals: totals.toMajor(),
      rails: sums.map(({sum, ...rail}) => ({...rail, total: formatMajor(sum, rail.currency)})),
      maximaMinor: Object.fromEntries(
        [...this.#maxima]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([currency, amount]) => [currency, String(amount)]),
      ),
      largest: largestRow(draft, this.#largest.n),
      softDuplicates: {
        count: found.alike.count,
        examples: found.alike.groups.map((group) => {
          const {party, currency, amount} = shown(draft.shown(group.rows[0]));
          return {references: referencesOf(group), party, currency, amount};
        }),
      },
      similarReferences: {count: found.similar.count, examples: found.similar.groups.map(referencesOf)},
      firstScheduled: this.#firstScheduled,
      lastScheduled: this.#lastScheduled,
    };
  }
}

/** Rows without a rail come first. */
const byRailAndCurrency = (a: RailSum, b: RailSum): number => (nameOf(a) < nameOf(b) ? -1 : 1);

const nameOf = ({rail, currency}: RailSum): string => `${rail ?? ''} ${currency}`;

function largestRow(draft: Draft, n: number): PlanFigures['largest'] {
  if (n === 0) return {n, line: 0, reference: '', party: '', currency: '', amount: ''};
  const row = draft.shown(n);
  return {n, line: row.line, reference: row.reference, ...shown(row)};
}

const shown = ({party, currency, amount}: ShownRow): {party: string; currency: string; amount: string} => ({
  party,
  currency,
  amount: formatMajor(BigInt(amount), currency),
});
