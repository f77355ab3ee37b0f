import {HostileProxy, type ProxyFate} from './proxy.ts';
import {references, sleep, type TeamRun, TeamWorld} from './team-world.ts';

const ROWS = 300;
const RUN = ['run', 'bills', '--yes', '--out', '.'];
/** Rows in doubt, a stop, a lost lease or an unreachable database: the next command goes on. */
const GOES_ON = new Set([7, 8, 12, 13]);

async function planned(seed: number, rows = ROWS): Promise<{world: TeamWorld; all: string[]}> {
  const world = await TeamWorld.open({seed});
  const all = references(rows);
  world.disturb(0.02);
  await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills']);
  return {world, all};
}

/** Runs the batch until it is complete. */
async function complete(
  world: TeamWorld,
  all: readonly string[],
  options: {url?: string} = {},
): Promise<number> {
  for (let starts = 1; starts < 30; starts++) {
    await world.passTime();
    const run = world.start(RUN, options);
    const code = await run.ended;
    if (code === 0) {
      world.assertPaidOnce(all);
      const {accepted} = await world.summary('bills');
      if (accepted !== all.length) throw new Error(`${accepted} of ${all.length} accepted`);
      return starts;
    }
    if (code === null || !GOES_ON.has(code)) throw new Error(`exit ${code}: ${run.stdout}\n${run.stderr}`);
  }
  throw new Error('the batch is never complete');
}

const within = async (run: TeamRun, ms: number): Promise<number | null | 'alive'> =>
  Promise.race([run.ended, sleep(ms).then(() => 'alive' as const)]);

/**
 * A runner is stopped by SIGSTOP, another takes the batch over, and the first continues: it has to end by itself.
 * @param realMs how long it sleeps; with a short time the database's clock is moved instead, so that the first still
 *   believes that it has the lease
 */
export async function stopAndContinue(seed: number, realMs = 0): Promise<{late: number}> {
  const {world, all} = await planned(seed);
  try {
    const first = world.start([...RUN, '--max-rps', '150']);
    await sleep(700 + world.random() * 3500);
    first.child.kill('SIGSTOP');
    if (realMs > 0) await sleep(realMs);
    else await world.passTime();
    const second = world.start([...RUN, '--max-rps', '150']);
    await sleep(world.random() * 3000);
    first.child.kill('SIGCONT');
    const code = await within(first, 40_000);
    if (code === 'alive') throw new Error('the first runner goes on without a lease');
    const other = await second.ended;
    if (other === null || (other !== 0 && !GOES_ON.has(other)))
      throw new Error(`exit ${other}: ${second.stderr}`);
    await complete(world, all);
    const [{late} = {late: 0}] = await world.db.query<{late: number}>(
      'select count(*) as late from @.late_outcomes',
    );
    return {late};
  } finally {
    await world.close();
  }
}

/** A network to the database that drops, delays and cuts what passes. */
export async function hostileProxyOf(
  world: TeamWorld,
  share = 0.06,
): Promise<{url: string; calm: () => void; close: () => Promise<void>}> {
  const socket = new URL(world.url).searchParams.get('host') ?? '';
  const proxy = await HostileProxy.open(() => ({path: `${socket}/.s.PGSQL.5432`}));
  const url = new URL(world.url);
  url.searchParams.delete('host');
  url.port = String(proxy.port);
  const fates: ProxyFate[] = ['late', 'break-before', 'break-after', 'silent'];
  let isHostile = true;
  proxy.fate = () =>
    isHostile && world.random() < share
      ? (fates[Math.floor(world.random() * fates.length)] ?? 'pass')
      : 'pass';
  const calm = () => {
    isHostile = false;
    proxy.cut();
  };
  return {url: url.href, calm, close: () => proxy.close()};
}

export async function hostileNetwork(seed: number): Promise<{starts: number}> {
  const {world, all} = await planned(seed);
  const proxy = await hostileProxyOf(world);
  try {
    for (let tries = 0; tries < 6; tries++) {
      await world.passTime();
      const run = world.start([...RUN, '--max-rps', '150'], {url: proxy.url});
      const code = await run.ended;
      if (code === 0) break;
      if (code === null || !GOES_ON.has(code)) throw new Error(`exit ${code}: ${run.stdout}\n${run.stderr}`);
    }
    proxy.calm();
    return {starts: await complete(world, all)};
  } finally {
    await proxy.close();
    await world.close();
  }
}

/** Runners whose clocks are an hour apart take over from each other. */
export async function skewedClocks(seed: number, library: string): Promise<void> {
  const {world, all} = await planned(seed);
  try {
    for (const offset of ['-1h', '+1h', '+0', '-1h']) {
      const env = {LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1'};
      const run = world.start([...RUN, '--max-rps', '150'], {env});
      await sleep(900 + world.random() * 1500);
      run.child.kill('SIGKILL');
      await run.ended;
      await world.passTime();
    }
    await complete(world, all);
  } finally {
    await world.close();
  }
}

export {complete, GOES_ON, planned, RUN};
