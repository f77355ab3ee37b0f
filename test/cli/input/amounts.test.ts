import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {amountOfFlags} from '../../../src/cli/input/amounts.ts';
import type {RemitError} from '../../../src/errors.ts';

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
    like('12,5; rm -rf', /^write it like --amount 340\.00 /);
  });

  describe('with its currency in the same word is refused, and the hint is what to type', () => {
    const exampleIn = (currency: string) =>
      `write it like --amount 340.00 --currency ${currency}, or --amount-minor 34000`;
    const EXAMPLE = exampleIn('USD');
    const like = (amount: string, currency: string | undefined, hint: string) =>
      assert.throws(
        () => amountOfFlags({amount, currency}),
        (error: RemitError) => {
          assert.equal(error.hint, hint);
          return true;
        },
      );
    for (const typed of ['12.5 USD', '12.50 USD', 'USD 12.5', '12.5usd', 'Usd12.50'])
      it(typed, () => {
        like(typed, undefined, 'write it like --amount 12.50 --currency USD');
        like(typed, 'USD', 'write it like --amount 12.50 --currency USD');
        like(typed, 'EUR', exampleIn('EUR'));
        assert.throws(() => amountOfFlags({amount: typed}), {
          code: 'USAGE',
          message: '--amount takes the number only, and --currency the currency',
        });
      });
    it('other currencies and symbols', () => {
      like('1250 JPY', undefined, 'write it like --amount 1250 --currency JPY');
      like('$12.5', 'USD', 'write it like --amount 12.50 --currency USD');
      like('12.5 €', 'EUR', 'write it like --amount 12.50 --currency EUR');
      like('$12.5', undefined, EXAMPLE);
      like('12.505 USD', undefined, EXAMPLE);
      like('12.5 XQZ', undefined, EXAMPLE);
      like('12 dollars', undefined, EXAMPLE);
    });
  });

  it('has at most the decimals of its currency, and the hint an example in that currency with other digits', () => {
    const minorOf = (amount: string, currency: string) => amountOfFlags({amount, currency}).minor;
    assert.deepEqual(
      [minorOf('12.500', 'KWD'), minorOf('12.5', 'KWD'), minorOf('1.234', 'BHD'), minorOf('1250', 'JPY')],
      [12_500n, 12_500n, 1234n, 1250n],
    );
    const refused = (amount: string, currency: string, hint: RegExp) =>
      assert.throws(() => amountOfFlags({amount, currency}), {code: 'LOCAL_VALIDATION', hint});
    refused('12.5000', 'KWD', /--amount 340\.000 --currency KWD, or --amount-minor 340000$/);
    refused('12.50', 'JPY', /--amount 340 --currency JPY, or --amount-minor 340$/);
    refused('1.5', 'JPY', /--amount 125 --currency JPY/);
    refused('0.1', 'JPY', /--amount 340 --currency JPY/);
    refused('1,234', 'KWD', /--amount 125\.000 --currency KWD/);
    refused('1.234', 'USD', /--amount 125\.00 --currency USD/);
  });

  it('does not report a defect of remit as bad input', () => {
    const broken = 5 as unknown as string;
    assert.throws(() => amountOfFlags({amount: broken, currency: 'USD'}), TypeError);
  });
});
