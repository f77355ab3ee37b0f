import assert from 'node:assert/strict';
import {acceptedMutations} from './mutations.ts';

describe('the verifier', () => {
  // The long form, a million: npm run long:mutations
  it('accepts no change of body, timestamp or signature', () => {
    const seed = Date.now() >>> 0;
    assert.deepEqual(acceptedMutations(10_000, seed), [], `seed ${seed}`);
  });
});
