import {join} from 'node:path';
import {type Clock, nextTurn} from '../../clock.ts';
import {acquireLock, type Lock} from '../../store/locks/lock.ts';
import {migrate} from '../../store/port/migrate.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {makeFolder} from '../journal/folder.ts';
import {foldReference} from '../model/identity.ts';
import {type Kind, KINDS, type Mode} from '../model/kinds.ts';
import {Lookalikes} from './lookalikes.ts';
import {NotedClaims, type Noter} from './noted-claims.ts';
import {NotedPayments, type Payment} from './noted-payments.ts';
import {REGISTRY_MIGRATIONS} from './schema.ts';
import type {Claim, Claims, OtherPayment} from './claim.ts';
import {type Entry, ENTRY, type StoredEntry, toEntry} from './entry.ts';

/** The scope in which a reference is paid once. */
export interface Scope {
  mode: Mode;
  /** Normalised. */
  baseUrl: string;
  kind: Kind;
  namespace: string;
}

/** The batch that claims; stored with each reference. */
export interface Claimant {
  profile: string;
  batchId: string;
  journalId: string;
}

const ENTRIES = 'entries e join claimants c on c.id = e.claimant';

/**
 * The registry of a state folder, opened for one process. It is the first protection against paying twice. The second
 * is the idempotency key, but only as long as the service remembers it.
 */
export class Registry implements Claims {
  readonly #db: SqliteDatabase;
  readonly #lock: Lock;
  readonly #claims: NotedClaims;
  readonly #lookalikes: Lookalikes;
  readonly #scope: number;
  readonly #claimant: number;
  readonly #journalId: string;
  readonly #older: Claim[] = [];
  readonly #freed: string[] = [];
  readonly #unanswered: Claim[] = [];
  readonly #paid: Payment[] = [];
  readonly #payments: NotedPayments;

  private constructor(db: SqliteDatabase, lock: Lock, scope: Scope, claimant: Claimant) {
    this.#db = db;
    this.#lock = lock;
    this.#claims = new NotedClaims(db);
    this.#lookalikes = new Lookalikes(db);
    this.#payments = new NotedPayments(db);
    const {mode, baseUrl, kind, namespace} = scope;
    this.#db
      .prepare('insert or ignore into scopes (mode, base_url, kind, namespace) values (?, ?, ?, ?)')
      .run(mode, baseUrl, kind, namespace);
    this.#scope = db
      .prepare<{id: number}>(
        'select id from scopes where mode = ? and base_url = ? and kind = ? and namespace = ?',
      )
      .one(mode, baseUrl, kind, namespace).id;
    const {profile, batchId, journalId} = claimant;
    this.#journalId = journalId;
    this.#db
      .prepare('insert or ignore into claimants (profile, batch, journal) values (?, ?, ?)')
      .run(...[profile, batchId, journalId]);
    this.#claimant = db
      .prepare<{id: number}>('select id from claimants where profile = ? and batch = ? and journal = ?')
      .one(profile, batchId, journalId).id;
  }

