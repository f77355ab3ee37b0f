import {resolve} from 'node:path';
import {nextTurn} from '../../clock.ts';
import {HeldRows} from '../port/held-rows.ts';
import {acquireLock, type Lock, type LockOptions} from '../locks/lock.ts';
import {migrate, type Migration} from '../port/migrate.ts';
import type {Copy, Durability, Queries, SqliteDatabase, SqlRow, SqlValue, Store} from '../port/port.ts';
import {checkIntegrity, needsCheck} from './check.ts';
import {attachCopy, saveCopy} from './copy.ts';
import {OpenQueries} from './open-queries.ts';
import {openSqlite, type SqliteDriver} from './sqlite.ts';

/** Options of the lock: what it is held for, and the hint for a refused user. The lock is `<file>-lock`. */
export interface EmbeddedStoreOptions extends Partial<LockOptions> {
  durability: Durability;
  migrations: readonly Migration[];
  /** Tables whose new rows are written together if several changes share a commit: see `held-rows.ts`. */
  together?: readonly string[] | undefined;
  driver?: SqliteDriver | undefined;
}

/** Maximum size of a group, so that its first writer is answered in time. */
const GROUP_LIMIT = 500;
/**
 * A commit takes as long as several dozen turns of the event loop; a group waits at most this long for others to
 * join.
 */
const GATHERING_TURNS = 8;
/**
 * Number of groups that use savepoints after one that had to run again because it had none: refusals come in series.
 */
const WARY_GROUPS = 50;

/**
 * A store in one SQLite file, for one process. Takes the lock, opens, migrates.
 * @throws RemitError LOCKED, STATE or STATE_DAMAGED
 */
export async function openEmbeddedStore(file: string, options: EmbeddedStoreOptions): Promise<Store> {
  const {durability, migrations, together = [], driver, ...lockOptions} = options;
  const lock = await acquireLock(`${file}-lock`, {
    purpose: 'a sandbox on this database',
    ...lockOptions,
  });
  let db: SqliteDatabase | undefined;
  try {
    const needed = needsCheck(file);
    db = await openSqlite(file, {durability, driver});
    if (needed) checkIntegrity(db, file);
    migrate(db, migrations);
    return new EmbeddedStore(file, db, lock, new HeldRows(db, together));
  } catch (error) {
    db?.close();
    await lock.release();
    throw error;
  }
}

interface Job {
  run(queries: Queries): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How a write of a group is undone: with its own transaction, not at all, or to its savepoint. */
type Undoing = 'alone' | 'bare' | 'savepoints';

/**
 * Waiting writes share one transaction: each runs alone, then all are committed together. If one throws after it
 * changed something, the group is undone and runs again with a savepoint for each write: savepoints cost a sixth of a
 * create, and most groups need none. Reads run between these groups, so they never see uncommitted changes, and no
 * group runs during reads.
 *
 * Neither may wait for the other from inside: a `work` that calls `read` or `write` of its own store waits forever.
 */
class EmbeddedStore implements Store {
  readonly dialect = 'sqlite';
  readonly #file: string;
  readonly #db: SqliteDatabase;
  readonly #lock: Lock;
  readonly #held: HeldRows;
  readonly #reads: Job[] = [];
  readonly #writes: Job[] = [];
  /** Statements that cannot be part of a shared transaction. */
  readonly #alone: Job[] = [];
  #turn: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #fatal: Error | undefined;
  /** Groups that still have to run with savepoints. */
  #wary = 0;

  constructor(file: string, db: SqliteDatabase, lock: Lock, held: HeldRows) {
    this.#file = resolve(file);
    this.#db = db;
    this.#lock = lock;
    this.#held = held;
    lock.lost.addEventListener('abort', () => {
      this.#fatal = lock.lost.reason as Error; // see Lock.lost
    });
  }

  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#enqueue(this.#reads, work);
  }

