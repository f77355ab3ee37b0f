import {randomUUID} from 'node:crypto';
import {type Clock, nextTurn} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {isRead} from '../client/transport/guarded-transport.ts';
import {type Transport, TransportFailure, type TransportRequest} from '../client/transport/transport.ts';
import {must, ownJson} from '../narrow.ts';
import type {SqliteDatabase} from '../store/port/port.ts';
import {openConnection, openSqlite} from '../store/sqlite/sqlite.ts';
import {addLines, type ApprovalCopies, namesOfText} from './approval-copies.ts';
import {ChangeLog, type Changes} from './changes.ts';
import type {Sql, TeamDatabase} from './connection.ts';
import {
  clearBatch,
  fence,
  type FoundLease,
  type Intent,
  type Lease,
  LEASE_MS,
  type LeaseHolder,
  readLease,
  writeHeld,
} from './lease.ts';
import {deleteSql, JOURNAL_TABLES, toJson, upsertSql} from './tables.ts';

const TICK_MS = 250;
/** Writes at least this often, which also renews the lease. */
const WRITE_EVERY_MS = 5000;
/** Changes that are written at once. */
const GROUP = 256;
const MOST_AT_ONCE = 4000;
const PAGE = 5000;
/** The lease counts as expired this long before it does. */
const MARGIN_MS = 5000;
/** Rows that may be sent beyond a window before the lease has to be written again. */
const LEAST_AHEAD = 1024;
const WINDOWS_AHEAD = 4;

export interface HoldOptions {
  db: TeamDatabase;
  lease: Lease;
  clock: Clock;
  /** By the monotonic clock, before the request that took the lease. */
  takenAt: number;
  /** Until a lost holder's releases can no longer be in progress. */
  releaseMs: number;
  /** The journal of the batch in the local folder. */
  journal: string;
  /** Its approvals and audit trail. */
  approvals: ApprovalCopies;
  /** The last published status, as JSON. */
  status: () => string | null;
  say: (text: string) => void;
}

/**
 * The lease of a batch while this process has it. Changes of the local journal are written to the team's database every
 * few seconds, or as soon as there are many; each write renews the lease. No request that changes anything is sent unless
 * the lease is held by then and covers the rows of its window. If a write fails, nothing is sent until one succeeds.
 */
export class LeaseHold {
  readonly #options: HoldOptions;
  readonly #lost = new AbortController();
  #lease: Lease;
  /** By the monotonic clock, counted from before the last renewal was sent. */
  #deadline: number;
  readonly #releaseAt: number;
  #isOpen = true;
  #token = '';
  #intents: Intent[] = [];
  #status: string | null = null;
  /** A window was opened since the last look at the journal. */
  #hasUnseen = true;
  #seenWindow = 0;
  #hasWritten = false;
  #covering: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #writtenAt: number;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];
  #saidWait = false;
  isEnded = false;
  /** Other processes send for this one. */
  isShared = false;

