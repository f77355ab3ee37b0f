import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {repayReference} from '../../../src/batch/report/returned.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {paidAgain} from '../../../src/reconcile/report/repaid.ts';
import {addAll, line, OPTIONS, payment, recordId, withBook} from '../harness.ts';

const row = (batch: string, reference: string, namespace = 'default') => ({
  row: {batch, reference, namespace},
});
const paid = (n: number) => line(`paid ${n}`, {text: `payout ${recordId(n)}`});
const back = (n: number, fields: Partial<BankLine> = {}) =>
  line(`back ${n}`, {text: `return ${recordId(n)}`, amount: 1000n, bookingDay: '2026-03-10', ...fields});

/** By which batches the payments that came back are paid again, with the reference for that. */
const repaid = (payments: readonly ExpectedPayment[], lines: readonly BankLine[]) =>
  withBook((book) => {
    book.addPayments(payments);
    addAll(book, lines);
    book.match(OPTIONS);
    const returned = [...book.payments({state: 'returned'})].map((found) => found.payment);
    const {returned: found, again} = paidAgain(book, returned, repayReference);
    const of = (n: number) => {
      const repayment = found.get(recordId(n));
      return repayment && {reference: repayment.reference, by: repayment.by};
    };
    return {of, again: [...again].sort()};
  });

describe('a payment that came back', () => {
  const first = payment(1, row('nov', 'INV-1'));
  const second = (fields: Partial<ExpectedPayment> = {}) =>
    payment(2, {...row('dec', 'INV-1-again1'), day: '2026-03-11', ...fields});
  const OPEN = {reference: 'INV-1-again1', by: undefined};

  it('is paid again by the row with its reference, whether or not the bank has booked that already', async () => {
    for (const lines of [[], [paid(2)]]) {
      const {of, again} = await repaid([first, second()], [paid(1), back(1), ...lines]);
      assert.deepEqual(of(1), {reference: 'INV-1-again1', by: 'dec'});
      assert.deepEqual(again, [recordId(2)]);
    }
  });

  const others: Record<string, Partial<ExpectedPayment>> = {
    'of another amount': {amount: -1n},
    'in another currency': {currency: 'EUR'},
    'of another kind': {kind: 'payin', amount: 1000n},
    'of another kind with the same sign': {kind: 'payin'},
    'in another namespace': row('dec', 'INV-1-again1', 'other'),
    'in a namespace that is not known': row('dec', 'INV-1-again1', ''),
    'with another reference': row('dec', 'INV-1-again2'),
  };
  for (const [name, fields] of Object.entries(others))
    it(`is not paid again by a row ${name}`, async () => {
      const {of, again} = await repaid([first, second(fields)], [paid(1), back(1)]);
      assert.deepEqual(of(1), OPEN);
      assert.deepEqual(again, []);
    });

  const unpaid: Record<string, Partial<ExpectedPayment>> = {
    'without a record': {recordId: undefined, key: 'batch:dec/INV-1-again1'},
    'whose status is not known': {status: undefined},
    'that is not approved': {status: 'created'},
    'that failed': {status: 'failed'},
    'that was canceled': {status: 'canceled'},
  };
  for (const [name, fields] of Object.entries(unpaid))
    it(`is not paid again by a row ${name}`, async () => {
      const {of} = await repaid([first, second(fields)], [paid(1), back(1)]);
      assert.deepEqual(of(1), OPEN);
    });

  it('is open again when the second payment came back, on any number of lines and less a fee', async () => {
    const one = await repaid([first, second()], [paid(1), back(1), paid(2), back(2)]);
    assert.deepEqual(one.of(1), {reference: 'INV-1-again2', by: undefined});
    for (const lines of [
      [back(2), back(2, {key: 'more', id: 'more'})],
      [back(2, {amount: 975n})],
      [back(2, {amount: 500n}), back(2, {key: 'more', id: 'more', amount: 500n})],
    ]) {
      const {of, again} = await repaid([first, second()], [paid(1), back(1), paid(2), ...lines]);
      assert.deepEqual(of(1), OPEN);
      assert.deepEqual(again, [recordId(2)]);
    }
  });

  it('is open after a smaller payment came back, whatever pays that again, and paid by one of its own amount', async () => {
    const cent = second({amount: -1n});
    const lines = [paid(1), back(1), {...paid(2), amount: -1n}, back(2, {amount: 1n})];
    for (const [amount, by] of [
      [-1n, undefined],
      [-1000n, 'jan'],
    ] as const) {
      const third = payment(3, {...row('jan', 'INV-1-again2'), amount, day: '2026-03-16'});
      const {of} = await repaid([first, cent, third], lines);
      assert.deepEqual(of(1), {reference: 'INV-1-again2', by});
    }
  });

  it('is two returns if two namespaces have its reference', async () => {
    const other = payment(3, row('nov-b', 'INV-1', 'other'));
    const lines = [paid(1), back(1), paid(3), back(3)];
    const {of} = await repaid([first, other, second()], lines);
    assert.deepEqual([of(1)?.by, of(3)?.by], ['dec', undefined]);
    const both = payment(4, {...row('dec-b', 'INV-1-again1', 'other'), day: '2026-03-11'});
    const {of: then} = await repaid([first, other, second(), both], lines);
    assert.deepEqual([then(1)?.by, then(3)?.by], ['dec', 'dec-b']);
  });

  it('is followed through a chain of any length', async () => {
    const payments = Array.from({length: 8}, (_, at) =>
      payment(at + 1, row(`b${at}`, at === 0 ? 'INV-1' : `INV-1-again${at}`)),
    );
    const lines = payments.slice(0, -1).flatMap((_, at) => [paid(at + 1), back(at + 1)]);
    const {of, again} = await repaid(payments, lines);
    for (let n = 1; n < 8; n += 1) assert.deepEqual(of(n), {reference: 'INV-1-again7', by: 'b7'});
    assert.equal(again.length, 7);
  });
});
