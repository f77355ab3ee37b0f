import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, chownSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {findRunner, postgresPrograms} from '../store/postgres/postgres-server.ts';
import {complete, RUN} from './hostile.ts';
import {HostileProxy} from './proxy.ts';
import {references, sleep, TeamWorld} from './team-world.ts';

interface Node {
  data: string;
  port: number;
}

/** A primary and an asynchronous standby. */
class Pair {
  readonly #programs: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-failover-'));
  readonly #runner = findRunner();
  readonly primary: Node = {
    data: join(this.folder, 'primary'),
    port: 20_000 + Math.floor(Math.random() * 20_000),
  };
  readonly standby: Node = {data: join(this.folder, 'standby'), port: this.primary.port + 1};

  constructor(programs: string) {
    this.#programs = programs;
    if (this.#runner.uid !== undefined) chownSync(this.folder, this.#runner.uid, this.#runner.gid ?? 0);
    chmodSync(this.folder, 0o755);
  }

  #call(program: string, ...words: string[]): void {
    execFileSync(join(this.#programs, program), words, {...this.#runner, cwd: this.folder, stdio: 'ignore'});
  }

  /** While this process forwards what it reads. */
  async #calls(program: string, ...words: string[]): Promise<void> {
    const child = spawn(join(this.#programs, program), words, {
      ...this.#runner,
      cwd: this.folder,
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
  }

  async #started({data, port}: Node): Promise<void> {
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c shared_buffers=32MB -c max_connections=40 -c hot_standby=on`;
    await this.#calls('pg_ctl', '-D', data, '-w', '-l', `${data}.log`, '-o', options, 'start');
  }

  /** @param port through which the standby receives changes */
  async start(replication: number): Promise<void> {
    this.#call('initdb', '-D', this.primary.data, '-U', 'remit', '-A', 'trust', '-E', 'UTF8', '--no-sync');
    await this.#started(this.primary);
    const from = ['-h', '127.0.0.1', '-p', String(replication), '-U', 'remit'];
    await this.#calls(
      'pg_basebackup',
      ...from,
      '-D',
      this.standby.data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    );
    await this.#started(this.standby);
  }

  async failOver(): Promise<void> {
    await this.#calls('pg_ctl', '-D', this.primary.data, '-m', 'immediate', '-w', 'stop');
    await this.#calls('pg_ctl', '-D', this.standby.data, '-w', 'promote');
  }

  stop(): void {
    for (const {data} of [this.primary, this.standby])
      try {
        this.#call('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      } catch {
        // it has ended
      }
    rmSync(this.folder, {recursive: true, force: true});
  }
}

/**
 * The primary dies while a batch runs, and a standby that lacks its last changes takes over. The runner goes on, or ends and
 * is continued; what the failover has lost is put back.
 */
export async function failover(seed: number): Promise<{starts: number; exit: number | null}> {
  const programs = postgresPrograms('pg_basebackup');
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const pair = new Pair(programs);
  const replication = await HostileProxy.open(() => ({host: '127.0.0.1', port: pair.primary.port}));
  await pair.start(replication.port);
  let port = pair.primary.port;
  const proxy = await HostileProxy.open(() => ({host: '127.0.0.1', port}));
  const server = `postgres://remit@127.0.0.1:${proxy.port}/postgres?async_standby=accept`;
  const world = await TeamWorld.open({seed, server});
  try {
    const all = references(300);
    await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills']);
    const run = world.start([...RUN, '--max-rps', '100']);
    await sleep(1500 + world.random() * 4000);
    // From now on the standby receives nothing: what is acknowledged is lost.
    replication.fate = () => 'silent';
    await sleep(world.random() * 6000);
    await pair.failOver();
    port = pair.standby.port;
    proxy.cut();
    const exit = await run.ended;
    if (exit === null) throw new Error('the runner was killed');
    return {starts: await complete(world, all), exit};
  } finally {
    await world.close();
    await proxy.close();
    await replication.close();
    pair.stop();
  }
}
