import type {SqliteDatabase, SqlRow} from '../../store/port.ts';
import {DIFFERS_CODE} from '../model/outcome.ts';
import {STATE} from './row-state.ts';

/** Rows of one group and currency, with the exact sum of their amounts in minor units. */
export interface RowSum {
  currency: string;
  count: number;
  sum: bigint;
}

export interface TroubledRow {
  n: number;
  line: number;
  reference: string;
  party: string;
  /** Minor units. */
  amount: number;
  currency: string;
  id: string | null;
  status: string | null;
  code: string | null;
  message: string | null;
}

/** Summed in two parts, because a sum may exceed 2^63 although no amount does. */
export const HALVES = 'sum(r.amount / 1000000) as high, sum(r.amount % 1000000) as low';
export const wholeOf = (row: SqlRow): bigint =>
  BigInt(row['high'] as number) * 1_000_000n + BigInt(row['low'] as number);

/** The rows in results and reports, and their sums. */
export class ReportRows {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** When an outcome was last written; null before the first one. */
  lastChangeAt(): number | null {
    const {at} = this.#db.prepare('select max(at) as at from outcomes').get()!;
    return at === null || at === undefined ? null : Number(at);
  }

  /** Accepted rows by last seen status. */
  acceptedSums(): (RowSum & {status: string | null})[] {
    return this.#db
      .prepare(
        `select o.status, r.currency, count(*) as count, ${HALVES}
         from outcomes o join rows r on r.n = o.n where o.state = 'accepted' group by 1, 2`,
      )
      .all()
      .map((row) => ({...rowSum(row), status: row['status'] as string | null}));
  }

  /**
   * Rows by problem, null if there is none. An accepted row is `failed`, `differs`, or `unclear` if its status is not
   * in `clear`; any other row has the name of its state.
   */
  troubleSums(clear: readonly string[]): (RowSum & {trouble: string | null})[] {
    return this.#db
      .prepare(
        `select ${troubleSql(clear)} as trouble, r.currency, count(*) as count, ${HALVES}
         from rows r left join outcomes o on o.n = r.n group by 1, 2`,
      )
      .all()
      .map((row) => ({...rowSum(row), trouble: row['trouble'] as string | null}));
  }

  /** The first rows with one of these problems. */
  troubledRows(clear: readonly string[], trouble: string, limit: number): TroubledRow[] {
    return this.#db
      .prepare(
        `select r.n, r.line, r.reference, r.party, r.amount, r.currency, o.id, o.status, o.code, o.message
         from rows r left join outcomes o on o.n = r.n where ${troubleSql(clear)} = ? order by r.n limit ?`,
      )
      .all(trouble, limit)
      .map((row) => ({
        ...(row as unknown as TroubledRow), // the columns are named so
        n: Number(row['n']),
        line: Number(row['line']),
        amount: Number(row['amount']),
      }));
  }

  /** Every record of the file in order, with its cells, plan and outcome, for reports. */
  *everything(): Generator<SqlRow> {
    let after = 0;
    for (;;) {
      const page = this.#db
        .prepare(
          `select c.n, c.line, c.cells, r.reference, r.party, r.amount, r.currency,
           o.id, o.status, o.code, o.message, o.request_id, o.attempts, o.at, ${STATE} as state, e.status as ended
         from cells c left join rows r on r.n = c.n left join outcomes o on o.n = c.n
           left join ended_records e on e.id = o.id and e.told = 1 where c.n > ? order by c.n limit 1000`,
        )
        .all(after);
      yield* page;
      if (page.length < 1000) return;
      after = Number(page.at(-1)!['n']);
    }
  }

  issuesOf(n: number): {col: string; message: string}[] {
    return this.#db
      .prepare('select col, message from issues where n = ? order by seq')
      .all(n)
      .map((row) => ({col: row['col'] as string, message: row['message'] as string}));
  }
}

const rowSum = (row: SqlRow): RowSum => ({
  currency: row['currency'] as string,
  count: Number(row['count']),
  sum: wholeOf(row),
});

/** The statuses are part of the SQL text: they come from the contract and are the same for each report of a kind. */
const troubleSql = (clear: readonly string[]): string => `case ${STATE}
    when 'accepted' then case
      when o.status = 'failed' then 'failed'
      when o.code = '${DIFFERS_CODE}' then 'differs'
      when o.status is null or o.status in (${clear.map((status) => `'${status}'`).join(', ')}) then null
      else 'unclear' end
    when 'staged' then null
    when 'already_paid' then null
    else ${STATE} end`;
