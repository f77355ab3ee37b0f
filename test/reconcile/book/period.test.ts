import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {AskedPeriod} from '../../../src/reconcile/model/asked.ts';
import {dayFrom} from '../../../src/reconcile/model/day.ts';
import type {PeriodState} from '../../../src/reconcile/model/finding.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {CountedSum, CurrencyTotals} from '../../../src/reconcile/model/totals.ts';
import type {Book} from '../../../src/reconcile/book/book.ts';
import {ledgerEntries} from '../../../src/reconcile/export/entries.ts';
import {Dice} from '../../sim/random.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, READ, recordId, withBook} from '../harness.ts';
import {worldOf} from '../worlds.ts';

const TODAY = {...OPTIONS, today: '2026-06-30'};
const LINE_PARTS = ['matched', 'returned', 'internal', 'ignored', 'unexplained'] as const;

const add = (a: CountedSum, b: CountedSum): CountedSum => ({count: a.count + b.count, sum: a.sum + b.sum});
const less = (a: CountedSum, b: CountedSum): CountedSum => ({count: a.count - b.count, sum: a.sum - b.sum});
const all = (parts: readonly CountedSum[]): CountedSum => parts.reduce(add, {count: 0, sum: 0n});

const NONE = {count: 0, sum: 0n};
/** A period without lines and payments. */
const EMPTY: Pick<CurrencyTotals, (typeof LINE_PARTS)[number] | 'planned' | 'carried'> & {
  payments: Partial<CurrencyTotals['payments']>;
  opening: undefined;
  closing: undefined;
} = {
  ...{matched: NONE, returned: NONE, internal: NONE, ignored: NONE, unexplained: NONE},
  ...{planned: NONE, carried: NONE},
  ...{payments: {}, opening: undefined, closing: undefined},
};

/** The only table of a period, and what is listed for it. */
function readPeriod(book: Book, asked: AskedPeriod) {
  const {perCurrency} = book.match(TODAY, asked);
  assert.ok(perCurrency.length <= 1);
  const [totals] = perCurrency;
  const payments = [...book.payments({within: asked})];
  const lines = [...book.lines({within: asked})].filter(
    (one) => one.line.state === 'posted' && (one.twin === undefined || one.line.source === 'service'),
  );
  return {
    totals: totals ?? EMPTY,
    payments,
    lines,
  };
}
type Read = ReturnType<typeof readPeriod>;

const bookedAmount = (totals: Read['totals']) => all(LINE_PARTS.map((part) => totals[part]));
const CLOSED: readonly PeriodState[] = ['matched', 'returned', 'contradicted', 'not_sent'];

/** The totals are those of what is listed, and the equation of the balances closes. */
function checkOne({totals, payments, lines}: Read): void {
  const {opening, closing, planned, payments: states} = totals;
  assert.deepEqual(all(Object.values(states)), planned);
  assert.deepEqual(planned, all(payments.map((one) => ({count: 1, sum: one.payment.amount}))));
  for (const [state, counted] of Object.entries(states))
    assert.equal(payments.filter((one) => one.state === state).length, counted.count, state);
  assert.equal(payments.filter(({isCarried}) => isCarried).length, totals.carried.count);
  assert.deepEqual(
    bookedAmount(totals),
    all(lines.filter(({state}) => state !== 'changed').map(({line: {amount}}) => ({count: 1, sum: amount}))),
  );
  if (opening !== undefined) assert.equal(opening + bookedAmount(totals).sum, closing);
}

