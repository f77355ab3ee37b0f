import type {Pool, PoolClient} from 'pg';
import {RemitError} from '../../errors.ts';
import {checkCopyName, noCopy} from '../files/copy-name.ts';
import {checkApplied, type Migration} from '../port/migrate.ts';
import type {Copy, Queries, SqlRow, SqlValue, Store, WriteOptions} from '../port/port.ts';
import {isConflict, isLost, postgresFailure, Unconnected} from './failures.ts';
import {LocalSocket} from './local-socket.ts';
import {portValues, quoteName, toParameters, toPostgres, toRows} from './sql.ts';
import {readPostgresUrl, type PostgresAddress} from './url.ts';
import {checkValues} from '../port/values.ts';

export interface PostgresStoreOptions {
  migrations: readonly Migration[];
  /** Maximum number of connections; each write and each read uses one while it runs. */
  connections?: number | undefined;
}

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A process that hangs in the middle of a change blocks the others for at most this long. */
const STALL_MS = 30_000;
/** A change that conflicted with another is tried again, from the second time on alone. */
const TRIES = 5;

/**
 * Each change is serializable: the result is the same as if changes had run one after the other, in any process. The
 * table only serves as a turnstile: a change that lost a conflict enters it alone, so that it cannot lose again.
 */
const BEGIN = 'begin isolation level serializable; lock table remit_migrations in row share mode';
const BEGIN_ALONE = 'begin isolation level serializable; lock table remit_migrations in exclusive mode';
const BEGIN_READ = 'begin isolation level repeatable read read only';

/**
 * A store in one schema of a PostgreSQL database, for any number of processes. Creates the schema and migrates it.
 * @throws {RemitError} USAGE for an invalid address; STATE if the database cannot be used
 */
export async function openPostgresStore(address: string, options: PostgresStoreOptions): Promise<Store> {
  const place = readPostgresUrl(address);
  const pool = await openPool(place, options.connections ?? CONNECTIONS);
  try {
    await prepareSchema(pool, place.schema, options.migrations);
    return new PostgresStore(pool, place);
  } catch (error) {
    await pool.end();
    throw postgresFailure(error, 'open', place.shown);
  }
}

async function openPool({url, options}: PostgresAddress, max: number): Promise<Pool> {
  const loaded = await import('pg');
  const {Pool, types} = loaded.default ?? loaded; // it is CommonJS: in ESM all of it is the default export
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STALL_MS,
    lock_timeout: STALL_MS,
    application_name: 'remit sandbox',
    options,
    stream: () => new LocalSocket(),
    types: portValues(types.getTypeParser(17) as (text: string) => Uint8Array),
  });
  // A lost connection is detected by the next query on it, which opens another or reports the error.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** @throws {Unconnected} whatever the driver or the server reported */
async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new Unconnected(error);
  }
}

/** One process at a time: if several start together, the first migrates and the others have nothing to do. */
async function prepareSchema(pool: Pool, schema: string, migrations: readonly Migration[]): Promise<void> {
  const client = await connected(pool);
  try {
    await client.query('select pg_advisory_lock(hashtext($1), 0)', [`remit migrations of ${schema}`]);
    await client.query(`create schema if not exists ${quoteName(schema)};
      create table if not exists remit_migrations (
        position integer primary key, name text not null unique, applied_at timestamptz not null default now())`);
    const {rows} = await client.query<{name: string}>('select name from remit_migrations order by position');
    checkApplied(
      rows.map(({name}) => name),
      migrations,
    );
    for (const [position, {name, sql}] of migrations.entries()) {
      if (position < rows.length) continue;
      await client.query('begin');
      await client.query(sql);
      await client.query('insert into remit_migrations (position, name) values ($1, $2)', [position, name]);
      await client.query('commit');
    }
  } finally {
    client.release(true); // ends the connection, and with it the lock and everything uncommitted
  }
}

class PostgresStore implements Store {
  readonly dialect = 'postgres';
  readonly #pool: Pool;
  readonly #place: PostgresAddress;
  #closing: Promise<void> | undefined;

  constructor(pool: Pool, place: PostgresAddress) {
    this.#pool = pool;
    this.#place = place;
  }

