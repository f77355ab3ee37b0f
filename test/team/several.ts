import {GOES_ON, hostileProxyOf, planned} from './hostile.ts';
import {sleep, type TeamRun} from './team-world.ts';

const RUNNERS = 3;

/**
 * Several runners send one batch; each of them is killed, or stopped and continued later, at a random instant, and
 * another takes its place. Now and then the lease of the one that has the batch is taken from it while it is alive.
 */
export async function disturbSeveral(options: {
  rows: number;
  disturbances: number;
  seed: number;
  /** Their network to the database is hostile too, until the last disturbance. */
  isNetworkHostile?: boolean;
}): Promise<{kills: number; stops: number; starts: number; sentByOthers: number}> {
  const {world, all} = await planned(options.seed, options.rows);
  world.service.latencyMs = 80; // one runner alone would take long
  const proxy = await hostileProxyOf(world, options.isNetworkHostile === true ? 0.005 : 0);
  const running = new Set<TeamRun>();
  const codes: (number | null)[] = [];
  let [kills, stops, starts, sentByOthers] = [0, 0, 0, 0];
  let [isComplete, rounds] = [false, 0];
  const start = () => {
    const run = world.start(['run', 'bills', '--yes', '--out', '.', '--max-in-flight', '4'], {
      url: proxy.url,
    });
    starts++;
    running.add(run);
    void run.ended.then((code) => {
      running.delete(run);
      codes.push(code);
      isComplete ||= code === 0;
      if (code !== null && code !== 0 && !GOES_ON.has(code))
        console.log(`exit ${code}: ${run.stdout}\n${run.stderr}`);
    });
  };
  try {
    while (!isComplete) {
      while (running.size < RUNNERS) start();
      await sleep(1000 + world.random() * 2500);
      const [{sent} = {sent: 0}] = await world.db.query<{sent: number}>(
        'select coalesce(sum(sent), 0) as sent from @.senders',
      );
      sentByOthers = Math.max(sentByOthers, sent);
      const victim = [...running][Math.floor(world.random() * running.size)];
      if (victim === undefined || kills + stops >= options.disturbances) {
        if (rounds === 0) proxy.calm();
        if (rounds++ % 20 === 0) await world.passTime(); // the last lease may be that of a dead process
        if (starts > options.disturbances * 4 + 60) throw new Error(`no end: ${codes.join(' ')}`);
        continue;
      }
      if (world.random() < 0.6) {
        kills++;
        victim.child.kill('SIGKILL');
        if (world.random() < 0.8) await world.passTime();
      } else {
        stops++;
        victim.child.kill('SIGSTOP');
        await sleep(world.random() * 3000);
        if (world.random() < 0.7) await world.passTime();
        setTimeout(() => victim.child.kill('SIGCONT'), world.random() * 12_000); // a real process
      }
    }
    while (running.size > 0) {
      await sleep(500);
      for (const {child} of running) child.kill('SIGCONT');
    }
    const bad = codes.find((code) => code !== null && code !== 0 && !GOES_ON.has(code));
    if (bad !== undefined) throw new Error(`a runner has ended with ${bad}`);
    world.assertPaidOnce(all);
    const {accepted, state} = await world.summary('bills');
    if (accepted !== all.length || state !== 'complete') throw new Error(`${state}, ${accepted} accepted`);
    return {kills, stops, starts, sentByOthers};
  } finally {
    await proxy.close();
    await world.close();
  }
}
