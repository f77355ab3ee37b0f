import assert from 'node:assert/strict';
import {FOLLOW_RPS, FollowPace} from '../../../src/batch/follow/pace.ts';

/** Requests a second: by the time until the next one may be sent. */
function rateOf(pace: FollowPace, now: number): number {
  pace.sent(now);
  return Math.round(1000 / (pace.earliest(now) - now));
}

describe('the pace of following', () => {
  it('is halved by each refusal, down to one request a second', () => {
    const pace = new FollowPace();
    const rates = Array.from({length: 8}, (_, i) => {
      const rate = rateOf(pace, 10_000 * i);
      pace.refused();
      return rate;
    });
    assert.deepEqual(rates, [FOLLOW_RPS, 25, 13, 6, 3, 2, 1, 1]);
  });

  it('recovers with successes, up to the maximum', () => {
    const pace = new FollowPace(20);
    pace.refused();
    pace.succeeded();
    const soon = rateOf(pace, 0);
    for (let i = 0; i < 100; i++) pace.succeeded();
    assert.deepEqual([soon, rateOf(pace, 10_000)], [10, 20]);
  });

  it('stays below a maximum of less than one a second', () => {
    const pace = new FollowPace(0.5);
    pace.refused();
    pace.sent(0);
    assert.equal(pace.earliest(0), 2000);
  });
});
