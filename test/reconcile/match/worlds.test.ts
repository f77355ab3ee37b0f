import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {checkWorlds} from '../check-worlds.ts';
import {DIALECTS} from '../worlds.ts';

describe('worlds with known truth', () => {
  it('have no wrong match and all that an id or a trace proves, in every dialect of a bank', async () => {
    const {wrong, missed, matched, provable, worlds} = await checkWorlds(0, 300);
    assert.ok(worlds > 10 * DIALECTS.length && matched > 2000 && provable > 1500);
    assert.deepEqual(wrong, []);
    assert.deepEqual(missed, []);
  });
});
