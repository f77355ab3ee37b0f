import assert from 'node:assert/strict';
import fc from 'fast-check';
import {readRetryAfterOfTarget, retryDelay, type Setback} from '../../../src/sandbox/webhooks/schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PLAN = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const failed: Setback = {status: 500, timedOut: false, retryAfterMs: undefined};

// Assumption 37.
describe('webhook retry schedule', () => {
  it('is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, and then nothing', () => {
    assert.deepEqual(
      PLAN.map((_, index) => retryDelay(index + 1, failed, 0.5)),
      PLAN,
    );
    assert.equal(retryDelay(PLAN.length + 1, failed, 0.5), undefined);
  });

  it('varies by a fifth at most, either way', () => {
    assert.equal(retryDelay(1, failed, 0), 4 * SECOND);
    fc.assert(
      fc.property(
        fc.integer({min: 1, max: 7}),
        fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true}),
        (tries, fraction) => {
          const ratio = retryDelay(tries, failed, fraction)! / PLAN[tries - 1]!;
          assert.ok(ratio >= 0.8 && ratio <= 1.2, `${ratio}`);
        },
      ),
    );
  });

  it('follows Retry-After of 429 and 503, between the plan and twice the plan', () => {
    const asked = (status: number, retryAfterMs: number, tries = 2) =>
      retryDelay(tries, {status, timedOut: false, retryAfterMs}, 0.5);
    assert.equal(asked(503, 7 * MINUTE), 7 * MINUTE);
    assert.equal(asked(429, 7 * MINUTE), 7 * MINUTE);
    assert.equal(asked(503, 1000), 5 * MINUTE);
    assert.equal(asked(503, 24 * HOUR), 10 * MINUTE);
    assert.equal(asked(500, 7 * MINUTE), 5 * MINUTE);
  });

  it('waits at least a minute after a 429 or a time-out', () => {
    assert.equal(retryDelay(1, {...failed, status: 429}, 0.5), MINUTE);
    assert.equal(retryDelay(1, {status: null, timedOut: true, retryAfterMs: undefined}, 0.5), MINUTE);
    assert.equal(retryDelay(2, {...failed, status: 429}, 0.5), 5 * MINUTE);
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-03-02T15:00:00Z');
    assert.equal(readRetryAfterOfTarget('120', now), 120 * SECOND);
    assert.equal(readRetryAfterOfTarget('Mon, 02 Mar 2026 15:01:00 GMT', now), MINUTE);
    assert.equal(readRetryAfterOfTarget('Mon, 02 Mar 2026 14:00:00 GMT', now), 0);
    for (const text of [undefined, '', 'soon', '-5', '1e9'])
      assert.equal(readRetryAfterOfTarget(text, now), undefined);
  });
});
