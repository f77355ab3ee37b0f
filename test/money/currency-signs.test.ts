import assert from 'node:assert/strict';
import {CURRENCIES} from '../../src/money/currencies.ts';
import {currenciesOfSign} from '../../src/money/currency-signs.ts';

describe('the currencies of a sign', () => {
  for (const [sign, codes] of [
    ['€', ['EUR']],
    ['¥', ['CNY', 'JPY']],
    ['￥', ['CNY', 'JPY']],
    ['kr.', ['DKK', 'ISK', 'NOK', 'SEK']],
    ['US$', ['USD', 'USN']],
    ['EUR', ['EUR']],
    ['HRK', ['HRK']], // no longer in force: it rules out every other
    ['INV', undefined],
    ['', undefined],
    ['constructor', undefined],
  ] as const)
    it(`are ${codes?.join(' and ') ?? 'unknown'} for ${JSON.stringify(sign)}`, () =>
      assert.deepEqual(currenciesOfSign(sign), codes));

  it('include each currency that is written with its own name and a dollar sign', () => {
    for (const code of ['USD', 'AUD', 'CAD', 'MXN', 'HKD'])
      assert.ok(currenciesOfSign('$')!.includes(code), code);
    for (const code of ['EUR', 'GBP', 'JPY']) assert.ok(!currenciesOfSign('$')!.includes(code), code);
  });

  it('are in force, and not fewer than those for which Intl shows the sign', () => {
    for (const code of CURRENCIES.keys()) {
      const parts = new Intl.NumberFormat('en', {
        style: 'currency',
        currency: code,
        currencyDisplay: 'narrowSymbol',
      });
      const sign = parts.formatToParts(1).find(({type}) => type === 'currency')!.value;
      const known = currenciesOfSign(sign);
      assert.ok(known === undefined || known.includes(code), `${sign} of ${code}`);
      for (const one of known ?? []) assert.ok(CURRENCIES.has(one), `${sign}: ${one}`);
    }
  });
});
