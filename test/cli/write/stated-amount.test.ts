import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {readStated} from '../../../src/cli/write/record-facts.ts';

describe('a stated amount', () => {
  it('needs both --amount and --currency', () => {
    for (const flags of [{}, {amount: '5.00'}, {currency: 'USD'}]) assert.equal(readStated(flags), undefined);
    assert.deepEqual(readStated({amount: '5.00', currency: 'USD'}), {
      minor: 500n,
      wire: 500,
      currency: 'USD',
    });
  });

  it('may be zero, of a request that moves no money, and nothing else that looks like it', () => {
    for (const amount of ['0', '0.00', '000'])
      assert.deepEqual(readStated({amount, currency: 'USD'}), {minor: 0n, wire: 0, currency: 'USD'});
    for (const amount of ['-0', '0.001', '0x0', '0.'])
      assert.throws(() => readStated({amount, currency: 'USD'}), {code: 'LOCAL_VALIDATION'});
  });
});
