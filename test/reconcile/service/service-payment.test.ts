import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {PlannedPayments} from '../../../src/reconcile/service/planned-payments.ts';
import {servicePayment, serviceTransfer} from '../../../src/reconcile/service/service-payment.ts';
import {dayAt} from '../../../src/sandbox/time/schedule.ts';
import type {Json} from '../../../src/narrow.ts';

const ID = '0192a000-0000-7000-8000-00000000000A';
const PAYOUT = {
  ...{id: ID, status: 'settled', amount_in_minor_units: 500, currency_code: 'USD', rail: 'same_day_ach'},
  ...{created_at: '2026-11-02T14:00:00Z', client_metadata: {remit_reference: 'INV-17'}},
  transfer_details: {trace_number: '823567413032669', submitted_at: '2026-11-03T14:00:00Z'},
};

function payment(record: Json, kind: 'payout' | 'payin' = 'payout'): ExpectedPayment {
  const read = servicePayment(record, kind, dayAt);
  assert.ok(read !== undefined && !('unread' in read));
  return read;
}

describe('a payment of the service', () => {
  it('has the sign of the account, the day when it was submitted, and what a bank may repeat', () => {
    const found = payment(PAYOUT);
    assert.equal(found.key, ID.toLowerCase());
    assert.equal(found.amount, -500n);
    assert.equal(found.day, '2026-11-03');
    assert.deepEqual(found.traces.toSorted(), ['823567413032669', 'INV-17']);
    assert.deepEqual(found.groups, [
      'payout same_day_ach 2026-11-03',
      'payout same_day_ach 2026-11-03T14:00:00Z',
    ]);
    assert.equal(payment(PAYOUT, 'payin').amount, 500n);
  });

  it('of a subaccount is not expected in a treasury account', () => {
    assert.equal(servicePayment({...PAYOUT, subaccount_id: ID}, 'payout', dayAt), undefined);
  });

  it('is not read without an amount', () => {
    assert.deepEqual(servicePayment({...PAYOUT, amount_in_minor_units: '5.00'}, 'payout', dayAt), {
      unread: `payout ${ID} has no readable amount`,
    });
  });

  it('has two sides if it is a transfer between two of the accounts', () => {
    const transfer = {...PAYOUT, source_account_id: 'a', destination_account_id: 'b'};
    const sides = serviceTransfer(transfer, new Set(['a', 'b']), dayAt);
    assert.ok(!('unread' in sides));
    assert.deepEqual(
      sides.map(({key, account, amount}) => [key, account, amount]),
      [
        [ID.toLowerCase(), 'a', -500n],
        [`${ID.toLowerCase()}/in`, 'b', 500n],
      ],
    );
    assert.deepEqual(serviceTransfer(transfer, new Set(['c']), dayAt), []);
  });
});

const record = (id: string, reference: string, amount = -500n): ExpectedPayment => ({
  ...{key: id, recordId: id, kind: 'payout', account: undefined, amount, currency: 'USD', rail: undefined},
  ...{status: 'settled', day: '2026-11-02', traces: [reference], row: undefined, groups: []},
});
const doubt = (reference: string, batch = 'b'): ExpectedPayment => ({
  ...record('', reference),
  ...{
    key: `batch:${batch}/${reference}`,
    recordId: undefined,
    row: {batch, reference, namespace: 'default'},
    groups: [`payout batch ${batch}`],
  },
});

function joined(rows: readonly ExpectedPayment[], records: readonly ExpectedPayment[]) {
  const planned = new PlannedPayments();
  for (const row of rows) planned.add(row);
  for (const one of records) planned.see(one);
  return {found: records.map((one) => planned.join(one)), rest: [...planned.rest()]};
}

describe('payments of batches', () => {
  it('are joined with their records, which keep what the service says', () => {
    const row = {
      ...record('r1', 'INV-1'),
      status: 'initiated',
      row: {batch: 'b', reference: 'INV-1', namespace: 'default'},
      groups: ['g'],
    };
    const {found, rest} = joined([row], [record('r1', 'INV-1'), record('r2', 'INV-2')]);
    assert.deepEqual(found[0]?.row, {batch: 'b', reference: 'INV-1', namespace: 'default'});
    assert.equal(found[0]?.status, 'settled');
    assert.deepEqual(found[0]?.groups, ['g']);
    assert.equal(found[1]?.row, undefined);
    assert.deepEqual(rest, []);
  });

  it('in doubt get the only record with their reference and amount', () => {
    const {found, rest} = joined([doubt('INV-1')], [record('r1', 'INV-1'), record('r2', 'INV-2')]);
    assert.deepEqual(found[0]?.row, {batch: 'b', reference: 'INV-1', namespace: 'default'});
    assert.deepEqual(rest, []);
  });

  it('in doubt get none of two records, none with another amount, and none if two rows could have it', () => {
    for (const [rows, records] of [
      [[doubt('INV-1')], [record('r1', 'INV-1'), record('r2', 'INV-1')]],
      [[doubt('INV-1')], [record('r1', 'INV-1', -501n)]],
      [[doubt('INV-1'), doubt('INV-1', 'c')], [record('r1', 'INV-1')]],
    ] as const) {
      const {found, rest} = joined(rows, records);
      assert.deepEqual(
        found.map(({row}) => row),
        records.map(() => undefined),
      );
      assert.equal(rest.length, rows.length, JSON.stringify(rest.map(({key}) => key)));
    }
  });
});
