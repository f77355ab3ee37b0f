import assert from 'node:assert/strict';
import fc from 'fast-check';
import {gridLine, grouped, px, roundStep} from '../../src/html/chart.ts';

describe('the parts of a chart', () => {
  it('steps in 1, 2 and 5 times a power of ten', () => {
    const steps = [0, 0.3, 1, 1.1, 2, 3, 6, 10, 11, 34, 51, 200_001].map(roundStep);
    assert.deepEqual(steps, [1, 1, 1, 2, 2, 5, 10, 10, 20, 50, 100, 500_000]);
    fc.assert(
      fc.property(fc.integer({min: 1, max: Number.MAX_SAFE_INTEGER}), (rough) => {
        const step = roundStep(rough);
        assert.ok(step >= rough && step <= 2.5 * rough, `${rough} ${step}`);
        assert.match(String(BigInt(step)), /^[125]0*$/);
      }),
    );
  });

  it('escapes the label of a line', () => {
    const plot = {left: 50, right: 350, top: 10, bottom: 200};
    const {text} = gridLine('<b>', 99.96, plot);
    assert.equal(
      text,
      '<line x1="50" x2="350" y1="100" y2="100"/><text x="44" y="100" dy="4" text-anchor="end">&#60;b&#62;</text>',
    );
    assert.deepEqual([px(0.04), px(2.25), grouped(1234567)], ['0', '2.3', '1,234,567']);
  });
});
