import {chmodSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf, must} from '../../narrow.ts';
import {ensureDatabaseFile, type PageBytes} from '../files/empty-database.ts';
import {fileFailure, sqliteFailure} from '../files/failures.ts';
import {syncWayTo} from '../files/folder.ts';
import type {Durability, SqliteDatabase, SqliteStatement, SqlRow, SqlValue} from '../port/port.ts';
import {loadNativeModule, openNative} from './native.ts';
import type {RawDatabase, RawStatement} from './raw.ts';
import {writeLogAgain} from './log.ts';
import {checkValues} from '../port/values.ts';
import {openWasm, removeDriverLock} from './wasm.ts';

const CACHE_KIB = 6_000;
/** A WAL that grew in a large transaction shrinks to this size at the next one. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * 32 MB. The sandbox syncs only when the WAL is copied into the database; at SQLite's 4 MB this took a third of its
 * time.
 */
const WAL_PAGES = 8000;

export type SqliteDriver = SqliteDatabase['driver'];

export interface OpenSqliteOptions {
  durability: Durability;
  /**
   * Forces a driver. The default is node:sqlite if this Node has it, otherwise SQLite in WASM. Both read the same
   * files.
   */
  driver?: SqliteDriver | undefined;
  /** The page size of a new database; default 4096. Large pages suit a large file that is read and written in row order. */
  pageBytes?: PageBytes | undefined;
}

/**
 * Opens a database, creating it (0600) and its folder (0700) if necessary. The caller holds our own lock, because the
 * two drivers do not see each other's locks; leftovers of a killed process are removed here.
 *
 * Uses WAL with exclusive locking, on both drivers. No other journal mode works: in rollback mode the WASM driver
 * mistakes its own lock for that of a running writer and never rolls a half-written change back. Exclusive mode must
 * be set first, because that driver has no shared memory for a WAL that others may join.
 *
 * @throws RemitError STATE, STATE_DAMAGED or LOCKED, naming the file
 */
export async function openSqlite(file: string, options: OpenSqliteOptions): Promise<SqliteDatabase> {
  const path = resolve(file);
  ensureDatabaseFile(path, options.pageBytes);
  let raw: RawDatabase | undefined;
  try {
    removeDriverLock(path);
    if (options.durability === 'full') writeLogAgain(path);
    const opened = await openRaw(path, options.driver);
    raw = opened.raw;
    configure(raw, options.durability);
    restrictFiles(path);
    if (options.durability === 'full') syncWayTo(dirname(path)); // the WAL's name must survive power loss too
    const connection = new Connection(path, opened.driver, raw);
    connections.set(path, connection);
    return connection;
  } catch (error) {
    closeQuietly(raw);
    throw fileFailure(sqliteFailure(error, 'open', path), 'open', path);
  }
}

const connections = new Map<string, SqliteDatabase>();

/** The database of a file that this process has open; only it can read the file meanwhile. */
export const openConnection = (file: string): SqliteDatabase | undefined => connections.get(resolve(file));

async function openRaw(
  path: string,
  driver: SqliteDriver | undefined,
): Promise<{driver: SqliteDriver; raw: RawDatabase}> {
  const native = driver === 'wasm' ? undefined : loadNativeModule();
  if (native !== undefined) return {driver: 'node:sqlite', raw: openNative(native, path)};
  if (driver === 'node:sqlite') {
    throw new RemitError('USAGE', `Node ${process.versions.node} has no node:sqlite`, {
      hint: 'use Node 22.13 or later',
    });
  }
  return {driver: 'wasm', raw: await openWasm(path)};
}