/** Two periods that split a third one add up to it exactly. */
function checkSplit(whole: Read, first: Read, second: Read): void {
  for (const read of [whole, first, second]) checkOne(read);
  for (const part of LINE_PARTS)
    assert.deepEqual(add(first.totals[part], second.totals[part]), whole.totals[part], part);
  const sent = ({totals}: Read) => less(totals.planned, totals.carried);
  assert.deepEqual(add(sent(first), sent(second)), sent(whole));
  for (const state of ['returned', 'not_sent'] as const)
    assert.deepEqual(
      add(first.totals.payments[state] ?? NONE, second.totals.payments[state] ?? NONE),
      whole.totals.payments[state] ?? NONE,
    );
  const bounds = [first.totals.opening, first.totals.closing, second.totals.closing];
  if (bounds.every((one) => one !== undefined))
    assert.deepEqual(bounds, [whole.totals.opening, second.totals.opening, whole.totals.closing]);
  // What is open at the end of the first is carried over to the second, with what came back in it.
  const open = first.payments.filter(
    ({state, match}) => !CLOSED.includes(state) || (state === 'contradicted' && match === undefined),
  );
  const carried = new Map(
    second.payments.filter(({isCarried}) => isCarried).map((one) => [one.payment.key, one]),
  );
  for (const {
    payment: {key},
  } of open)
    assert.ok(carried.delete(key), key);
  for (const one of carried.values())
    assert.ok(one.state === 'returned' || one.payment.day < dayFrom('2026-03-01', 0));
}

/** A statement that has each line up to two days earlier, in the same order. */
const witnessed = (lines: readonly BankLine[], dice: Dice): BankLine[] =>
  lines
    .filter(({state}) => state === 'posted')
    .map((one) => ({
      ...one,
      key: `statement/${one.key}`,
      source: 'statement',
      bookingDay: dayFrom(one.bookingDay, -dice.below(3)),
    }));