  async read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#again('read', (client) => this.#within(client, BEGIN_READ, work));
  }

  async glance(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.#again('read', (client) => new OpenQueries(client).all(sql, params));
  }

  async write<T>(work: (queries: Queries) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const begin = options.alone === true || attempt > 1 ? BEGIN_ALONE : BEGIN;
      try {
        return await this.#again('change', (client) => this.#within(client, begin, work));
      } catch (error) {
        if (!isConflict(error) || attempt >= TRIES) throw error;
      }
    }
  }

  async saveCopy(name: string): Promise<void> {
    const copy = this.#copyName(name);
    await this.write(
      async (queries) => {
        await queries.run(`drop schema if exists ${copy} cascade`);
        await queries.run(`create schema ${copy}`);
        for (const table of await this.#tables(queries))
          await queries.run(`create table ${copy}.${table} as table ${table}`);
      },
      {alone: true},
    );
  }

  writeFromCopy<T>(name: string, work: (queries: Queries, copy: Copy) => Promise<T>): Promise<T> {
    const copy = this.#copyName(name);
    return this.write(
      async (queries) => {
        const found = await queries.get('select 1 as found from pg_namespace where nspname = ?', [
          this.#copySchema(name),
        ]);
        if (found === undefined) throw noCopy(name, `schema ${copy} of ${this.#place.shown}`);
        return work(queries, {tables: await this.#tables(queries), of: (table) => `${copy}.${table}`});
      },
      {alone: true},
    );
  }

  #copySchema(name: string): string {
    return `${this.#place.schema}/${checkCopyName(name)}`;
  }

  #copyName(name: string): string {
    return quoteName(this.#copySchema(name));
  }

  async #tables(queries: Queries): Promise<string[]> {
    const rows = await queries.all(
      'select tablename from pg_tables where schemaname = ? order by tablename',
      [this.#place.schema],
    );
    return rows.map((row) => String(row['tablename']));
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  /** Runs with a connection, and once more with another if the first was lost before it could change anything. */
  async #again<T>(action: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new Error('the store is closed');
    try {
      return await this.#with(work).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        return this.#with(work);
      });
    } catch (error) {
      throw postgresFailure(error, action, this.#place.shown);
    }
  }

  async #with<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connected(this.#pool);
    let broken: unknown;
    try {
      return await work(client);
    } catch (error) {
      if (isLost(error) || error instanceof RemitError) broken = error;
      throw error;
    } finally {
      client.release(broken !== undefined);
    }
  }

  async #within<T>(client: PoolClient, begin: string, work: (queries: Queries) => Promise<T>): Promise<T> {
    const queries = new OpenQueries(client);
    let result: T;
    try {
      await client.query(begin);
      result = await work(queries);
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      queries.end();
    }
    await this.#commit(client);
    return result;
  }

  /** From here on, a lost connection leaves the outcome of the change unknown. */
  async #commit(client: PoolClient): Promise<void> {
    let command: string;
    try {
      ({command} = await client.query('commit'));
    } catch (error) {
      if (!isLost(error)) throw error;
      throw new RemitError(
        'STATE',
        `The connection to the database ${this.#place.shown} was lost while a change was committed; the outcome is unknown`,
        {hint: 'repeat the request with the same idempotency key', cause: error},
      );
    }
    if (command !== 'COMMIT') throw new Error('a query failed and its work continued: nothing was committed');
  }
}

/**
 * The queries of one piece of work. They stop working when it ends, because they would become part of another
 * transaction.
 */
class OpenQueries implements Queries {
  readonly #client: PoolClient;
  #ended = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0;
  }

  async get(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow | undefined> {
    return toRows((await this.#query(sql, params)).rows)[0];
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return toRows((await this.#query(sql, params)).rows);
  }

  end(): void {
    this.#ended = true;
  }

  #query(sql: string, params: readonly SqlValue[]) {
    if (this.#ended) throw new Error(`a query after its work ended; is an await missing? ${sql}`);
    return this.#client.query({...toPostgres(sql), values: toParameters(checkValues(params))});
  }
}
