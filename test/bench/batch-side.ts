/**
 * One side of the benchmark, a process of its own. Arguments: what, base URL or file, and options as JSON; the result is
 * one line of JSON on stdout.
 *
 * `bare`: nothing but undici's `request`, the key of each row and the reply parsed; `dispatch`: the same on its lowest
 * level. `run`: a planned batch, by the
 * engine that the command uses, with journal and registry on the disk. `plan`: the plan alone.
 */
import {bareCommands} from '../batch/bare-commands.ts';
import {readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {Pool, type Dispatcher} from 'undici';
import {claimBatch} from '../../src/batch/registry/batch-claims.ts';
import {BatchRun} from '../../src/batch/run/batch-run.ts';
import {idempotencyKey} from '../../src/batch/model/identity.ts';
import {openBatch} from '../../src/batch/journal/open-batch.ts';
import {AdaptiveSpeed} from '../../src/batch/speed/adaptive.ts';
import type {Speed} from '../../src/batch/speed/speed.ts';
import {planBatch} from '../../src/batch/plan/plan.ts';
import {CANONICAL, Codec} from '../../src/client/requests/codec.ts';
import {PoolTransport} from '../../src/client/transport/pool-transport.ts';
import {DEFAULT_TIMEOUTS} from '../../src/client/transport/transport.ts';
import {systemClock} from '../../src/clock.ts';
import {DIALECT} from './dialect.ts';
import {FixedSpeed} from './fixed-speed.ts';
import {currency, payee, reference} from './payout-rows.ts';

export interface SideOptions {
  baseUrl: string;
  file: string;
  stateDir: string;
  rows: number;
  /** Fixed for `bare`, and for `run` unless its speed is found; then the most. */
  inFlight: number;
  findsSpeed?: boolean;
  /** With the service file of `dialect.ts`. */
  differs?: boolean;
}

export interface Measured {
  rows: number;
  /** Of sending and settling the rows. */
  seconds: number;
  cpuSeconds: number;
  /** Of the whole run, results included; equal to `seconds` where there is nothing else. */
  wholeSeconds: number;
  wholeCpuSeconds: number;
  peakMb: number;
}

const BATCH = 'bench';
const KEY = 'test_bench_key';

interface Mark {
  at: number;
  cpu: number;
}
const mark = (): Mark => {
  const {user, system} = process.cpuUsage();
  return {at: performance.now(), cpu: user + system};
};

function measured(rows: number, from: Mark, sent: Mark, end: Mark): Measured {
  return {
    rows,
    seconds: (sent.at - from.at) / 1e3,
    cpuSeconds: (sent.cpu - from.cpu) / 1e6,
    wholeSeconds: (end.at - from.at) / 1e3,
    wholeCpuSeconds: (end.cpu - from.cpu) / 1e6,
    peakMb: peakMb(),
  };
}

function peakMb(): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

/** What both bare loops send for a row, with its key derived. */
function payment(n: number): {path: string; method: 'POST'; headers: Record<string, string>; body: string} {
  const key = idempotencyKey({
    ...{kind: 'payout', mode: 'test', namespace: 'default'},
    ...{reference: reference(n), generation: 0},
  });
  const body = JSON.stringify({
    payee_id: payee(n),
    amount_in_minor_units: 10_000 + n,
    currency_code: currency,
    metadata: {remit_reference: reference(n)},
    auto_approve: true,
  });
  const headers = {
    'x-api-key': KEY,
    accept: 'application/json',
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  return {path: '/api/payouts', method: 'POST', headers, body};
}

function isApproved(reply: string): boolean {
  return (JSON.parse(reply) as {status: string}).status === 'approved';
}

/** The loop that one would write: undici's `request`, with so many at work at a time. */
async function bare({baseUrl, rows, inFlight}: SideOptions): Promise<Measured> {
  const pool = new Pool(baseUrl, {connections: inFlight, pipelining: 1});
  const from = mark();
  let begun = 0;
  let accepted = 0;
  const work = async () => {
    while (begun < rows) {
      const {body} = await pool.request(payment(++begun));
      if (isApproved(await body.text())) accepted++;
    }
  };
  await Promise.all(Array.from({length: inFlight}, work));
  const end = mark();
  if (accepted !== rows) throw new Error(`accepted ${accepted} of ${rows}`);
  await pool.close();
  return measured(rows, from, end, end);
}

/** A raw handler, with neither a promise nor a stream: what undici can do at most, a third quicker than `request`. */
class BareHandler implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #done: (body: Buffer) => void;
  readonly #failed: (error: Error) => void;

  constructor(done: (body: Buffer) => void, failed: (error: Error) => void) {
    this.#done = done;
    this.#failed = failed;
  }

  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }
  onResponseEnd(): void {
    this.#done(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks));
  }
  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#failed(error);
  }
}