function configure(raw: RawDatabase, durability: Durability): void {
  raw.exec('PRAGMA locking_mode = EXCLUSIVE');
  const mode = raw.prepare('PRAGMA journal_mode = WAL').get([])?.['journal_mode'];
  if (mode !== 'wal')
    throw new RemitError('STATE', `SQLite could not switch to WAL, it stayed in ${String(mode)} mode`);
  raw.exec(
    durability === 'full'
      ? 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON'
      : `PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${WAL_PAGES}`,
  );
  raw.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY');
  raw.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`);
  raw.exec('BEGIN IMMEDIATE; COMMIT'); // takes the lock and creates the WAL now, not during later work
  raw.prepare('SELECT count(*) FROM sqlite_master').get([]); // damage is detected here
}

/** Both drivers create the WAL with the permissions of the umask. */
function restrictFiles(path: string): void {
  for (const suffix of ['-wal', '-shm']) {
    try {
      chmodSync(path + suffix, 0o600);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function closeQuietly(raw: RawDatabase | undefined): void {
  try {
    raw?.close();
  } catch {
    // the error that made us close is the one to tell
  }
}

/** A driver with our rules: disk errors are RemitErrors, statements are cached, and a failed commit is fatal. */
class Connection implements SqliteDatabase {
  readonly driver: SqliteDriver;
  readonly #file: string;
  readonly #raw: RawDatabase;
  readonly #statements = new Map<string, SqliteStatement<never>>();
  #commit: RawStatement | undefined;
  #closed = false;
  #fatal: unknown;

  constructor(file: string, driver: SqliteDriver, raw: RawDatabase) {
    this.#file = file;
    this.driver = driver;
    this.#raw = raw;
  }

  get inTransaction(): boolean {
    return !this.#closed && this.#raw.inTransaction;
  }

  exec(sql: string): void {
    this.#guard('change', () => this.#raw.exec(sql));
  }

  prepare<Row extends object = SqlRow>(sql: string): SqliteStatement<Row> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      const raw = this.#guard('read', () => this.#raw.prepare(sql));
      statement = this.#wrap(raw, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  transaction<T>(work: () => T): T {
    this.begin();
    let result: T;
    try {
      result = work();
      if (result instanceof Promise)
        throw new TypeError('a transaction of the synchronous driver cannot wait for a promise');
    } catch (error) {
      this.rollback(error);
      throw error;
    }
    this.commit();
    return result;
  }

  begin(): void {
    this.prepare('BEGIN IMMEDIATE').run();
  }

  commit(): void {
    if (this.#closed) throw this.#closedError();
    try {
      (this.#commit ??= this.#raw.prepare('COMMIT')).run([]);
    } catch (error) {
      throw this.#die(sqliteFailure(error, 'commit a change to', this.#file));
    }
  }

  rollback(reason?: unknown): void {
    if (this.#closed || !this.#raw.inTransaction) return; // SQLite rolled back itself, for example on a full disk
    try {
      this.#raw.exec('ROLLBACK');
    } catch (error) {
      throw this.#die(
        new AggregateError([reason, error], `a change to ${this.#file} failed and could not be undone`),
      );
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    this.#statements.clear();
    try {
      this.#raw.close();
    } catch (error) {
      throw sqliteFailure(error, 'close', this.#file);
    }
  }

  /** Whether the change is on the disk is unknown now; only reopening the file can show it. */
  #die(error: unknown): unknown {
    this.#fatal = error;
    this.#closed = true;
    this.#forget();
    closeQuietly(this.#raw);
    return error;
  }

  #forget(): void {
    if (connections.get(this.#file) === this) connections.delete(this.#file);
  }

  #guard<T>(action: string, work: () => T): T {
    if (this.#closed) throw this.#closedError();
    try {
      return work();
    } catch (error) {
      throw sqliteFailure(error, action, this.#file);
    }
  }

  #closedError(): Error {
    if (this.#fatal === undefined) return new Error(`the database ${this.#file} is closed`);
    return new RemitError('STATE', `${this.#file} was closed because a change could not be committed`, {
      hint: 'run the same command again: the data on the disk is consistent',
      details: {file: this.#file},
      cause: this.#fatal,
    });
  }

  /** The type of its rows is stated by the one who prepares it. */
  #wrap(raw: RawStatement, sql: string): SqliteStatement<never> {
    const use = <T>(action: string, params: SqlValue[], work: (checked: SqlValue[]) => T): T =>
      this.#guard(action, () => work(checkValues(params)));
    const get = (...params: SqlValue[]) => use('read', params, (checked) => raw.get(checked));
    const statement: SqliteStatement = {
      run: (...params) => use('change', params, (checked) => raw.run(checked)),
      get,
      one: (...params) => must(get(...params), `row of ${sql}`),
      all: (...params) => use('read', params, (checked) => raw.all(checked)),
    };
    return statement as SqliteStatement<never>;
  }
}
