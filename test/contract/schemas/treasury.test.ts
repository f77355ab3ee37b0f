import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ACCOUNT_TRANSFER_RAILS} from '../../../src/contract/rails.ts';
import {check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const A = '019a9f3c-0000-7000-8000-00000000000a';
const B = '019a9f3c-0000-7000-8000-00000000000b';
const transfer = {
  source_account_id: A,
  destination_account_id: B,
  amount_in_minor_units: 100,
  currency_code: 'USD',
  rail: 'book',
};
const credit = {amount_in_minor_units: 100};

/** Fields that `name` complains about; empty when the value is accepted. */
const complaints = (name: SchemaName, value: unknown): string[] => {
  const result = check(name, value);
  return result.ok ? [] : result.issues.map(({field}) => field);
};

const CASES: [SchemaName, object, changes: object, complaints: string[]][] = [
  ['AccountTransferCreate', transfer, {}, []],
  ['AccountTransferCreate', transfer, {auto_approve: true, description: 'May'}, []],
  ['AccountTransferCreate', transfer, {rail: 'rail_of_tomorrow'}, []],
  ['AccountTransferCreate', transfer, {rail: 'by pigeon'}, ['rail']],
  ['AccountTransferCreate', transfer, {rail: ''}, ['rail']],
  ['AccountTransferCreate', transfer, {rail: undefined}, ['rail']],
  ['AccountTransferCreate', transfer, {currency_code: undefined}, ['currency_code']],
  ['AccountTransferCreate', transfer, {destination_account_id: A}, ['destination_account_id']],
  ['AccountTransferCreate', transfer, {auto_approve: 'yes'}, ['auto_approve']],
  ['AccountTransferCreate', transfer, {amount_in_minor_units: 1.5}, ['amount_in_minor_units']],
  ['AccountTransferListQuery', {}, {status: 'settled', account_id: A, limit: '5'}, []],
  ['AccountTransferListQuery', {}, {status: 'debited'}, ['status']],
  ['AccountLabelUpdate', {label: 'Payroll'}, {}, []],
  ['AccountLabelUpdate', {label: 'x'.repeat(255)}, {}, []],
  ['AccountLabelUpdate', {label: 'x'.repeat(256)}, {}, ['label']],
  ['AccountLabelUpdate', {label: ' '}, {}, ['label']],
  ['AccountLabelUpdate', {}, {}, ['label']],
  ['InboundCreditSimulate', credit, {}, []],
  ['InboundCreditSimulate', credit, {currency_code: 'USD', description: 'x', counterparty_name: 'Acme'}, []],
  ['InboundCreditSimulate', credit, {amount_in_minor_units: -1}, ['amount_in_minor_units']],
  ['InboundCreditSimulate', credit, {direction: 'debit'}, ['']],
];

describe('schemas of the treasury', () => {
  for (const [name, base, changes, expected] of CASES)
    it(`${name} ${expected.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify({...base, ...changes}).slice(0, 60)} ${JSON.stringify(changes).slice(0, 50)}`, () =>
      assert.deepEqual(complaints(name, {...base, ...changes}), expected));

  it('take every assumed rail', () => {
    for (const rail of ACCOUNT_TRANSFER_RAILS)
      assert.deepEqual(complaints('AccountTransferCreate', {...transfer, rail}), []);
  });

  it('read a bank transaction: a positive amount that went one way', () => {
    const line = {
      id: A,
      account_id: B,
      amount_in_minor_units: 100,
      direction: 'debit',
      currency_code: 'USD',
      description: null,
      bank_reference: null,
      status: 'pending',
      posted_at: null,
      value_date: '2026-01-02',
    };
    assert.deepEqual(complaints('BankTransaction', line), []);
    assert.deepEqual(complaints('BankTransaction', {...line, amount_in_minor_units: -100}), [
      'amount_in_minor_units',
    ]);
    assert.deepEqual(complaints('BankTransaction', {...line, direction: 'out'}), ['direction']);
  });
});
