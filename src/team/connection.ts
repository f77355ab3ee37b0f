import type {Client, QueryResultRow} from 'pg';
import {RemitError} from '../errors.ts';
import {codeOf, messageOf, stringOf} from '../narrow.ts';
import {postgresFailure, Unconnected} from '../store/postgres/failures.ts';
import {LocalSocket} from '../store/postgres/local-socket.ts';
import {portValues, quoteName} from '../store/postgres/sql.ts';
import type {TeamAddress} from './address.ts';

const CONNECT_MS = 5000;
/** A write without an answer is looked up well before the lease expires. */
const QUERY_MS = 8000;
/** A client that vanishes in a transaction must not keep its locks. For this transaction only, as poolers demand. */
const LIMITS = 'set local idle_in_transaction_session_timeout = 20000; set local lock_timeout = 7000';
/** The connection is as good as before: invalid values, constraints, conflicts, rights, locks. */
const HARMLESS = /^(22|23|40|42|55|P0)/;

/**
 * Fails a statement on a server that must not be written to: behind a pooler, each one may find another server. It divides
 * by zero, which no other statement does.
 */
const SAFE = `1 / case when not pg_catalog.pg_is_in_recovery() and current_setting('fsync') = 'on'
  and current_setting('synchronous_commit') <> 'off' then 1 else 0 end = 1`;
const UNSAFE = '22012';

export type Sql = <Row extends QueryResultRow>(text: string, params?: readonly unknown[]) => Promise<Row[]>;

/**
 * One connection to the database of a team, opened when it is needed and given up at the first sign of trouble. It keeps
 * nothing in the session, so that a pooler may give each transaction another one. In SQL, `@.` stands for the schema, and
 * `@safe` for a condition that fails the statement on a server that must not be written to.
 */
export class TeamDatabase {
  readonly address: TeamAddress;
  readonly #schema: string;
  #client: Client | undefined;
  /** The server has said that a commit is not on its standby. */
  #isDoubted = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** Statements sent, for the tests that count them. */
  statements = 0;

  constructor(address: TeamAddress) {
    this.address = address;
    this.#schema = `${quoteName(address.schema)}.`;
  }

  /** One statement, which is its own transaction. */
  query: Sql = (text, params) => this.#alone((client) => this.#send(client, text, params));

  /** Statements that take effect together. If the commit is lost, the outcome is unknown: the caller looks it up. */
  transaction<T>(work: (sql: Sql) => Promise<T>, begin = 'begin'): Promise<T> {
    return this.#alone(async (client) => {
      await this.#send(client, `${begin}; ${LIMITS}`);
      try {
        const result = await work((text, params) => this.#send(client, text, params));
        await this.#send(client, 'commit');
        return result;
      } catch (error) {
        if (this.#client === client) await this.#send(client, 'rollback').catch(() => this.discard());
        throw error;
      }
    });
  }

