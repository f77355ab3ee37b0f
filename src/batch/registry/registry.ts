import {join} from 'node:path';
import type {Clock} from '../../clock.ts';
import type {Lock} from '../../store/locks/lock.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {ClaimMark} from '../journal/facts.ts';
import {makeFolder} from '../journal/folder.ts';
import type {Journal} from '../journal/journal.ts';
import {foldReference} from '../model/identity.ts';
import {KINDS} from '../model/kinds.ts';
import type {AnsweredRecord, Claim, Claims, ClaimHolder, OtherPayment} from './claim.ts';
import {openRegistry, type RegistryDatabase} from './database.ts';
import {Entries} from './entries.ts';
import type {FormerRecord, Entry} from './entry.ts';
import {type JournalName, Journals} from './journals.ts';
import {OpenCreates} from './earlier-payments.ts';
import {
  claimLine,
  type Noter,
  type Notes,
  type FoundLine,
  type GoneLine,
  type PaidLine,
  type UnpaidLine,
  type Way,
} from './notes.ts';
import {type Claimant, claimantIdOf, type Scope, scopeIdOf} from './owners.ts';
import type {JournalCheck} from './rebuild.ts';

/**
 * The registry of a state folder, opened for one process. It is the first protection against paying twice. The second
 * is the idempotency key, but only as long as the service remembers it.
 */
export class Registry implements Claims {
  readonly #db: SqliteDatabase;
  readonly #lock: Lock;
  #hasOthers: boolean | undefined;
  #hasScopes: boolean | undefined;
  /** An end was noted by this process. */
  #hasNotedEnd = false;
  readonly #notes: Notes;
  readonly #entries: Entries;
  readonly #scope: number;
  readonly #claimant: number;
  readonly #journalId: string;
  readonly #name: JournalName;
  readonly #journals: Journals;
  #mark: ClaimMark | undefined;
  /** To be noted with the next claims or `flush`, in order. */
  readonly #waiting: {way: Way; lines: unknown[]}[] = [];
  readonly #unanswered: Claim[] = [];
  #openCreates: OpenCreates | undefined;
  readonly #readOpenCreates: () => OpenCreates;

  /** The journal that records the mark, if it was compared with the registry. */
  readonly #journal: Journal | undefined;

  private constructor(
    {db, lock, notes}: RegistryDatabase,
    {
      stateDir,
      scope,
      claimant,
      check,
      memoryDir = stateDir,
    }: {stateDir: string; scope: Scope; claimant: Claimant; check?: JournalCheck; memoryDir?: string},
  ) {
    this.#db = db;
    this.#lock = lock;
    this.#notes = notes;
    this.#scope = scopeIdOf(db, scope);
    this.#claimant = claimantIdOf(db, claimant);
    this.#journalId = claimant.journalId;
    this.#journal = check?.own.journal;
    this.#name = {kind: scope.kind, batchId: claimant.batchId};
    this.#journals = new Journals(db);
    this.#entries = new Entries(db, scope, this.#scope, this.#journalId);
    this.#readOpenCreates = () => OpenCreates.read(new Set([memoryDir, stateDir]), scope);
  }

  /**
   * Opens the registry for one batch. Only one batch at a time runs in a state folder.
   * @throws RemitError LOCKED, naming the batch that is running
   */
  static async open(options: {
    stateDir: string;
    /** The state folder of single commands, if it is another one. */
    memoryDir?: string;
    scope: Scope;
    claimant: Claimant;
    breakLock?: boolean;
    brief?: boolean;
    check?: JournalCheck;
    clock: Clock;
  }): Promise<Registry> {
    const {scope, claimant, ...opening} = options;
    makeFolder(join(options.stateDir, 'batches'));
    const opened = await openRegistry({
      ...opening,
      purpose: `${KINDS[scope.kind].topic} batch ${claimant.batchId}`,
      hint: `one batch at a time runs in a state folder: wait for it, or answer its prompt if it has one${opening.breakLock === undefined ? '' : '; add --break-lock only if that process is known to be dead'}`,
    });
    return new Registry(opened, options);
  }

  get mark(): ClaimMark | undefined {
    return this.#mark;
  }

