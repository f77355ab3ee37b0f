import assert from 'node:assert/strict';
import type {Activity} from '../../../src/batch/standing/activity.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {progressLine} from '../../../src/batch/standing/progress.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const IDLE: Activity = {steps_per_second: 0, retries: 0, waiting: null, left_ms: null};

const summaryOf = (counts: Partial<Summary>, currencies = ['USD']): Summary =>
  ({
    ...{planned: 5000, accepted: 0, already_paid: 0, staged: 0, unapproved: 0, rejected: 0, conflict: 0},
    ...{in_doubt: 0, not_sent: 0, canceled: 0},
    totals: Object.fromEntries(
      currencies.map((currency) => [currency, {planned: '9', staged: '1234567.00', accepted: '0.00'}]),
    ),
    ...counts,
  }) as unknown as Summary; // what a progress line reads

describe('the progress line of a batch', () => {
  it('shows progress, speed, time left, problems and money', () => {
    assert.equal(
      progressLine('staging', summaryOf({staged: 1200, rejected: 4, conflict: 1}), {
        ...IDLE,
        ...{steps_per_second: 412.3, retries: 3, left_ms: 21_400},
      }),
      'staging 1,205/5,000 24% · 412 rows/s · 21 s left · 4 rejected · 1 in conflict · 3 retries · 1,234,567.00 USD',
    );
  });

  const waits: [string, Activity['waiting'], string][] = [
    [
      'cannot be reached',
      {for: 'unreachable', since_ms: 12_300, next_try_ms: 400},
      'service unreachable for 12 s, trying again',
    ],
    [
      'fails',
      {for: 'failing', since_ms: 100_000, next_try_ms: 4000},
      'service failing for 2 min, trying again in 4 s',
    ],
    [
      'is busy',
      {for: 'throttled', since_ms: 5000, next_try_ms: 0},
      'service busy (429) for 5 s, trying again',
    ],
    [
      'asked to wait',
      {for: 'retry-after', since_ms: 2000, next_try_ms: 28_000},
      'service asked to wait, trying again in 28 s',
    ],
  ];
  for (const [what, waiting, words] of waits)
    it(`shows in the first 80 columns that the service ${what}, and no rate`, () => {
      const activity = {...IDLE, waiting, retries: 21, left_ms: 9000, steps_per_second: 0.1};
      const line = progressLine('staging', summaryOf({staged: 100, rejected: 2}), activity);
      assert.ok(line.slice(0, 79).includes(words), line);
      assert.doesNotMatch(line, /rows\/s|left/);
      assert.match(line, /21 retries/);
    });

  it('does not flicker for a problem that passes immediately', () => {
    const waiting = {for: 'unreachable', since_ms: 300, next_try_ms: 100} as const;
    const line = progressLine('releasing', summaryOf({accepted: 10}), {
      ...IDLE,
      waiting,
      steps_per_second: 8.4,
    });
    assert.equal(line, 'releasing 10/5,000 0% · 8.4 rows/s');
  });

  it('keeps the rate and the time left in 80 columns, whatever the currencies', () => {
    const summary = summaryOf({planned: 1_000_000, staged: 999_999}, ['EUR', 'GBP', 'JPY', 'USD']);
    const line = progressLine('staging', summary, {...IDLE, steps_per_second: 12_345, left_ms: 7_000_000});
    assert.match(line.slice(0, 79), /12,345 rows\/s · 1\.9 h left/);
  });

  it('shows more than 48 hours in days', () => {
    const left = (hours: number) =>
      progressLine('staging', summaryOf({}, []), {...IDLE, steps_per_second: 1, left_ms: hours * 3_600_000});
    assert.match(left(47.9), / 47\.9 h left$/);
    assert.match(left(72), / 3\.0 days left$/);
  });

  it('has no figures before there are any', () => {
    assert.equal(progressLine('starting', summaryOf({}, []), IDLE), 'starting');
    assert.equal(
      progressLine('canceling', summaryOf({canceled: 3, staged: 9}), {...IDLE, left_ms: 5}),
      'canceling 3/12 25%',
    );
  });

  it('of a run through an outage never shows a rate of zero, and names the outage', async () => {
    const bench = new Bench();
    try {
      const service = new TruthService();
      service.now = () => bench.clock.now();
      await bench.plan(bench.payouts(400));
      const began = bench.clock.now();
      service.fault = () => {
        const at = bench.clock.now() - began;
        return at > 2000 && at < 32_000 ? 'lost-before' : undefined;
      };
      const slow = service.transport();
      const lines: string[] = [];
      const summary = await bench.run(service, {
        transport: {
          ...slow,
          send: async (request) => {
            await bench.clock.sleep(200);
            return slow.send(request);
          },
        },
        onProgress: (phase, now, activity) => void lines.push(progressLine(phase, now, activity)),
      });
      assert.equal(summary.accepted, 400);
      assert.deepEqual(
        lines.filter((line) => / 0 rows\/s/.test(line)),
        [],
      );
      const outage = lines.filter((line) =>
        /service (?:unreachable|failing) for \d+ s, trying again/.test(line),
      );
      assert.ok(outage.length > 20, `${outage.length} of ${lines.length}`);
      assert.ok(lines.some((line) => /\d+ (?:s|min) left/.test(line)));
      assert.match(lines.at(-1)!, /retries/);
    } finally {
      bench.remove();
    }
  });
});
