import {Totals} from '../../money/totals.ts';
import {type Bucket, BUCKETS} from './outcome.ts';
import type {Plan} from './plan-facts.ts';

/** Count and exact sum per bucket. */
export type Tally = Record<Bucket, {count: number; totals: Totals}>;

/** Where the rows of a batch stand. */
export interface Standing {
  tally: Tally;
  /** Accepted rows by the status of their record, as last seen. */
  statuses: Record<string, number>;
  /** Rows staged with a record that differs from the plan. */
  held: number;
  /** Rows whose record was canceled. */
  canceled: number;
  /** Payments that were approved with another rail, currency or metadata than was asked for. */
  differs: number;
  /** Records that nobody will release: left behind when the service forgot a key. */
  orphans: {reference: string; id: string}[];
}

export function emptyTally(): Tally {
  return Object.fromEntries(BUCKETS.map((bucket) => [bucket, {count: 0, totals: new Totals()}])) as Tally; // one per bucket
}

/** The standing of a plan of which nothing was ever sent. */
export function untouchedStanding({figures}: Plan): Standing {
  const tally = emptyTally();
  tally.not_sent.count = figures.rows;
  for (const [currency, total] of Object.entries(figures.totals))
    tally.not_sent.totals.add(currency, BigInt(total.replace('.', '')));
  return {tally, statuses: {}, held: 0, canceled: 0, differs: 0, orphans: []};
}
