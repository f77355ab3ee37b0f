import {createHash} from 'node:crypto';
import {parseArgs} from 'node:util';
import {addCounts, type Counts, noCounts} from './counts.ts';
import {trackDatabases} from './databases.ts';
import {SimOs} from './os.ts';
import {drawSchedule, HAZARDS, type Hazard} from './schedule.ts';
import {World, type WorldResult} from './world.ts';

/** A range of seeds to live through; the parent sends these. */
export interface Order {
  from: number;
  count: number;
  /** Also tell all that happens in each world, as a hash. */
  isTraced?: boolean;
  /** Only worlds with all of these hazards. */
  needs?: readonly Hazard[] | undefined;
}

export interface BrokenSeed {
  seed: number;
  invariant: string;
  message: string;
}

export interface Delivery {
  from: number;
  count: number;
  /** Worlds that had what was needed. */
  lived: number;
  /** Undefined when the process never told. */
  counts: Counts | undefined;
  violations: BrokenSeed[];
  traces: string[];
}

trackDatabases();
const os = new SimOs();

async function live(
  seed: number,
  options: {
    without?: readonly Hazard[];
    rows?: number | undefined;
    steps?: number | undefined;
    log?: (line: string) => void;
  } = {},
): Promise<WorldResult> {
  const {without = [], rows, steps, log} = options;
  return new World(os, drawSchedule(seed, without, rows, steps), log).live();
}

async function deliver({from, count, isTraced, needs = []}: Order): Promise<Delivery> {
  const total = noCounts();
  const delivery: Delivery = {from, count, lived: 0, counts: total, violations: [], traces: []};
  for (let seed = from; seed < from + count; seed++) {
    if (needs.length > 0) {
      const {hazards} = drawSchedule(seed);
      if (!needs.every((hazard) => hazards.has(hazard))) continue;
    }
    delivery.lived++;
    const trace = isTraced ? createHash('sha256') : undefined;
    const {violation, counts} = await live(seed, trace && {log: (line) => trace.update(`${line}\n`)});
    addCounts(total, counts);
    if (violation !== undefined)
      delivery.violations.push({seed, invariant: violation.invariant, message: violation.message});
    if (trace !== undefined) delivery.traces.push(trace.digest('hex'));
  }
  return delivery;
}

/** Leaves out whatever the failure does not need: hazards, steps, rows. The same invariant must fail. */
async function shrink(seed: number): Promise<void> {
  const full = drawSchedule(seed);
  const first = (await live(seed)).violation;
  if (first === undefined) {
    process.stdout.write(`seed ${seed} fails nothing\n`);
    return;
  }
  const fails = async (without: Hazard[], rows: number, steps: number) =>
    (await live(seed, {without, rows, steps})).violation?.invariant === first.invariant;
  let without: Hazard[] = [];
  let {rows, steps} = full;
  for (let n = 1; n < steps; n++) if (await fails(without, rows, n)) steps = n;
  for (const hazard of HAZARDS)
    if (full.hazards.has(hazard) && (await fails([...without, hazard], rows, steps)))
      without = [...without, hazard];
  for (let n = 1; n < rows; n++) if (await fails(without, n, steps)) rows = n;
  const flags = `--seed ${seed} --rows ${rows} --steps ${steps}${without.length > 0 ? ` --without ${without.join(',')}` : ''}`;
  process.stdout.write(`${first.message}\nshrunk: npm run sim -- ${flags}\n`);
}

async function show(seed: number, values: {without?: string; rows?: string; steps?: string}): Promise<void> {
  const without = (values.without?.split(',') ?? []) as Hazard[];
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  const steps = values.steps === undefined ? undefined : Number(values.steps);
  const {hazards, ...schedule} = drawSchedule(seed, without, rows, steps);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(JSON.stringify({...schedule, hazards: [...hazards]}));
  const result = await live(seed, {without, rows, steps, log: print});
  print(result.violation === undefined ? 'nothing is broken' : `VIOLATION ${result.violation.message}`);
  process.exitCode = result.violation === undefined ? 0 : 1;
}

const {values} = parseArgs({
  options: {
    ...{seed: {type: 'string'}, without: {type: 'string'}, rows: {type: 'string'}, steps: {type: 'string'}},
    shrink: {type: 'boolean'},
  },
});
if (process.send !== undefined) {
  process.on('message', (order: Order) => void deliver(order).then((delivery) => process.send!(delivery)));
  process.on('disconnect', () => process.exit());
} else if (values.seed !== undefined && values.shrink) void shrink(Number(values.seed));
else if (values.seed !== undefined) void show(Number(values.seed), values);
