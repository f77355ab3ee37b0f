import assert from 'node:assert/strict';
import fc from 'fast-check';
import {standing, statusOf, waitFor, type WaitOptions} from '../../../src/client/reading/poll.ts';
import {LIFECYCLES, TRANSFER_STATUSES} from '../../../src/contract/lifecycle.ts';
import {RemitError} from '../../../src/errors.ts';
import {RecordingClock} from '../recording-clock.ts';

interface Seen {
  status?: string;
}

/** Waits over a record that reads one status after the other, the last one for ever; an error is thrown instead. */
function waiting(
  reads: readonly (string | RemitError | undefined)[],
  options: Partial<WaitOptions<Seen>> = {},
) {
  const clock = new RecordingClock();
  const timeouts: number[] = [];
  let nth = 0;
  const result = waitFor<Seen>({
    read: async ({timeoutMs}) => {
      timeouts.push(timeoutMs);
      const read = reads[Math.min(nth++, reads.length - 1)];
      if (read instanceof RemitError) throw read;
      return read === undefined ? {} : {status: read};
    },
    lifecycle: LIFECYCLES.payout,
    clock,
    random: () => 0,
    ...options,
  });
  return {result, clock, timeouts};
}

describe('a wait', () => {
  it('ends when the record is final', async () => {
    const {outcome, record, polls} = await waiting(['created', 'approved', 'settled']).result;
    assert.deepEqual([outcome, record?.status, polls], ['reached', 'settled', 3]);
  });

  it('looks at the record it is given before it reads', async () => {
    const {result, clock} = waiting(['created'], {initial: {status: 'settled'}});
    assert.deepEqual(await result, {outcome: 'reached', record: {status: 'settled'}, polls: 0});
    assert.deepEqual(clock.sleeps, []);
  });

  it('reads at once without a record, and half a second later with one', async () => {
    const cold = waiting(['settled']);
    await cold.result;
    assert.deepEqual(cold.clock.sleeps, []);
    const warm = waiting(['settled'], {initial: {status: 'created'}});
    await warm.result;
    assert.deepEqual(warm.clock.sleeps, [500]);
  });

  it('waits half as long again each time, up to 10 s', async () => {
    const {result, clock} = waiting([...Array<string>(12).fill('created'), 'settled'], {
      initial: {status: 'created'},
    });
    await result;
    assert.deepEqual(clock.sleeps.slice(0, 4), [500, 750, 1125, 1687.5]);
    assert.deepEqual(clock.sleeps.slice(-3), [10_000, 10_000, 10_000]);
  });

  it('shortens each wait by chance, by a quarter at most', async () => {
    const {result, clock} = waiting(['created', 'created', 'settled'], {
      initial: {status: 'created'},
      random: () => 0.999,
    });
    await result;
    assert.deepEqual(clock.sleeps.map(Math.round), [375, 563, 844]);
  });

  it('tells every change once', async () => {
    const seen: (string | undefined)[] = [];
    const onChange = ({status}: Seen) => seen.push(status);
    await waiting(['created', 'created', 'approved', 'settled'], {onChange}).result;
    assert.deepEqual(seen, ['created', 'approved', 'settled']);
  });

  it('runs out of time, with a last look at the deadline', async () => {
    const {result, clock, timeouts} = waiting(['created'], {timeoutMs: 2_000});
    const {outcome, record, polls} = await result;
    assert.deepEqual([outcome, record?.status, polls], ['timeout', 'created', 4]);
    assert.equal(
      clock.sleeps.reduce((sum, ms) => sum + ms),
      2_000,
    );
    assert.deepEqual(timeouts, [2_000, 1_500, 750, 0]);
  });

  it('with no time looks once', async () => {
    assert.deepEqual(await waiting(['created'], {timeoutMs: 0}).result, {
      outcome: 'timeout',
      record: {status: 'created'},
      polls: 1,
    });
  });

  it('continues after an unknown status, and without a status', async () => {
    const {outcome, polls} = await waiting(['created', 'under_review', undefined, 'settled']).result;
    assert.deepEqual([outcome, polls], ['reached', 4]);
  });

  it('continues after reads that fail for a while, as long as there is time', async () => {
    const slow = new RemitError('RATE_LIMITED', 'slow', {details: {retry_after_ms: 7_000}});
    const {result, clock} = waiting(['created', new RemitError('UNAVAILABLE', 'x'), slow, 'settled']);
    assert.equal((await result).outcome, 'reached');
    assert.deepEqual(clock.sleeps, [500, 750, 7_000]);
  });

  it('that never read anything says why', async () => {
    const {outcome, record, lastError} = await waiting([new RemitError('UNAVAILABLE', 'down')], {
      timeoutMs: 3_000,
    }).result;
    assert.deepEqual([outcome, record, lastError?.message], ['timeout', undefined, 'down']);
  });

  it('does not swallow other errors', async () => {
    for (const code of ['NOT_FOUND', 'AUTHENTICATION_ERROR', 'INTERRUPTED'] as const) {
      await assert.rejects(waiting([new RemitError(code, 'x')]).result, {code});
    }
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const {result, clock} = waiting(['created'], {signal: stop.signal});
    clock.onSleep = () => stop.abort(new RemitError('INTERRUPTED', 'Ctrl-C'));
    await assert.rejects(result, {code: 'INTERRUPTED'});
  });

  it('is INTERRUPTED between two reads, whatever the reason of the signal is', async () => {
    for (const reason of [undefined, new DOMException('late', 'TimeoutError'), new Error('my own'), 'text']) {
      const stop = new AbortController();
      const {result, clock} = waiting(['created'], {signal: stop.signal});
      clock.onSleep = () => stop.abort(reason);
      await assert.rejects(result, (error) => {
        assert.ok(error instanceof RemitError);
        assert.equal(error.code, 'INTERRUPTED');
        assert.equal(error.details?.['may_have_taken_effect'], false);
        assert.equal(error.cause, stop.signal.reason);
        return true;
      });
    }
  });

  it('keeps the error of a clock that fails without the signal', async () => {
    const broken = new Error('no timer');
    const {result, clock} = waiting(['created'], {signal: new AbortController().signal});
    clock.onSleep = () => {
      throw broken;
    };
    await assert.rejects(result, (error) => error === broken);
  });

  it('asks every delay from the injected clock, never below zero and never past the deadline', async () => {
    const reads = fc.array(fc.option(fc.constantFrom('created', 'approved', 'odd'), {nil: undefined}), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        reads,
        fc.integer({min: 0, max: 60_000}),
        fc.double({min: 0, max: 0.999, noNaN: true}),
        async (statuses, timeoutMs, random) => {
          const {result, clock} = waiting(statuses, {timeoutMs, random: () => random});
          assert.equal((await result).outcome, 'timeout');
          assert.ok(clock.sleeps.every((ms) => ms >= 0 && ms <= 10_000));
          assert.ok(Math.abs(clock.sleeps.reduce((sum, ms) => sum + ms, 0) - timeoutMs) < 1);
        },
      ),
    );
  });
});

