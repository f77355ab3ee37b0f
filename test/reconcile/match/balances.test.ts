import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {Book} from '../../../src/reconcile/book/book.ts';
import type {AskedPeriod} from '../../../src/reconcile/model/asked.ts';
import type {StatedBalances} from '../../../src/reconcile/model/line.ts';
import {ACCOUNT, addAll, line, OPTIONS, UNMASKED, withBook} from '../harness.ts';

const on = (bookingDay: string, amount: bigint, fields: Parameters<typeof line>[1] = {}) =>
  line(`${bookingDay} ${amount}`, {bookingDay, amount, ...fields});
const states = (
  days: readonly [from: string, to: string],
  [opening, closing]: readonly [bigint, bigint],
  fields: Partial<StatedBalances> = {},
): StatedBalances => ({
  ...{account: ACCOUNT, currency: 'USD', from: days[0], to: days[1], opening, closing},
  ...fields,
});
const MARCH = ['2026-03-01', '2026-03-31'] as const;
const APRIL = ['2026-04-01', '2026-04-30'] as const;
const SPRING: AskedPeriod = {accounts: [ACCOUNT, 'other'], from: '2026-03-01', to: '2026-06-30'};
const reports = (minor: bigint, day?: string) => ({account: ACCOUNT, currency: 'USD', minor, day});
const of = (account: string, what: string) => `account ${account}: ${what}`;
const linesOf = ([from, to]: readonly [string, string], gap: string) =>
  of(ACCOUNT, `the lines from ${from} to ${to} and the stated balances differ by ${gap}`);
const why = (book: Book, asked: AskedPeriod | undefined = SPRING) => book.match(OPTIONS, asked).why;
const tables = (book: Book, asked?: AskedPeriod) =>
  book
    .match(OPTIONS, asked)
    .perCurrency.map(({account, currency, opening, closing, balances, openingDay}) => [
      ...[account, currency, opening, closing, balances, openingDay],
    ]);

