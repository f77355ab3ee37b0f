// What the sandbox costs: `npm run bench:sandbox`.
//   Creates per second with its durable store, against a bare server that only checks and answers, with Hono; and on
//   PostgreSQL, where that is installed.
// Everything runs interleaved, slice by slice, so that the machine's noise falls on all alike; what counts are medians
// of ratios within a round.
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {request, Agent} from 'node:http';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import {postgresPrograms} from '../store/postgres/postgres-server.ts';
import {fileStore, postgresStore, type TestStore} from '../sandbox/test-store.ts';
import {bundle} from './bundle.ts';

const {values} = parseArgs({
  options: {
    rounds: {type: 'string', default: '10'},
    ms: {type: 'string', default: '1000'},
  },
});
const CLIENTS = 32;
const GOAL = 0.5;
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_EXTRA_CA_CERTS'),
);

interface Ready {
  base_url: string;
  test_key: string;
  payee: string;
}

interface Side extends Ready {
  child: ChildProcess;
  agent: Agent;
  rates: number[];
  /** Processor time that the server took for one create, each slice: steadier than rates where others use the machine. */
  cpuUs: number[];
}

async function firstLine<T>(child: ChildProcess): Promise<T> {
  for await (const line of createInterface({input: child.stdout!})) return JSON.parse(line) as T;
  throw new Error('a server ended before it was ready');
}

async function open(file: string, ...args: string[]): Promise<Side> {
  const child = spawn(process.execPath, [await bundle(file), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const agent = new Agent({keepAlive: true, maxSockets: CLIENTS});
  return {...(await firstLine<Ready>(child)), child, agent, rates: [], cpuUs: []};
}

/** One create; the status. */
function create(side: Side): Promise<number> {
  const body = JSON.stringify({payee_id: side.payee, amount_in_minor_units: 1250, metadata: {order: 'A-1'}});
  return new Promise((resolve, reject) => {
    const sent = request(
      `${side.base_url}/api/payouts`,
      {
        method: 'POST',
        agent: side.agent,
        headers: {
          'x-api-key': side.test_key,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'idempotency-key': crypto.randomUUID(),
        },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a process has used of all processors, in milliseconds; Linux says so, in hundredths of a second. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** Creates for so long by many clients at once; how many a second. */
async function slice(side: Side, ms: number): Promise<{rate: number; cpuUs: number}> {
  const cpu = cpuMs(side.child.pid!);
  const began = performance.now();
  let made = 0;
  const client = async () => {
    while (performance.now() - began < ms) {
      const status = await create(side);
      if (status !== 201) throw new Error(`${side.base_url} answered ${status}`);
      made += 1;
    }
  };
  await Promise.all(Array.from({length: CLIENTS}, client));
  const rate = (made * 1000) / (performance.now() - began);
  return {rate, cpuUs: ((cpuMs(side.child.pid!) - cpu) * 1000) / made};
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

async function creates(): Promise<number> {
  const stores: TestStore[] = [await fileStore()];
  const sides: Record<string, Side> = {
    bare: await open('sandbox-bare.ts'),
    embedded: await open('sandbox-server.ts', stores[0]!.place),
  };
  if (postgresPrograms() === undefined && process.env['REMIT_TEST_POSTGRES'] === undefined)
    console.log('PostgreSQL is not installed: it is left out.');
  else {
    stores.push(await postgresStore());
    sides['postgres'] = await open('sandbox-server.ts', stores[1]!.place);
  }
  const ms = Number(values.ms);
  for (const side of Object.values(sides)) await slice(side, ms); // warms up
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const side of Object.values(sides)) {
      const {rate, cpuUs} = await slice(side, ms);
      side.rates.push(rate);
      side.cpuUs.push(cpuUs);
    }
  const ratios: Record<string, number> = {};
  for (const [name, {rates, cpuUs}] of Object.entries(sides)) {
    ratios[name] = median(rates.map((rate, round) => rate / sides['bare']!.rates[round]!));
    console.log(
      `  ${name.padEnd(9)} ${median(rates).toFixed(0).padStart(6)} creates/s  ratio ${ratios[name].toFixed(2)}` +
        `  ${median(cpuUs).toFixed(0)} µs of processor time each`,
    );
  }
  for (const {child, agent} of Object.values(sides)) {
    agent.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const store of stores) await store.drop();
  return ratios['embedded']!;
}

console.log(`${CLIENTS} clients, medians of ${values.rounds} rounds:`);
const made = await creates();
console.log(
  `creates, durable / bare: ${made.toFixed(2)} (goal ${GOAL}, ${made >= GOAL ? 'kept' : 'MISSED'})`,
);
process.exit(made >= GOAL ? 0 : 1);
