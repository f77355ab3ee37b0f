import assert from 'node:assert/strict';
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import {readTeamAddress} from '../../src/team/address.ts';
import {Bench, payeeId, seeded} from '../batch/harness.ts';
import {type Fault, TruthService} from '../batch/truth-service.ts';
import {sharedCache} from '../smoke/spawn-cli.ts';
import {startPostgres} from '../store/postgres/postgres-server.ts';

const BIN = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url));
const FAULTS: readonly Fault[] = ['lost-before', 'lost-after', 'cut', 'not-json', '503-after', '500-after'];

let server: Promise<string | undefined> | undefined;

/** A server that commits as a production server does; one for each process. */
export const teamServer = (): Promise<string | undefined> => (server ??= startPostgres());

export interface TeamRun {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** The exit code; null if it was killed. */
  ended: Promise<number | null>;
}

/** A service, a database and as many machines as a test starts. Every machine has a new state folder unless it is named. */
export class TeamWorld {
  readonly bench = new Bench();
  readonly service = new TruthService();
  readonly random: () => number;
  readonly url: string;
  readonly db: TeamDatabase;
  #baseUrl = '';
  #close: () => Promise<void> = async () => undefined;
  readonly #running = new Set<ChildProcess>();

  private constructor(url: string, seed: number) {
    this.url = url;
    this.random = seeded(seed);
    this.db = new TeamDatabase(readTeamAddress(url));
    this.service.keepRequests = false;
  }

  static async open({seed = 1, server: address}: {seed?: number; server?: string} = {}): Promise<TeamWorld> {
    const base = address ?? (await teamServer());
    assert.ok(base !== undefined, 'PostgreSQL is installed');
    const url = new URL(base);
    url.searchParams.set('schema', `team_${process.pid}_${counter++}`);
    const world = new TeamWorld(url.href, seed);
    const {baseUrl, close} = await world.service.listen();
    world.#baseUrl = baseUrl;
    world.#close = close;
    return world;
  }

  /** Loses some of the answers of the service. */
  disturb(share = 0.05): void {
    this.service.fault = () =>
      this.random() < share ? FAULTS[Math.floor(this.random() * FAULTS.length)] : undefined;
  }

  get baseUrl(): string {
    return this.#baseUrl;
  }

  machine(): string {
    return mkdtempSync(join(this.bench.folder, 'machine-'));
  }

  file(name: string, references: readonly string[]): string {
    const path = join(this.bench.folder, name);
    const lines = references.map(
      (reference) =>
        `${reference},${payeeId(Number(/\d+$/.exec(reference)?.[0] ?? 1))},100.${String((Number(/\d+$/.exec(reference)?.[0] ?? 0) % 90) + 10)},USD`,
    );
    writeFileSync(path, `${['reference,payee_id,amount,currency_code', ...lines].join('\n')}\n`);
    return path;
  }

  start(
    words: readonly string[],
    {
      machine = this.machine(),
      url = this.url,
      env = {},
      wrap = [],
    }: {machine?: string; url?: string; env?: Record<string, string>; wrap?: readonly string[]} = {},
  ): TeamRun {
    const [program = process.execPath, ...before] = [...wrap, process.execPath];
    const child = spawn(program, [...before, BIN, 'payouts', 'batch', ...words], {
      cwd: machine,
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: '',
        REMIT_API_KEY: 'test_team_key',
        REMIT_BASE_URL: this.#baseUrl,
        REMIT_STATE_DIR: join(machine, 'state'),
        REMIT_CONFIG_DIR: join(machine, 'config'),
        XDG_CACHE_HOME: sharedCache,
        REMIT_STATE_URL: url,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    const run: TeamRun = {
      child,
      stdout: '',
      stderr: '',
      ended: once(child, 'close').then(([code]) => {
        this.#running.delete(child);
        return code as number | null;
      }),
    };
    child.stdout.on('data', (chunk) => (run.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (run.stderr += String(chunk)));
    return run;
  }

  /** A command that is expected to end with this code. */
  async run(
    words: readonly string[],
    options: {machine?: string; exit?: number; url?: string} = {},
  ): Promise<TeamRun> {
    const run = this.start(words, options);
    const code = await run.ended;
    assert.equal(code, options.exit ?? 0, `${words.join(' ')}: ${run.stdout}\n${run.stderr}`);
    return run;
  }

  async summary(batch: string): Promise<Summary> {
    const run = this.start(['status', batch, '-o', 'json']);
    await run.ended;
    return JSON.parse(run.stdout) as Summary;
  }

  /** Lets the leases of dead processes expire, and the time after which their releases have ended pass. */
  async passTime(seconds = 120): Promise<void> {
    await this.db.query(
      `update @.batches set expires = expires - $1 * interval '1 s', release_after = release_after - $1 * interval '1 s'`,
      [seconds],
    );
  }

  /** Every reference was paid once, and each record approved once. */
  assertPaidOnce(references: readonly string[]): void {
    const paid = new Map<string, number>();
    for (const {body, approvals} of this.service.paid) {
      const {remit_reference: reference = ''} = body['metadata'] as {remit_reference?: string};
      paid.set(reference, (paid.get(reference) ?? 0) + approvals);
    }
    const twice = [...paid].filter(([, times]) => times > 1);
    assert.deepEqual(twice, [], 'paid twice');
    assert.deepEqual(
      references.filter((reference) => !paid.has(reference)),
      [],
      'not paid',
    );
    assert.equal(paid.size, new Set(references).size);
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await this.db.query(`drop schema if exists ${this.db.address.schema} cascade`).catch(() => undefined);
    await this.db.close();
    await this.#close();
    rmSync(this.bench.folder, {recursive: true, force: true});
  }
}

let counter = 0;

export const references = (count: number, prefix = 'INV'): string[] =>
  Array.from({length: count}, (_, at) => `${prefix}-${at + 1}`);

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Until some outcomes of a run are in the database. */
export async function waitForRows(world: TeamWorld, id: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const [{count} = {count: 0}] = await world.db
      .query<{count: number}>(
        'select count(*) as count from @.outcomes o join @.batches b on b.key = o.batch where b.id = $1',
        [id],
      )
      .catch(() => []); // there are no tables yet
    if (count > 0) return;
    await sleep(100); // a real process
  }
  throw new Error('nothing was written');
}
