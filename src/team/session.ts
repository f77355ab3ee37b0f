import {randomUUID} from 'node:crypto';
import {existsSync, rmSync, statSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import type {Mode} from '../contract/mode.ts';
import type {Codec} from '../client/requests/codec.ts';
import type {Transport} from '../client/transport/transport.ts';
import {withLoopback} from '../network/local.ts';
import {batchFolder} from '../batch/journal/folder.ts';
import type {Kind} from '../batch/model/kinds.ts';
import type {Plan} from '../batch/model/plan-facts.ts';
import {notedReturnsText} from '../batch/report/noted-returns.ts';
import {openRegistry, registryPath} from '../batch/registry/database.ts';
import type {Speed} from '../batch/speed/speed.ts';
import {readStatus, type StatusFile} from '../batch/standing/status-file.ts';
import {messageOf, must, ownJson} from '../narrow.ts';
import {writeFileAtomic} from '../store/files/atomic-file.ts';
import {makeFolder} from '../store/files/folder.ts';
import {acquireLock, type Lock} from '../store/locks/lock.ts';
import type {SqliteDatabase, SqlRow} from '../store/port/port.ts';
import {openSqlite} from '../store/sqlite/sqlite.ts';
import {readTeamAddress, type TeamAddress} from './address.ts';
import {acquireOrJoin} from './acquire.ts';
import {ApprovalCopies} from './approval-copies.ts';
import {type BookChanges, copyBook, type ReturnNotes, TeamBook, writeReturnNotes} from './book.ts';
import {ChangeLog} from './changes.ts';
import {type Sql, TeamDatabase} from './connection.ts';
import {sharedId, type TeamBatch, teamBatches, writeJournal, writeRegistry, writeStubs} from './copies.ts';
import {leaseHolderText, LeaseHold, writeTables} from './hold.ts';
import {type FormerLease, type FoundLease, FOUND, LEASE_MS, type LeaseHolder} from './lease.ts';
import {type JoinedOptions, JoinedSending} from './joined-sending.ts';
import {isNewest, leftFolders, noteLate, noteTail, putBack, removeCopies, removeTail} from './left-tail.ts';
import {readBookReturns} from './returns.ts';
import {migrateTeam} from './schema.ts';
import {SharedSending} from './shared-sending.ts';
import {REGISTRY_TABLES} from './tables.ts';

const TRIES = 5;
const POLL_MS = 1000;
/** How long a request may take, unless the command says otherwise. */
const LONGEST_MS = 90_000;
/** Rows that are claimed by one statement. */
const CLAIMED_PAGE = 5000;

/** A runner of a batch, as the team's database has it. */
export interface TeamRunner {
  host: string;
  pid: number;
  purpose: string;
  since: string;
  /** Seconds since it last wrote. */
  last_word_s: number;
  /** `joined`: it sends for the one that has the lease. */
  lease: 'held' | 'lost' | 'joined';
  /** What a joined one has to send now, and has sent. */
  chunks?: number;
  requests?: number;
  sent?: number;
}

export interface SessionOptions {
  address: string;
  /** The local state folder, in which copies are made. */
  stateDir: string;
  clock: Clock;
  /** Of a request, in milliseconds. */
  longestMs?: number | undefined;
  say: (text: string) => void;
}

type SendForOptions = Omit<JoinedOptions, 'db' | 'key' | 'owner' | 'holder' | 'clock'>;

/**
 * One command on the state of a team. It works in a local folder of its own, with copies of what it needs: the engine finds
 * the files that it knows. What it changes is written to the database while it has the lease of the batch.
 */
export class TeamSession {
  readonly address: TeamAddress;
  /** The state folder for the engine. */
  readonly stateDir: string;
  readonly #db: TeamDatabase;
  readonly #options: SessionOptions;
  readonly #owner: string;
  readonly #lock: Lock;
  readonly #registry: string;
  /** Batches that were copied to be read, with their approvals. */
  readonly #fetched = new Map<string, {kind: Kind; id: string; approvals: ApprovalCopies}>();
  #book: TeamBook | undefined;
  #taken: {batch: TeamBatch; hold: LeaseHold; mark: string | null; approvals: ApprovalCopies} | undefined;
  /** The batch was copied, or is new: what is in the folder is all of it. */
  #isCopied = false;

  private constructor(parts: {
    address: TeamAddress;
    stateDir: string;
    db: TeamDatabase;
    options: SessionOptions;
    owner: string;
    lock: Lock;
    registry: string;
  }) {
    this.address = parts.address;
    this.stateDir = parts.stateDir;
    this.#db = parts.db;
    this.#options = parts.options;
    this.#owner = parts.owner;
    this.#lock = parts.lock;
    this.#registry = parts.registry;
  }

  /** @throws RemitError USAGE for an invalid address, STATE if the database cannot be used */
  static async open(options: SessionOptions): Promise<TeamSession> {
    const address = readTeamAddress(options.address);
    const db = new TeamDatabase(address);
    const owner = randomUUID();
    const stateDir = join(options.stateDir, 'team', address.folder, owner);
    let lock: Lock | undefined;
    try {
      const {registry} = await migrateTeam(db);
      lock = await acquireLock(`${stateDir}.lock`, {
        purpose: 'a command on the state of a team',
        clock: options.clock,
      });
      makeFolder(stateDir);
      await removeCopies(stateDir, options.clock);
      const session = new TeamSession({address, stateDir, db, options, owner, lock, registry});
      writeStubs(stateDir, await teamBatches(db.query));
      return session;
    } catch (error) {
      await db.close();
      await lock?.release();
      rmSync(stateDir, {recursive: true, force: true});
      throw error;
    }
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal | undefined {
    return this.#taken?.hold.lost;
  }

  get statements(): number {
    return this.#db.statements;
  }

  /** The lease that this command has. */
  get hold(): LeaseHold | undefined {
    return this.#taken?.hold;
  }

  /** Copies a batch, to read it. What is written to the copy is lost. Does nothing for a batch that is not known. */
  async fetch(kind: Kind, id: string, withApprovals = true): Promise<void> {
    const name = `${kind} ${id}`;
    if (this.#fetched.has(name) || this.#taken?.batch.id === id) return;
    await this.#db.read(async (sql) => {
      const batch = (await teamBatches(sql)).find((each) => each.kind === kind && each.id === id);
      if (batch?.journal === null || batch === undefined) return;
      const place = batchFolder(this.stateDir, kind, id);
      await writeJournal(sql, batch, place);
      const approvals = new ApprovalCopies(place.folder);
      if (withApprovals) await approvals.read(sql, batch.key);
      if (this.#taken === undefined) await this.#copyRegistry(sql, batch, null);
      this.#fetched.set(name, {kind, id, approvals});
    });
  }

  /**
   * Takes the lease of the book, and copies it to this file of the local folder.
   * @throws RemitError LOCKED with the process that has it
   */
  async takeBook(file: string, purpose: string): Promise<TeamBook> {
    this.#book = await TeamBook.take(this.#owner, purpose, {
      ...{...this.#options, db: this.#db, stateDir: this.stateDir, file},
    });
    return this.#book;
  }

  /** A copy of the book, to read it. What is written to the copy is lost. */
  async fetchBook(file: string): Promise<void> {
    await this.#db.read((sql) => copyBook(sql, file));
  }

  /** Records the book with what the batches that were copied remember of it. See `TeamBook.save`. */
  async saveBook(changes: Omit<BookChanges, 'notes'>): Promise<void> {
    const notes = [...this.#fetched.values()].map(({kind, id}): ReturnNotes => ({
      ...{kind, id, returns: notedReturnsText(batchFolder(this.stateDir, kind, id))},
    }));
    await must(this.#book, 'book that is saved').save({...changes, notes});
  }

  /** See `TeamBook.unsettledBatches`. */
  async unsettledBatches(): ReturnType<TeamBook['unsettledBatches']> {
    return must(this.#book, 'book').unsettledBatches();
  }

  /** What reconciles of this service have found to have come back. */
  returnsOf(service: BookChanges['service']): ReturnType<typeof readBookReturns> {
    return this.#db.read((sql) => readBookReturns(sql, service));
  }

  /** What a batch that is moved here remembers of its returns. */
  async noteReturns(notes: ReturnNotes): Promise<void> {
    await writeReturnNotes(this.#db.query, notes);
  }

  /**
   * Adds an approval in the folder of a batch that was fetched to the database. It needs no lease, so another process may be
   * running the batch.
   * @throws RemitError NO_BATCH if the batch was moved meanwhile
   */
  async addApprovals(kind: Kind, id: string): Promise<void> {
    const {approvals} = must(this.#fetched.get(`${kind} ${id}`), 'batch that is approved');
    const [found] = await this.#db.query<TeamBatch>('select key from @.batches where kind = $1 and id = $2', [
      ...[kind, id],
    ]);
    for (let tries = 1; found !== undefined; tries++)
      try {
        await approvals.addApprovals(this.#db.query, found.key);
        break;
      } catch (error) {
        if (tries > TRIES) throw error; // an approval without an answer is added again, which changes nothing
        await this.#options.clock.sleep(POLL_MS);
      }
    if (await this.has(kind, id)) return;
    throw new RemitError('NO_BATCH', `batch ${id} was moved meanwhile: approve it in its new place`);
  }

  async fetchAll(kind: Kind): Promise<void> {
    for (const batch of await teamBatches(this.#db.query))
      if (batch.kind === kind) await this.fetch(kind, batch.id, false);
    const published = await this.#db.query<{id: string; status: string}>(
      'select id, status from @.batches where kind = $1 and journal is not null and status is not null',
      [kind],
    );
    for (const {id, status} of published)
      writeFileAtomic(batchFolder(this.stateDir, kind, id).status, status, {durable: false});
  }

  #copyRegistry(sql: Sql, batch: TeamBatch, mark: string | null): Promise<void> {
    const now = this.#options.clock.now();
    return writeRegistry(sql, {stateDir: this.stateDir, batch, mark, registry: this.#registry, now});
  }

  /**
   * Takes the lease of a batch, and copies it to the local folder. A process that does not renew its lease is waited for until
   * it expires.
   * @param how.shares whether other processes may send for this one, and this one for another that has the batch
   * @returns false if the batch was copied to send for the process that has it; see `sendFor`
   * @throws RemitError LOCKED with the process that has it
   */
  async take(
    kind: Kind,
    id: string,
    {
      purpose,
      waitMs = 0,
      movedToo = false,
      shares = false,
    }: {purpose: string; waitMs?: number | undefined; movedToo?: boolean; shares?: boolean},
  ): Promise<boolean> {
    if (this.#taken !== undefined) {
      if (shares) await this.#noteHolder({...this.#holder(purpose), shares});
      return true;
    }
    const {clock} = this.#options;
    const longestMs = this.#longestMs;
    const left = await leftFolders(this.stateDir, {kind, id, clock});
    const holder = {...this.#holder(purpose), ...(shares ? {shares} : {})};
    const wanted = {
      kind,
      id,
      owner: this.#owner,
      holder,
      longestMs,
      dead: left.map(({owner}) => owner),
      movedToo,
    };
    const note = (gen: number, former: readonly FormerLease[]) =>
      noteTail(this.stateDir, {kind, id, gen, former});
    note(0, []);
    const how = {...this.#options, waitMs, mayJoin: shares};
    const taken = await acquireOrJoin(this.#db, wanted, how);
    if (taken === undefined) {
      removeTail(this.stateDir); // nothing in this folder has to be written
      for (const {release} of left) await release();
      this.#fetched.delete(`${kind} ${id}`);
      await this.fetch(kind, id);
      return false;
    }
    const {acquired, takenAt} = taken;
    const {lease, before, former} = acquired;
    note(lease.gen, former);
    const place = batchFolder(this.stateDir, kind, id);
    const approvals = new ApprovalCopies(place.folder);
    const hold = new LeaseHold({
      ...{
        db: this.#db,
        lease,
        clock,
        takenAt,
        releaseMs: before.release_ms,
        journal: place.journal,
        approvals,
      },
      status: () => statusText(place.status),
      say: this.#options.say,
    });
    const mark = before.released === 1 ? before.registry_mark : null;
    const batch = {key: lease.key, kind, id, journal: before.journal};
    this.#taken = {batch, hold, mark, approvals};
    if (before.released === 0 && before.journal !== null)
      this.#options.say(
        `The batch was left by ${before.holder === null ? 'another process' : leaseHolderText(ownJson<LeaseHolder>(before.holder))}; rows that it may have sent are checked first.`,
      );
    for (const {folder, ...found} of left) {
      const tail = {...found, journal: batchFolder(folder, kind, id).journal};
      if (isNewest(tail, before)) await putBack(hold, tail);
      else await noteLate(this.#db, batch.key, tail);
      await tail.remove();
    }
    if (batch.journal !== null) {
      await writeJournal(this.#db.query, batch, place);
      await approvals.read(this.#db.query, batch.key);
      await this.#copyRegistry(this.#db.query, batch, mark);
      if (before.status !== null) writeFileAtomic(place.status, before.status, {durable: false});
    }
    this.#isCopied = true;
    return true;
  }

  /** What the command that has the batch does now. */
  async #noteHolder(holder: LeaseHolder): Promise<void> {
    const {key, owner, gen} = must(this.#taken, 'batch with a holder').hold.lease;
    await this.#db.query(
      'update @.batches set holder = $4 where key = $1 and owner = $2 and gen = $3 and not released',
      [key, owner, gen, JSON.stringify(holder)],
    );
  }

  /** Milliseconds for which a service has asked for no requests. */
  async closedFor(baseUrl: string): Promise<number> {
    const [found] = await this.#db.query<{ms: number}>(
      'select extract(epoch from closed_until - clock_timestamp()) * 1000 as ms from @.gates where base_url = $1',
      [baseUrl],
    );
    return Math.max(0, found?.ms ?? 0);
  }

  /** Lets every process know how long a service has asked to wait. */
  async closeGate(baseUrl: string, ms: number): Promise<void> {
    await this.#db.query(
      `insert into @.gates (base_url, closed_until) values ($1, clock_timestamp() + $2 * interval '1 ms')
       on conflict (base_url) do update set closed_until = greatest(gates.closed_until, excluded.closed_until)`,
      [baseUrl, ms],
    );
  }

  get #longestMs(): number {
    return Math.max(LONGEST_MS, this.#options.longestMs ?? 0); // a proxy may hold a request that was given up
  }

  #holder(purpose: string): LeaseHolder {
    const since = new Date(this.#options.clock.now()).toISOString();
    return {host: hostname(), pid: process.pid, purpose, since};
  }

  /** The transport, the speed and the codec of a run that other processes may send for. */
  shareSending(own: {transport: Transport; speed: Speed; service: Codec['service']}): SharedSending {
    const {hold} = must(this.#taken, 'batch that is shared');
    const {clock} = this.#options;
    const db = new TeamDatabase(this.address);
    return new SharedSending({...own, db, hold, clock, longestMs: this.#longestMs});
  }

  /** Sends for the process that has a batch, until no process has it any more. See `take`. */
  async sendFor(kind: Kind, id: string, purpose: string, how: SendForOptions): Promise<void> {
    const [found] = await this.#db.query<{key: number}>(
      'select key from @.batches where kind = $1 and id = $2',
      [kind, id],
    );
    if (found === undefined) return;
    await new JoinedSending({
      ...{...how, db: this.#db, key: found.key, owner: this.#owner, clock: this.#options.clock},
      holder: this.#holder(purpose),
    }).run();
  }

  /** Whether the database has the batch, and it was not moved away. */
  async has(kind: Kind, id: string): Promise<boolean> {
    const [found] = await this.#db.query(
      'select 1 from @.batches where kind = $1 and id = $2 and journal is not null and moved is null',
      [kind, id],
    );
    return found !== undefined;
  }

  /** Reads the approvals of the batch that this command has once more. */
  async readApprovals(): Promise<void> {
    const {batch, approvals} = must(this.#taken, 'batch that is moved');
    await approvals.read(this.#db.query, batch.key);
  }

  /** Notes where the batch that this command has was moved to, or that it is here again. */
  async noteMoved(moved: string | null): Promise<void> {
    const {key, owner, gen} = must(this.#taken, 'batch that is moved').hold.lease;
    const noted = await this.#db.query(
      'update @.batches set moved = $4 where key = $1 and owner = $2 and gen = $3 and not released returning 1',
      [key, owner, gen, moved],
    );
    if (noted.length === 0)
      throw new RemitError('LOCKED', 'the lease of the batch was lost; it was not moved');
  }

  /** Writes a plan that was just made, so that its references can be compared with those of other batches. */
  async share(journalId: string): Promise<void> {
    if (this.#taken === undefined) return;
    const {batch, hold, mark} = this.#taken;
    const journal = await openSqlite(batchFolder(this.stateDir, batch.kind, batch.id).journal, {
      durability: 'full',
    });
    try {
      await hold.attach();
    } finally {
      journal.close();
    }
    await this.#copyRegistry(this.#db.query, {...batch, journal: journalId}, mark);
  }

  /**
   * Claims the references of a batch before anything of it is sent, and copies the registry again: of two batches that claim
   * a reference, one finds the claim of the other.
   */
  async claim(plan: Plan, service: {mode: Mode; baseUrl: string}): Promise<void> {
    const {batch, mark} = must(this.#taken, 'lease of the batch that claims');
    const {kind, namespace, journalId} = plan;
    const names = [service.mode, withLoopback(service.baseUrl), kind, namespace];
    const scope = sharedId(names);
    const of = {...batch, journal: journalId};
    await this.#db.query(
      'insert into @.scopes (id, mode, base_url, kind, namespace) values ($1, $2, $3, $4, $5) on conflict do nothing',
      [scope, ...names],
    );
    const [{last} = {last: 0}] = await this.#db.query<{last: number}>(
      'select coalesce(max(n), 0) as last from @.rows where batch = $1',
      [batch.key],
    );
    // In pages, so that the lease is renewed in between. Each is sorted: two batches cannot wait for each other.
    for (let from = 0; from < last; from += CLAIMED_PAGE)
      await this.#db.query(
        `insert into @.claims (scope, fold, reference, batch, n, at)
         select $1, fold, reference, batch, n, $3 from @.rows where batch = $2 and n > $4 and n <= $5 and @safe
         order by fold, reference on conflict do nothing`,
        [scope, batch.key, this.#options.clock.now(), from, from + CLAIMED_PAGE],
      );
    await this.#copyRegistry(this.#db.query, of, mark);
  }

  /**
   * Binds a namespace without references to the only file that may run there, before anything is sent.
   * @throws RemitError GUARD_CONFIRM if another batch has bound it meanwhile
   */
  async bindContentPlan({kind, namespace, planHash, batchId}: Plan, service: {mode: Mode; baseUrl: string}) {
    const scope = sharedId([service.mode, withLoopback(service.baseUrl), kind, namespace]);
    const bound = await this.#db.query(
      `update @.scopes set content_plan = $2 where id = $1 and coalesce(content_plan, $2) = $2 and @safe returning 1`,
      [scope, planHash],
    );
    if (bound.length > 0) return;
    throw new RemitError(
      'GUARD_CONFIRM',
      `batch ${batchId} has no references, and another file has just been run under the namespace ${namespace}; nothing was sent`,
      {hint: 'run the same command again: it shows what to do'},
    );
  }

  /** Who has the batch now, or has lost it, who sends for it, and what came too late. */
  async runnerOf(
    kind: Kind,
    id: string,
  ): Promise<{
    runner: TeamRunner | undefined;
    joined: TeamRunner[];
    status: StatusFile | undefined;
    late: number;
    references: string[];
  }> {
    const [found] = await this.#db.query<FoundLease & {key: number; idle_ms: number}>(
      `select key, ${FOUND}, extract(epoch from clock_timestamp() - expires) * 1000 + $3 as idle_ms
       from @.batches where kind = $1 and id = $2`,
      [kind, id, LEASE_MS],
    );
    if (found === undefined)
      return {runner: undefined, joined: [], status: undefined, late: 0, references: []};
    const joined = await this.#db.query<JoinedRow>(JOINED, [found.key]);
    const late = await this.#db.query<{reference: string; count: number}>(
      `select r.reference || ' (' || (l.outcome::json ->> 'state') || coalesce(', record ' || (l.outcome::json ->> 'id'), '') || ')' as reference,
         count(*) over () as count from @.late_outcomes l join @.rows r on r.batch = l.batch and r.n = l.n
       where l.batch = $1 order by l.n limit 5`,
      [found.key],
    );
    const isShown = found.holder !== null && found.released === 0;
    return {
      runner: !isShown
        ? undefined
        : {
            ...ownJson<LeaseHolder>(found.holder ?? '{}'),
            last_word_s: Math.max(0, Math.round(found.idle_ms / 1000)),
            lease: found.left_ms > 0 ? 'held' : 'lost',
          },
      joined: joined.map(({holder, ...facts}) => ({
        ...{...ownJson<LeaseHolder>(holder), lease: 'joined'},
        ...{...facts, last_word_s: Math.round(facts.last_word_s)},
      })),
      status: found.status === null ? undefined : ownJson<StatusFile>(found.status),
      late: late[0]?.count ?? 0,
      references: late.map(({reference}) => reference),
    };
  }

  /**
   * Ends the command: writes what it has changed, and gives the lease back. The local copies are deleted, unless they have
   * something that could not be written.
   */
  async end(): Promise<void> {
    let isWritten = this.#taken === undefined;
    try {
      if (this.#taken !== undefined) await this.#write(this.#taken);
      isWritten = true;
    } finally {
      this.#taken?.hold.stop();
      if (!isWritten && this.lost?.aborted === true) await this.#noteLate();
      await this.#book?.end();
      await this.#db.close();
      if (isWritten) rmSync(this.stateDir, {recursive: true, force: true});
      await this.#lock.release();
    }
  }

  async #write({batch, hold}: {batch: TeamBatch; hold: LeaseHold}): Promise<void> {
    const file = registryPath(this.stateDir);
    const {clock} = this.#options;
    const place = batchFolder(this.stateDir, batch.kind, batch.id);
    const isPlanned = this.#isCopied && existsSync(place.journal) && statSync(place.journal).size > 0;
    if (!this.#isCopied || !existsSync(file))
      return hold.finish(async (sql) => {
        if (!isPlanned) await sql('delete from @.batches where key = $1 and journal is null', [batch.key]);
      }, isPlanned);
    const {db, lock} = await openRegistry({
      stateDir: this.stateDir,
      purpose: 'writing the registry',
      brief: true,
      clock,
    });
    try {
      await hold.finish((sql) => writeClaims(sql, db, batch), isPlanned);
    } finally {
      db.close();
      await lock.release();
    }
  }

  /** If no process has taken the batch over, the next command on this machine writes them as usual. */
  async #noteLate(): Promise<void> {
    const {batch, hold} = must(this.#taken, 'lost batch');
    const {journal} = batchFolder(this.stateDir, batch.kind, batch.id);
    const {gen} = hold.lease;
    await noteLate(this.#db, batch.key, {gen, journal}).catch((error: unknown) =>
      this.#options.say(
        `The last answers were not written: ${messageOf(error)}. The next command on this machine does that.`,
      ),
    );
  }
}

type JoinedRow = Required<Pick<TeamRunner, 'last_word_s' | 'chunks' | 'requests' | 'sent'>> & {
  holder: string;
};

const JOINED = `select holder, extract(epoch from clock_timestamp() - at) as last_word_s,
    count(c.id) as chunks, coalesce(sum(c.size), 0) as requests, sent
  from @.senders s left join @.chunks c on c.batch = s.batch and c.sender = s.owner
  where s.batch = $1 group by s.owner, holder, at, sent order by s.owner`;

/** Writes what has changed in the registry, and frees the references that the batch does not claim any more. */
async function writeClaims(sql: Sql, db: SqliteDatabase, {key, kind, id}: TeamBatch): Promise<void> {
  const scopes = db.prepare('select id, mode, base_url, kind, namespace, content_plan from scopes').all();
  const claimants = db.prepare('select id, profile, batch, journal from claimants').all();
  const scopeOf = new Map(
    scopes.map((s) => [s['id'], sharedId([s['mode'], s['base_url'], s['kind'], s['namespace']])]),
  );
  const claimantOf = new Map(
    claimants.map((c) => [c['id'], sharedId([c['profile'], c['batch'], c['journal']])]),
  );
  const translated = (row: SqlRow): SqlRow => ({
    ...row,
    ...('scope' in row ? {scope: scopeOf.get(row['scope'] ?? null) ?? row['scope'] ?? null} : {}),
    ...('claimant' in row
      ? {claimant: claimantOf.get(row['claimant'] ?? null) ?? row['claimant'] ?? null}
      : {}),
  });
  for (const scope of scopes)
    await sql(
      `insert into @.scopes (id, mode, base_url, kind, namespace, content_plan) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do update set content_plan = coalesce(excluded.content_plan, scopes.content_plan)`,
      [
        scopeOf.get(scope['id'] ?? null),
        scope['mode'],
        scope['base_url'],
        scope['kind'],
        scope['namespace'],
        scope['content_plan'],
      ],
    );
  for (const claimant of claimants)
    await sql(
      'insert into @.claimants (id, profile, batch, journal) values ($1, $2, $3, $4) on conflict do nothing',
      [
        ...[
          claimantOf.get(claimant['id'] ?? null),
          claimant['profile'],
          claimant['batch'],
          claimant['journal'],
        ],
      ],
    );
  for (const {tables} of new ChangeLog(db, REGISTRY_TABLES).all(5000))
    await writeTables(sql, undefined, {
      upTo: 0,
      tables: tables.map(({mirror, rows, gone}) => ({
        mirror,
        rows: rows.map(translated),
        gone: gone.map(translated),
      })),
    });
  const mark = db
    .prepare<{claims: number}>('select claims from journals where kind = ? and batch = ?')
    .get(kind, id);
  // A claim stays as long as the batch has the reference; one that was only reserved is free again. Without a mark the
  // registry lacks what a lost holder has sent, so all claims stay.
  const ours = `select e.scope, e.fold, e.reference from @.entries e join @.claimants c on c.id = e.claimant
    join @.batches b on b.key = $1 and b.journal = c.journal and b.id = c.batch where e.standing is null`;
  if (mark !== undefined)
    await sql(
      `delete from @.claims t where t.batch = $1 and not exists
         (${ours} and e.scope = t.scope and e.fold = t.fold and e.reference = t.reference)`,
      [key],
    );
  await sql(
    `insert into @.claims (scope, fold, reference, batch, n, at)
     select o.scope, o.fold, o.reference, $1, r.n, 0 from (${ours}) o join @.rows r on r.batch = $1 and r.fold = o.fold
       and r.reference = o.reference on conflict (scope, fold, reference) do update set batch = excluded.batch, n = excluded.n`,
    [key],
  );
  await sql('update @.batches set registry_mark = $2 where key = $1', [
    key,
    mark === undefined ? null : String(mark.claims),
  ]);
}

function statusText(path: string): string | null {
  const status = readStatus(path);
  return status === undefined ? null : JSON.stringify(status);
}
