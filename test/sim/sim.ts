/**
 * `npm run sim`: lives through schedules, each drawn from its seed: an operator, the engine on disks that fail, a network
 * and a service, in simulated time. Prints what happened in them, and for each seed in which a promise was broken the
 * invariant and the command that replays it; exits 1 then. Ctrl-C ends it with what was lived through, and how to go on.
 *
 *   --schedules N   how many (1,000,000)
 *   --from S        the first seed (1)
 *   --workers N     processes beside each other (one for each core)
 *   --needs A,B     only worlds with these hazards; the others are passed over
 *   --seed S        replays one seed with all that happens in it; --rows, --steps and --without cut it down
 *   --shrink        with --seed: leaves out all that the failure does not need
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {parseArgs} from 'node:util';
import {bundleSimulation, type Program} from './bundle.ts';
import {addCounts, COUNTED, noCounts} from './counts.ts';
import {runFleet} from './fleet.ts';
import {ordersFrom} from './orders.ts';
import type {BrokenSeed, Order} from './main.ts';

const {values} = parseArgs({
  options: {
    schedules: {type: 'string', default: '1000000'},
    from: {type: 'string', default: '1'},
    needs: {type: 'string'},
    workers: {type: 'string', default: String(availableParallelism())},
    seed: {type: 'string'},
    ...{rows: {type: 'string'}, steps: {type: 'string'}, without: {type: 'string'}},
    shrink: {type: 'boolean'},
  },
});
const MOST_TOLD = 50;
const TELL_EVERY_MS = process.stdout.isTTY ? 1000 : 30_000;
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** The same arguments go to the bundled program, which knows what to do with one seed. */
async function replay(program: string): Promise<void> {
  const child = spawn(process.execPath, [program, ...process.argv.slice(2)], {stdio: 'inherit'});
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}

const count = (n: number) => n.toLocaleString('en-US');

let isInterrupted = false;

/** What is handed out already is lived to its end, so that the seeds lived through have no gap. */
function* untilInterrupted(orders: Iterable<Order>): Generator<Order> {
  for (const order of orders) {
    if (isInterrupted) return;
    yield order;
  }
}

async function liveAll({path, digest, engineDigest}: Program): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isInterrupted = true));
  const [from, schedules] = [Number(values.from), Number(values.schedules)];
  const counts = noCounts();
  const broken: BrokenSeed[] = [];
  const began = performance.now();
  const needs = values.needs?.split(',') as Order['needs'];
  let lived = 0;
  let worlds = 0;
  let toldAt = began;
  const rate = () => lived / ((performance.now() - began) / 1000);
  const onDelivery = (delivery: Parameters<Parameters<typeof runFleet>[0]['onDelivery']>[0]) => {
    lived += delivery.count;
    worlds += delivery.lived;
    if (delivery.counts !== undefined) addCounts(counts, delivery.counts);
    for (const one of delivery.violations) {
      if (broken.push(one) > MOST_TOLD) continue;
      say(`VIOLATION seed ${one.seed}, ${one.message}\n  replay: npm run sim -- --seed ${one.seed}`);
    }
    if (performance.now() - toldAt > TELL_EVERY_MS) {
      toldAt = performance.now();
      const left = (schedules - lived) / rate();
      say(
        `${count(lived)} of ${count(schedules)} schedules, ${rate().toFixed(1)}/s, ${(left / 60).toFixed(1)} min left, ${broken.length} violations`,
      );
    }
    return true;
  };
  say(`engine ${engineDigest}, with simulation ${digest}, Node ${process.versions.node}`);
  const orders = untilInterrupted(ordersFrom(from, schedules, {needs}));
  await runFleet({program: path, width: Number(values.workers), isLong: true, orders, onDelivery});
  say(
    `${count(lived)} schedules (seeds ${from} to ${from + lived - 1}) of ${digest} in ${((performance.now() - began) / 1000).toFixed(1)} s, ${rate().toFixed(1)}/s`,
  );
  say(COUNTED.map((name) => `${name} ${count(counts[name])}`).join(', '));
  if (needs !== undefined) say(`${count(worlds)} of them with ${needs.join(' and ')}`);
  say(`violations ${broken.length}${broken.length > MOST_TOLD ? `, of which ${MOST_TOLD} are told` : ''}`);
  if (lived < schedules) say(`go on: npm run sim -- --from ${from + lived} --schedules ${schedules - lived}`);
  if (broken.length > 0) process.exitCode = 1;
}

const program = await bundleSimulation();
try {
  if (values.seed === undefined) await liveAll(program);
  else await replay(program.path);
} finally {
  program.remove();
}
