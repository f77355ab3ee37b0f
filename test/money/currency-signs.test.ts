import assert from 'node:assert/strict';
import {CURRENCIES} from '../../src/money/currencies.ts';
import {contradiction, currenciesOfSign} from '../../src/money/currency-signs.ts';

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

  it('are those of the countries that write it', () => {
    for (const [code, signs] of [
      ['USD', '$ US$ U$S'],
      ['AUD', '$ A$ AU$'],
      ['CAD', '$ C$ CA$ CDN$'],
      ['NZD', 'NZ$'],
      ['HKD', 'HK$ 元'],
      ['TWD', 'NT$ 元'],
      ['SGD', 'S$'],
      ['MXN', 'MX$'],
      ['BRL', 'R$'],
      ['DOP', 'RD$'],
      ['JMD', 'J$'],
      ['TTD', 'TT$'],
      ['XCD', 'EC$'],
      ['TOP', 'T$'],
      ['MOP', 'MOP$'],
      ['UYU', '$U'],
      ['BOB', '$b Bs.'],
      ['EUR', '€'],
      ['GBP', '£'],
      ['EGP', '£ E£ ج.م'],
      ['JPY', '¥ 円'],
      ['CNY', '¥ 元'],
      ['KRW', '₩'],
      ['INR', '₹ ₨ Rs.'],
      ['RUB', '₽ руб.'],
      ['UAH', '₴ грн.'],
      ['TRY', '₺ TL'],
      ['ILS', '₪'],
      ['VND', '₫'],
      ['THB', '฿'],
      ['PHP', '₱'],
      ['NGN', '₦'],
      ['GHS', '₵ GH₵'],
      ['CRC', '₡'],
      ['PYG', '₲'],
      ['LAK', '₭'],
      ['MNT', '₮'],
      ['KZT', '₸'],
      ['AZN', '₼'],
      ['GEL', '₾'],
      ['KGS', '⃀ лв'],
      ['AMD', '֏'],
      ['BDT', '৳'],
      ['KHR', '៛'],
      ['AFN', '؋'],
      ['CHF', 'Fr. SFr.'],
      ['XOF', 'CFA FCFA'],
      ['PLN', 'zł'],
      ['CZK', 'Kč'],
      ['HUF', 'Ft'],
      ['RON', 'lei'],
      ['RSD', 'дин.'],
      ['MKD', 'ден.'],
      ['BAM', 'KM'],
      ['ALL', 'Lek'],
      ['BYN', 'Br руб.'],
      ['MYR', 'RM'],
      ['IDR', 'Rp'],
      ['PEN', 'S/'],
      ['PAB', 'B/.'],
      ['AED', 'د.إ'],
      ['SAR', '﷼ ر.س'],
      ['QAR', '﷼ ر.ق'],
      ['OMR', '﷼ ر.ع.'],
      ['KWD', 'د.ك'],
      ['BHD', 'د.ب'],
      ['JOD', 'د.ا'],
      ['LBP', 'ل.ل'],
      ['MAD', 'د.م.'],
      ['TND', 'د.ت'],
      ['DZD', 'د.ج'],
      ['IQD', 'د.ع'],
    ] as const)
      for (const sign of signs.split(' ')) {
        const known = currenciesOfSign(sign) ?? [];
        assert.ok(known.includes(code), `${sign} of ${code}: ${known.join(' ')}`);
        for (const one of known) assert.ok(CURRENCIES.has(one), `${sign}: ${one}`);
      }
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

describe('the sign of an amount', () => {
  for (const [sign, currency, isRefused] of [
    ['€', 'USD', true],
    ['$', 'USD', false],
    ['Lek', 'ALL', false],
    ['HRK', 'EUR', true],
    ['INV', 'USD', false], // an unknown sign
    ['€', 'ZZZ', false], // the currency is refused anyway
  ] as const)
    it(`${isRefused ? 'contradicts' : 'does not contradict'} the currency: ${sign} and ${currency}`, () => {
      const expected = `${sign}, but the currency of the row is ${currency}; correct the one that is wrong`;
      assert.equal(contradiction(sign, currency), isRefused ? expected : undefined);
    });
});
