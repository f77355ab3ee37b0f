import {ownJson} from '../../narrow.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {isSameId} from '../../contract/ids.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {readAttention, type Attention} from './rows/attention.ts';
import type {BatchFacts, ClaimMark, FactName} from './facts.ts';
import type {JournalRow} from './rows/row.ts';
import {JournalRows, marks} from './rows/rows.ts';
import {FormerRecords} from './rows/former-records.ts';
import {LeftRows} from './rows/left-rows.ts';
import {ReportRows} from './rows/report-rows.ts';
import {STATE, type Taken} from './rows/row-state.ts';
import {readStanding, readTally} from './rows/standing.ts';
import type {Plan} from '../model/plan-facts.ts';
import {type Standing, type Tally, untouchedStanding} from '../model/tally.ts';
import {
  APPROVAL_LOST,
  DIFFERS_AS_ACCEPTED,
  KILLED,
  type Outcome,
  REGISTRY_CODE,
  type RowState,
} from '../model/outcome.ts';
import {WaitingOutcomes} from './waiting-outcomes.ts';

export type Phase = 'stage' | 'release' | 'direct';

/** A row that gets a new key. */
export interface RaisedRow {
  row: JournalRow;
  /** The record that the next one replaces, if it is known. */
  formerId: string | null;
  reason: string;
}

export interface SendWindow {
  seq: number;
  phase: Phase;
  first: number;
  last: number;
  at: number;
}

/**
 * The journal of one batch. Outcomes are committed in groups. A window is committed before any of its rows is sent,
 * together with the waiting outcomes. Every commit is synchronous and durable. A failed commit is fatal: the database
 * closes itself, and the caller stops everything.
 */