describe('stated balances', () => {
  it('follow one another: without a day between, with days, and with days of both', async () => {
    const lines = [
      ...[on('2026-03-03', 5n), on('2026-03-31', 7n), on('2026-04-01', 9n)],
      ...[on('2026-04-29', 2n), on('2026-05-01', 11n)],
    ];
    const before = 'the opening balance of 2026-05-02 and the closing balance before it';
    const about = 'a statement and a statement, about the opening balance of';
    for (const [days, opening, closing, words] of [
      [['2026-04-01', '2026-04-30'], 13n, 24n, undefined],
      [['2026-03-31', '2026-04-30'], 6n, 24n, undefined],
      [['2026-03-04', '2026-04-30'], 6n, 24n, undefined],
      [['2026-05-02', '2026-05-31'], 35n, 35n, undefined],
      [['2026-05-02', '2026-05-31'], 36n, 36n, `${before} differ by 0.01 USD`],
      [['2026-03-31', '2026-04-30'], 5n, 23n, `${about} 2026-03-31, differ by -0.01 USD`],
      [['2026-03-04', '2026-04-30'], 7n, 25n, `${about} 2026-03-04, differ by 0.01 USD`],
    ] as const)
      await withBook((book) => {
        addAll(book, lines);
        for (const one of [states(MARCH, [1n, 13n]), states(days, [opening, closing])]) book.addBalances(one);
        assert.deepEqual(why(book), words === undefined ? [] : [of(ACCOUNT, words)], `${days[0]} ${opening}`);
      });
  });

  it('are compared with the reported balance by the newest of an account and currency', () =>
    withBook((book) => {
      const euros = {currency: 'EUR'};
      addAll(book, [on('2026-03-03', 3n, {account: 'other'})]);
      addAll(book, [on('2026-03-03', 5n), on('2026-05-01', 2n), on('2026-05-05', 1n)]);
      book.addBalances(states(MARCH, [0n, 5n]));
      book.addBalances(states(APRIL, [5n, 20n])); // a line of 15 is missing
      book.addBalances(states(MARCH, [0n, 0n], euros));
      book.addBalances(states(APRIL, [0n, 0n], euros));
      book.addBalances(states(MARCH, [1n, 4n], {account: 'other'}));
      const lacks = linesOf(APRIL, '0.15 USD');
      const closing = (gap: string) =>
        of(
          ACCOUNT,
          `the closing balance of 2026-04-30 as a statement has it and as it follows from the balance that the service reports differ by ${gap} USD`,
        );
      const found = (...reported: NonNullable<AskedPeriod['reported']>) => why(book, {...SPRING, reported});
      const others = [
        {...reports(99n), account: 'third'},
        {...reports(4n), account: 'other'},
        {...reports(0n), currency: 'EUR'},
      ];
      assert.deepEqual(found(...others, reports(23n)), [lacks]);
      assert.deepEqual(found(...others), [lacks]);
      assert.deepEqual(found(reports(22n)), [lacks, closing('0.01')]);
      assert.deepEqual(found(reports(23n), {...reports(5n), account: 'other'}).length, 2);
      for (const [day, minor, gap] of [
        ['2026-05-06', 22n, '0.01'],
        ['2026-05-05', 22n, undefined], // the balance may lack lines of its day
        ['2026-05-04', 22n, undefined],
        ['2026-05-01', 20n, undefined],
        ['2026-04-30', 20n, undefined],
        ['2026-04-29', 20n, '0.03'],
      ] as const)
        assert.deepEqual(
          found(reports(minor, day)),
          [lacks, ...(gap === undefined ? [] : [closing(gap)])],
          day,
        );
    }));

  it('may be in a currency whose minor units are not known', () =>
    withBook((book) => {
      book.addBalances(states(MARCH, [0n, 1n], {currency: 'QQQ'}));
      assert.deepEqual(why(book), [linesOf(MARCH, '1 QQQ')]);
    }));

  it('have the number and name of their statement in what contradicts them', () =>
    withBook(async (book) => {
      const stated = [on('2026-03-03', 5n, {source: 'statement', id: undefined})];
      const add = (name: string, days: readonly [string, string], balances: readonly [bigint, bigint]) =>
        book.addStatement(
          {account: ACCOUNT, name, by: 'kim', at: '', isNumberNamed: false, mask: UNMASKED},
          async ({take}) => {
            for (const one of stated) take(one);
            const [from, to] = days;
            return {format: 'csv', number: undefined, days: {from, to}, balances: [states(days, balances)]};
          },
        );
      await add('march.csv', MARCH, [0n, 5n]);
      await add('part.csv', ['2026-03-02', '2026-03-31'], [1n, 6n]);
      assert.deepEqual(why(book), [
        of(
          ACCOUNT,
          'statement 1 (march.csv) and statement 2 (part.csv), about the opening balance of 2026-03-02, differ by 0.01 USD',
        ),
      ]);
    }));

  it('give those of a period that begins and ends within them', () =>
    withBook((book) => {
      const days = ['2026-03-01', '2026-03-04', '2026-03-05', '2026-03-20', '2026-03-21', '2026-03-31'];
      addAll(
        book,
        days.map((day, n) => on(day, 10n ** BigInt(n))),
      );
      book.addBalances(states(['2026-03-01', '2026-03-20'], [500n, 1611n])); // contradicted by the longer one
      book.addBalances(states(MARCH, [0n, 111_111n]));
      book.addBalances(states(['2026-03-20', '2026-03-31'], [111n, 111_111n]));
      const within = (from: string, to: string) => tables(book, {accounts: [ACCOUNT], from, to})[0]?.slice(2);
      assert.deepEqual(within('2026-03-05', '2026-03-20'), [11n, 1111n, 'stated', undefined]);
      assert.deepEqual(within('2026-03-06', '2026-03-19'), [111n, 111n, 'stated', undefined]);
      assert.deepEqual(within(...MARCH), [0n, 111_111n, 'stated', undefined]);
      assert.deepEqual(within('2026-02-28', '2026-04-01'), [0n, 111_111n, 'calculated', undefined]);
      assert.deepEqual(tables(book)[0]?.slice(2), [0n, 111_111n, 'stated', undefined]);
    }));

  it('give way to those that follow from the reported balance where they are not stated', () =>
    withBook((book) => {
      const days = ['2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01', '2026-04-20'];
      for (const account of [ACCOUNT, 'other', 'third'])
        addAll(
          book,
          days.map((day, n) => ({...on(day, 10n ** BigInt(n)), account, key: `${account} ${day}`})),
        );
      book.addBalances(states(MARCH, [1000n, 1110n]));
      book.addBalances(states(['2026-03-01', '2026-03-30'], [50n, 60n], {account: 'other'}));
      book.addBalances(states(MARCH, [7n, 7n], {currency: 'EUR'}));
      const reported = [reports(50_000n), {...reports(20_000n), account: 'other'}];
      const asked = {accounts: [ACCOUNT, 'other', 'third'], from: MARCH[0], to: MARCH[1]};
      const unknown = [undefined, undefined, 'unknown', undefined];
      const own = [
        [ACCOUNT, 'EUR', 7n, 7n, 'stated', undefined],
        [ACCOUNT, 'USD', 1000n, 1110n, 'stated', undefined],
      ];
      assert.deepEqual(tables(book, {...asked, reported}), [
        ...own,
        ['other', 'USD', 8890n, 9000n, 'calculated', undefined], // the statement has no 31 March
        ['third', 'USD', ...unknown],
      ]);
      assert.deepEqual(tables(book, asked), [
        ...own,
        ['other', 'USD', ...unknown],
        ['third', 'USD', ...unknown],
      ]);
    }));

  it('are added up by currency without a period, if all are known', async () => {
    for (const [lines, sums] of [
      [[], [111n, 222n]],
      [[on('2026-04-01', 1n, {account: 'other'})], [undefined, undefined]],
    ] as const)
      await withBook((book) => {
        addAll(book, lines);
        for (const [n, account] of [ACCOUNT, 'other', 'third'].entries()) {
          const sum = 10n ** BigInt(n);
          book.addBalances(states(MARCH, [sum, 2n * sum], {account}));
        }
        book.addBalances(states(MARCH, [5n, 6n], {currency: 'EUR'}));
        assert.deepEqual(
          tables(book).map(([account, currency, ...known]) => [account, currency, ...known.slice(0, 2)]),
          [
            [undefined, 'EUR', 5n, 6n],
            [undefined, 'USD', ...sums],
          ],
        );
      });
  });
});