  /** A snapshot of the database. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.transaction(work, 'begin isolation level repeatable read read only');
  }

  discard(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const {stream} = (client as unknown as {connection: {stream: {destroy(): void}}}).connection; // end() would wait
    stream.destroy();
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #alone<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const run = this.#turn.then(async () => {
      try {
        return await work(await this.#connected());
      } catch (error) {
        throw withFlag(
          damaged(error, this.address.shown) ?? postgresFailure(error, 'use', this.address.shown),
        );
      }
    });
    this.#turn = run.catch(() => undefined);
    return run;
  }

  async #send<Row extends QueryResultRow>(
    client: Client,
    text: string,
    params: readonly unknown[] = [],
  ): Promise<Row[]> {
    this.statements++;
    this.#isDoubted = false;
    try {
      const sql = text.replaceAll('@.', this.#schema).replaceAll('@safe', SAFE);
      const {rows} = await client.query<Row>(sql, [...params]);
      if (this.#isDoubted) throw new Error('connection ended: a commit is not on the standby');
      return rows;
    } catch (error) {
      const code = codeOf(error) ?? '';
      if ((code === UNSAFE || !HARMLESS.test(code)) && this.#client === client) this.discard();
      if (code !== UNSAFE) throw error;
      throw this.#refused(
        {
          what: 'another server than before has answered',
          hint: 'name the server itself, not a pooler of several',
        },
        error,
      );
    }
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const loaded = await import('pg');
    const {Client: PgClient, types} = loaded.default ?? loaded; // it is CommonJS: in ESM all of it is the default export
    const client = new PgClient({
      connectionString: this.address.url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      keepAlive: true,
      application_name: 'remit',
      stream: () => new LocalSocket(),
      types: portValues(types.getTypeParser(17) as (text: string) => Uint8Array),
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    // A canceled wait for the standby is a warning without a code of its own, and the statement succeeds.
    client.on('notice', ({code}) => {
      if (code === '01000' || code === '57P01') this.#isDoubted = true;
    });
    try {
      await client.connect();
    } catch (error) {
      throw new Unconnected(error);
    }
    this.#client = client;
    await this.#check(client);
    return client;
  }

  /** Each server that answers is checked: after a failover it may be another one. */
  async #check(client: Client): Promise<void> {
    const [found] = await this.#send<Record<string, string | number>>(
      client,
      `select pg_catalog.pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only,
         current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
         current_setting('synchronous_standby_names') as synchronous,
         (select count(*) from pg_catalog.pg_stat_replication) as standbys`,
    );
    const why = refusalOf(found ?? {}, this.address.acceptsAsyncStandby);
    if (why === undefined) return;
    this.discard();
    throw this.#refused(why);
  }

  #refused({what, hint}: {what: string; hint: string}, cause?: unknown): RemitError {
    return new RemitError('STATE', `the database ${this.address.shown} cannot be used: ${what}`, {
      hint,
      cause,
    });
  }
}

function refusalOf(
  server: Record<string, string | number>,
  acceptsAsync: boolean,
): {what: string; hint: string} | undefined {
  const {standby, read_only: readOnly, fsync, commits, synchronous, standbys} = server;
  if (standby === 1 || readOnly === 'on')
    return {what: 'it is read-only', hint: 'name the primary server, or wait until a failover has ended'};
  if (fsync !== 'on')
    return {what: 'fsync is off, so a crash of the server could lose what was paid', hint: 'set fsync = on'};
  if (commits === 'off')
    return {
      what: 'synchronous_commit is off, so a crash of the server could lose what was paid',
      hint: 'set synchronous_commit = on, also for this user and database',
    };
  const isAsync = Number(standbys) > 0 && (stringOf(synchronous) === '' || commits === 'local');
  if (!isAsync || acceptsAsync) return undefined;
  return {
    what: 'its standby is asynchronous, so a failover could lose the last changes',
    hint: 'set synchronous_standby_names; or accept it in the address: ?async_standby=accept',
  };
}

/** The statements are the same everywhere: what they name is missing because the tables were changed. */
function damaged(error: unknown, shown: string): RemitError | undefined {
  if (!(error instanceof Error) || !/^42(?!501)/.test(codeOf(error) ?? '')) return undefined;
  return new RemitError('STATE_DAMAGED', `the tables in ${shown} were changed: ${messageOf(error)}`, {
    hint: 'restore them from a backup of the database; do not run a batch of it before',
    cause: error,
  });
}

/** Whether a query has failed because its table, or the schema, does not exist. */
export function isMissingTable(error: unknown): boolean {
  const code = codeOf(error instanceof RemitError ? error.cause : error);
  return code === '42P01' || code === '3F000';
}

/** The texts of the failures are those of the sandbox. */
function withFlag(error: unknown): unknown {
  if (!(error instanceof RemitError) || typeof error.openHint !== 'string') return error;
  return error.reworded(error.message, error.openHint.replaceAll('--store', '--state'));
}