  constructor(options: HoldOptions) {
    const {lease, takenAt, releaseMs} = options;
    this.#options = options;
    this.#lease = lease;
    this.#deadline = takenAt + LEASE_MS - MARGIN_MS;
    this.#releaseAt = options.clock.monotonic() + releaseMs; // measured before the answer arrived
    this.#writtenAt = takenAt;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Aborted when the lease is lost; its reason is a RemitError LOCKED. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Called before each window of the engine. */
  assertHeld(): void {
    this.lost.throwIfAborted();
    this.#hasUnseen = true;
  }

  /** A transport that sends nothing that changes anything unless the lease covers it. */
  guard(inner: Transport): Transport {
    return {
      send: async (request: TransportRequest) => {
        await this.admit(request);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
  }

  /** Resolves when the request may be sent. */
  async admit(request: TransportRequest): Promise<void> {
    if (isRead(request)) return;
    const {signal} = request;
    const {clock} = this.#options;
    for (;;) {
      if (this.lost.aborted || signal?.aborted)
        throw new TransportFailure('aborted', 'the lease of the batch is lost', {sent: false});
      if (this.#hasUnseen || this.#covering !== undefined)
        await (this.#covering ??= this.#cover().finally(() => (this.#covering = undefined)));
      else if (this.#mustWaitForReleases()) await this.#change(signal, this.#releaseAt - clock.monotonic());
      else if (this.#isOpen && clock.monotonic() < this.#deadline) return;
      else await this.#change(signal);
    }
  }

  /** Writes what the new windows depend on, and covers them with the lease. */
  async #cover(): Promise<void> {
    this.#hasUnseen = false;
    const journal = openConnection(this.#options.journal);
    if (journal === undefined) return;
    const windows = journal
      .prepare<{seq: number; phase: string; first: number; last: number; takes: string; at: number}>(
        'select seq, phase, first, last, takes, at from windows where seq > ? order by seq',
      )
      .all(this.#seenWindow);
    let isWider = !this.#hasWritten; // what the command has recorded before it sends anything
    for (const window of windows) isWider = this.#widen(window) || isWider;
    const raised =
      journal.prepare(`select 1 from team_changes where t = ${GENERATIONS} limit 1`).get() !== undefined;
    const {approvals, db} = this.#options;
    try {
      await approvals.addApprovals(db.query, this.#lease.key); // which takes longer than a write that renews the lease
      if (isWider || raised || approvals.newLines.length > 0) await this.writeAll();
      this.#hasWritten = true;
      this.#seenWindow = windows.at(-1)?.seq ?? this.#seenWindow;
    } catch {
      this.#hasUnseen = true; // the gate is closed, or the lease is lost
      await this.#change(undefined, TICK_MS);
    }
  }

  #widen({
    phase,
    first,
    last,
    takes,
    at,
  }: {
    phase: string;
    first: number;
    last: number;
    takes: string;
    at: number;
  }): boolean {
    const known = this.#intents.find((intent) => intent.phase === phase);
    const states = new Set(
      [...(known?.takes ?? '').split(','), ...takes.split(',')].filter((state) => state !== ''),
    );
    const union = `,${[...states].join(',')},`;
    if (known !== undefined && known.last >= last && known.takes.length === union.length) return false;
    const ahead = Math.max(LEAST_AHEAD, WINDOWS_AHEAD * (last - first + 1));
    const intent = {phase, last: last + ahead, takes: union, at: Math.min(at, known?.at ?? at)};
    this.#intents = [...this.#intents.filter((other) => other.phase !== phase), intent];
    return true;
  }

  #mustWaitForReleases(): boolean {
    const waits =
      this.#intents.some(({phase}) => phase !== 'stage') && this.#options.clock.monotonic() < this.#releaseAt;
    if (waits && !this.#saidWait) {
      this.#saidWait = true;
      const seconds = Math.ceil((this.#releaseAt - this.#options.clock.monotonic()) / 1000);
      this.#options.say(
        `Releases wait for ${seconds} s: until then, a request of the process that had the batch before may be in progress.`,
      );
    }
    return waits;
  }

  /** Resolves when the gate may have changed, or after a time. */
  #change(signal: AbortSignal | undefined, ms = 1000): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.min(ms, 1000));
      signal?.addEventListener('abort', done, {once: true});
      this.#waiting.push(done);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  #wake(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  #tick(): void {
    if (this.#running !== undefined || this.lost.aborted || this.isEnded) return;
    const sinceMs = this.#options.clock.monotonic() - this.#writtenAt;
    if (this.#isOpen && sinceMs < WRITE_EVERY_MS && (sinceMs < 4 * TICK_MS || this.#pending() < GROUP))
      return;
    void this.#write().catch(() => undefined);
  }

  #pending(): number {
    const log = this.#log();
    return log?.isInstalled === true ? log.pending : 0;
  }

  #log(): ChangeLog | undefined {
    const journal = openConnection(this.#options.journal);
    return journal === undefined || journal.inTransaction
      ? undefined
      : new ChangeLog(journal, JOURNAL_TABLES);
  }

  /** Everything that the journal has now, and what may be sent next. */
  async writeAll(): Promise<void> {
    const target = this.#log()?.newest ?? 0;
    for (let upTo: number | undefined; upTo === undefined || upTo < target;) {
      while (this.#running !== undefined) await this.#running;
      this.lost.throwIfAborted();
      const next = await this.#write();
      if (next === upTo && next !== undefined) return;
      upTo = next;
    }
  }

  /** @returns the last entry of the log that was written; undefined if the write has to be repeated */
  #write(): Promise<number | undefined> {
    const run = this.#writeOnce();
    const end = () => (this.#running = undefined);
    this.#running = run.then(end, end);
    return run;
  }

  async #writeOnce(): Promise<number | undefined> {
    const {clock, db, approvals} = this.#options;
    const {key} = this.#lease;
    const log = this.#log();
    const changes: Changes = log?.isInstalled === true ? log.read(MOST_AT_ONCE) : {tables: [], upTo: 0};
    const lines = approvals.newLines;
    const known = approvals.names;
    const sentAt = clock.monotonic();
    this.#writtenAt = sentAt;
    const token = randomUUID();
    const status = this.#options.status();
    const intents = this.#intents;
    try {
      const written = await writeHeld(db.query, {
        ...{lease: this.#lease, token, intents, changes, lines},
        status: status === this.#status ? null : status,
      });
      if (written === undefined) {
        await this.#lookUp();
        return undefined;
      }
      this.#renewed(written.version, sentAt, token);
      this.isShared = written.shared > 0;
      this.#status = status;
      this.#log()?.acknowledge(changes.upTo);
      approvals.acknowledge(lines);
      const names = namesOfText(written.approvals);
      void approvals.follow(db.query, key, {names, known}).catch(() => undefined); // after the next write again
      return changes.upTo;
    } catch (error) {
      this.#token = token;
      this.#close(error);
      throw error;
    }
  }

  #renewed(version: number, sentAt: number, token: string): void {
    this.#lease = {...this.#lease, version};
    this.#token = token;
    this.#deadline = sentAt + LEASE_MS - MARGIN_MS;
    this.#isOpen = true;
    this.#wake();
  }

  /** After a failed write nothing is sent. It is tried again until the lease has expired. */
  #close(error: unknown): void {
    this.#isOpen = false;
    if (isAuditConflict(error)) this.#lose(undefined, auditConflict(error));
    if (error instanceof RemitError && error.code === 'STATE_DAMAGED') this.#lose(undefined, error);
    if (this.#options.clock.monotonic() >= this.#deadline) this.#lose(undefined, error);
  }

  /**
   * Nothing was written: an earlier write without an answer took effect, or a failover has lost some that were
   * acknowledged, or the lease is lost.
   */
  async #lookUp(): Promise<void> {
    const {db} = this.#options;
    const found = await readLease(db.query, this.#lease.key);
    const {owner, gen, version} = this.#lease;
    const isOurs = found?.owner === owner && found.gen === gen && found.released === 0 && found.left_ms > 0;
    if (found === undefined || !isOurs) return this.#lose(found, undefined);
    if (found.version > version && found.token !== this.#token) return this.#lose(found, undefined);
    this.#lease = {...this.#lease, version: found.version};
    if (found.version < version)
      await this.writeWhole(must(openConnection(this.#options.journal), 'open journal'));
  }

  #lose(found: FoundLease | undefined, cause: unknown): void {
    if (this.lost.aborted) return;
    clearInterval(this.#timer);
    const by = found?.holder ?? null;
    const who =
      by === null || found?.owner === this.#lease.owner
        ? ''
        : `: ${leaseHolderText(ownJson<LeaseHolder>(by))} has it now`;
    const error =
      cause instanceof RemitError && (cause.code === 'GUARD_APPROVAL' || cause.code === 'STATE_DAMAGED')
        ? cause
        : new RemitError('LOCKED', `the lease of the batch was lost${who}; this run has stopped`, {
            hint: 'run the same command again: it continues once no other process has the batch',
            cause,
          });
    this.#lost.abort(error);
    this.#isOpen = false;
    this.#wake();
  }

  /** Replaces the batch with the whole journal: a new plan, or after a failover has lost something. */
  async writeWhole(
    journal: SqliteDatabase,
    more?: (sql: Sql) => Promise<void>,
    {token = randomUUID(), tail}: {token?: string; tail?: ApprovalCopies} = {},
  ): Promise<void> {
    const log = new ChangeLog(journal, JOURNAL_TABLES);
    const isNew = !log.isInstalled;
    if (isNew) log.install();
    const upTo = log.newest;
    const {clock, db} = this.#options;
    let sentAt = clock.monotonic();
    const {key} = this.#lease;
    const approvals = tail ?? this.#options.approvals;
    await approvals.lookUp(db.query, key);
    if (tail === undefined) await approvals.addApprovals(db.query, key); // those of a tail may have been removed since
    const lines = approvals.newLines;
    const plan = must(
      journal.prepare<{value: string}>("select value from meta where name = 'plan'").get(),
      'plan of a journal that is written',
    );
    const writing = db.transaction(async (sql) => {
      const next = await fence(sql, this.#lease, token);
      if (next === undefined) return undefined;
      await clearBatch(sql, key);
      for (const {mirror, rows} of log.pages(PAGE)) {
        await sql(upsertSql(mirror, '$2', '$1::bigint'), [key, toJson(rows)]);
        await nextTurn();
      }
      await addLines(sql, key, lines);
      const {journalId} = ownJson<{journalId: string}>(plan.value);
      sentAt = clock.monotonic(); // a large journal takes longer than a lease
      await sql(
        `update @.batches set journal = $2, intents = $3, planned_at = coalesce(planned_at, clock_timestamp()),
           expires = clock_timestamp() + $4 * interval '1 ms' where key = $1`,
        [key, journalId, JSON.stringify(this.#intents), LEASE_MS],
      );
      await more?.(sql);
      return next;
    });
    const version = await writing.catch((error: unknown) => {
      this.#token = token; // its commit may have taken effect
      if (isNew) log.remove(); // so that the next try writes the whole journal again
      throw error;
    });
    if (version === undefined) {
      await this.#lookUp();
      this.lost.throwIfAborted();
      return this.writeWhole(journal, more, {token, ...(tail === undefined ? {} : {tail})});
    }
    this.#renewed(version, sentAt, token);
    log.acknowledge(upTo);
    approvals.acknowledge(lines);
  }

  /** Makes the journal that the engine has just opened the one that is written. */
  async attach(): Promise<void> {
    const journal = must(openConnection(this.#options.journal), 'open journal');
    this.#seenWindow = journal
      .prepare<{seq: number}>('select coalesce(max(seq), 0) as seq from windows')
      .one().seq;
    await this.#running;
    if (!new ChangeLog(journal, JOURNAL_TABLES).isInstalled) await this.writeWhole(journal);
  }

  /**
   * The last write, with what else the command has changed; then the lease is free.
   * @param more in the same transaction
   * @param isPlanned false if there is no journal
   */
  async finish(more: (sql: Sql) => Promise<void>, isPlanned: boolean): Promise<void> {
    const {approvals, db} = this.#options;
    await approvals.addApprovals(db.query, this.#lease.key).catch(() => undefined); // tried again below
    clearInterval(this.#timer);
    await this.#running;
    this.lost.throwIfAborted();
    this.isEnded = true;
    const journal = isPlanned ? await openSqlite(this.#options.journal, {durability: 'full'}) : undefined;
    try {
      const token = randomUUID();
      for (let tries = 1; ; tries++)
        try {
          if (tries > 1 && (await this.#wasReleased(token))) return;
          return await this.#finishOnce(journal, more, token);
        } catch (error) {
          this.lost.throwIfAborted();
          if (this.#options.clock.monotonic() >= this.#deadline || tries > 10) throw error;
          await this.#options.clock.sleep(Math.min(200 * tries, 2000));
        }
    } finally {
      journal?.close();
    }
  }

  /** The last write has no answer: whether it took effect. */
  async #wasReleased(token: string): Promise<boolean> {
    const found = await readLease(this.#options.db.query, this.#lease.key);
    return (
      found === undefined ||
      (found.owner === this.#lease.owner && found.released === 1 && found.token === token)
    );
  }

  async #finishOnce(
    journal: SqliteDatabase | undefined,
    more: (sql: Sql) => Promise<void>,
    token: string,
  ): Promise<void> {
    const {db, approvals} = this.#options;
    const {key} = this.#lease;
    const release = async (sql: Sql) => {
      await more(sql);
      await sql(
        `update @.batches set released = true, intents = '[]', status = coalesce($2, status) where key = $1`,
        [key, this.#options.status()],
      );
    };
    const log = journal === undefined ? undefined : new ChangeLog(journal, JOURNAL_TABLES);
    if (journal !== undefined && log?.isInstalled === false)
      return this.writeWhole(journal, release, {token});
    await approvals.addApprovals(db.query, key);
    const version = await db.transaction(async (sql) => {
      const next = await fence(sql, this.#lease, token);
      if (next === undefined) return undefined;
      await addLines(sql, key, approvals.newLines);
      for (const changes of log?.all(PAGE) ?? []) await writeTables(sql, key, changes);
      await release(sql);
      return next;
    });
    if (version !== undefined) return;
    await this.#lookUp();
    throw new Error('the last changes were not written');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.isEnded = true;
  }
}

/** Another process has written an event where the next one of this lease goes, which no holder does. */
const isAuditConflict = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'audit_pkey';

const auditConflict = (cause: unknown): RemitError =>
  new RemitError(
    'GUARD_APPROVAL',
    'an event was added to the audit trail in the database; no money was moved',
    {
      hint: 'find out who has added it, and remove it as the owner of the tables',
      cause,
    },
  );

const GENERATIONS = JOURNAL_TABLES.findIndex(({name}) => name === 'generations');

export async function writeTables(sql: Sql, key: number | undefined, {tables}: Changes): Promise<void> {
  const batch = key === undefined ? undefined : '$1::bigint';
  const own = key === undefined ? [] : [key];
  const json = key === undefined ? '$1' : '$2';
  for (const {mirror, rows, gone} of tables) {
    if (rows.length > 0) await sql(upsertSql(mirror, json, batch), [...own, toJson(rows)]);
    if (gone.length > 0) await sql(deleteSql(mirror, json, batch), [...own, toJson(gone)]);
  }
}

export const leaseHolderText = ({host, pid, purpose, since}: LeaseHolder): string =>
  `process ${pid} on ${host} (${purpose}, since ${since})`;