  /**
   * Opens the registry for one batch. Only one batch at a time runs in a state folder.
   * @throws RemitError LOCKED, naming the batch that is running
   */
  static async open(options: {
    stateDir: string;
    scope: Scope;
    claimant: Claimant;
    breakLock?: boolean;
    /** Held only briefly. */
    brief?: boolean;
    clock: Clock;
  }): Promise<Registry> {
    const {stateDir, scope, claimant, clock} = options;
    const folder = join(stateDir, 'batches');
    makeFolder(folder);
    const lock = await acquireLock(join(folder, 'registry.lock'), {
      purpose: `${KINDS[scope.kind].topic} batch ${claimant.batchId}`,
      hint: 'one batch at a time runs in a state folder: wait for it, or answer its prompt if it has one; add --break-lock only if that process is known to be dead',
      breakLock: options.breakLock ?? false,
      brief: options.brief ?? false,
      clock,
    });
    try {
      const db = await openSqlite(join(folder, 'registry.db'), {durability: 'full'});
      migrate(db, REGISTRY_MIGRATIONS);
      const registry = new Registry(db, lock, scope, claimant);
      await registry.#sortIn(); // notes left by a run that was killed
      return registry;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  get isEmpty(): boolean {
    this.#sortAllIn();
    return this.#db.prepare('select 1 from entries limit 1').get() === undefined;
  }

  /** The entry of exactly this reference in our scope. */
  find(reference: string): Entry | undefined {
    this.#sortAllIn();
    const stored = this.#db
      .prepare<StoredEntry>(
        `select ${ENTRY} from ${ENTRIES} where e.scope = ? and e.fold = ? and e.reference = ?`,
      )
      .get(this.#scope, foldReference(reference), reference);
    return stored === undefined ? undefined : toEntry(stored);
  }

  /**
   * References of our scope that other batches have claimed since a given time and that differ from this one only in
   * case or spaces.
   */
  similar(reference: string, since = 0): string[] {
    this.#sortAllIn();
    return this.#db
      .prepare<{reference: string}>(
        `select e.reference from ${ENTRIES}
       where e.scope = ? and e.fold = ? and e.reference <> ? and c.journal <> ? and e.at >= ? and e.standing is null`,
      )
      .all(this.#scope, foldReference(reference), reference, this.#journalId, since)
      .map((row) => row.reference);
  }

  /** The same reference of the same mode and kind in other scopes: namespaces, and in live mode other addresses. */
  elsewhere(reference: string): {namespace: string; baseUrl: string; batch: string}[] {
    this.#sortAllIn();
    return this.#db
      .prepare<{namespace: string; baseUrl: string; batch: string}>(
        // CROSS JOIN fixes the order of the joins: a few scopes first, then one lookup by key in each.
        `select s.namespace, s.base_url as baseUrl, c.batch
       from scopes own cross join scopes s cross join entries e cross join claimants c
       where c.id = e.claimant and own.id = ? and s.id <> own.id and s.mode = own.mode and s.kind = own.kind
         and (s.base_url = own.base_url or own.mode = 'live') and e.scope = s.id and e.fold = ? and e.reference = ?
         and e.standing is null`,
      )
      .all(this.#scope, foldReference(reference), reference);
  }

  /** A payment by another batch to the same party, with the same amount and currency, since a given time. */
  alike(claim: Claim, since: number): {reference: string; batch: string} | undefined {
    this.#sortAllIn();
    for (const reference of this.#lookalikes.find(this.#scope, claim, since)) {
      const entry = reference === claim.reference ? undefined : this.find(reference);
      if (entry !== undefined && entry.standing === null && entry.journal !== this.#journalId)
        return {reference, batch: entry.batch};
    }
    return undefined;
  }

  claim(rows: readonly Claim[], at: number): void {
    // A new generation is not paid, so notes about the former one must be sorted in first.
    if (rows.some(({generation}) => generation > 0)) this.#sortAllIn();
    this.#note('claim', rows, at);
  }

  keep(rows: readonly Claim[], at: number): void {
    this.#note('keep', rows, at);
  }

  #note(way: 'claim' | 'keep', rows: readonly Claim[], at: number): void {
    this.#db.transaction(() => {
      this.#writeWaiting();
      this.#claims.note(way, this.#noter(at), rows);
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
    this.#older.push({...row, outcome: {stagedAt: since}});
  }

  free(reference: string, unanswered?: Claim): void {
    this.#freed.push(reference);
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

  /** Withdraws a wrong statement: the claim stays ours and is no longer a payment. */
  unpaid(reference: string): void {
    this.#sortAllIn();
    this.#db
      .prepare(
        `update entries set paid = 0, id = null where scope = ? and fold = ? and reference = ?
         and claimant in (select id from claimants where journal = ?)`,
      )
      .run(this.#scope, foldReference(reference), reference, this.#journalId);
  }

  paid(reference: string, id: string | null): void {
    this.#paid.push({reference, id});
  }

  ended(reference: string, id: string, generation: number): void {
    this.#paid.push({reference, id, endedGeneration: generation});
  }

  flush(): void {
    if (this.#older.length + this.#freed.length + this.#paid.length > 0)
      this.#db.transaction(() => this.#writeWaiting());
  }

  #writeWaiting(): void {
    if (this.#older.length > 0) this.#claims.note('older', this.#noter(0), this.#older); // their claims exist
    if (this.#freed.length > 0) this.#claims.noteFreed(this.#noter(0), this.#freed);
    for (const {reference, generation, fingerprint} of this.#unanswered)
      this.#db
        .prepare(
          'insert or ignore into unanswered (scope, reference, generation, fingerprint) values (?, ?, ?, ?)',
        )
        .run(this.#scope, reference, generation, fingerprint);
    this.#unanswered.length = 0;
    if (this.#paid.length > 0) this.#payments.note(this.#scope, this.#paid);
    this.#older.length = 0;
    this.#freed.length = 0;
    this.#paid.length = 0;
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

  /** Called before any lookup. Claims come first, because payments are written to them. */
  #sortAllIn(): void {
    this.flush();
    while (this.#claims.hasSome) this.#claims.sortInSome();
    while (this.#payments.hasSome) this.#payments.sortInOne();
  }

  /** One group at a time, so that the heartbeat of the lock continues. */
  async #sortIn(): Promise<void> {
    for (; this.#claims.hasSome; await nextTurn()) this.#claims.sortInSome();
    for (; this.#payments.hasSome; await nextTurn()) this.#payments.sortInOne();
  }

  async close(): Promise<void> {
    try {
      if (!this.lost.aborted) await this.#sortIn(); // otherwise the registry belongs to another process now
    } catch {
      // What is noted stays noted: the next one who opens the registry sorts it in.
    }
    this.#db.close();
    await this.#lock.release();
  }
}
