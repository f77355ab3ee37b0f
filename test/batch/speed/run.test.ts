import assert from 'node:assert/strict';
import {AdaptiveSpeed} from '../../../src/batch/speed/adaptive.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import {Bench} from '../harness.ts';
import {type Fault, TruthService} from '../truth-service.ts';

const LATENCY_MS = 50;
const ROWS = 300;

describe('a batch against a service that limits it', () => {
  let bench: Bench;
  let service: TruthService;
  let mostInFlight = 0;
  const sends: number[] = [];
  const refusals: number[] = [];

  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    mostInFlight = 0;
    sends.length = refusals.length = 0;
    service.now = () => bench.clock.now();
    await bench.plan(bench.payouts(ROWS));
  });
  afterEach(() => bench.remove());

  /** The service, 50 ms away. */
  const slow = (): Transport => {
    const inner = service.transport();
    let inFlight = 0;
    return {
      close: () => inner.close(),
      send: async (request) => {
        mostInFlight = Math.max(mostInFlight, ++inFlight);
        try {
          const answer = await inner.send(request);
          await bench.clock.sleep(LATENCY_MS);
          return answer;
        } finally {
          inFlight--;
        }
      },
    };
  };

  /** Admits `rps`, and `burst` at once after a quiet time. */
  const bucket = (rps: number, burst: number, refusal: Fault) => {
    let [tokens, at] = [burst, bench.clock.monotonic()];
    service.fault = () => {
      const now = bench.clock.monotonic();
      sends.push(now);
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * rps);
      at = now;
      if (tokens >= 1) {
        tokens--;
        return undefined;
      }
      refusals.push(now);
      return refusal;
    };
  };

  it('is paid completely at the rate of a token bucket that refuses with 429', async () => {
    bucket(50, 5, '429');
    const started = bench.clock.monotonic();
    const summary = await bench.run(service, {transport: slow(), maxInFlight: 1024});
    const seconds = (bench.clock.monotonic() - started) / 1000;
    assert.equal(summary.accepted, ROWS);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
    assert.ok(seconds < (1.25 * 2 * ROWS) / 50, `${seconds} s`);
    assert.ok(refusals.length <= 0.06 * service.posts, `${refusals.length} of ${service.posts}`);
  });

  it('sends nothing before a Retry-After is over', async () => {
    bucket(50, 5, {status: 503, headers: {'retry-after': '2'}});
    const summary = await bench.run(service, {transport: slow(), maxInFlight: 1024});
    assert.equal(summary.accepted, ROWS);
    for (const refusedAt of refusals)
      assert.ok(
        sends.every((at) => at <= refusedAt + LATENCY_MS || at >= refusedAt + LATENCY_MS + 2000),
        'a request left while the gate was closed',
      );
  });

  it('waits longer and longer while there are only 429 answers, up to ten seconds', async () => {
    const open = bench.clock.monotonic() + 60_000;
    service.fault = () => {
      if (bench.clock.monotonic() >= open) return undefined;
      refusals.push(bench.clock.monotonic());
      return '429';
    };
    const summary = await bench.run(service, {transport: slow(), maxInFlight: 1024});
    assert.equal(summary.accepted, ROWS);
    assert.ok(refusals.length < 15, String(refusals.length));
    const waits = refusals.slice(1).map((at, i) => at - refusals[i]!);
    assert.ok(waits[0]! >= 1000 && waits.every((wait) => wait <= 10_100), String(waits));
  });

  it('opens no more requests than the window, and a wide one if nothing limits it', async () => {
    await bench.run(service, {transport: slow(), maxInFlight: 1024});
    assert.ok(mostInFlight > 16, String(mostInFlight));
    assert.ok(mostInFlight <= ROWS);
  });

  for (const [what, faults, isRefused] of [
    ['429', ['429'], true],
    ['an answer with Retry-After', [{status: 503, headers: {'retry-after': '1'}}], true],
    ['a plain 5xx, a 408 or a lost answer', ['503-before', '500-after', {status: 408}, 'lost-after'], false],
  ] as [string, Fault[], boolean][])
    it(`${isRefused ? 'paces itself' : 'goes on unpaced, with a wide window,'} after ${what}`, async () => {
      service.fault = ({n}) => (n % 40 === 0 ? faults[(n / 40) % faults.length] : undefined);
      const speed = new AdaptiveSpeed({maxInFlight: 1024});
      const summary = await bench.run(service, {transport: slow(), speed});
      assert.equal(summary.accepted, ROWS);
      assert.equal(speed.rps < Infinity, isRefused, `${speed.rps} requests a second`);
      if (!isRefused) assert.ok(mostInFlight > 64, String(mostInFlight));
    });

  for (const [fault, mostRows] of [
    ['lost-after', 110],
    ['503-after', 140], // tried again later: some of it is forgotten by then
  ] as const)
    it(`begins no new rows while more than a tenth of the sends end with ${fault}`, async () => {
      service.fault = ({n}) => (n > 20 && n <= 200 && n % 2 === 0 ? fault : undefined);
      const summary = await bench.run(service, {transport: slow(), maxInFlight: 64});
      assert.equal(summary.accepted, ROWS);
      const rows = new Set(service.requests.slice(20, 200).map(({key}) => key)).size;
      assert.ok(rows < mostRows, `${rows} rows in 180 requests of which half failed`);
    });
});
