import {Totals} from '../../money/totals.ts';
import type {SqliteStatement, SqlRow} from '../../store/port.ts';
import {STATE} from './row-state.ts';
import {type Bucket, bucketOf, BUCKETS, DIFFERS_CODE, type RowState} from './outcome.ts';

/** Rows that are counted by one statement. */
const ROWS_A_PART = 10_000;

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

/** Gives a statement on the journal, kept for the next time. */
type Prepare = (sql: string) => SqliteStatement;

export function emptyTally(): Tally {
  return Object.fromEntries(BUCKETS.map((bucket) => [bucket, {count: 0, totals: new Totals()}])) as Tally; // one per bucket
}

/** Counts and sums of all planned rows by bucket; a row that a window covers and nothing settles is in doubt. */
export function readTally(prepare: Prepare): Tally {
  const tally = emptyTally();
  const rows = inParts(
    prepare,
    `select ${STATE} as state,
            r.currency as currency, count(*) as count,
            sum(r.amount / 1000000) as high, sum(r.amount % 1000000) as low
     from rows r left join outcomes o on o.n = r.n where r.n > ? and r.n <= ? group by 1, 2`,
  );
  for (const row of rows) {
    const bucket = tally[bucketOf(row['state'] as RowState)];
    bucket.count += Number(row['count']);
    // Summed in two halves: a sum of amounts may pass 2^63 although no amount does.
    bucket.totals.add(
      row['currency'] as string,
      BigInt(row['high'] as number) * 1_000_000n + BigInt(row['low'] as number),
    );
  }
  return tally;
}

/** All that a summary says of the rows. Reads every outcome: a run keeps its own copy up to date instead. */
export function readStanding(prepare: Prepare): Standing {
  const statuses: Record<string, number> = {};
  for (const {status, count} of inParts(
    prepare,
    `select status, count(*) as count from outcomes
     where n > ? and n <= ? and state = 'accepted' and status is not null group by status`,
  ))
    statuses[status as string] = (statuses[status as string] ?? 0) + Number(count);
  return {
    tally: readTally(prepare),
    statuses,
    held: Number(prepare(`select count(*) as count from outcomes where state = 'held'`).get()!['count']),
    canceled: Number(
      prepare(
        `select count(*) as count from outcomes where state = 'dead_key' and status = 'canceled'`,
      ).get()!['count'],
    ),
    differs: Number(
      prepare(
        `select count(*) as count from outcomes where state = 'accepted' and code = '${DIFFERS_CODE}'`,
      ).get()!['count'],
    ),
    orphans: prepare(
      `select r.reference, o.orphan as id from outcomes o join rows r on r.n = o.n where o.orphan is not null order by o.n`,
    )
      .all()
      .map((row) => ({reference: row['reference'] as string, id: row['id'] as string})),
  };
}

/**
 * What a grouping finds in one part of the plan after the other: SQLite sorts what it groups, and in WASM it does so in
 * memory that it never gives back.
 */
function* inParts(prepare: Prepare, sql: string): Generator<SqlRow> {
  const last = Number(prepare('select coalesce(max(n), 0) as n from rows').get()!['n']);
  for (let n = 0; n < last; n += ROWS_A_PART) yield* prepare(sql).all(n, n + ROWS_A_PART);
}