  /** Read when first used: few commands look for earlier payments. */
  get openCreates(): OpenCreates {
    return (this.#openCreates ??= this.#readOpenCreates());
  }

  /** The entries, with everything that was noted. */
  get entries(): Entries {
    this.flush();
    this.#notes.sortIn();
    return this.#entries;
  }

  claim(rows: readonly Claim[], at: number): void {
    this.#note('claim', rows, at);
  }

  keep(rows: readonly Claim[], at: number): void {
    this.#note('keep', rows, at);
  }

  #note(way: 'claim' | 'keep', rows: readonly Claim[], at: number): void {
    this.#db.transaction(() => {
      this.#writeWaiting();
      this.#notes.add(way, this.#noter(at), rows.map(claimLine));
      this.#mark = this.#journals.count(this.#name, this.#journalId);
    });
  }

  #noter(at: number): Noter {
    return {scope: this.#scope, claimant: this.#claimant, at};
  }

  paidByOthers(rows: readonly Claim[]): ReadonlyMap<string, OtherPayment> {
    // Payments by other batches were sorted in when the registry was opened; later notes are our own.
    const others = this.#db
      .prepare('select 1 from claimants where journal <> ? limit 1')
      .get(this.#journalId);
    if (others === undefined) return new Map();
    const wanted = rows.map(({reference}) => [foldReference(reference), reference]);
    const found = this.#db
      .prepare<{reference: string} & OtherPayment>(
        `select e.reference, e.id, c.batch from json_each(cast(? as text)) j cross join entries e cross join claimants c
       where e.scope = ? and e.fold = j.value ->> 0 and e.reference = j.value ->> 1 and e.paid = 1
         and c.id = e.claimant and c.journal <> ?`,
      )
      .all(jsonBytes(wanted), this.#scope, this.#journalId);
    return new Map(found.map(({reference, id, batch}) => [reference, {id, batch}]));
  }

  older(row: Claim, since: number): void {
    this.#wait('older', claimLine({...row, outcome: {stagedAt: since}}));
  }

  free(reference: string, unanswered?: Claim): void {
    this.#wait('free', reference);
    if (unanswered !== undefined) this.#unanswered.push(unanswered);
  }

  usedForOtherContent(rows: readonly Claim[]): ReadonlySet<string> {
    const isAny =
      this.#unanswered.length > 0 || this.#db.prepare('select 1 from unanswered limit 1').get() !== undefined;
    if (!isAny) return new Set();
    this.flush();
    const wanted = rows.map(({reference, generation, fingerprint}) => [reference, generation, fingerprint]);
    const found = this.#db
      .prepare<{reference: string}>(
        `select u.reference from json_each(cast(? as text)) j cross join unanswered u
       where u.scope = ? and u.reference = j.value ->> 0 and u.generation = j.value ->> 1 and u.fingerprint <> j.value ->> 2`,
      )
      .all(jsonBytes(wanted), this.#scope);
    return new Set(found.map(({reference}) => reference));
  }

  paid(reference: string, id: string | null): void {
    this.#wait('paid', [reference, id] satisfies PaidLine);
  }

  ended(reference: string, id: string, generation: number): void {
    this.#hasNotedEnd = true;
    this.#wait('paid', [reference, id, generation] satisfies PaidLine);
  }

  /** A person has stated that this record, which is not found, has not paid: it is read again before the reference is. */
  gone(reference: string, id: string): void {
    this.#hasNotedEnd = true;
    this.#wait('gone', [reference, id] satisfies GoneLine);
  }

  withdrawPaid(reference: string, id: string): void {
    this.#wait('unpaid', [reference, id] satisfies UnpaidLine);
  }

  async hasEnded(): Promise<boolean> {
    if (!this.#hasNotedEnd) return this.#entries.hasEnded(); // other notes need not be sorted in
    this.flush();
    await this.#notes.sortInByTurns();
    return true;
  }

  formerRecords(rows: readonly Claim[]): ReadonlyMap<string, readonly FormerRecord[]> {
    return this.#entries.formerRecords(rows);
  }

  found(reference: string, id: string, content: string | null): void {
    this.#wait('found', [reference, id, content] satisfies FoundLine);
  }

  ofOther(reference: string): Entry | undefined {
    return this.entries.ofOther(reference);
  }

  get hasOtherScopes(): boolean {
    this.#hasScopes ??=
      this.#db.prepare('select 1 from scopes where id <> ? limit 1').get(this.#scope) !== undefined;
    return this.#hasScopes;
  }

  holderOf(answer: AnsweredRecord): ClaimHolder | undefined {
    this.#hasOthers ??= this.#entries.haveOthers();
    return this.#hasOthers ? this.#entries.holderOf(answer) : undefined;
  }

  #wait(way: Way, line: unknown): void {
    const last = this.#waiting.at(-1);
    if (last?.way === way) last.lines.push(line);
    else this.#waiting.push({way, lines: [line]});
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#db.transaction(() => {
      this.#writeWaiting();
      this.#mark = this.#journals.count(this.#name, this.#journalId);
    });
  }

  #writeWaiting(): void {
    for (const {way, lines} of this.#waiting) this.#notes.add(way, this.#noter(0), lines);
    for (const {reference, generation, fingerprint} of this.#unanswered)
      this.#db
        .prepare(
          'insert or ignore into unanswered (scope, reference, generation, fingerprint) values (?, ?, ?, ?)',
        )
        .run(this.#scope, reference, generation, fingerprint);
    this.#waiting.length = this.#unanswered.length = 0;
  }

  /**
   * For a file without references: its rows are identified only by content and occurrence, so only one file may ever
   * run in its namespace. Returns the other plan that is bound to the namespace, if there is one.
   */
  contentPlan(): string | undefined {
    const {plan} = this.#db
      .prepare<{plan: string | null}>('select content_plan as plan from scopes where id = ?')
      .one(this.#scope);
    return plan ?? undefined;
  }

  bindContentPlan(planHash: string): void {
    this.#db.prepare('update scopes set content_plan = ? where id = ?').run(planHash, this.#scope);
  }

  assertHeld(): void {
    this.#lock.assertHeld();
  }

  get lost(): AbortSignal {
    return this.#lock.lost;
  }

  async close(): Promise<void> {
    try {
      // Otherwise the registry belongs to another process now.
      if (!this.lost.aborted) {
        await this.#notes.sortInByTurns();
        if (this.#mark !== undefined) this.#journal?.setFact('claims', this.#mark);
      }
    } catch {
      // What is noted stays noted: the next process that opens the registry sorts it in.
    }
    this.#db.close();
    await this.#lock.release();
  }
}
