import assert from 'node:assert/strict';
import {MAX_IN_FLIGHT} from '../../../src/batch/speed/speed.ts';
import {bestGoodput, ours, runCompared, runOurs, SECONDS} from './compare.ts';
import {FixedSpeed} from '../../bench/fixed-speed.ts';
import {BUSY, MODELS, UNLIMITED} from './models.ts';
import {simulate} from './simulate.ts';

const SEEDS = [1, 2]; // `npm run bench:speed` has more

describe('the speed that is found', () => {
  for (const model of MODELS)
    it(`is within 5% of the best of four known controllers, with few refusals: ${model.name}`, () => {
      for (const seed of SEEDS) {
        const best = bestGoodput(runCompared(model, seed));
        const {goodput, refusals} = runOurs(model, seed);
        assert.ok(goodput >= 0.95 * best, `seed ${seed}: ${goodput} of the capacity, the best has ${best}`);
        assert.ok(refusals <= 0.03, `seed ${seed}: ${refusals} of the requests were refused`);
      }
    });

  for (const model of [UNLIMITED, BUSY])
    it(`is within 5% of 1,024 in flight from the first request on, ramp included: ${model.name}`, () => {
      const [own, full] = [ours(), new FixedSpeed(MAX_IN_FLIGHT)].map(
        (speed) => simulate({model, speed, seed: 1, seconds: SECONDS}).served,
      );
      assert.ok(own! >= 0.95 * full!, `${own} of ${full}`);
    });

  it('finds a service that is limited by nothing but the latency of its heavy tail', () => {
    const model = {...UNLIMITED, latency: {meanMs: 50, spread: 1.2}};
    for (const seed of SEEDS) {
      const {served} = simulate({model, speed: ours(), seed, seconds: 20});
      assert.ok(served >= (0.75 * 20 * 1024) / 0.05, `seed ${seed}: ${served}`);
    }
  });
});
