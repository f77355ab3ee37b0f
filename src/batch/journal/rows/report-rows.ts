import type {SqliteDatabase} from '../../../store/port/port.ts';
import {foldReference} from '../../model/identity.ts';
import {looseReference} from '../../model/lookalikes.ts';
import {hashName} from '../../model/name-hash.ts';
import {DIFFERS_AS_ACCEPTED, DIFFERS_CODE, REPLACED_CODE, type RowState} from '../../model/outcome.ts';
import {pagesOf} from '../../model/pages.ts';
import {STATE} from './row-state.ts';

/** Rows of one group and currency, with the exact sum of their amounts in minor units. */
export interface RowSum {
  currency: string;
  count: number;
  sum: bigint;
}

/** A row, and what is known of its record. */
interface RowText {
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

export interface TroubledRow extends RowText {
  n: number;
  line: number;
}

interface RecordText {
  n: number;
  line: number;
  /** JSON array of texts. */
  cells: string;
}
interface PlannedRecord extends RecordText, RowText {
  request_id: string | null;
  attempts: number | null;
  /** Milliseconds since the epoch. */
  at: number | null;
  state: RowState;
  /** How its record ended, once the registry has that. */
  ended: string | null;
}
/** A planned row with everything that is known of it. */
export interface NamedRow extends TroubledRow {
  state: RowState;
  rail: string | null;
  attempts: number | null;
  request_id: string | null;
  /** Milliseconds since the epoch. */
  at: number | null;
  generation: number;
  /** The record of the generation before. */
  former_id: string | null;
  /** JSON of its differences, while they count; null otherwise. */
  differences: string | null;
}
interface InvalidRecord extends RecordText {
  reference: null;
}
/** A record of the file, with its row of the plan if it is valid. */
export type FileRecord = PlannedRecord | InvalidRecord;

const DIFFERENCE_CODES = `'${DIFFERS_CODE}', '${DIFFERS_AS_ACCEPTED.code}', '${REPLACED_CODE}'`;

/** Summed in two parts, because a sum may exceed 2^63 although no amount does. */
export const HALVES = 'sum(r.amount / 1000000) as high, sum(r.amount % 1000000) as low';
export interface Halves {
  high: number | bigint;
  low: number | bigint;
}
export const wholeOf = ({high, low}: Halves): bigint => BigInt(high) * 1_000_000n + BigInt(low);

/** The rows in results and reports, and their sums. */
export class ReportRows {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** When an outcome was last written; null before the first one. */
  lastChangeAt(): number | null {
    return this.#db.prepare<{at: number | null}>('select max(at) as at from outcomes').one().at;
  }

  /** Accepted rows by last seen status. */
  acceptedSums(): (RowSum & {status: string | null})[] {
    return this.#db
      .prepare<StoredSum & {status: string | null}>(
        `select o.status, r.currency, count(*) as count, ${HALVES}
         from outcomes o join rows r on r.n = o.n where o.state = 'accepted' group by 1, 2`,
      )
      .all()
      .map((row) => ({...rowSum(row), status: row.status}));
  }

  /**
   * Rows by problem, null if there is none. An accepted row is `failed`, `differs`, or `unclear` if its status is not
   * in `clear`; any other row has the name of its state.
   */
  troubleSums(clear: readonly string[]): (RowSum & {trouble: string | null})[] {
    return this.#db
      .prepare<StoredSum & {trouble: string | null}>(
        `select ${troubleSql(clear)} as trouble, r.currency, count(*) as count, ${HALVES}
         from rows r left join outcomes o on o.n = r.n group by 1, 2`,
      )
      .all()
      .map((row) => ({...rowSum(row), trouble: row.trouble}));
  }

  /** The first rows with one of these problems. */
  troubledRows(clear: readonly string[], trouble: string, limit: number): TroubledRow[] {
    return this.#db
      .prepare<TroubledRow>(
        `select r.n, r.line, r.reference, r.party, r.amount, r.currency, o.id, o.status, o.code, o.message
         from rows r left join outcomes o on o.n = r.n where ${troubleSql(clear)} = ? order by r.n limit ?`,
      )
      .all(trouble, limit);
  }

  /** Every record of the file in order, with its cells, plan and outcome, for reports. */
  *everything(): Generator<FileRecord> {
    const page = this.#db.prepare<FileRecord>(
      `select c.n, c.line, c.cells, r.reference, r.party, r.amount, r.currency,
           o.id, o.status, o.code, o.message, o.request_id, o.attempts, o.at, ${STATE} as state, e.status as ended
         from cells c left join rows r on r.n = c.n left join outcomes o on o.n = c.n
           left join ended_records e on e.id = o.id and e.told = 1 where c.n > ? order by c.n limit ?`,
    );
    for (const records of pagesOf((after, limit) => page.all(after, limit), 1000)) yield* records;
  }

  /** Rows whose reference is this one, or differs from it only in case or spaces. */
  withReference(reference: string): NamedRow[] {
    const hasNames = this.#db.prepare('select 1 from row_names limit 1').get() !== undefined;
    const isNamed = hasNames ? 'r.n in (select n from row_names where hash = ?) and ' : '';
    return this.#db
      .prepare<NamedRow>(
        `select r.n, r.line, r.reference, r.party, r.amount, r.currency, r.rail, ${STATE} as state, o.id,
           o.status, o.code, o.message, o.request_id, o.attempts, o.at, coalesce(g.generation, 0) as generation, g.former_id,
           case when o.state = 'held' or o.code in (${DIFFERENCE_CODES}) then d.fields end as differences
         from rows r left join outcomes o on o.n = r.n left join generations g on g.n = r.n
           left join differences d on d.n = r.n
         where ${isNamed}(r.fold = ? or r.reference = ?) order by r.n`,
      )
      .all(...(hasNames ? [hashName(reference)] : []), foldReference(reference), reference);
  }

  /**
   * References that only look like this one, at most `limit`: `INV‑17` with another hyphen. Reads all references that
   * are not plain ASCII.
   */
  lookalikesOf(reference: string, limit: number): string[] {
    const loose = looseReference(reference);
    const found = new Set(this.withReference(loose).map((row) => row.reference));
    const page = this.#db.prepare<{n: number; reference: string}>(
      "select n, reference from rows where n > ? and reference glob '*[^ -~]*' order by n limit ?",
    );
    for (const rows of pagesOf((after, most) => page.all(after, most), 1000)) {
      for (const row of rows) if (looseReference(row.reference) === loose) found.add(row.reference);
      if (found.size >= limit) break;
    }
    return [...found].slice(0, limit);
  }

  /** Records that were left out with errors, with their cell in this column. */
  *leftOut(column: number): Generator<{n: number; line: number; reference: string}> {
    const page = this.#db.prepare<{n: number; line: number; reference: string | null}>(
      `select c.n, c.line, json_extract(c.cells, '$[' || ? || ']') as reference
       from cells c left join rows r on r.n = c.n where c.n > ? and r.n is null order by c.n limit ?`,
    );
    for (const records of pagesOf((after, limit) => page.all(column, after, limit), 1000))
      for (const {n, line, reference} of records) if (reference !== null) yield {n, line, reference};
  }

  issuesOf(n: number): {col: string; message: string}[] {
    return this.#db
      .prepare<{col: string; message: string}>('select col, message from issues where n = ? order by seq')
      .all(n);
  }
}

type StoredSum = Omit<RowSum, 'sum'> & Halves;
const rowSum = (row: StoredSum): RowSum => ({
  currency: row.currency,
  count: row.count,
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
