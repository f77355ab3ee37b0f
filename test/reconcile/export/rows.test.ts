import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {lineRows, matchRows, paymentRows, type ExportRow} from '../../../src/reconcile/export/rows.ts';
import type {CountedSum} from '../../../src/reconcile/model/totals.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, recordId, withBook} from '../harness.ts';

const ASKED = {accounts: [ACCOUNT], from: '2026-03-01', to: '2026-03-31'};
const sumOf = (rows: readonly ExportRow[]) => ({
  count: rows.length,
  sum: rows.reduce((sum, row) => sum + BigInt(String(row['amount_in_minor_units'])), 0n),
});
const added = (parts: readonly CountedSum[]) => ({
  count: parts.reduce((sum, {count}) => sum + count, 0),
  sum: parts.reduce((total, {sum}) => total + sum, 0n),
});

describe('the CSV files of a reconcile', () => {
  it('add up to the totals: counted lines, and payments', () =>
    withBook((book) => {
      const own = (n: number, fields = {}) => line(`l${n}`, {text: `payout ${recordId(n)}`, ...fields});
      const lines = [own(1), own(2, {amount: -999n}), own(3), line('interest', {amount: 2n ** 53n + 1n})];
      book.addPayments([1, 2, 3, 4, 5].map((n) => payment(n, {amount: n === 4 ? -1n : -1000n})));
      addAll(book, [...lines, line('gone', {amount: -5000n}), own(5, {state: 'pending'})]);
      addAll(book, [...lines, own(5, {state: 'pending'})]);
      addAll(book, [own(1, {key: 's1', source: 'statement', id: undefined})]); // the second of two sources
      const {perCurrency} = book.match(OPTIONS, ASKED);
      const {matched, returned, internal, ignored, unexplained, planned} = perCurrency[0]!;
      const rows = [...lineRows(book, ASKED)];
      assert.deepEqual(
        rows.flatMap((row) => (row['counted'] === true ? [] : [row['line']])),
        ['gone', 'l5', 's1'],
      );
      assert.deepEqual(
        sumOf(rows.filter((row) => row['counted'] === true)),
        added([matched, returned, internal, ignored, unexplained]),
      );
      assert.deepEqual(sumOf([...paymentRows(book, ASKED)]), planned);
    }));

  it('state the currency of a difference, which is then written in major units too', () =>
    withBook((book) => {
      book.addPayments([payment(1, {currency: 'EUR'})]);
      addAll(book, [line('a', {amount: -1025n, currency: 'EUR', text: recordId(1)})]);
      book.match(OPTIONS, ASKED);
      const [row] = matchRows(book, ASKED);
      assert.deepEqual(
        [row?.['state'], row?.['difference_in_minor_units'], row?.['currency_code']],
        ['amount_differs', -25, 'EUR'],
      );
    }));
});
