import {references, sleep, TeamWorld} from './team-world.ts';

/**
 * Runs a batch, kills each process with SIGKILL at a random instant, and continues on another machine with nothing but
 * the address. The service keeps the truth.
 */
export async function killTeam(options: {
  rows: number;
  kills: number;
  seed: number;
  words?: readonly string[];
  /** Whether the next command runs on the machine of the killed one, now and then. */
  sameMachine?: boolean;
  /** Another server than that of this process. */
  server?: string;
}): Promise<{kills: number; starts: number}> {
  const {rows, kills, seed, words = [], sameMachine = false, server} = options;
  const world = await TeamWorld.open({seed, ...(server === undefined ? {} : {server})});
  const all = references(rows);
  let [done, starts, machine] = [0, 0, world.machine()];
  try {
    world.disturb(0.02);
    await world.run(['plan', world.file('bills.csv', all), '--batch-id', 'bills']);
    const rps = Math.max(50, Math.ceil((rows * 2) / (Math.max(1, kills) * 0.5)));
    for (;;) {
      if (!sameMachine || world.random() < 0.6) machine = world.machine();
      const run = world.start(['run', 'bills', '--yes', '--out', '.', '--max-rps', String(rps), ...words], {
        machine,
      });
      starts++;
      const timer =
        done < kills ? setTimeout(() => run.child.kill('SIGKILL'), 350 + world.random() * 1100) : undefined;
      const code = await run.ended;
      clearTimeout(timer);
      if (code === null) {
        done++;
        await world.passTime();
        continue;
      }
      if (code === 0) break;
      if (code !== 8 && code !== 12 && code !== 7 && code !== 13)
        throw new Error(`exit ${code}: ${run.stdout}\n${run.stderr}`);
      if (starts > kills * 3 + 30) throw new Error(`no end: exit ${code}: ${run.stdout}\n${run.stderr}`);
      await sleep(50);
      await world.passTime();
    }
    world.assertPaidOnce(all);
    const {accepted, planned} = await world.summary('bills');
    if (accepted !== rows || planned !== rows) throw new Error(`${accepted} of ${planned} rows are accepted`);
    return {kills: done, starts};
  } finally {
    await world.close();
  }
}