  glance(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.read((queries) => queries.all(sql, params));
  }

  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#enqueue(this.#writes, work);
  }

  saveCopy(name: string): Promise<void> {
    return this.#enqueue(this.#alone, async () => saveCopy(this.#db, this.#file, name));
  }

  writeFromCopy<T>(name: string, work: (queries: Queries, copy: Copy) => Promise<T>): Promise<T> {
    return this.#enqueue(this.#alone, async (queries) => {
      const {copy, detach} = attachCopy(this.#db, this.#file, name);
      try {
        this.#db.begin();
        const result = await work(queries, copy);
        if (this.#fatal !== undefined) throw this.#fatal;
        this.#db.commit();
        return result;
      } catch (error) {
        this.#db.rollback(error);
        throw error;
      } finally {
        detach();
      }
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#turn;
    try {
      this.#db.close();
    } finally {
      await this.#lock.release();
    }
  }

  #enqueue<T>(queue: Job[], run: (queries: Queries) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('the store is closed'));
    return new Promise<T>((resolve, reject) => {
      queue.push({run, resolve, reject});
      this.#turn ??= this.#takeTurns();
    });
  }

  async #takeTurns(): Promise<void> {
    await Promise.resolve(); // so that #turn is set before this ends
    let isGathered = false;
    while (this.#reads.length > 0 || this.#alone.length > 0 || this.#writes.length > 0) {
      if (this.#reads.length > 0) {
        await Promise.all(this.#reads.splice(0).map((job) => this.#answer(job)));
        continue;
      }
      const alone = this.#alone.shift();
      if (alone !== undefined) {
        await this.#answer(alone);
        continue;
      }
      // Only once: work that has arrived in the meantime goes first, and then the group, which would otherwise wait
      // as long as more arrives.
      if (!isGathered) {
        await this.#gather();
        isGathered = true;
        continue;
      }
      isGathered = false;
      await this.#runGroup(this.#writes.splice(0, GROUP_LIMIT));
    }
    this.#turn = undefined;
  }

  /**
   * All requests that arrive together share a commit: it waits for a few turns of the event loop, as long as each
   * turn brings more.
   */
  async #gather(): Promise<void> {
    for (let turn = 0; turn < GATHERING_TURNS; turn++) {
      const waiting = this.#writes.length;
      await nextTurn();
      const hasGrown = waiting < this.#writes.length && this.#writes.length < GROUP_LIMIT;
      if (!hasGrown || this.#reads.length + this.#alone.length > 0) return;
    }
  }

  async #answer(job: Job): Promise<void> {
    try {
      job.resolve(await this.#perform(job));
    } catch (error) {
      job.reject(error);
    }
  }

  async #runGroup(jobs: Job[]): Promise<void> {
    const single = jobs.length === 1;
    if (this.#wary > 0 && !single) this.#wary -= 1;
    else if (await this.#tryGroup(jobs, single ? 'alone' : 'bare')) return;
    else this.#wary = WARY_GROUPS;
    await this.#tryGroup(jobs, 'savepoints');
  }

  /** False if the group needs savepoints; then nothing is changed and no caller is answered. */
  async #tryGroup(jobs: Job[], undoing: Undoing): Promise<boolean> {
    const answers: (() => void)[] = [];
    this.#held.clear();
    try {
      this.#db.begin();
      for (const job of jobs) {
        const answer = await this.#runWrite(job, undoing);
        if (answer === undefined || this.#held.hasFailed) {
          this.#db.rollback();
          return false;
        }
        answers.push(answer);
      }
      if (!this.#writeHeld()) {
        this.#db.rollback();
        return false;
      }
      if (this.#fatal !== undefined) throw this.#fatal;
      if (this.#db.inTransaction) this.#db.commit();
    } catch (error) {
      const reason = this.#undo(error);
      for (const job of jobs) job.reject(reason);
      return true;
    }
    for (const answer of answers) answer();
    return true;
  }

  /** False if the group needs savepoints, which show whose row is refused and why. */
  #writeHeld(): boolean {
    try {
      this.#held.write();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Decides how to answer the job once the group is committed; undefined if it cannot be undone by itself. Throws if
   * the changes of the whole group are lost.
   */
  async #runWrite(job: Job, undoing: Undoing): Promise<(() => void) | undefined> {
    const queries = new OpenQueries(this.#db, this.#held, undoing === 'bare');
    if (undoing === 'savepoints') this.#db.prepare('SAVEPOINT one_write').run();
    try {
      const value = await this.#perform(job, queries);
      if (undoing === 'savepoints') this.#db.prepare('RELEASE one_write').run();
      return () => job.resolve(value);
    } catch (error) {
      if (!this.#db.inTransaction) throw error; // SQLite rolled everything back, for example on a full disk
      if (undoing === 'bare' && queries.wrote) return undefined;
      if (undoing === 'savepoints') this.#db.exec('ROLLBACK TO one_write; RELEASE one_write');
      else if (undoing === 'alone') this.#db.rollback(error);
      return () => job.reject(error);
    }
  }

  #undo(error: unknown): unknown {
    try {
      this.#db.rollback(error);
      return error;
    } catch (worse) {
      return worse;
    }
  }

  async #perform(job: Job, queries = new OpenQueries(this.#db, this.#held, false)): Promise<unknown> {
    if (this.#fatal !== undefined) throw this.#fatal;
    try {
      return await job.run(queries);
    } finally {
      queries.end();
    }
  }
}
