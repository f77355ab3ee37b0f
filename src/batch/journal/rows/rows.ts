import {ownJson} from '../../../narrow.ts';
import type {SqliteDatabase, SqlValue} from '../../../store/port/port.ts';
import {DECLARED_NOT_PAID} from '../../model/declared.ts';
import {hashName} from '../../model/name-hash.ts';
import {
  APPROVAL_LOST,
  CAME_AGAIN,
  type FieldDifference,
  LOST,
  READ_AS_OTHER,
  RECORDED_DOUBT,
  REGISTRY_CODE,
  type RowState,
} from '../../model/outcome.ts';
import {IS_COMPARED, STATE} from './row-state.ts';
import {
  FRESH_ROW,
  type JournalRow,
  KNOWN_ROW,
  pageOf,
  type RecordedRow,
  rowsOfPage,
  type RowWithOutcome,
} from './row.ts';

export interface UntouchedRow {
  n: number;
  reference: string;
  party: string;
  /** Minor units. */
  amount: number;
  currency: string;
  fingerprint: string;
}

/** The record of a collision or a conflict belongs to another payment. */
const OWN = `o.state not in ('collision', 'conflict', 'dead_key')`;

/** Queries for rows of the plan with their outcomes, one page at a time. */
export class JournalRows {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /**
   * Rows after `after` that another batch may have paid: this batch did not pay them, or the registry says that the
   * other batch has paid or claimed them.
   */
  unpaidHere(after: number, limit: number): RowWithOutcome[] {
    return this.#find(
      `r.n > ? and (o.state in ('rejected', 'dead_key', 'already_paid') or (o.state = 'accepted' and o.status = 'failed')
         or (o.state = 'conflict' and o.code = ?))`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** Rows after `after` without a known record: never sent, certainly not accepted, or in doubt and not disputed. */
  unstaged(after: number, limit: number): JournalRow[] {
    if (!this.#isKnown(after)) return this.#freshRows(after, limit);
    return this.#find(
      `r.n > ? and (o.n is null or (o.id is null and (o.state = 'not_sent' or (o.state = 'in_doubt' and o.code is not ?))))`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** The first row of the plan that names a subaccount. */
  firstWithSubaccount(): {line: number; reference: string} | undefined {
    return this.#db
      .prepare<{line: number; reference: string}>(
        `select c.line, r.reference from rows r join cells c on c.n = r.n where r.subaccount is not null
         order by r.n limit 1`,
      )
      .get();
  }

  /** Whether anything besides the plan is known about a row after `after`. */
  #isKnown(after: number): boolean {
    return ['outcomes', 'generations'].some(
      (table) => this.#db.prepare(`select 1 from ${table} where n > ? limit 1`).get(after) !== undefined,
    );
  }

  /** Rows with only a plan: most rows of most runs. The query does half the work of the others. */
  #freshRows(after: number, limit: number): JournalRow[] {
    return this.#page(`select ${FRESH_ROW} as row from rows r where r.n > ? order by r.n limit ?`, [
      after,
      limit,
    ]);
  }

  /**
   * Rows after `after` whose record a cancel has to find: those in doubt without a known record that are not disputed, those
   * whose unanswered try counted as not sent, unless the operator declared them not paid, and those that were answered
   * with the record of another payment.
   */
  replayedByCancel(after: number, limit: number): JournalRow[] {
    return this.#find(
      `r.n > ? and ((o.id is null and (o.code is null or o.code <> ?) and ${STATE} = 'in_doubt') or o.state = 'collision'
         or (o.state = 'not_sent' and o.staged_at is not null and o.message is not '${DECLARED_NOT_PAID}'))`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** How many rows that count as not sent a cancel replays: a request of them was not answered. */
  replayedUnsent(): number {
    return this.#db
      .prepare<{count: number}>(
        `select count(*) as count from outcomes where state = 'not_sent' and staged_at is not null and message is not ?`,
      )
      .one(DECLARED_NOT_PAID).count;
  }

  /** Rows after `after` that have a record and one of these states. */
  recorded(states: readonly RowState[], after: number, limit: number): RecordedRow[] {
    return this.#find(
      `r.n > ? and o.id is not null and o.state in (${marks(states)})`,
      [after, ...states],
      limit,
    );
  }

  /** The same, except held rows whose payment is unknown: no release sends them. */
  releasable(states: readonly RowState[], after: number, limit: number): RecordedRow[] {
    return this.#find(
      `r.n > ? and o.id is not null and o.state in (${marks(states)}) and ${IS_COMPARED}`,
      [after, ...states],
      limit,
    );
  }

  /**
   * Rows after `after` with a known record whose status has to be read: accepted ones whose last seen status is not in
   * `closed`, and those that were accepted and are `created` again.
   * @param isOnce also accepted rows whose record, when it was last read, was another payment, all unapproved ones, and
   *   those in doubt
   */
  following(closed: readonly string[], after: number, limit: number, isOnce = false): RecordedRow[] {
    const different = isOnce ? ` or ${READ_AS_OTHER}` : '';
    const doubts = isOnce ? ` or ${RECORDED_DOUBT}` : '';
    const unapproved = isOnce ? '' : ` and o.message = '${APPROVAL_LOST}'`;
    return this.#find(
      `r.n > ? and o.id is not null and ((o.state = 'unapproved'${unapproved}) or (o.state = 'accepted'
         and (o.status is null or o.status not in (${marks(closed)})${different}))${doubts})`,
      [after, ...closed],
      limit,
    );
  }

  /** Every row after `after`. */
  after(after: number, limit: number): JournalRow[] {
    return this.#find('r.n > ?', [after], limit);
  }

  /** References of the rows after `after`. */
  references(after: number, limit: number): {n: number; reference: string}[] {
    return this.#db
      .prepare<{n: number; reference: string}>('select n, reference from rows where n > ? order by n limit ?')
      .all(after, limit);
  }

  /** The payments of rows after `after` that have no outcome. */
  untouched(after: number, limit: number): UntouchedRow[] {
    return this.#db
      .prepare<UntouchedRow>(
        `select r.n, r.reference, r.party, r.amount, r.currency, r.fingerprint from rows r left join outcomes o on o.n = r.n
         where r.n > ? and o.n is null order by r.n limit ?`,
      )
      .all(after, limit);
  }

  /** The line of the file on which a row begins, or its row of the sheet. */
  lineOf(n: number): number {
    return this.#db.prepare<{line: number}>('select line from rows where n = ?').one(n).line;
  }

  /** In what the record of a row was found to differ. Only its outcome shows whether that still counts. */
  differencesOf(n: number): FieldDifference[] {
    const found = this.#db.prepare<{fields: string}>('select fields from differences where n = ?').get(n);
    return found === undefined ? [] : ownJson<FieldDifference[]>(found.fields);
  }

  /** The row of a reference. */
  of(reference: string): JournalRow | undefined {
    if (!this.#hasRowNames()) return this.#find('r.reference = ?', [reference], 1)[0];
    const named = 'r.n in (select n from row_names where hash = ?) and r.reference = ?';
    return this.#find(named, [hashName(reference), reference], 1)[0];
  }

  /** A journal of an earlier version has an index on the references instead. */
  #hasRowNames(): boolean {
    return this.#db.prepare('select 1 from row_names limit 1').get() !== undefined;
  }

  /** The row whose own record this is. */
  ofRecord(id: string): JournalRow | undefined {
    return this.#find(`lower(o.id) = lower(?) and ${OWN}`, [id], 1)[0];
  }

  /** The records of the rows after `after`, as `ofRecord` finds them. */
  recordIds(after: number, limit: number): {n: number; id: string}[] {
    const {page} = this.#db
      .prepare<{page: string}>(
        pageOf(
          `select json_array(o.n, o.id) as row from outcomes o
           where o.n > ? and o.id is not null and ${OWN} order by o.n limit ?`,
        ),
      )
      .one(after, limit);
    return ownJson<[number, string][]>(page).map(([n, id]) => ({n, id}));
  }

  /** Rows of these states after `after`, with or without a record. */
  inStates(states: readonly RowState[], after: number, limit: number): RowWithOutcome[] {
    return this.#find(`r.n > ? and o.state in (${marks(states)})`, [after, ...states], limit);
  }

  /**
   * The row whose key is most likely forgotten, among those in these states that have a record and were staged at `since` or
   * later: one with a record that was left behind, otherwise the one staged longest ago. A row whose record has shown
   * another payment each time comes last, because its probe stops each run.
   */
  probedFirst(states: readonly RowState[], since: number): RecordedRow | undefined {
    return this.#find<RecordedRow>(
      `o.state in (${marks(states)}) and o.id is not null and o.staged_at >= ? and o.code is not '${REGISTRY_CODE}'`,
      [...states, since],
      1,
      // A retry gave a row another key.
      `(coalesce(o.message, '') like '%${CAME_AGAIN}'), (o.orphan is null or coalesce(g.generation, 0) > 0), o.staged_at, r.n`,
    )[0];
  }

  /** A row whose record was created between two times of our clock. */
  recordMadeBetween(since: number, until: number): RecordedRow | undefined {
    return this.#find<RecordedRow>(
      'o.id is not null and o.staged_at >= ? and o.staged_at < ?',
      [since, Math.min(until, Number.MAX_SAFE_INTEGER)],
      1,
    )[0];
  }

  /** Rows after `after` whose record exists and is not approved, or was not found when it was last read. */
  notShownPaid(after: number, limit: number): RecordedRow[] {
    return this.#find(
      `r.n > ? and o.id is not null and (o.state = 'unapproved' or (o.state = 'in_doubt' and o.message = ?))`,
      [after, LOST],
      limit,
    );
  }

  /** Ended records that the registry does not know about yet, with the rows that still refer to them. */
  endedUntold(limit: number): RecordedRow[] {
    return this.#find(`o.id in (select id from ended_records where told = 0)`, [], limit);
  }

  #find<Row extends JournalRow>(where: string, params: SqlValue[], limit: number, order = 'r.n'): Row[] {
    return this.#page(
      `select ${KNOWN_ROW} as row from rows r left join outcomes o on o.n = r.n left join generations g on g.n = r.n
       where ${where} order by ${order} limit ?`,
      [...params, limit],
    );
  }

  #page<Row extends JournalRow>(rows: string, params: SqlValue[]): Row[] {
    return rowsOfPage(this.#db.prepare<{page: string}>(pageOf(rows)).one(...params).page);
  }
}

/** Placeholders for these values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
