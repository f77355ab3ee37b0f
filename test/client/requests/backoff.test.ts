import assert from 'node:assert/strict';
import fc from 'fast-check';
import {fullJitter} from '../../../src/client/requests/backoff.ts';

describe('full jitter', () => {
  const share = fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true});

  it('lies between nothing and the capped exponential wait', () => {
    fc.assert(
      fc.property(
        fc.nat({max: 5000}),
        fc.nat({max: 10_000}),
        fc.nat({max: 60_000}),
        share,
        (attempt, baseMs, capMs, random) => {
          const ms = fullJitter({attempt, baseMs, capMs, random: () => random});
          assert.ok(ms >= 0 && ms <= Math.min(capMs, baseMs * 2 ** Math.min(attempt, 60)), String(ms));
        },
      ),
    );
  });

  it('doubles up to the cap', () => {
    const waits = [0, 1, 2, 10].map((attempt) =>
      fullJitter({attempt, baseMs: 200, capMs: 20_000, random: () => 0.5}),
    );
    assert.deepEqual(waits, [100, 200, 400, 10_000]);
  });
});
