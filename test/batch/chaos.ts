import assert from 'node:assert/strict';
import {cpSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Journal} from '../../src/batch/journal/journal.ts';
import {BUCKETS} from '../../src/batch/model/outcome.ts';
import type {RunSettings} from '../../src/batch/send/run-settings.ts';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {reportBatch} from '../../src/batch/overview/report.ts';
import {
  type Transport,
  type TransportAnswer,
  TransportFailure,
  type TransportRequest,
} from '../../src/client/transport/transport.ts';
import {isEmptyService, type ServiceFile} from '../../src/service/service-file.ts';
import {spoken} from '../service/spoken.ts';
import {Bench, payeeId, seeded} from './harness.ts';
import {type Fault, TruthService} from './truth-service.ts';
import type {RunPath} from '../../src/batch/model/run-path.ts';

const HOUR_MS = 3_600_000;
const HORIZON_MS = 24 * HOUR_MS;
/** A request that was on its way when the horizon passed still arrives in time. */
const SLACK_MS = 5_000;
const LATENCY_MS = 800;

const LOSSES: readonly Fault[] = [
  'lost-before',
  'lost-after',
  'cut',
  'not-json',
  '503-before',
  '503-after',
  '500-after',
  '409-other',
  '429',
];

/** What a seed decides: everything that may go wrong, and when. */
export interface Schedule {
  seed: number;
  rows: number;
  path: RunPath;
  maxInFlight: number;
  /** Share of the requests that meet a fault. */
  trouble: number;
  refused: ReadonlySet<number>;
  unapproved: ReadonlySet<number>;
  /** Runs before the last, undisturbed ones; each may die, be drained or aborted at a request. */
  runs: {
    end: 'killed' | 'drained' | 'aborted' | 'left alone';
    atRequest: number;
    /** Killed before or after the service acts on that request. */
    acts: boolean;
    /** How long the batch is left unchanged afterwards. */
    pauseMs: number;
    /** The state folder, or only the journal, is gone afterwards. */
    loses: 'nothing' | 'journal' | 'everything';
  }[];
}

export function scheduleOf(seed: number): Schedule {
  const random = seeded(seed);
  const one = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const upTo = (n: number) => Math.floor(random() * n);
  const rows = random() < 0.03 ? 300 + upTo(300) : 1 + upTo(20);
  const some = (share: number) =>
    new Set(Array.from({length: rows}, (_, n) => n + 1).filter((n) => n > 1 && random() < share));
  const refused = some(one(0, 0, 0.15));
  const unapproved = some(one(0, 0, 0.15));
  return {
    seed,
    rows,
    path: one('stage-and-release', 'stage-and-release', 'direct', 'stage-only'),
    maxInFlight: one(1, 2, 5, 16),
    trouble: one(0, 0.05, 0.3),
    refused,
    unapproved: new Set([...unapproved].filter((n) => !refused.has(n))),
    runs: Array.from({length: upTo(4)}, () => ({
      end: one('killed', 'killed', 'drained', 'aborted', 'left alone'),
      atRequest: 1 + upTo(random() < 0.5 ? rows : rows * 3),
      acts: random() < 0.5,
      pauseMs: one(0, 0, 60_000, 10 * 60_000, 6 * HOUR_MS, HORIZON_MS - 30_000, 30 * HOUR_MS),
      loses: one('nothing', 'nothing', 'nothing', 'nothing', 'journal', 'everything'),
    })),
  };
}

export interface Outcome {
  schedule: Schedule;
  service: TruthService;
  summary: Summary;
  /** Reference -> state, as the results file says. */
  reported: Map<string, string>;
  /** Whether some pause was longer than keys are trusted. */
  isPastHorizon: boolean;
  postsAfter: number;
}

/** Plans of a size are made once and copied. */
const templates = new Map<number, Bench>();
export function removeTemplates(): void {
  for (const bench of templates.values()) bench.remove();
  templates.clear();
}

async function planned(rows: number): Promise<Bench> {
  const bench = new Bench();
  let template = templates.get(rows);
  if (template === undefined) {
    templates.set(rows, (template = new Bench()));
    await template.plan(template.payouts(rows));
  }
  cpSync(template.stateDir, bench.stateDir, {recursive: true});
  return bench;
}

