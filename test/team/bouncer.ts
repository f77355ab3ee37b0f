import {spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {killTeam} from './kills.ts';
import {references, sleep, TeamWorld} from './team-world.ts';

/** Starts PgBouncer before a server. @returns the address of the pooler */
export async function startBouncer(
  server: string,
  {program, mode, env = {}}: {program: string; mode: 'session' | 'transaction'; env?: Record<string, string>},
): Promise<{url: string; stop: () => void}> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bouncer-'));
  chmodSync(folder, 0o777);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const host = new URL(server).searchParams.get('host') ?? '';
  const config = join(folder, 'bouncer.ini');
  writeFileSync(join(folder, 'users.txt'), '"remit" ""\n');
  writeFileSync(
    config,
    `[databases]
postgres = host=${host} port=5432 dbname=postgres user=remit
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
max_client_conn = 100
default_pool_size = 3
unix_socket_dir =
`,
  );
  const {uid} = statSync(host); // the server's user, who may use its socket
  const child = spawn(program, [config], {
    env: {...process.env, ...env},
    stdio: 'ignore',
    ...(process.getuid?.() === 0 ? {uid} : {}),
  });
  await sleep(700); // a real process
  return {url: `postgres://remit@127.0.0.1:${port}/postgres`, stop: () => child.kill('SIGKILL')};
}

/** Batches through PgBouncer, killed like others. */
export async function throughBouncer(server: string, program: string, seed: number): Promise<void> {
  const library = {LD_LIBRARY_PATH: process.env['REMIT_BOUNCER_LIBRARIES'] ?? ''};
  for (const mode of ['session', 'transaction'] as const) {
    const bouncer = await startBouncer(server, {program, mode, env: library});
    try {
      const world = await TeamWorld.open({seed, server: bouncer.url});
      const all = references(60);
      await world.run(['run', world.file('bills.csv', all), '--batch-id', 'bills', '--yes']);
      world.assertPaidOnce(all);
      await world.close();
      const {kills} = await killTeam({rows: 200, kills: 4, seed, server: bouncer.url});
      console.log(`${mode}: ${kills} kills`);
    } finally {
      bouncer.stop();
    }
  }
}
