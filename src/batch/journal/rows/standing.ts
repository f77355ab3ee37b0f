import type {SqliteDatabase} from '../../../store/port/port.ts';
import {
  bucketOf,
  DIFFERS_CODE,
  MAY_BE_PAID_TWICE,
  REPLACED_CODE,
  type RowState,
} from '../../model/outcome.ts';
import {addCount, emptyTally, type Standing, type Tally} from '../../model/tally.ts';
import {type Halves, HALVES, wholeOf} from './report-rows.ts';
import {STATE} from './row-state.ts';

/** Rows counted by one statement. */
const ROWS_A_PART = 10_000;

/** Counts and sums of all planned rows by bucket. A row without an outcome that a window covers is in doubt. */
export function readTally(db: SqliteDatabase): Tally {
  const tally = emptyTally();
  const rows = inParts<{state: RowState; currency: string; count: number} & Halves>(
    db,
    `select ${STATE} as state, r.currency as currency, count(*) as count, ${HALVES}
     from rows r left join outcomes o on o.n = r.n where r.n > ? and r.n <= ? group by 1, 2`,
  );
  for (const row of rows) {
    const bucket = tally[bucketOf(row.state)];
    bucket.count += row.count;
    bucket.totals.add(row.currency, wholeOf(row));
  }
  return tally;
}

/** The current tally. Reads every outcome; a run keeps its own copy up to date instead. */
export function readStanding(db: SqliteDatabase): Standing {
  const statuses: Record<string, number> = {};
  for (const {status, count} of inParts<{status: string; count: number}>(
    db,
    `select status, count(*) as count from outcomes
     where n > ? and n <= ? and state = 'accepted' and status is not null group by status`,
  ))
    addCount(statuses, status, count);
  const count = (where: string): number =>
    db.prepare<{count: number}>(`select count(*) as count from outcomes where ${where}`).one().count;
  return {
    tally: readTally(db),
    statuses,
    held: count(`state = 'held'`),
    canceled: count(`state = 'dead_key' and status = 'canceled'`),
    differs: count(`state = 'accepted' and code = '${DIFFERS_CODE}'`),
    maybePaidTwice: count(`state = 'accepted' and ${MAY_BE_PAID_TWICE}`),
    replaced: count(`state = 'already_paid' and code = '${REPLACED_CODE}'`),
    orphans: db
      .prepare<{reference: string; id: string}>(
        `select r.reference, o.orphan as id from outcomes o join rows r on r.n = o.n where o.orphan is not null order by o.n`,
      )
      .all(),
  };
}

/**
 * Merges the groups found in one part of the plan after another: SQLite sorts what it groups, and in WASM it sorts in
 * memory that it never releases.
 */
function* inParts<Row extends object>(db: SqliteDatabase, sql: string): Generator<Row> {
  const last = db.prepare<{n: number}>('select coalesce(max(n), 0) as n from rows').one().n;
  for (let n = 0; n < last; n += ROWS_A_PART) yield* db.prepare<Row>(sql).all(n, n + ROWS_A_PART);
}
