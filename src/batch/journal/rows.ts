import type {SqliteDatabase, SqlValue} from '../../store/port.ts';
import {hashName} from '../model/name-hash.ts';
import {REGISTRY_CODE, type RowState} from '../model/outcome.ts';
import {STATE} from './row-state.ts';
import {FRESH_ROW, type JournalRow, KNOWN_ROW, pageOf, rowsOfPage} from './row.ts';

export interface UntouchedRow {
  n: number;
  reference: string;
  party: string;
  /** Minor units. */
  amount: number;
  currency: string;
}

/** Rows of the plan with what is known of each, found by what a phase or a command asks for; a page at a time. */
export class JournalRows {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /**
   * Rows after `after` that another batch may have paid: this one did not, or it knows from the registry that the other has
   * paid or claimed them.
   */
  unpaidHere(after: number, limit: number): JournalRow[] {
    return this.#find(
      `r.n > ? and (o.state in ('rejected', 'dead_key', 'already_paid') or (o.state = 'accepted' and o.status = 'failed')
         or (o.state = 'conflict' and o.code = ?))`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** Rows after `after` that have no record yet, as far as is known: never sent, surely not taken, or in doubt and not disputed. */
  unstaged(after: number, limit: number): JournalRow[] {
    if (!this.#isKnown(after)) return this.#freshRows(after, limit);
    return this.#find(
      `r.n > ? and (o.n is null or (o.id is null and (o.state = 'not_sent' or (o.state = 'in_doubt' and o.code is not ?))))`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** Whether anything but the plan is known of a row after `after`. */
  #isKnown(after: number): boolean {
    return ['outcomes', 'generations'].some(
      (table) => this.#db.prepare(`select 1 from ${table} where n > ? limit 1`).get(after) !== undefined,
    );
  }

  /** Rows of which nothing but the plan is known: most rows of most runs, and half the work of the others. */
  #freshRows(after: number, limit: number): JournalRow[] {
    return this.#page(`select ${FRESH_ROW} as row from rows r where r.n > ? order by r.n limit ?`, [
      after,
      limit,
    ]);
  }

  /** Rows after `after` that may have been sent, have no record that is known, and are not disputed. */
  doubtsWithoutRecord(after: number, limit: number): JournalRow[] {
    return this.#find(
      `r.n > ? and o.id is null and (o.code is null or o.code <> ?) and ${STATE} = 'in_doubt'`,
      [after, REGISTRY_CODE],
      limit,
    );
  }

  /** Rows after `after` that have a record and one of these states. */
  recorded(states: readonly RowState[], after: number, limit: number): JournalRow[] {
    return this.#find(
      `r.n > ? and o.id is not null and o.state in (${marks(states)})`,
      [after, ...states],
      limit,
    );
  }

  /** Accepted rows after `after` with a known record, whose last seen status is none of `closed`. */
  following(closed: readonly string[], after: number, limit: number): JournalRow[] {
    return this.#find(
      `r.n > ? and o.state = 'accepted' and o.id is not null and (o.status is null or o.status not in (${marks(closed)}))`,
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
      .prepare('select n, reference from rows where n > ? order by n limit ?')
      .all(after, limit) as {n: number; reference: string}[]; // the columns are named so
  }

  /** What the rows after `after` pay that have no outcome. */
  untouched(after: number, limit: number): UntouchedRow[] {
    return this.#db
      .prepare(
        `select r.n, r.reference, r.party, r.amount, r.currency from rows r left join outcomes o on o.n = r.n
         where r.n > ? and o.n is null order by r.n limit ?`,
      )
      .all(after, limit) as unknown as UntouchedRow[]; // the columns are named so
  }

  /** The row of a reference. */
  of(reference: string): JournalRow | undefined {
    if (!this.#hasRowNames()) return this.#find('r.reference = ?', [reference], 1)[0];
    const named = 'r.n in (select n from row_names where hash = ?) and r.reference = ?';
    return this.#find(named, [hashName(reference), reference], 1)[0];
  }

  /** An older journal has an index on the references instead. */
  #hasRowNames(): boolean {
    return this.#db.prepare('select 1 from row_names limit 1').get() !== undefined;
  }

  /** Rows of these states after `after`, with a record or without. */
  inStates(states: readonly RowState[], after: number, limit: number): JournalRow[] {
    return this.#find(`r.n > ? and o.state in (${marks(states)})`, [after, ...states], limit);
  }

  /** Of the rows in these states that have a record, staged at `since` or later, the one staged longest ago. */
  oldestRecorded(states: readonly RowState[], since: number): JournalRow | undefined {
    return this.#find(
      `o.state in (${marks(states)}) and o.id is not null and o.staged_at >= ? and o.code is not '${REGISTRY_CODE}'`,
      [...states, since],
      1,
      'o.staged_at, r.n',
    )[0];
  }

  /** A row whose record was made between two moments of our clock. */
  recordMadeBetween(since: number, until: number): JournalRow | undefined {
    return this.#find(
      'o.id is not null and o.staged_at >= ? and o.staged_at < ?',
      [since, Math.min(until, Number.MAX_SAFE_INTEGER)],
      1,
    )[0];
  }

  /** Records that have ended and that the registry was not told of, with the rows that still have them. */
  endedUntold(limit: number): JournalRow[] {
    return this.#find(`o.id in (select id from ended_records where told = 0)`, [], limit);
  }

  #find(where: string, params: SqlValue[], limit: number, order = 'r.n'): JournalRow[] {
    return this.#page(
      `select ${KNOWN_ROW} as row from rows r left join outcomes o on o.n = r.n left join generations g on g.n = r.n
       where ${where} order by ${order} limit ?`,
      [...params, limit],
    );
  }

  #page(rows: string, params: SqlValue[]): JournalRow[] {
    return rowsOfPage(this.#db.prepare(pageOf(rows)).get(...params)!['page'] as string);
  }
}

/** Placeholders for these values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
