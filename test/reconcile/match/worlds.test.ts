import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Dice} from '../../sim/random.ts';
import {checkWorlds} from '../check-worlds.ts';
import {DIALECTS} from '../worlds.ts';

describe('worlds with known truth', () => {
  it('have no wrong match and all that an id or a trace proves, in every dialect of a bank', async () => {
    const {wrong, missed, matched, provable, worlds} = await checkWorlds(0, 160);
    assert.ok(worlds > 10 * DIALECTS.length && matched > 1000 && provable > 800);
    assert.deepEqual(wrong, []);
    assert.deepEqual(missed, []);
  });

  it('have no wrong match beside a statement whose texts name any payment', async () => {
    const {wrong, matched} = await checkWorlds(300, 60, ({lines, payments, seed}) => {
      const dice = new Dice(seed, 'forged');
      return lines
        .filter(({state}) => state === 'posted')
        .map((line) => ({
          ...{...line, key: `forged ${line.key}`, source: 'statement', id: undefined, returnCode: 'R03'},
          texts: [{path: 'text', text: `RETURN ${payments[dice.below(payments.length)]?.recordId} R03`}],
        }));
    });
    assert.deepEqual(wrong, []);
    assert.ok(matched > 0);
  });
});
