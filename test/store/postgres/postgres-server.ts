import {execFileSync, spawn} from 'node:child_process';
import {chownSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync} from 'node:fs';
import type {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

/** Who runs the server: it refuses root. */
export interface Runner {
  uid?: number;
  gid?: number;
}

const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 30_000;

/** Runs the server until its input ends, which it does however the tests end; then nothing of it is left. */
const KEEPER = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; cd /; rm -rf "$0"';

let started: Promise<string | undefined> | undefined;

/** Folders where packages put the server's programs, newest version first. */
function candidates(): string[] {
  const versions = (root: string) => {
    try {
      return readdirSync(root)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(root, version, 'bin'));
    } catch {
      return [];
    }
  };
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions('/usr/lib/postgresql'),
    '/usr/local/pgsql/bin',
    '/opt/homebrew/opt/postgresql/bin',
  ];
}

/** Where `initdb` and `postgres` are; undefined where PostgreSQL is not installed. */
export const postgresPrograms = (program = 'postgres'): string | undefined =>
  candidates().find((folder) =>
    [program, 'initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );

/**
 * False where tests of PostgreSQL can run. Otherwise declares one test that the summary counts as skipped: call it first in
 * a `describe`, and return when it is true.
 */
export function skippedWithoutPostgres(): boolean {
  if (postgresPrograms() !== undefined || process.env['REMIT_TEST_POSTGRES'] !== undefined) return false;
  it('skipped: PostgreSQL is not installed', () => undefined);
  return true;
}

/**
 * The address of a PostgreSQL server for this process's tests: that of REMIT_TEST_POSTGRES, or one started here, without
 * fsync, on a socket in a folder of its own; it ends with the process. Undefined where none is installed.
 */
export function postgresAddress(): Promise<string | undefined> {
  return (started ??= start());
}

async function start(): Promise<string | undefined> {
  return (
    process.env['REMIT_TEST_POSTGRES'] ?? (await startPostgres({fsync: 'off', synchronous_commit: 'off'}))
  );
}

/** The address of a new server, which ends with this process. Undefined where PostgreSQL is not installed. */
export async function startPostgres(more: Record<string, string> = {}): Promise<string | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const runner = findRunner();
  const folder = mkdtempSync(join(tmpdir(), 'remit-postgres-'));
  if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? runner.uid);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'remit', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'],
    {...runner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe']},
  );
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    full_page_writes: 'off',
    max_connections: '200',
    shared_buffers: '64MB',
    ...more,
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', KEEPER, folder, join(programs, 'postgres'), '-D', data, ...words], {
    ...runner,
    cwd: folder,
    stdio: ['pipe', output, output],
  });
  child.unref();
  (child.stdin as Socket).unref(); // a pipe of ours is a socket
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const said = readFileSync(log, 'utf8');
    if (said.includes('ready to accept connections')) break;
    if (said.includes('FATAL') || waited > PATIENCE_MS) throw new Error(`PostgreSQL did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS)); // a real server
  }
  return `postgres://remit@localhost/postgres?host=${encodeURIComponent(folder)}`;
}

/** Another user where we are root: `postgres` where there is one, else `nobody`. */
export function findRunner(): Runner {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    if (uid !== undefined) return {uid: Number(uid), gid: Number(gid)};
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody');
}

/** `address` with its tables in a schema of their own. */
export function inSchema(address: string, schema: string): string {
  const url = new URL(address);
  url.searchParams.set('schema', schema);
  return url.href;
}

/** Takes a schema, and those of its checkpoints, away. */
export async function dropSchema(address: string, schema: string): Promise<void> {
  const {Client} = (await import('pg')).default;
  const url = new URL(address);
  url.searchParams.delete('schema');
  const client = new Client({connectionString: url.href});
  await client.connect();
  const {rows} = await client.query<{nspname: string}>(
    'select nspname from pg_namespace where nspname = $1 or starts_with(nspname, $2)',
    [schema, `${schema}/`],
  );
  for (const {nspname} of rows) await client.query(`drop schema "${nspname}" cascade`);
  await client.end();
}