/**
 * Plays a schedule against the service that keeps the truth, and holds every moment of it against the invariants: what is
 * sent when, and after each run what is said against what is true.
 */
export async function play(schedule: Schedule, speaks: ServiceFile = {}): Promise<Outcome> {
  const bench = await planned(schedule.rows);
  const service = serviceFor(schedule, bench);
  const random = seeded(schedule.seed ^ 0x5eed);
  const wire = new WatchedWire(service, bench, random, schedule.maxInFlight);
  const settings = {horizonMs: HORIZON_MS, releaseRest: random() < 0.5, trustRefusals: true};
  let isPastHorizon = false;
  let hasForgotten: 'nothing' | 'journal' | 'everything' = 'nothing';
  try {
    for (const run of schedule.runs) {
      service.fault = () =>
        random() < schedule.trouble ? LOSSES[Math.floor(random() * LOSSES.length)] : undefined;
      const path = schedule.path === 'stage-only' && random() < 0.3 ? 'stage-and-release' : schedule.path;
      await disturbed(bench, wire, run, {path, maxInFlight: schedule.maxInFlight, settings, random, speaks});
      await compareWithTruth(bench, service, hasForgotten !== 'nothing');
      // Without any state of ours only the service knows, and only as long as it remembers the keys.
      await bench.clock.sleep(hasForgotten === 'everything' ? Math.min(run.pauseMs, 60_000) : run.pauseMs);
      isPastHorizon ||= bench.clock.monotonic() > HORIZON_MS - HOUR_MS;
      if (run.loses === 'nothing' || (run.loses === 'everything' && isPastHorizon)) continue;
      await lose(bench, run.loses, schedule.rows);
      if (hasForgotten !== 'everything') hasForgotten = run.loses;
    }
    service.fault = () => undefined;
    const path = schedule.path === 'stage-only' ? 'release' : schedule.path;
    if (schedule.path === 'stage-only')
      await undisturbed(bench, wire, {path: 'stage-only', settings, random, speaks}, schedule);
    const summary = await undisturbed(
      bench,
      wire,
      {path, settings: {...settings, releaseRest: true}, random, speaks},
      schedule,
    );
    const reported = await compareWithTruth(bench, service, false);
    const before = service.posts;
    await undisturbed(
      bench,
      wire,
      {path, settings: {...settings, releaseRest: true}, random, speaks},
      schedule,
    );
    const postsAfter = service.posts - before;
    return {schedule, service, summary, reported, isPastHorizon, postsAfter};
  } finally {
    bench.remove();
  }
}

async function lose(bench: Bench, what: 'journal' | 'everything', rows: number): Promise<void> {
  const path = what === 'journal' ? join(bench.stateDir, 'batches', 'payout', 'b1') : bench.stateDir;
  rmSync(path, {recursive: true, force: true});
  for (const name of ['results.csv', 'summary.json', 'failed.csv'])
    rmSync(join(bench.folder, `b1.${name}`), {force: true});
  await bench.plan(bench.payouts(rows));
}

function serviceFor(schedule: Schedule, bench: Bench): TruthService {
  const service = new TruthService();
  service.keepRequests = false;
  service.now = () => bench.clock.now();
  service.keyLifeMs = HORIZON_MS + SLACK_MS;
  const payees = (rows: ReadonlySet<number>) => new Set([...rows].map(payeeId));
  const [refused, unapproved] = [payees(schedule.refused), payees(schedule.unapproved)];
  service.refuse = (body) =>
    refused.has(body['payee_id'] as string)
      ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no usable method'}
      : undefined;
  service.approvalFails = (body) => unapproved.has(body['payee_id'] as string);
  return service;
}

interface RunOptions {
  path: RunPath;
  settings: Partial<RunSettings>;
  random: () => number;
  maxInFlight?: number;
  /** Its dialect is spoken between the batch and the service. */
  speaks: ServiceFile;
}