describe('a status, compared with the one to wait for', () => {
  const of = (status: string | undefined, until?: string) => standing(LIFECYCLES.payout, status, until);

  const table: [string, string | undefined, ReturnType<typeof standing>][] = [
    ['created', undefined, 'open'],
    ['debited', undefined, 'open'],
    ['settled', undefined, 'reached'],
    ['failed', undefined, 'ended'],
    ['canceled', undefined, 'ended'],
    ['debited', 'debited', 'reached'],
    ['settled', 'debited', 'reached'], // it was debited on the way
    ['initiated', 'approved', 'reached'],
    ['initiated', 'debited', 'open'],
    ['failed', 'debited', 'ended'],
    ['failed', 'approved', 'ended'], // whether it was approved is not known, and it went badly
    ['canceled', 'settled', 'ended'],
    ['failed', 'failed', 'reached'],
    ['canceled', 'canceled', 'reached'],
    ['initiated', 'canceled', 'ended'], // too late to cancel
    ['settled', 'failed', 'ended'],
    ['approved', 'canceled', 'open'],
    ['created', 'tomorrow', 'open'],
    ['settled', 'tomorrow', 'ended'],
    ['tomorrow', 'tomorrow', 'reached'],
    ['tomorrow', 'settled', 'open'],
    ['toString', 'settled', 'open'],
  ];
  for (const [status, until, expected] of table) {
    it(`${status}, waiting for ${until ?? 'an end'}: ${expected}`, () =>
      assert.equal(of(status, until), expected));
  }

  it('is never open for a final status', () => {
    for (const status of ['settled', 'failed', 'canceled']) {
      for (const until of [undefined, ...TRANSFER_STATUSES]) assert.notEqual(of(status, until), 'open');
    }
  });

  it('is read from a payment method as well', () => {
    assert.equal(statusOf({verification_status: 'verified'}), 'verified');
    assert.equal(standing(LIFECYCLES.paymentMethod, 'failed', 'verified'), 'ended');
    for (const record of [null, undefined, 'x', {}, {status: 5}]) assert.equal(statusOf(record), undefined);
  });
});
