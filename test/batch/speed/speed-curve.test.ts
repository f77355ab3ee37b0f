import assert from 'node:assert/strict';
import fc from 'fast-check';
import {Curve} from '../../../src/batch/speed/curve.ts';

const tops = fc.double({min: 0.1, max: 10_000, noNaN: true});
const shares = fc.double({min: 0.01, max: 1, noNaN: true});

describe('the curve of a bound', () => {
  it('starts at its share, never falls, and passes its top after the time that the share asks for', () => {
    fc.assert(
      fc.property(tops, shares, (top, share) => {
        const curve = new Curve({top, share});
        assert.ok(Math.abs(curve.value - top * share) < 1e-9 * top);
        const back = Math.cbrt((1 - share) / 0.001);
        let before = curve.value;
        for (let i = 1; i <= 100; i++) {
          curve.advance(back / 100);
          assert.ok(curve.value >= before - 1e-9 * top);
          before = curve.value;
        }
        assert.ok(Math.abs(curve.value - top) < 1e-6 * top);
        curve.advance(10);
        assert.ok(Math.abs(curve.value - 2 * top) < 1e-6 * top);
      }),
    );
  });

  it('knows its mean', () => {
    fc.assert(
      fc.property(tops, shares, fc.double({min: 0.1, max: 30, noNaN: true}), (top, share, seconds) => {
        const curve = new Curve({top, share});
        const steps = 2000;
        let sum = 0;
        for (let i = 0; i < steps; i++) {
          curve.advance(seconds / steps / 2);
          sum += curve.value;
          curve.advance(seconds / steps / 2);
        }
        assert.ok(Math.abs(curve.mean - sum / steps) < 1e-3 * curve.value);
      }),
      {numRuns: 50},
    );
  });

  it('that is only a guess doubles in a third of a second', () => {
    const curve = new Curve({top: 10, guess: true});
    curve.advance(Math.LN2 / 2);
    assert.ok(Math.abs(curve.value - 20) < 1e-9);
  });
});