async function disturbed(
  bench: Bench,
  wire: WatchedWire,
  run: Schedule['runs'][number],
  options: RunOptions,
): Promise<void> {
  const [drain, abort] = [new AbortController(), new AbortController()];
  wire.begin(run.atRequest, () => {
    if (run.end === 'killed') wire.kill(run.acts);
    if (run.end === 'drained' || run.end === 'aborted') drain.abort(new Error('Ctrl-C'));
    if (run.end === 'aborted') abort.abort(new Error('Ctrl-C again'));
  });
  try {
    const summary = await bench.run(wire.service, {
      ...options,
      ...overDialect(wire, options.speaks),
      opened: ({journal}) => wire.watch(journal),
      drain: drain.signal,
      abort: abort.signal,
    });
    checkSums(summary);
    await checkReport(bench, summary);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

async function undisturbed(
  bench: Bench,
  wire: WatchedWire,
  options: RunOptions,
  {maxInFlight}: Schedule,
): Promise<Summary> {
  wire.begin(Infinity, () => undefined);
  const summary = await bench.run(wire.service, {
    ...{...options, maxInFlight, ...overDialect(wire, options.speaks)},
    opened: ({journal}) => wire.watch(journal),
  });
  checkSums(summary);
  await checkReport(bench, summary);
  return summary;
}

const overDialect = (wire: WatchedWire, speaks: ServiceFile) =>
  isEmptyService(speaks) ? {transport: wire} : {transport: spoken(wire, speaks), service: speaks};

class Killed extends Error {}

/**
 * The way to the service, as slow and as wayward as a network, and a witness: it sees every request leave.
 */
class WatchedWire implements Transport {
  readonly service: TruthService;
  readonly #bench: Bench;
  readonly #random: () => number;
  readonly #maxInFlight: number;
  readonly #inner: Transport;
  readonly #bodies = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  #journal: Journal | undefined;
  #inFlight = 0;
  #sent = 0;
  #gate = 0;
  #eventAt = Infinity;
  #event: () => void = () => undefined;
  #killed: 'no' | 'before' | 'after' = 'no';

  constructor(service: TruthService, bench: Bench, random: () => number, maxInFlight: number) {
    this.service = service;
    this.#bench = bench;
    this.#random = random;
    this.#maxInFlight = maxInFlight;
    this.#inner = service.transport();
  }

  /** A new process: `event` happens with its n-th request. */
  begin(eventAt: number, event: () => void): void {
    this.#sent = this.#inFlight = this.#gate = 0;
    this.#killed = 'no';
    this.#eventAt = eventAt;
    this.#event = event;
  }

  watch(journal: Journal): void {
    this.#journal = journal;
  }

  kill(acts: boolean): void {
    this.#killed = acts ? 'after' : 'before';
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    if (this.#killed !== 'no') throw new Killed();
    if (request.signal?.aborted) throw new TransportFailure('aborted', 'given up', {sent: false});
    this.#check(request);
    this.#inFlight++;
    assert.ok(this.#inFlight <= this.#maxInFlight, `${this.#inFlight} requests in flight`);
    try {
      return await this.#exchange(request);
    } finally {
      this.#inFlight--;
    }
  }

  async #exchange(request: TransportRequest): Promise<TransportAnswer> {
    const {clock} = this.#bench;
    await clock.sleep(this.#random() * LATENCY_MS);
    if (++this.#sent === this.#eventAt) this.#event();
    if (this.#killed === 'before') throw new Killed();
    const answer = this.#inner.send(request);
    const outcome = await answer.then(
      (value) => ({value}),
      (error: unknown) => ({error}),
    );
    if (this.#killed === 'after') throw new Killed();
    await clock.sleep(this.#random() * LATENCY_MS);
    if (this.#killed !== 'no') throw new Killed();
    if (request.signal?.aborted) throw new TransportFailure('aborted', 'given up', {sent: true});
    if ('error' in outcome) throw outcome.error;
    return this.#delayed(outcome.value);
  }

  /** Now and then a refusal says how long to wait; from when it is read, nothing may leave before that. */
  #delayed(answer: TransportAnswer): TransportAnswer {
    if ((answer.status !== 429 && answer.status !== 503) || this.#random() < 0.5) return answer;
    const seconds = 1 + Math.floor(this.#random() * 100);
    this.#gate = Math.max(this.#gate, this.#bench.clock.monotonic() + seconds * 1000);
    return {...answer, headers: {...answer.headers, 'retry-after': String(seconds)}};
  }

  #check(request: TransportRequest): void {
    const now = this.#bench.clock.monotonic();
    assert.ok(now >= this.#gate, `a ${request.method} left ${this.#gate - now} ms before the gate opened`);
    if (request.method !== 'POST') return;
    const body = JSON.parse(request.body!) as {auto_approve: boolean; metadata: Record<string, string>};
    const reference = body.metadata['remit_reference']!;
    const n = Number(reference.replace('INV-', ''));
    const phases = body.auto_approve ? (['release', 'direct'] as const) : (['stage'] as const);
    assert.ok(
      this.#journal!.windows(phases).some((window) => window.first <= n && n <= window.last),
      `${reference} was sent before its window was committed`,
    );
    const key = request.headers['idempotency-key']!;
    const bytes = request.body!.replace(/,"auto_approve":(true|false)\}$/, '');
    assert.equal(this.#bodies.get(key) ?? bytes, bytes, 'all attempts of a row have the same bytes');
    this.#bodies.set(key, bytes);
    assert.equal(this.#keys.get(reference) ?? key, key, 'all attempts of a row have the same key');
    this.#keys.set(reference, key);
  }

  async close(): Promise<void> {}
}

/** Counts and money of the eight buckets are those of the plan. */
export function checkSums(summary: Summary): void {
  const count = BUCKETS.reduce((sum, bucket) => sum + summary[bucket], 0);
  assert.equal(count, summary.planned, 'the buckets hold every row once');
  for (const bucket of BUCKETS) assert.ok(summary[bucket] >= 0, `${bucket} is ${summary[bucket]}`);
  for (const totals of Object.values(summary.totals)) {
    const minor = (text: string) => BigInt(text.replace('.', ''));
    const sum = BUCKETS.reduce((all, bucket) => all + minor(totals[bucket]), 0n);
    assert.equal(sum, minor(totals.planned), 'the buckets hold all of the money');
  }
}

/** What is said when asked later is what was said at the end. */
async function checkReport(bench: Bench, summary: Summary): Promise<void> {
  const later = await report(bench);
  const counts = (of: Summary) => BUCKETS.map((bucket) => `${bucket} ${of[bucket]}`);
  assert.deepEqual(counts(later), counts(summary), 'the report says what the run said');
  assert.deepEqual(later.totals, summary.totals);
}

async function report(bench: Bench): Promise<Summary> {
  const {summary} = await reportBatch({
    ...{kind: 'payout', batchId: 'b1', stateDir: bench.stateDir, clock: bench.clock, folder: bench.folder},
  });
  checkSums(summary);
  return summary;
}

/**
 * Each row as the results tell it, held against the records of the service. After state was lost, rows may have been paid
 * by a batch that nobody remembers: then only what is claimed is checked.
 */
async function compareWithTruth(
  bench: Bench,
  service: TruthService,
  hasForgotten: boolean,
): Promise<Map<string, string>> {
  const paid = new Map<string, number>();
  const created = new Set<string>();
  for (const record of service.byId.values()) {
    const reference = (record.body['metadata'] as Record<string, string>)['remit_reference']!;
    created.add(reference);
    if (record.approvals > 0) paid.set(reference, (paid.get(reference) ?? 0) + record.approvals);
  }
  for (const [reference, times] of paid) assert.equal(times, 1, `${reference} was paid ${times} times`);
  await report(bench);
  const reported = readReported(bench);
  for (const [reference, state] of reported) {
    if (state === 'accepted' || state === 'already_paid')
      assert.ok(paid.has(reference), `${reference} is called ${state} and was not paid`);
    else if (state !== 'in_doubt' && !hasForgotten)
      assert.ok(!paid.has(reference), `${reference} was paid and is called ${state}`);
    if (state === 'rejected') assert.ok(!created.has(reference), `${reference} has a record`);
  }
  return reported;
}

/** Reference -> state, of the results file. */
function readReported(bench: Bench): Map<string, string> {
  const lines = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8').trim().split('\r\n');
  const cells = lines.map((line) => line.slice(1, -1).split('","'));
  const at = cells[0]!.indexOf('remit_state');
  return new Map(cells.slice(1).map((row) => [row[0]!, row[at]!]));
}
