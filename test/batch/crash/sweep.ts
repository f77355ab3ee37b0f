/**
 * `npm run crash:batch`: real crashes of a batch of forty rows, on each driver of this Node, in both ways of running.
 *
 * WASM driver: the process kills itself before and after each call that changes the disk. node:sqlite: it is killed by
 * strace at each system call, where strace is installed. Both: at random instants. Then disks that fail, two runners,
 * lost state, and engines that are wrong on purpose, which must be caught. After each crash the batch is run to its end,
 * and once more: every row paid once, reported once, the sum exact, no POST after completion. Last come fifty kills of
 * the built tool against a service that loses answers. Prints what was done; exits 1 at the first failure.
 *
 *   --calls N    up to which call a kill comes both before and after it (200); before it, to the last one
 *   --random N   kills at random instants, for each driver and way (60)
 *   --only NAME  a part: calls, strace, random, disk, runners, mutants, tool
 */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {seeded} from '../harness.ts';
import {breakDisk, FAULTS} from './disk-faults.ts';
import {killAtCall, killAtInstant, lengthOf, type Way} from './kills.ts';
import {MUTANTS} from './mutants.ts';
import {LOSSES, loseResults, loseState, runOnTwoStates, runTwiceOnOneState} from './runners.ts';
import {breakDiskUnderStrace, hasStrace, killUnderStrace, NATIVE_FAULTS, SYSTEM_CALLS} from './strace.ts';
import {inTurns} from '../../store/crash/processes.ts';
import {buildVictim} from './victims.ts';
import {availableDrivers} from '../../store/drivers.ts';

const {values} = parseArgs({
  options: {
    calls: {type: 'string', default: '200'},
    random: {type: 'string', default: '60'},
    seed: {type: 'string', default: String(Date.now() % 1_000_000)},
    only: {type: 'string', multiple: true},
  },
});
const CALLS = Number(values.calls);
const WIDTH = 2;
const MUTANT_TRIES = 30;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'remit-sweep-')));
const program = await buildVictim(folder);
const drivers = availableDrivers();
const ways = drivers.flatMap((driver): Way[] => [
  {driver, path: 'stage-and-release'},
  {driver, path: 'direct'},
]);
const traced = drivers.includes('node:sqlite') && hasStrace();
const random = seeded(Number(values.seed));
let crashes = 0;

const wordsOf = ({driver, path}: Way) => `${driver}, ${path === 'direct' ? 'direct' : 'staged and released'}`;
const say = (text: string) => void process.stdout.write(`${text}\n`);

function report(way: Way, what: string, count: number): void {
  crashes += count;
  say(`${wordsOf(way)}: ${what}: ${count}, every row paid once and reported once`);
}

/** 1, 2, 3 … `limit`, until `work` says that there is nothing at that point any more. */
async function upTo(limit: number, work: (k: number) => Promise<boolean>): Promise<number> {
  let count = 0;
  let over = false;
  const points = function* () {
    for (let k = 1; k <= limit && !over; k++) yield k;
  };
  await inTurns(points(), WIDTH, async (k) => {
    if (await work(k)) count++;
    else over = true;
  });
  return count;
}

async function sweepCalls(way: Way): Promise<void> {
  if (way.driver !== 'wasm') return; // node:sqlite goes past node:fs
  const {calls, planned} = await lengthOf(program, way);
  say(`${wordsOf(way)}: a whole run changes the disk ${calls} times, ${planned} of them in planning`);
  for (const [how, limit] of [
    ['before', Infinity],
    ['after', CALLS],
    ['torn', CALLS],
  ] as const)
    report(
      way,
      `killed ${how === 'torn' ? 'in the middle of a write or after another call' : `${how} a call`}`,
      await upTo(limit, (killAt) => killAtCall(program, way, {killAt, how})),
    );
}

async function sweepSystemCalls(way: Way): Promise<void> {
  if (way.driver !== 'node:sqlite' || !traced) return;
  for (const call of SYSTEM_CALLS)
    report(way, `killed at ${call}`, await upTo(CALLS, (k) => killUnderStrace(program, way, call, k)));
}

