import assert from 'node:assert/strict';
import {measureLists} from './lists.ts';

describe('sandbox: long lists', function () {
  // How long pages take is for `npm run bench:lists` to say, on lists that are long enough.
  it('give the right page wherever a cursor points, in both orders, with and without filters', async () => {
    const times = await measureLists({payouts: 4000, lines: 4000, rounds: 1});
    assert.equal(times.length, 12);
  });
});
