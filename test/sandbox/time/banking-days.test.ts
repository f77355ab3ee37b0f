import assert from 'node:assert/strict';
import fc from 'fast-check';
import {bankingDay, closuresOf, isBankingDay} from '../../../src/sandbox/time/banking-days.ts';
import {addDays} from '../../../src/sandbox/time/schedule.ts';

const KNOWN: Readonly<Record<number, string>> = {
  2026: '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25',
  2027: '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25',
  2028: '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25',
};
const day = fc
  .date({min: new Date('2000-01-01'), max: new Date('2100-12-31'), noInvalidDate: true})
  .map((date) => date.toISOString().slice(0, 10));
const weekday = (of: string) => new Date(`${of}T00:00:00Z`).getUTCDay();

describe('sandbox banking days', () => {
  for (const [year, dates] of Object.entries(KNOWN))
    it(`of ${year} are those that the Federal Reserve publishes`, () => {
      assert.deepEqual(
        closuresOf(Number(year)),
        dates.split(' ').map((date) => `${year}-${date}`),
      );
    });

  it('include the Friday before a holiday on a Saturday, and not the Monday after one on a Sunday', () => {
    for (const open of ['2026-07-03', '2027-06-18', '2027-12-24', '2027-12-31', '2022-12-23'])
      assert.ok(isBankingDay(open), open);
    for (const closed of ['2027-07-05', '2022-12-26', '2023-01-02', '2026-07-04'])
      assert.ok(!isBankingDay(closed), closed);
  });

  it('exclude Juneteenth since it became a holiday', () => {
    assert.ok(isBankingDay('2020-06-19'));
    assert.ok(!isBankingDay('2024-06-19'));
  });

  it('are weekdays, all but at most eleven a year', () => {
    fc.assert(
      fc.property(day, (of) => {
        if (isBankingDay(of)) assert.ok(weekday(of) >= 1 && weekday(of) <= 5);
        const closures = closuresOf(Number(of.slice(0, 4)));
        assert.ok(closures.length >= 8 && closures.length <= 11);
        assert.ok(closures.every((closed) => weekday(closed) >= 1 && weekday(closed) <= 5));
      }),
    );
  });

  it('are not searched from an invalid day', () => {
    for (const day of ['+010000-01', '', '2026-13-01']) assert.throws(() => bankingDay(day), RangeError);
  });

  it('are counted from the first one on or after a day', () => {
    assert.equal(bankingDay('2026-11-25'), '2026-11-25');
    assert.equal(bankingDay('2026-11-25', 1), '2026-11-27');
    assert.equal(bankingDay('2026-11-26'), '2026-11-27');
    assert.equal(bankingDay('2026-11-28', 2), '2026-12-02');
    fc.assert(
      fc.property(day, fc.nat({max: 30}), (from, count) => {
        const found = bankingDay(from, count);
        assert.ok(isBankingDay(found));
        let between = 0;
        for (let at = from; at < found; at = addDays(at, 1)) if (isBankingDay(at)) between += 1;
        assert.equal(between, count);
      }),
    );
  });
});