async function sweepInstants(way: Way): Promise<void> {
  const {ms} = await lengthOf(program, way);
  const instants = Array.from({length: Number(values.random)}, () => random() * ms);
  let kills = 0;
  await inTurns(instants, WIDTH, async (at) => {
    if (await killAtInstant(program, way, {ms: at})) kills++;
  });
  report(way, `killed at random instants of ${Math.round(ms)} ms (seed ${values.seed})`, kills);
}

async function sweepFaults(way: Way): Promise<void> {
  const breakAll = async (what: string, step: number, work: (k: number) => Promise<number | undefined>) => {
    let harmless = 0;
    const count = await upTo(CALLS, async (k) => {
      const code = await work(1 + (k - 1) * step);
      if (code === 0) harmless++;
      return code !== undefined;
    });
    report(way, `${what} (stopped with exit 13; ${harmless} came after all was done)`, count);
  };
  if (way.driver === 'wasm')
    for (const fault of FAULTS)
      await breakAll(
        fault.kind === 'write' ? `no space for a write of ${fault.of}` : `a sync of ${fault.of} failed`,
        fault.kind === 'write' ? 3 : 1,
        (k) => breakDisk(program, way, fault, k),
      );
  else if (traced)
    for (const fault of Object.keys(NATIVE_FAULTS) as (keyof typeof NATIVE_FAULTS)[])
      await breakAll(fault, fault.includes('write') ? 3 : 1, (k) =>
        breakDiskUnderStrace(program, way, fault, k),
      );
}

async function sweepRunners(way: Way): Promise<void> {
  await runTwiceOnOneState(program, way);
  report(way, 'a second runner refused, the killed first followed at once', 1);
  for (const killed of [false, true]) await runOnTwoStates(program, way, killed);
  report(way, 'two runners on two state folders', 2);
  for (const loss of Object.keys(LOSSES) as (keyof typeof LOSSES)[]) {
    const points = [1, 5, 9, 17, 25, 33, 39].concat(way.path === 'direct' ? [] : [45, 57, 70, 79]);
    await inTurns(points, WIDTH, (posts) => loseState(program, way, loss, posts));
    report(way, `killed, and ${loss} deleted`, points.length);
  }
  await loseResults(program, way);
  report(way, 'results deleted', 1);
}

async function catchMutants(): Promise<void> {
  const way: Way = {driver: drivers.at(-1)!, path: 'direct'};
  for (const {name, patches, check} of MUTANTS) {
    const mutant = await buildVictim(folder, patches);
    let caught: string | undefined;
    for (let turn = 0; turn < MUTANT_TRIES && caught === undefined; turn++)
      caught = await check(mutant, way, turn).then(
        () => undefined,
        (error: unknown) => String(error).split('\n')[0],
      );
    if (caught === undefined) throw new Error(`not caught: ${name}`);
    say(`caught on purpose: ${name} (${caught})`);
  }
}

/** The built tool, fifty kills in each way. */
function killTool(): void {
  const mocha = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const {status} = spawnSync(
    process.execPath,
    [mocha, 'test/smoke/batch-crash.sweep.test.ts', '--reporter', 'spec'],
    {
      cwd: ROOT,
      env: {...process.env, REMIT_CRASH_KILLS: '50'},
      stdio: ['ignore', 1, 2],
    },
  );
  if (status !== 0) throw new Error('the built tool failed');
}

const PARTS: Record<string, () => Promise<void>> = {
  calls: () => inTurns(ways, 1, sweepCalls),
  strace: () => inTurns(ways, 1, sweepSystemCalls),
  random: () => inTurns(ways, 1, sweepInstants),
  disk: () => inTurns(ways, 1, sweepFaults),
  runners: () => inTurns(ways, 1, sweepRunners),
  mutants: catchMutants,
  tool: async () => killTool(),
};

say(
  `Node ${process.versions.node}; drivers ${drivers.join(' and ')}; strace ${hasStrace() ? 'found' : 'not found'}`,
);
const began = performance.now();
try {
  for (const [name, part] of Object.entries(PARTS)) if (values.only?.includes(name) ?? true) await part();
  say(`${crashes} crashes and faults in ${Math.round((performance.now() - began) / 1000)} s`);
} finally {
  rmSync(folder, {recursive: true, force: true});
}
