// What it costs to verify and record a webhook: `npm run bench:listen [-- --rounds 9]`.
//   Deliveries per second, verified and durable before the answer, and with --no-record, against a bare node:http server that
//   reads the body and answers; and the 99th percentile of the answer time while a forward target hangs, against the same
//   listener without forwarding.
// `-- --layers` prints what the steps of a delivery cost by themselves instead.
// The built tool is measured. Sides run interleaved, slice by slice, so that what else the machine does falls on all alike; what
// counts is the median over the rounds of the ratios within a round.
import {fork, spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, openSync, readFileSync, rmSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import {BIN} from '../smoke/spawn-cli.ts';
import {bundle} from './bundle.ts';
import type {Order, Outcome} from './listen-load.ts';

const {values} = parseArgs({
  options: {
    rounds: {type: 'string', default: '9'},
    slices: {type: 'string', default: '4'},
    deliveries: {type: 'string', default: '5000'},
    p99: {type: 'string', default: '4000'},
    layers: {type: 'boolean', default: false},
  },
});
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 64;
const GOAL = {durable: 0.5, unrecorded: 0.8, p99: 1.2};
const SECRET = 'whsec_0123456789abcdef';
const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'));
const children: ChildProcess[] = [];

interface Side {
  child: ChildProcess;
  port: number;
  /** Medians of its rounds are shown. */
  rates: number[];
  cpuUs: number[];
  p99Ms: number[];
}

/** Output goes to a file, as that of a listener that runs for long. */
async function start(name: string, argv: readonly string[]): Promise<Side> {
  const output = join(folder, `${name}.out`);
  const env = {PATH: process.env['PATH'], HOME: folder, REMIT_STATE_DIR: join(folder, name)};
  const child = spawn(process.execPath, argv, {
    env: {...env, REMIT_WEBHOOK_SECRET: SECRET},
    stdio: ['ignore', openSync(output, 'w'), 'inherit'],
  });
  children.push(child);
  for (;;) {
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(readFileSync(output, 'utf8')) ?? [];
    if (port !== undefined) return {child, port: Number(port), rates: [], cpuUs: [], p99Ms: []};
    if (child.exitCode !== null) throw new Error(`${name} ended before it was ready`);
    await wait(20);
  }
}

const listen = (...flags: string[]): string[] => [BIN, 'webhooks', 'listen', '--port', '0', ...flags];

async function drive(load: ChildProcess, {port}: Side, deliveries: number): Promise<Outcome> {
  const order: Order = {port, secret: SECRET, connections: CONNECTIONS, deliveries};
  load.send(order);
  const [outcome] = (await once(load, 'message')) as [Outcome];
  return outcome;
}

/** What a process has used of all processors, in milliseconds; Linux has it, in hundredths of a second. */
function cpuMs({child}: Side): number {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((one, index) => one / to[index]!);
const verdict = (isKept: boolean): string => (isKept ? 'kept' : 'MISSED');

async function measureRates(load: ChildProcess): Promise<boolean> {
  const sides: Record<string, Side> = {
    'bare node:http': await start('bare', [await bundle('listen-bare.ts')]),
    listen: await start('durable', listen()),
    'listen --no-record': await start('unrecorded', listen('--no-record')),
  };
  const all = Object.values(sides);
  const [slices, deliveries] = [Number(values.slices), Number(values.deliveries)];
  for (const side of all) await drive(load, side, 4 * deliveries); // warms up
  for (let round = 0; round < ROUNDS; round += 1) {
    const seconds = new Map(all.map((side) => [side, 0]));
    const before = all.map(cpuMs);
    for (let slice = 0; slice < slices; slice += 1)
      for (const side of slice % 2 === 0 ? all : [...all].reverse()) {
        const {perSecond} = await drive(load, side, deliveries);
        seconds.set(side, seconds.get(side)! + deliveries / perSecond);
      }
    for (const [index, side] of all.entries()) {
      side.rates.push((slices * deliveries) / seconds.get(side)!);
      side.cpuUs.push(((cpuMs(side) - before[index]!) * 1000) / (slices * deliveries));
    }
  }
  const [bare, durable, unrecorded] = all.map(({rates}) => median(ratios(rates, all[0]!.rates)));
  const goals = [undefined, GOAL.durable, GOAL.unrecorded];
  console.log('                      per second  of bare  processor time');
  for (const [index, [name, {rates, cpuUs}]] of Object.entries(sides).entries()) {
    const [found, goal] = [[bare, durable, unrecorded][index]!, goals[index]];
    console.log(
      `${name.padEnd(20)}  ${median(rates).toFixed(0).padStart(10)}  ${found.toFixed(2).padStart(7)}  ` +
        `${median(cpuUs).toFixed(0).padStart(11)} µs` +
        (goal === undefined ? '' : `  at least ${goal}: ${verdict(found >= goal)}`),
    );
  }
  await stopAll(all);
  return durable! >= GOAL.durable && unrecorded! >= GOAL.unrecorded;
}

/** A target that never answers. */
async function hangingTarget(): Promise<Server> {
  const server = createServer((request) => void request.resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function measureP99(load: ChildProcess): Promise<boolean> {
  const target = await hangingTarget();
  const {port} = target.address() as AddressInfo;
  const plain = await start('plain', listen());
  const flags = ['--forward-to', String(port), '--max-backlog', '1000000', '--no-health-check'];
  const hanging = await start('hanging', listen(...flags));
  const deliveries = Number(values.p99);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? [plain, hanging] : [hanging, plain]) {
      const {p99Ms} = await drive(load, side, deliveries);
      if (round >= 0) side.p99Ms.push(p99Ms); // the first warms up
    }
  }
  const found = median(ratios(hanging.p99Ms, plain.p99Ms));
  const isKept = found <= GOAL.p99;
  console.log(
    `99th percentile of the answer time: ${median(plain.p99Ms).toFixed(1)} ms, ${median(hanging.p99Ms).toFixed(1)} ms while ` +
      `a target hangs; ratio ${found.toFixed(2)}  at most ${GOAL.p99}: ${verdict(isKept)}`,
  );
  await stopAll([plain, hanging]);
  target.close();
  return isKept;
}

async function stopAll(sides: readonly Side[]): Promise<void> {
  for (const {child} of sides) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

if (values.layers) {
  await once(fork(await bundle('listen-layers.ts')), 'exit');
  process.exit();
}
const load = fork(await bundle('listen-load.ts'));
try {
  console.log(
    `${CONNECTIONS} connections, bodies of 1 KB, a generator in a process of its own; medians of ${ROUNDS} paired rounds`,
  );
  const results = [await measureRates(load), await measureP99(load)];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  load.kill();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, {recursive: true, force: true});
}
