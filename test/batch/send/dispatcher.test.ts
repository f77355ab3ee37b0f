import assert from 'node:assert/strict';
import fc from 'fast-check';
import {Dispatcher, type WorkEnd} from '../../../src/batch/send/dispatcher.ts';
import {AdaptiveSpeed} from '../../../src/batch/speed/adaptive.ts';
import {CATCH_UP_MS} from '../../../src/batch/speed/pacer.ts';
import {VirtualClock} from '../virtual-clock.ts';

interface Step {
  tookMs: number;
  end: 'ok' | 'rejected' | 'refused' | 'failed';
  retryAfterMs: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  tookMs: fc.integer({min: 1, max: 300}),
  end: fc.oneof(
    {weight: 8, arbitrary: fc.constant('ok' as const)},
    {weight: 1, arbitrary: fc.constantFrom('rejected' as const, 'refused' as const, 'failed' as const)},
  ),
  retryAfterMs: fc.option(fc.integer({min: 1, max: 3000}), {nil: undefined, freq: 2}),
});

/** A run of the real dispatcher against a service that does what `steps` say, in turn; each broken rule is an entry. */
async function run(
  jobs: number,
  steps: readonly Step[],
  limits: {maxInFlight: number; maxRps?: number},
): Promise<{broken: string[]; done: number[]; sends: number}> {
  const clock = new VirtualClock();
  const speed = new AdaptiveSpeed(limits);
  const broken: string[] = [];
  const done = Array.from({length: jobs}, () => 0);
  let [inFlight, gate, next, sends] = [0, 0, 0, 0];
  let [owed, leastOwed] = [0, 0]; // time that the pacer has asked for by now, less time gone; and the least of that

  const checkSend = (now: number) => {
    if (inFlight > windowBefore) broken.push(`${inFlight} in flight, ${windowBefore} allowed at ${now}`);
    if (inFlight > limits.maxInFlight) broken.push(`${inFlight} in flight at ${now}`);
    if (now < gate) broken.push(`sent at ${now}, the gate opens at ${gate}`);
    if (owed - now - leastOwed > CATCH_UP_MS + 1e-6) broken.push(`sent too early at ${now}`);
    leastOwed = Math.min(leastOwed, owed - now);
    owed += 1000 / speed.rps;
  };
  let windowBefore = 1;

  const work = async (job: number): Promise<WorkEnd> => {
    const sending = {at: clock.monotonic(), inFlight: ++inFlight};
    const {tookMs, end, retryAfterMs} = steps[sends++ % steps.length]!;
    checkSend(sending.at);
    await clock.sleep(tookMs);
    inFlight--;
    const now = clock.monotonic();
    if (end === 'refused') {
      speed.refused(now, sending, retryAfterMs);
      if (retryAfterMs !== undefined) {
        gate = Math.max(gate, now + retryAfterMs);
        dispatcher.closeGate(retryAfterMs);
      }
      return {again: true, afterMs: 0};
    }
    if (end === 'failed') {
      speed.failed(now);
      return {again: true, afterMs: tookMs};
    }
    if (end === 'ok') speed.succeeded(now, sending);
    else speed.answered(now, sending);
    done[job]!++;
    return {again: false};
  };
  const watched = Object.create(speed, {
    limit: {value: () => (windowBefore = speed.limit())},
    earliest: {value: (now: number) => speed.earliest(now)},
    sent: {value: (now: number, count: number) => speed.sent(now, count)},
    admitsNewRows: {value: (now: number) => speed.admitsNewRows(now)},
  }) as AdaptiveSpeed; // a proxy by hand: private fields are not inherited
  const dispatcher = new Dispatcher<number>({
    speed: watched,
    clock,
    next: () => (next < jobs ? next++ : undefined),
    work,
    abandon: (job) => broken.push(`job ${job} was abandoned`),
  });
  await dispatcher.run();
  return {broken, done, sends};
}

describe('a run at the speed that is found', () => {
  it('keeps to the window, the pacer and the gate, and does every job once', async function () {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 1, max: 150}),
        fc.array(step, {minLength: 1, maxLength: 60}).filter((steps) => steps.some(({end}) => end === 'ok')),
        fc.record(
          {maxInFlight: fc.integer({min: 1, max: 64}), maxRps: fc.integer({min: 1, max: 500})},
          {requiredKeys: ['maxInFlight']},
        ),
        async (jobs, steps, limits) => {
          const {broken, done} = await run(jobs, steps, limits);
          assert.deepEqual(broken, []);
          assert.ok(done.every((times) => times === 1));
        },
      ),
      {numRuns: 200},
    );
  });

  it('sends nothing earlier because of a refusal', async () => {
    const ok: Step = {tookMs: 1, end: 'ok', retryAfterMs: undefined};
    const {broken} = await run(5, [{...ok, tookMs: 225, end: 'refused'}, ok, ok, ok], {maxInFlight: 2});
    assert.deepEqual(broken, []);
  });

  it('sends one at a time until something succeeds', async () => {
    const refusal: Step = {tookMs: 20, end: 'rejected', retryAfterMs: undefined};
    const {broken} = await run(20, [refusal], {maxInFlight: 64});
    assert.deepEqual(broken, []);
  });
});