async function dispatch({baseUrl, rows, inFlight}: SideOptions): Promise<Measured> {
  const pool = new Pool(baseUrl, {connections: inFlight, pipelining: 1});
  const from = mark();
  let begun = 0;
  let accepted = 0;
  await new Promise<void>((resolve, reject) => {
    const sendNext = () => {
      const handler = new BareHandler((reply) => {
        if (isApproved(reply.toString())) accepted++;
        if (begun < rows) sendNext();
        else if (accepted === rows) resolve();
      }, reject);
      pool.dispatch(payment(++begun), handler);
    };
    for (let i = 0; i < Math.min(inFlight, rows); i++) sendNext();
  });
  const end = mark();
  await pool.close();
  return measured(rows, from, end, end);
}

async function plan({file, stateDir, rows}: SideOptions): Promise<Measured> {
  const from = mark();
  await planBatch({kind: 'payout', file, stateDir, batchId: BATCH, clock: systemClock});
  const end = mark();
  return measured(rows, from, end, end);
}

async function run({
  baseUrl,
  stateDir,
  file,
  inFlight,
  rows,
  findsSpeed = false,
  differs = false,
}: SideOptions): Promise<Measured> {
  const clock = systemClock;
  const batch = await openBatch({stateDir, kind: 'payout', batchId: BATCH, purpose: 'benchmark', clock});
  const profile = 'bench';
  const claims = await claimBatch({batch, stateDir, mode: 'test', baseUrl, profile, breakLock: false, clock});
  claims.recordDecisions();
  const transport = new PoolTransport({baseUrl, connections: inFlight});
  const never = new AbortController().signal;
  let sent: Mark | undefined;
  const from = mark();
  const summary = await new BatchRun({
    ...{plan: batch.plan, journal: batch.journal, claims: claims.registry, place: batch.place},
    ...{transport, baseUrl, mode: 'test', key: KEY, keyFingerprint: 'bench'},
    codec: differs ? new Codec(DIALECT) : CANONICAL,
    timeouts: DEFAULT_TIMEOUTS,
    speed: counted(
      findsSpeed ? new AdaptiveSpeed({maxInFlight: inFlight}) : new FixedSpeed(inFlight),
      rows,
      () => (sent = mark()),
    ),
    clock,
    random: Math.random,
    path: 'direct',
    settings: {
      ...{kind: 'payout', horizonMs: 24 * 3_600_000, maxWaitMs: 60_000, acceptDifferences: false},
      ...{releaseRest: false, trustRefusals: false, retryUnapproved: false},
    },
    out: dirname(file),
    commands: bareCommands(null),
    assertHeld: () => batch.lock.assertHeld(),
    drain: never,
    abort: never,
    onProgress: () => {},
  }).run();
  const end = mark();
  await transport.close();
  await claims.registry.close();
  await batch.close();
  if (summary.accepted !== rows) throw new Error(`accepted ${summary.accepted} of ${rows}`);
  return measured(rows, from, sent!, end);
}

/** Calls `onAll` when so many requests have succeeded. */
function counted(speed: Speed, count: number, onAll: () => void): Speed {
  const succeeded = speed.succeeded.bind(speed);
  let left = count;
  speed.succeeded = (now, sending) => {
    succeeded(now, sending);
    if (--left === 0) onAll();
  };
  return speed;
}

const SIDES = {bare, dispatch, plan, run} as const;
const [what = '', options = '{}'] = process.argv.slice(2);
const side = SIDES[what as keyof typeof SIDES];
process.stdout.write(`${JSON.stringify(await side(JSON.parse(options) as SideOptions))}\n`);
process.exit(0);
