import assert from 'node:assert/strict';
import fc from 'fast-check';
import {Totals} from '../../src/money/totals.ts';

const sumsOf = (totals: Totals) => totals.entries().filter(([, minor]) => minor !== 0n);

describe('totals', () => {
  it('keeps currencies apart, in the order of their codes', () => {
    const totals = new Totals().add('USD', 150075n).add('EUR', 1250n).add('USD', 25n).add('JPY', 7n);
    assert.deepEqual(Object.entries(totals.toMajor()), [
      ['EUR', '12.50'],
      ['JPY', '7'],
      ['USD', '1501.00'],
    ]);
  });

  it('stays exact beyond 2^53', () => {
    const totals = new Totals();
    for (let row = 0; row < 3; row += 1) totals.add('USD', 9_007_199_254_740_991n);
    assert.deepEqual(totals.toMajor(), {USD: '270215977642229.73'});
  });

  it('stays exact beyond 2^53 when it is made of plain numbers', () => {
    const large = 2 ** 52 - 1;
    const totals = new Totals().add('USD', large).add('USD', large).add('USD', large);
    assert.equal(totals.of('USD'), 3n * BigInt(large));
  });

  it('counts the smallest amount, as a number and as a BigInt', () => {
    assert.equal(new Totals().add('USD', 1).of('USD'), 1n);
    assert.equal(new Totals().add('USD', 1n).of('USD'), 1n);
    assert.equal(new Totals().subtract('USD', 1).of('USD'), -1n);
  });

  it('returns to zero if the same amounts are subtracted, in any order and however they are split', () => {
    const entry = fc.tuple(
      fc.constantFrom('USD', 'EUR', 'KWD', 'JPY'),
      fc.bigInt({min: -(2n ** 70n), max: 2n ** 70n}),
    );
    fc.assert(
      fc.property(fc.array(entry), fc.nat(), (entries, cut) => {
        const all = new Totals();
        for (const [code, amount] of entries) all.add(code, amount);
        const parts = new Totals();
        const half = new Totals();
        entries.slice(cut % (entries.length + 1)).forEach(([code, amount]) => half.add(code, amount));
        entries.slice(0, cut % (entries.length + 1)).forEach(([code, amount]) => parts.add(code, amount));
        assert.deepEqual(sumsOf(parts.merge(half)), sumsOf(all));
        for (const [code, amount] of entries) parts.subtract(code, amount);
        assert.deepEqual(sumsOf(parts), []);
      }),
    );
  });

  it('adds plain numbers as exactly as BigInts, also near and beyond 2^53', () => {
    const near = fc.integer({min: 0, max: 5}).map((n) => 2 ** 52 - 2 + n);
    const amount = fc.oneof(
      fc.maxSafeInteger(),
      near,
      near.map((n) => -n),
      fc.integer(),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, fc.boolean()), {maxLength: 60}), (changes) => {
        const totals = new Totals();
        let sum = 0n;
        for (const [minor, isRead] of changes) {
          totals.add('USD', minor);
          sum += BigInt(minor);
          if (isRead) assert.equal(totals.of('USD'), sum);
        }
        assert.equal(totals.of('USD'), sum);
      }),
    );
  });

  it('refuses a currency that it could not show', () => {
    assert.throws(() => new Totals().add('XAU', 1n), /no minor unit/);
    assert.throws(() => new Totals().add('ZZZ', 1n), /not an ISO 4217/);
  });
});