describe('a period', () => {
  it('has its own totals; two that split a third one add up to it', async () => {
    for (let seed = 0; seed < 22; seed += 1) {
      const {payments, lines} = worldOf(seed);
      const [{account, currency} = line('none')] = lines;
      const dice = new Dice(seed, 'period');
      await withBook((book) => {
        const isKnown = dice.chance(0.5);
        book.addPayments(isKnown ? payments : payments.map((one) => ({...one, account: undefined})));
        addAll(book, [...lines, ...(dice.chance(0.5) ? witnessed(lines, dice) : [])]);
        const days = [0, 0, 0].map(() => dayFrom('2026-02-25', dice.below(90))).sort();
        const [from = '', mid = '', to = ''] = days;
        if (mid === to) return;
        const reported = dice.chance(0.8) ? [{account, currency, minor: BigInt(dice.below(10 ** 9))}] : [];
        const read = (first: string, last: string) =>
          readPeriod(book, {accounts: [account], from: first, to: last, reported});
        checkSplit(read(from, to), read(from, mid), read(dayFrom(mid, 1), to));
      });
    }
  });

  it('shows a payment until it is booked, and again when it comes back', () =>
    withBook((book) => {
      book.addPayments([
        payment(1, {day: '2026-03-30'}),
        payment(2, {day: '2026-03-30', status: 'pending'}),
        payment(3, {day: '2026-03-02', status: 'failed'}),
      ]);
      addAll(book, [
        line('paid', {bookingDay: '2026-04-01', text: recordId(1)}),
        line('back', {bookingDay: '2026-05-20', text: recordId(1), amount: 1000n}),
      ]);
      const states = (from: string, to: string, today = '2026-06-30') => {
        book.match({...OPTIONS, today});
        return [...book.payments({within: {accounts: [ACCOUNT], from, to}})]
          .sort((a, b) => (a.payment.day + a.payment.key < b.payment.day + b.payment.key ? -1 : 1))
          .map(({state, isCarried}) => `${state}${isCarried ? ', carried' : ''}`)
          .sort();
      };
      assert.deepEqual(states('2026-03-01', '2026-03-31'), ['booked_later', 'not_sent', 'overdue']);
      assert.deepEqual(states('2026-03-30', '2026-03-30'), ['booked_later', 'overdue']);
      const early = '2026-03-31'; // before the second payment is due
      assert.deepEqual(states('2026-03-01', early, early), ['booked_later', 'expected', 'not_sent']);
      assert.deepEqual(states('2026-04-01', '2026-04-30', early), ['expected, carried', 'matched, carried']);
      assert.deepEqual(states('2026-04-01', '2026-04-30'), ['matched, carried', 'overdue, carried']);
      for (const day of ['2026-05-20', '2026-05-31'])
        assert.deepEqual(states('2026-05-01', day), ['overdue, carried', 'returned, carried']);
      assert.deepEqual(states('2026-06-01', '2026-06-30'), ['overdue, carried']);
      assert.deepEqual(states('2026-01-01', '2026-01-31'), []);
    }));

  it('has a table for each account, and one for payments that any of them may book', () =>
    withBook((book) => {
      book.addPayments([
        payment(1, {account: undefined}),
        payment(2, {account: undefined}),
        payment(3, {account: undefined, status: 'pending'}),
      ]);
      addAll(book, [line('a', {text: recordId(1)}), line('b', {text: recordId(2), account: 'other'})]);
      const tables = (accounts: string[]) =>
        book
          .match(OPTIONS, {accounts, from: '2026-03-01', to: '2026-03-31'})
          .perCurrency.map(({account, matched, planned}) => [account, matched.count, planned.count]);
      assert.deepEqual(tables([ACCOUNT, 'other']), [
        [undefined, 0, 1],
        [ACCOUNT, 1, 1],
        ['other', 1, 1],
      ]);
      assert.deepEqual(tables(['other']), [['other', 1, 2]]); // the third may be its own
    }));

  it('is not conclusive if a line of its first or last day is gone', () =>
    withBook((book) => {
      addAll(book, [line('a', {bookingDay: '2026-03-05'}), line('b', {bookingDay: '2026-03-09'})]);
      book.addLines([], READ);
      const why = (from: string, to: string) =>
        book.match(OPTIONS, {accounts: [ACCOUNT], from, to}).why.join();
      assert.match(
        why('2026-03-05', '2026-03-09'),
        /: 2 lines that .* before are gone or altered, from 2026-03-05 on$/,
      );
      assert.match(
        why('2026-03-05', '2026-03-08'),
        /: 1 line that .* before is gone .*, from 2026-03-05 on$/,
      );
      assert.match(why('2026-03-06', '2026-03-09'), /: 1 line that .*, from 2026-03-09 on$/);
      assert.equal(why('2026-03-06', '2026-03-08'), '');
    }));

  it('is judged by its own days: an old statement says nothing about a later one', () =>
    withBook((book) => {
      const account = ACCOUNT;
      const march = {account, from: '2026-03-01', to: '2026-03-31'};
      book.addLines([line('a')], {...march, source: 'service', to: '2026-04-30'});
      book.addLines([line('s', {source: 'statement', amount: -999n})], {...march, source: 'statement'});
      book.addBalances({...march, currency: 'USD', opening: 0n, closing: 5n});
      const why = (from: string, to: string) =>
        book.match(OPTIONS, {accounts: [account], from, to}).why.length;
      assert.equal(why('2026-03-01', '2026-04-30'), 3);
      assert.equal(why('2026-04-01', '2026-04-30'), 0);
      const other = book.match(OPTIONS, {accounts: ['other'], from: '2026-03-01', to: '2026-04-30'});
      assert.deepEqual([other.why, other.perCurrency], [[], []]);
    }));

  it('has a line on its day in the statement', () =>
    withBook((book) => {
      addAll(book, [
        line('a', {bookingDay: '2026-04-01'}),
        line('b', {bookingDay: '2026-04-02', amount: 5n}),
        line('s', {bookingDay: '2026-03-31', source: 'statement', id: undefined}),
      ]);
      const of = (from: string, to: string) => {
        const within = {accounts: [ACCOUNT], from, to};
        const {perCurrency} = book.match(OPTIONS, within);
        return [perCurrency[0]?.unexplained.sum, [...book.lines({within})].map((one) => one.line.key)];
      };
      assert.deepEqual(of('2026-03-01', '2026-03-31'), [-1000n, ['a', 's']]);
      assert.deepEqual(of('2026-04-01', '2026-04-30'), [5n, ['b']]);
    }));

  it('has a balance that a later line of a statement alone does not change', () =>
    withBook((book) => {
      addAll(book, [line('a', {amount: 5n}), line('s', {amount: 5n, source: 'statement', id: undefined})]);
      const closing = () => {
        const reported = [{account: ACCOUNT, currency: 'USD', minor: 100n}];
        const asked = {accounts: [ACCOUNT], from: '2026-03-01', to: '2026-03-31', reported};
        return book.match(OPTIONS, asked).perCurrency[0]?.closing;
      };
      assert.equal(closing(), 100n);
      const forged = {amount: 7n, source: 'statement', bookingDay: '2026-04-05', id: undefined} as const;
      book.addLines([line('forged', forged)], {...READ, source: 'statement', from: '2026-04-01'});
      assert.equal(closing(), 100n);
    }));

  it('takes stated balances of a longer statement at its own first and last day', () =>
    withBook((book) => {
      addAll(book, [
        line('a', {amount: 5n, bookingDay: '2026-03-01'}),
        line('b', {amount: 7n, bookingDay: '2026-03-10'}),
        line('c', {amount: 11n, bookingDay: '2026-03-31'}),
      ]);
      book.addBalances({
        ...{account: ACCOUNT, currency: 'USD', opening: 100n, closing: 123n},
        ...{from: '2026-03-01', to: '2026-03-31'},
      });
      const {perCurrency} = book.match(OPTIONS, {accounts: [ACCOUNT], from: '2026-03-05', to: '2026-03-20'});
      const [{opening, closing, balances} = {} as CurrencyTotals] = perCurrency;
      assert.deepEqual([opening, closing, balances], [105n, 112n, 'stated']);
    }));

  it('is not stated by a statement of a part of it', () =>
    withBook((book) => {
      addAll(book, [line('a', {amount: 5n})]);
      book.addBalances({
        ...{account: ACCOUNT, currency: 'USD', opening: 100n, closing: 105n},
        ...{from: '2026-03-01', to: '2026-03-31'},
      });
      const of = (from: string, to: string, reported: AskedPeriod['reported'] = undefined) => {
        const asked = {accounts: [ACCOUNT], from, to, reported};
        const [one = {} as CurrencyTotals] = book.match(OPTIONS, asked).perCurrency;
        return [one.opening, one.closing, one.balances, one.openingDay];
      };
      assert.deepEqual(of('2026-03-01', '2026-03-31'), [100n, 105n, 'stated', undefined]);
      assert.deepEqual(of('2026-02-01', '2026-03-01'), [100n, 100n, 'stated', '2026-03-01']);
      assert.deepEqual(of('2026-03-31', '2026-04-30'), [105n, 105n, 'calculated', undefined]);
      for (const reported of [undefined, [{account: ACCOUNT, currency: 'USD', minor: 105n}]]) {
        assert.deepEqual(of('2026-03-01', '2026-05-20', reported), [100n, 105n, 'calculated', undefined]);
        assert.deepEqual(of('2026-02-01', '2026-03-31', reported), [100n, 105n, 'stated', '2026-03-01']);
      }
    }));

  it('has in transit at its beginning what the period before it has at its end', async () => {
    for (let seed = 0; seed < 11; seed += 1) {
      const {payments, lines} = worldOf(seed);
      const [{account} = line('none')] = lines;
      await withBook((book) => {
        book.addPayments(payments);
        addAll(book, lines);
        book.match(TODAY);
        const transit = (from: string, to: string) =>
          [...ledgerEntries(book, {accounts: [account], from, to, repaid: new Set()})]
            .flatMap(({day, postings}) => (assert.ok(day >= from && day <= to), postings))
            .filter(({account: {name}}) => name === 'transit')
            .reduce((sum, {minor}) => sum + minor, 0n);
        assert.equal(transit('2026-03-15', '2026-06-30'), transit('2026-01-01', '2026-06-30'), String(seed));
      });
    }
  });
});
