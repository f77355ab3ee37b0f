import assert from 'node:assert/strict';
import {CURRENCIES, exponentOf, successorOf} from '../../src/money/currencies.ts';

/** The codes whose exponent is not 2, written a second time on purpose: a slip in the table must not pass unseen. */
const EXCEPTIONS: Record<string, string[]> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
  null: 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '),
};

describe('the ISO 4217 table', () => {
  it('has every code once, as three capitals', () => {
    assert.equal(CURRENCIES.size, 178);
    for (const code of CURRENCIES.keys()) assert.match(code, /^[A-Z]{3}$/);
  });

  it('gives two decimals to every currency but the known exceptions', () => {
    const found: Record<string, string[]> = {};
    for (const [code, exponent] of CURRENCIES) (found[String(exponent)] ??= []).push(code);
    delete found['2'];
    assert.deepEqual(found, EXCEPTIONS);
  });

  // An error of 100 or 1,000 times each, if the table were ever filled from Intl.
  for (const [code, exponent] of Object.entries({
    COP: 2,
    HUF: 2,
    IDR: 2,
    PKR: 2,
    LBP: 2,
    IQD: 3,
    MGA: 2,
    MMK: 2,
  })) {
    it(`keeps ${exponent} decimals for ${code}, where Intl says otherwise`, () => {
      assert.equal(exponentOf(code), exponent);
    });
  }

  it('knows a metal as a currency without an exponent', () => {
    assert.equal(exponentOf('XAU'), undefined);
    assert.equal(CURRENCIES.has('XAU'), true);
  });

  for (const code of ['usd', 'US', 'USDX', '', 'constructor', '__proto__', 'BGN', 'HRK', 'ZWL', 'DEM']) {
    it(`does not know ${JSON.stringify(code)}`, () => {
      assert.equal(exponentOf(code), undefined);
      assert.equal(CURRENCIES.has(code), false);
    });
  }

  it('names a valid successor for codes that are no longer in force, and for no others', () => {
    const withdrawn = 'ANG BGN BYR CUC HRK LTL LVL MRO SLL STD VEF ZMK ZWL'.split(' ');
    for (const code of withdrawn) assert.ok(CURRENCIES.has(successorOf(code) ?? ''), code);
    for (const code of ['BGN', 'HRK', 'LTL', 'LVL']) assert.equal(successorOf(code), 'EUR');
    for (const code of CURRENCIES.keys()) assert.equal(successorOf(code), undefined, code);
  });
});