export class Journal {
  /** Every text from the service passes through it before it is stored or shown; it is given the key of a run. */
  readonly sanitizer = new Sanitizer();
  readonly rows: JournalRows;
  readonly left: LeftRows;
  readonly report: ReportRows;
  readonly former: FormerRecords;
  readonly #db: SqliteDatabase;
  readonly #waiting: WaitingOutcomes;
  readonly #differences: Outcome[] = [];
  readonly #ended: {n: number; id: string; status: string; told: number}[] = [];
  #hasFoundPaid = false;
  #newestWindow: number;
  /** Windows and flushes of this process. */
  commits = 0;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.rows = new JournalRows(db);
    this.left = new LeftRows(db);
    this.report = new ReportRows(db);
    this.former = new FormerRecords(db);
    this.#waiting = new WaitingOutcomes(db, this.sanitizer);
    this.#newestWindow = this.#db
      .prepare<{seq: number}>('select coalesce(max(seq), 0) as seq from windows')
      .one().seq;
  }

  get unflushed(): number {
    return this.#waiting.count;
  }

  /** A fact about the batch; undefined until it is set. */
  fact<Name extends FactName>(name: Name): BatchFacts[Name] | undefined {
    const row = this.#db.prepare<{value: string}>('select value from meta where name = ?').get(name);
    return row === undefined ? undefined : ownJson<BatchFacts[Name]>(row.value); // written by setFact below
  }

  setFact<Name extends FactName>(name: Name, value: BatchFacts[Name]): void {
    this.#db
      .prepare(
        'insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
      )
      .run(name, JSON.stringify(value));
  }

  /** Commits that rows `first` to `last` may be sent from now on. None of them may be sent before. */
  openWindow(window: {
    phase: Phase;
    first: number;
    last: number;
    takes: readonly Taken[];
    at: number;
    /** The claims of its rows. */
    claims?: ClaimMark | undefined;
  }): void {
    const {phase, first, last, takes, at, claims} = window;
    this.commits++;
    this.#db.transaction(() => {
      this.#writeWaiting();
      this.#db
        .prepare('insert into windows (seq, phase, first, last, takes, at) values (?, ?, ?, ?, ?, ?)')
        .run(...[++this.#newestWindow, phase, first, last, `,${takes.join(',')},`, at]);
      if (claims !== undefined) this.setFact('claims', claims);
    });
  }

  /**
   * Adds an outcome, which becomes durable with the next window or flush. The caller flushes when `unflushed` has
   * grown.
   */
  record(outcome: Outcome, at: number): void {
    this.#waiting.add(outcome, at);
    if (outcome.differences !== undefined) this.#differences.push(outcome);
  }

  flush(): void {
    if (this.unflushed + this.#ended.length === 0 && !this.#hasFoundPaid) return;
    this.commits++;
    this.#db.transaction(() => this.#writeWaiting());
  }

  #writeWaiting(): void {
    this.#waiting.write(this.#newestWindow);
    for (const {n, differences = []} of this.#differences.splice(0)) {
      const clean = differences.map(({field, asked, answered}) => ({
        ...{field: this.sanitizer.token(field), asked},
        answered: answered === null ? null : this.sanitizer.token(answered),
      }));
      this.#db
        .prepare('insert or replace into differences (n, fields) values (?, ?)')
        .run(n, JSON.stringify(clean));
    }
    for (const {n, id, status, told} of this.#ended.splice(0))
      this.#db
        .prepare(
          `insert into ended_records (id, n, status, told) values (?, ?, ?, ?)
         on conflict (id) do update set told = max(told, excluded.told)`,
        )
        .run(id, n, status, told);
    if (this.#hasFoundPaid) this.setFact('hasUnpaid', true);
    this.#hasFoundPaid = false;
  }

  /**
   * A GET showed that a row was approved, whose reference the registry does not list as paid. It becomes durable with the
   * outcome recorded with it.
   */
  noteFoundPaid(): void {
    this.#hasFoundPaid = true;
  }

  /**
   * Records that a GET showed the record of a row failed or canceled. It becomes durable with the outcome recorded
   * with it.
   */
  noteEnded(n: number, id: string, status: string, {isTold = false} = {}): void {
    this.withdrawStatement(id);
    this.#ended.push({n, id, status, told: isTold ? 1 : 0});
  }

  /** The service shows a record again that was stated unpaid: the statement was about another state of it. */
  withdrawStatement(id: string): void {
    const stated = this.fact('formersUnpaid') ?? {};
    const isIt = (each: string) => isSameId(each, id);
    if (!Object.values(stated).some((ids) => ids.some(isIt))) return;
    const left = Object.entries(stated).map(([of, ids]) => [of, ids.filter((each) => !isIt(each))] as const);
    this.setFact('formersUnpaid', Object.fromEntries(left));
  }

  /** A later GET showed another payment, so nothing shows how this record ended. Durable when it returns. */
  withdrawEnded(id: string): void {
    this.#db.prepare('delete from ended_records where id = ?').run(id);
  }

  /** Called after the registry was updated; durable when it returns. */
  markTold(ids: readonly string[]): void {
    this.#db.transaction(() => {
      for (const id of ids) this.#db.prepare('update ended_records set told = 1 where id = ?').run(id);
    });
  }

  windows(phases: readonly Phase[]): SendWindow[] {
    return this.#db
      .prepare<SendWindow>(
        `select seq, phase, first, last, at from windows where phase in (${marks(phases)}) order by seq`,
      )
      .all(...phases);
  }

  /**
   * How many rows were accepted, by last seen status. Rows with a status in `badEnds` are also counted if it was seen
   * later.
   */
  acceptedByStatus(badEnds: readonly string[]): {status: string | null; count: number}[] {
    return this.#db
      .prepare<{status: string | null; count: number}>(
        `select status, count(*) as count from outcomes
       where state = 'accepted' or (state = 'dead_key' and status in (${marks(badEnds)}))
         or (state = 'unapproved' and message = ?) group by status`,
      )
      .all(...badEnds, APPROVAL_LOST);
  }

  /** Whether any outcome was decided by the registry and not by an answer. */
  hasOutcomeByRegistry(): boolean {
    return this.#db.prepare('select 1 from outcomes where code = ? limit 1').get(REGISTRY_CODE) !== undefined;
  }

  /**
   * Records "in doubt" for rows that a later window of a killed run covers: a row must not be called staged, held or
   * unapproved while its release may be in progress. Only a release that accepts differences opens a window for held
   * rows, so they keep that acceptance. Durable when it returns.
   */
  makeDoubtExplicit(): void {
    this.#db
      .prepare(
        `update outcomes set state = 'in_doubt', message = '${KILLED}', http = null,
         code = case state when 'held' then '${DIFFERS_AS_ACCEPTED.code}' end,
         staged_at = coalesce(staged_at, (select min(w.at) from windows w where w.seq > window_seq and w.first <= n and w.last >= n))
       where n in (select r.n from rows r join outcomes o on o.n = r.n where o.state <> 'in_doubt' and ${STATE} = 'in_doubt')`,
      )
      .run();
  }

  /** Whether a window newer than the outcome covers the row and includes rows in its state: it may have been sent. */
  isTakenAgain({n, outcomeWindow, outcome}: JournalRow): boolean {
    return (
      this.#db
        .prepare(
          `select 1 from windows where seq > ? and first <= ? and last >= ? and instr(takes, ?) > 0 limit 1`,
        )
        .get(outcomeWindow, n, n, `,${outcome?.state ?? 'new'},`) !== undefined
    );
  }

  /** When the outcome of a row was written; undefined if it has none. */
  writtenAt(n: number): number | undefined {
    return this.#db.prepare<{at: number}>('select at from outcomes where n = ?').get(n)?.at;
  }

  /** The state of a row, once doubts are explicit. */
  stateOf({n, outcome}: JournalRow): RowState {
    return outcome?.state ?? (this.coveredSince(n) === undefined ? 'not_sent' : 'in_doubt');
  }

  /** When a row without an outcome may first have been sent; undefined if no window covers it. */
  coveredSince(n: number): number | undefined {
    const {at} = this.#db
      .prepare<{at: number | null}>(
        `select min(at) as at from windows where instr(takes, ',new,') > 0 and first <= ? and last >= ?`,
      )
      .one(n, n);
    return at ?? undefined;
  }

  /**
   * Gives rows a new generation and thus a new key. Allowed only after their records were seen to have failed or been
   * canceled. Their outcomes return to "not sent". One commit, durable when it returns.
   */
  raiseGenerations(raised: readonly RaisedRow[], at: number): void {
    this.flush();
    this.#db.transaction(() => {
      for (const each of raised) this.#raise(each, at);
      this.#writeWaiting();
    });
  }

  #raise({row, formerId, reason}: RaisedRow, at: number): void {
    this.#db
      .prepare(
        `insert into generations (n, generation, former_id, reason, at) values (?, ?, ?, ?, ?)
       on conflict (n) do update set generation = excluded.generation, former_id = excluded.former_id, reason = excluded.reason, at = excluded.at`,
      )
      .run(row.n, row.generation + 1, formerId, reason, at);
    const outcome: Outcome = {
      ...{n: row.n, state: 'not_sent', id: null, status: null, stagedAt: null, http: null, code: null},
      ...{message: reason, requestId: null, attempts: row.outcome?.attempts ?? 0},
      orphan: row.outcome?.orphan ?? null,
    };
    this.#waiting.add(outcome, at);
  }

  /** Whether the service may have accepted any row; then the batch is bound to the key that was used. */
  everTaken(): boolean {
    return (
      this.#db
        .prepare(
          `select 1 from rows r left join outcomes o on o.n = r.n
         where ${STATE} not in ('not_sent', 'rejected', 'already_paid', 'conflict') or (o.staged_at is not null and o.state <> 'already_paid')
            or r.n in (select n from generations) limit 1`,
        )
        .get() !== undefined
    );
  }

  /**
   * Whether an answer is known that only the service can give: one of our records, or a refusal that was treated as
   * final.
   */
  everAnswered(): boolean {
    return (
      this.#db
        .prepare(
          `select 1 from outcomes where state = 'rejected' or (id is not null and state <> 'already_paid') limit 1`,
        )
        .get() !== undefined
    );
  }

  /** Rows in doubt whose record is known: they were being released. */
  doubtsWithRecord(): number {
    return this.#db
      .prepare<{count: number}>(
        `select count(*) as count from outcomes where state = 'in_doubt' and id is not null`,
      )
      .one().count;
  }

  /** Counts and sums of all planned rows by bucket. A row without an outcome that a window covers is in doubt. */
  tally(): Tally {
    return readTally(this.#db);
  }

  /** The current tally. Reads every outcome; a run keeps its own copy up to date instead. */
  standing(): Standing {
    return readStanding(this.#db);
  }

  /** The same, taken from the plan while nothing was ever sent: counting a million rows takes seconds. */
  standingOf(plan: Plan): Standing {
    const isUntouched = ['outcomes', 'windows'].every(
      (table) => this.#db.prepare(`select 1 from ${table} limit 1`).get() === undefined,
    );
    return isUntouched ? untouchedStanding(plan) : this.standing();
  }

  /** See `readAttention`. */
  needingAttention(limit: number, doubts: number): Attention[] {
    return readAttention(this.#db, this.sanitizer, {limit, doubts});
  }

  close(): void {
    this.#db.close();
  }
}
