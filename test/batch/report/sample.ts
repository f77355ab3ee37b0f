import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {noteConfirmation} from '../../../src/batch/journal/confirmations.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {writeReport} from '../../../src/batch/report/file.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import {FollowBench} from '../follow/bench.ts';
import {payeeId, seeded} from '../harness.ts';

/**
 * Real runs of the engine against the truth service, with everything that a report may have to show: a page to look at,
 * made by `npm run look:report [FOLDER]`.
 */
const folder = process.argv[2] ?? 'report-samples';
mkdirSync(folder, {recursive: true});

const HOUR = 3_600_000;

/** A service that takes its time, so that a chart has something to show. */
const slowly = (bench: FollowBench, ms: number): Transport => ({
  send: async (request) => {
    await bench.clock.sleep(ms);
    return bench.service.transport().send(request);
  },
  close: async () => undefined,
});

async function write(bench: FollowBench, name: string): Promise<void> {
  const batch = await openBatch({
    ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'look', clock: bench.clock},
  });
  try {
    const path = join(folder, `${name}.html`);
    rmSync(path, {force: true}); // of an earlier batch, which a report would not replace
    writeReport({batch, summary: readSummary(batch, bench.clock.now()), path});
    console.log(path);
  } finally {
    await batch.close();
  }
}

async function confirm(bench: FollowBench, doing: string, by: string, asked = true): Promise<void> {
  const batch = await openBatch({
    ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'look', clock: bench.clock},
  });
  const {planHash, revision} = batch.plan;
  noteConfirmation(batch.journal, {
    ...{planHash, revision, doing, asked, by, profile: 'acme-prod', at: bench.clock.now()},
  });
  await batch.close();
}

/** Everything settled, in one go, with a live key. */
async function clean(): Promise<void> {
  const bench = new FollowBench();
  await bench.plan(bench.payouts(990, 'november-payroll.csv'));
  await confirm(bench, 'pay', 'mkessler');
  await bench.run(bench.service, {transport: slowly(bench, 180), mode: 'live', key: 'live_0123456789'});
  let asked = 0;
  bench.service.fault = ({path}) => {
    const record = bench.service.byId.get(path.split('/').at(-1)!);
    if (record !== undefined && ++asked > 700) record.status = 'settled';
    return undefined;
  };
  await bench.follow({until: 'settled'});
  await write(bench, 'clean-live');
  bench.remove();
}

/** Staged one day, released the next, followed the day after; something of every kind of trouble. */
async function troubled(rows: number, name: string): Promise<void> {
  const bench = new FollowBench();
  const random = seeded(7);
  const strange: Record<number, string> = {
    60: '<img src=x onerror=alert(1)>',
    52: 'R&D "Q4" \'25\'',
    40: 'Überweisung № 7 — ünïcode ✓ שלום',
    96: 'x'.repeat(120),
  };
  const currencies = ['USD', 'USD', 'USD', 'EUR', 'JPY'];
  const lines = Array.from({length: rows}, (_, i) => {
    const currency = currencies[i % 5]!;
    const amount = currency === 'JPY' ? String(10_000 + i * 37) : (20 + random() * 4000).toFixed(2);
    return `"${(strange[i] ?? `INV-2026-${String(i + 1).padStart(5, '0')}`).replaceAll('"', '""')}",${payeeId(i + 1)},${amount},${currency}`;
  });
  const file = bench.file(
    'payouts-november.csv',
    `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`,
  );
  await bench.plan(file);
  const {service} = bench;
  const number = (body: Record<string, unknown>) => Number(String(body['payee_id']).slice(-12));
  service.distort = (record) => {
    const failed =
      record['status'] === 'failed'
        ? {
            transfer_details: {
              failure: {code: 'R03', message: 'No account, or unable to locate account 000123456789'},
            },
          }
        : {};
    const row = number(record);
    const rail = row % 97 === 0 ? {client_metadata: {}} : {};
    return {
      ...record,
      currency_code: (service.byId.get(String(record['id']))?.body ?? record)['currency_code'],
      ...failed,
      ...rail,
    };
  };
  service.refuse = (body) =>
    number(body) % 61 === 0
      ? {
          status: 422,
          error_code: 'INVALID_PAYMENT_DETAILS',
          message: `No verified method for "${number(body)}" <b>now</b>; card 4111 1111 1111 1111`,
        }
      : undefined;
  service.approvalFails = (body) => number(body) % 53 === 0;
  await confirm(bench, 'stage', 'mkessler');
  await bench.run(service, {transport: slowly(bench, 700), path: 'stage-only'});
  bench.clock.advance(19 * HOUR);
  const releases = new Map<string, number>();
  service.fault = ({method, key, body, path}) => {
    const row = method === 'POST' ? number(JSON.parse(body) as Record<string, unknown>) : 0;
    if (row % 113 === 5 && body.includes('"auto_approve":true')) {
      releases.set(key!, (releases.get(key!) ?? 0) + 1);
      return releases.get(key!)! > 0 ? '503-before' : undefined;
    }
    if (method === 'GET' && number(service.byId.get(path.split('/').at(-1)!)?.body ?? {}) % 113 === 5)
      return '503-before';
    return undefined;
  };
  await confirm(bench, 'release', 'a.osei');
  await bench.run(service, {
    transport: slowly(bench, 600),
    path: 'release',
    settings: {releaseRest: true},
    maxInFlight: 24,
  });
  bench.clock.advance(26 * HOUR);
  service.fault = ({path}) => {
    const record = service.byId.get(path.split('/').at(-1)!);
    if (record === undefined || record.status === 'created') return undefined;
    const row = number(record.body);
    record.status =
      row % 41 === 0
        ? 'failed'
        : row % 149 === 0
          ? 'canceled'
          : row % 201 === 0
            ? 'parked'
            : row % 9 === 0
              ? 'initiated'
              : 'settled';
    return undefined;
  };
  await bench.follow({until: 'settled', timeoutMs: 45_000});
  await write(bench, name);
  bench.remove();
}

/** Stopped in the middle: most rows not sent. */
async function stopped(): Promise<void> {
  const bench = new FollowBench();
  await bench.plan(bench.payouts(4000));
  await confirm(bench, 'pay', 'mkessler');
  const stop = new AbortController();
  bench.service.fault = ({n}) => {
    if (n === 900) stop.abort();
    return n > 880 ? 'lost-after' : undefined;
  };
  await bench.run(bench.service, {
    transport: slowly(bench, 90),
    path: 'direct',
    drain: stop.signal,
    abort: stop.signal,
  });
  await write(bench, 'stopped');
  bench.remove();
}

/** Planned, nothing sent. */
async function planned(): Promise<void> {
  const bench = new FollowBench();
  await bench.plan(bench.payouts(12));
  await write(bench, 'planned');
  bench.remove();
}

writeFileSync(join(folder, '.gitignore'), '*\n');
await clean();
await troubled(1200, 'troubled');
await troubled(40_000, 'troubled-large');
await stopped();
await planned();
