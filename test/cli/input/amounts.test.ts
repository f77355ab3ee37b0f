import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {amountOfFlags} from '../../../src/cli/input/amounts.ts';

describe('the amount of a command line', () => {
  it('is read in major or in minor units', () => {
    assert.deepEqual(amountOfFlags({amount: '125.00', currency: 'USD'}), {
      minor: 12_500n,
      wire: 12_500,
      currency: 'USD',
    });
    assert.deepEqual(amountOfFlags({'amount-minor': '125'}), {minor: 125n, wire: 125, currency: undefined});
  });

  it('is refused without a currency, with an unknown currency, and if it is not an amount', () => {
    assert.throws(() => amountOfFlags({}), {code: 'USAGE', hint: /--amount 125\.00 --currency USD/});
    assert.throws(() => amountOfFlags({amount: '125.00'}), {code: 'USAGE', message: /needs --currency/});
    assert.throws(() => amountOfFlags({'amount-minor': '125', currency: 'XXQ'}), {code: 'LOCAL_VALIDATION'});
    assert.throws(() => amountOfFlags({amount: '1,5', currency: 'USD'}), {code: 'LOCAL_VALIDATION'});
  });

  it('is repeated in the hint if only its currency is missing', () => {
    const like = (amount: string, hint: RegExp) => assert.throws(() => amountOfFlags({amount}), {hint});
    like('12.50', /^write it like --amount 12\.50 --currency USD$/);
    like('1,5; rm -rf', /^write it like --amount 125\.00 /);
  });

  it('does not report a defect of remit as bad input', () => {
    const broken = 5 as unknown as string;
    assert.throws(() => amountOfFlags({amount: broken, currency: 'USD'}), TypeError);
  });
});
