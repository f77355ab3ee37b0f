import assert from 'node:assert/strict';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {type Transport, TransportFailure} from '../../../src/client/transport/transport.ts';
import {checkSums} from '../chaos.ts';
import {Bench, type RunArguments} from '../harness.ts';
import {isOf, isRelease, TruthService} from '../truth-service.ts';

const LATENCY_MS = 50;
const REFUSED = () => new TransportFailure('refused', 'connect ECONNREFUSED', {sent: false});

describe('the patience of a run', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
  });
  afterEach(() => bench.remove());

  async function run(options: RunArguments = {}): Promise<Summary & {exit: number}> {
    const summary = await bench.run(service, options);
    checkSums(summary);
    return {...summary, exit: exitCodeOf(summary)};
  }

  const now = () => bench.clock.monotonic();
  /** The service, 50 ms away. It cannot be connected to while `isDown`, and what is in flight then is reset. */
  const away = (isDown: () => boolean): Transport => {
    const inner = service.transport();
    return {
      ...inner,
      send: async (request) => {
        if (isDown()) throw REFUSED();
        await bench.clock.sleep(LATENCY_MS);
        if (isDown()) throw new TransportFailure('reset', 'ECONNRESET', {sent: true});
        return inner.send(request);
      },
    };
  };
  const between = (from: number, to: number) => () => now() >= from && now() < to;

  it('outlasts a restart of the service that aborts everything in flight, and leaves nothing in doubt', async () => {
    await bench.plan(bench.payouts(1000));
    let mostInFlight = 0;
    const transport = away(between(1000, 1100));
    let inFlight = 0;
    const counted: Transport = {
      ...transport,
      send: (request) => {
        mostInFlight = Math.max(mostInFlight, ++inFlight);
        return transport.send(request).finally(() => inFlight--);
      },
    };
    const {accepted, in_doubt: doubts, exit} = await run({transport: counted, maxInFlight: 32});
    assert.deepEqual([accepted, doubts, exit], [1000, 0, 0]);
    assert.equal(mostInFlight, 32);
  });

  it('outlasts an outage of a minute and a half', async () => {
    await bench.plan(bench.payouts(100));
    const {accepted, exit} = await run({transport: away(between(300, 90_300))});
    assert.deepEqual([accepted, exit], [100, 0]);
  });

  for (const [what, isDownFrom, settings, atLeast, atMost] of [
    ['two minutes without a success', 300, {}, 120_000, 130_000],
    ['ten seconds before the first success', 0, {}, 10_000, 16_000],
    ['--max-wait before the first success', 0, {maxWaitMs: 60_000}, 60_000, 70_000],
    ['--max-wait after a success', 300, {maxWaitMs: 20_000}, 20_000, 30_000],
  ] as const)
    it(`ends after ${what}`, async () => {
      await bench.plan(bench.payouts(100));
      const {elapsed_ms: elapsed, stopped_because: stop} = await run({
        settings,
        transport: away(between(isDownFrom, Infinity)),
      });
      assert.equal(stop?.reason, 'unreachable');
      assert.match(stop.message, /could not be reached for \d+ s: connect ECONNREFUSED/);
      const waited = elapsed - isDownFrom;
      assert.ok(waited >= atLeast && waited <= atMost, `it ended after ${elapsed} ms`);
    });

  it('ends after two minutes of server errors, with at most the rows in flight in doubt', async () => {
    await bench.plan(bench.payouts(500));
    service.fault = () => (now() > 500 ? '503-before' : undefined);
    const {
      elapsed_ms: elapsed,
      stopped_because: stop,
      in_doubt: doubts,
    } = await run({
      transport: away(() => false),
    });
    assert.equal(stop?.reason, 'failing');
    assert.ok(elapsed >= 120_500 && elapsed < 150_000, `it ended after ${elapsed} ms`);
    assert.ok(doubts > 0 && doubts <= 40, `${doubts} rows in doubt`);
  });

  it('leaves a row that always fails in doubt after eight tries while others succeed', async () => {
    await bench.plan(bench.payouts(3000));
    service.fault = (request) => (isOf(request, 5) ? 'lost-before' : undefined);
    const {state, in_doubt: doubts, staged} = await run({transport: away(() => false)});
    assert.deepEqual([state, doubts, staged], ['held', 1, 2999]);
    assert.equal(service.requests.filter((request) => isOf(request, 5)).length, 8);
  });

  it('distinguishes a row that always fails from an outage even if no other row is left', async () => {
    await bench.plan(bench.payouts(3));
    service.fault = (request) => (isOf(request, 2) ? 'lost-before' : undefined);
    for (const settings of [{}, {releaseRest: true}]) {
      const {stopped_because: stop, in_doubt: doubts} = await run({settings});
      assert.deepEqual([stop, doubts], [null, 1]);
    }
    assert.equal(service.paid.length, 2);
  });

  describe('with answers without records', () => {
    const portal = {
      status: 200,
      body: '<html>Sign in to the network</html>',
      headers: {'content-type': 'text/html; charset=utf-8'},
    };

    it('ends after three of them before the first record, and reports what came', async () => {
      await bench.plan(bench.payouts(2000));
      service.fault = () => 'not-json';
      const inner = service.transport();
      const transport: Transport = {
        ...inner,
        send: async (request) => ({
          ...(await inner.send(request)),
          ...{headers: portal.headers, status: 200},
        }),
      };
      const summary = await run({transport, maxInFlight: 64});
      assert.deepEqual([summary.stopped_because?.reason, summary.posts], ['unreadable', 3]);
      assert.match(summary.stopped_because!.message, /200 with text\/html, not a payout/);
      assert.ok(summary.in_doubt <= 3);
      assert.equal(summary.next, 'remit profiles test -p acme && remit payouts batch resume b1');
    });

    it('ends soon when they begin later', async () => {
      await bench.plan(bench.payouts(2000));
      service.fault = () => (service.posts > 200 ? 'not-json' : undefined);
      const summary = await run({transport: away(() => false), maxInFlight: 64});
      assert.equal(summary.stopped_because?.reason, 'unreadable');
      assert.ok(summary.posts < 200 + 64 + 16, `${summary.posts} POSTs`);
      assert.equal(summary.next, 'remit payouts batch resume b1', 'its address was right');
    });
  });

  it('checks the profile before it continues, if everything was refused at first', async () => {
    await bench.plan(bench.payouts(5));
    service.fault = () => ({status: 404, body: {message: 'no route'}});
    const refused = await run();
    assert.equal(refused.stopped_because?.reason, 'refused-at-first');
    assert.equal(refused.next, 'remit profiles test -p acme && remit payouts batch resume b1');
  });

  describe('with a success that asks to wait', () => {
    const waiting = (seconds: number): Transport => {
      const inner = service.transport();
      return {
        ...inner,
        send: async (request) => {
          const answer = await inner.send(request);
          return {...answer, headers: {...answer.headers, 'retry-after': String(seconds)}};
        },
      };
    };

    it('slows down', async () => {
      await bench.plan(bench.payouts(5));
      const {accepted, exit, elapsed_ms: elapsed} = await run({transport: waiting(2)});
      assert.deepEqual([accepted, exit], [5, 0]);
      assert.ok(elapsed >= 8000, `${elapsed} ms`);
    });

    it('does not end, even when that is longer than --max-wait', async () => {
      await bench.plan(bench.payouts(20));
      const {accepted, exit, stopped_because: stop} = await run({transport: waiting(3600)});
      assert.deepEqual([accepted, exit, stop], [20, 0, null]);
    });
  });

  it('shows retries, what is waited for and the time left for both stages', async () => {
    await bench.plan(bench.payouts(400));
    const seen: {
      at: number;
      phase: string;
      activity: Parameters<NonNullable<RunArguments['onProgress']>>[2];
    }[] = [];
    await run({
      transport: away(between(1000, 21_000)),
      onProgress: (phase, _summary, activity) => seen.push({at: now(), phase, activity}),
    });
    const inOutage = seen.filter(({at}) => at > 12_000 && at < 21_000);
    for (const {at, activity} of inOutage) {
      assert.equal(activity.waiting?.for, 'unreachable');
      const since = at - activity.waiting.since_ms;
      assert.ok(since >= 950 && since <= 1100, `since ${since}`);
    }
    assert.ok(seen.at(-1)!.activity.retries > 0);
    const early = seen.find(({at}) => at > 500)!;
    const step = seen.find(({phase}) => phase === 'releasing')!;
    assert.ok(early.activity.left_ms! > 0 && early.activity.steps_per_second > 0);
    assert.ok(early.activity.steps_per_second <= (16 * 1000) / LATENCY_MS, 'more than 16 at a time');
    assert.ok(step.activity.left_ms! < early.activity.left_ms! * 10);
  });

  it('shows how long the service asks to wait, even if that ends the run', async () => {
    await bench.plan(bench.payouts(400));
    service.fault = ({n}) => (n === 100 ? {status: 429, headers: {'retry-after': '3600'}} : undefined);
    const inner = service.transport();
    const transport: Transport = {
      ...inner,
      send: async (request) => {
        const answer = await inner.send(request);
        await bench.clock.sleep(answer.status === 429 || service.posts < 90 ? LATENCY_MS : 3000);
        return answer;
      },
    };
    const waits: (number | undefined)[] = [];
    const {stopped_because: stop} = await run({
      transport,
      onProgress: (_phase, summary, {waiting}) => {
        if (summary.stopped_because !== null) waits.push(waiting?.next_try_ms);
      },
    });
    assert.equal(stop?.reason, 'rate-limited');
    assert.ok(waits.length > 3, 'what is under way is waited for');
    for (const ms of waits) assert.ok(ms! > 3_590_000 && ms! <= 3_600_000, `${ms} ms`);
  });

  it('does not count an outage when it estimates the time left after it', async () => {
    await bench.plan(bench.payouts(400));
    const seen: {at: number; left: number | null}[] = [];
    await run({
      transport: away(between(1000, 9000)),
      onProgress: (_phase, _summary, {left_ms: left}) => seen.push({at: now(), left}),
    });
    const end = seen.at(-1)!.at;
    const recovered = seen.filter(({at, left}) => at > 9000 && left !== null);
    assert.ok(recovered.length > 3);
    for (const {at, left} of recovered)
      assert.ok(left! < 3 * (end - at) + 1000, `${left} at ${at} of ${end}`);
  });

  it('uses the requested id if the answer to a GET has no id', async () => {
    await bench.plan(bench.payouts(3));
    let lost = 1;
    service.fault = (request) =>
      isRelease(request) && isOf(request, 2) && lost-- > 0 ? 'lost-after' : undefined;
    service.distort = (record, {method}) => (method === 'GET' ? {status: record['status']} : record);
    const {accepted, differs, exit} = await run();
    assert.deepEqual([accepted, differs, exit], [3, 0, 0]);
  });

  it('accepts an amount that is echoed as a string of digits', async () => {
    await bench.plan(bench.payouts(3));
    service.distort = (record) => ({
      ...record,
      amount_in_minor_units: String(record['amount_in_minor_units']),
    });
    assert.equal((await run()).accepted, 3);
  });

  it('leaves few rows in doubt if a run is killed early, and accepts their refusals in the next one', async () => {
    await bench.plan(bench.payouts(1000));
    const inner = service.transport();
    let sends = 0;
    const dying: Transport = {
      ...inner,
      send: async (request) => {
        if (++sends > 6) throw new Error('killed');
        await bench.clock.sleep(LATENCY_MS);
        return inner.send(request);
      },
    };
    await assert.rejects(bench.run(service, {transport: dying}), /killed/);
    const doubts = await bench.inJournal(({journal}) => journal.tally().in_doubt.count);
    assert.ok(doubts > 0 && doubts <= 16, `${doubts} rows in doubt`);
    service.refuse = (body) =>
      String((body['metadata'] as {remit_reference: string}).remit_reference) === 'INV-12'
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    const {accepted, rejected, in_doubt: left, state} = await run();
    assert.deepEqual([accepted, rejected, left, state], [999, 1, 0, 'incomplete']);
  });
});
