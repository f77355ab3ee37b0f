import {Totals} from '../../money/totals.ts';
import {byName} from '../../narrow.ts';
import {type Bucket, BUCKETS, DIFFERS_CODE, mayBePaidTwice, type Outcome, REPLACED_CODE} from './outcome.ts';
import type {Plan} from './plan-facts.ts';

/** Count and exact sum per bucket. */
export type Tally = Record<Bucket, {count: number; totals: Totals}>;

/** The state of the rows of a batch, in counts and sums. */
export interface Standing {
  tally: Tally;
  /** Accepted rows by the last seen status of their record. */
  statuses: Record<string, number>;
  /** Staged rows whose record differs from the plan. */
  held: number;
  /** Rows whose record was canceled. */
  canceled: number;
  /** Payments approved with another rail, currency or metadata than requested. */
  differs: number;
  /** The part of them whose reference may have two paid records. */
  maybePaidTwice: number;
  /** Already paid rows whose payment has another party, amount or currency. */
  replaced: number;
  /** Records that will never be released: abandoned because the service had forgotten a key. */
  orphans: {reference: string; id: string}[];
}

export const emptyTally = (): Tally => byName(BUCKETS, () => ({count: 0, totals: new Totals()}));

/** A name that was not counted yet begins at 0. */
export function addCount(counts: Record<string, number>, name: string, by: number): void {
  counts[name] = (counts[name] ?? 0) + by;
}

/** Adds the outcome of a row to the counts, or subtracts it, apart from its bucket. */
export function countOutcome(standing: Standing, outcome: Outcome, by: 1 | -1): void {
  const {state, status, code} = outcome;
  if (state === 'held') standing.held += by;
  if (state === 'already_paid' && code === REPLACED_CODE) standing.replaced += by;
  if (state === 'dead_key' && status === 'canceled') standing.canceled += by;
  if (state !== 'accepted') return;
  if (status !== null) addCount(standing.statuses, status, by);
  if (code === DIFFERS_CODE) standing.differs += by;
  if (mayBePaidTwice(outcome)) standing.maybePaidTwice += by;
}

/** The tally of a plan from which nothing was ever sent. */
export function untouchedStanding({figures}: Plan): Standing {
  const tally = emptyTally();
  tally.not_sent.count = figures.rows;
  for (const [currency, total] of Object.entries(figures.totals))
    tally.not_sent.totals.add(currency, BigInt(total.replace('.', '')));
  return {tally, statuses: {}, held: 0, canceled: 0, differs: 0, maybePaidTwice: 0, replaced: 0, orphans: []};
}
