import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const ID = '019a9f3c-0000-7000-8000-000000000000';
const payout = {payee_id: ID, amount_in_minor_units: 12_500};
const payin = {payer_id: ID, amount_in_minor_units: 12_500};

/** Fields that `name` complains about; empty when the value is accepted. */
const complaints = (name: SchemaName, value: unknown): string[] => {
  const result = check(name, value);
  return result.ok ? [] : result.issues.map(({field}) => field);
};

const CASES: [SchemaName, object, changes: object, complaints: string[]][] = [
  ['PayoutCreate', payout, {}, []],
  ['PayoutCreate', payout, {payee_id: undefined}, ['payee_id']],
  ['PayoutCreate', payout, {payee_id: '123'}, ['payee_id']],
  [
    'PayoutCreate',
    payout,
    {currency_code: null, rail: 'wire', subaccount_id: null, scheduled_date: '2026-12-24'},
    [],
  ],
  ['PayoutCreate', payout, {rail: null}, ['rail']],
  ['PayoutCreate', payout, {rail: 'pigeon'}, ['rail']],
  ['PayoutCreate', payout, {rail: 'instant_card'}, []],
  ['PayoutCreate', payout, {auto_approve: 'true'}, ['auto_approve']],
  ['PayoutCreate', payout, {payment_method_id: ID}, ['']],
  ['PayoutCreate', payout, {override_default_payment_method_id: ID}, []],
  ['PayoutCreate', payout, {metadata: {a: '1'}, payout_metadata: {a: '1'}}, []],
  ['PayoutCreate', payout, {metadata: {a: '1'}, payout_metadata: {a: '2'}}, ['payout_metadata']],
  ['PayoutCreate', payout, {metadata: {a: '1'}, payout_metadata: {b: '1'}}, ['payout_metadata']],
  ['PayoutCreate', payout, {metadata: {a: '1', b: '2'}, payout_metadata: {a: '1'}}, ['payout_metadata']],
  ['PayoutCreate', payout, {metadata: {a: 1}}, ['metadata.a']],
  ['PayinCreate', payin, {}, []],
  ['PayinCreate', payin, {payer_id: undefined}, ['payer_id']],
  ['PayinCreate', payin, {rail: null, metadata: null, payment_method_id: ID}, []],
  ['PayinCreate', payin, {rail: 'wire'}, ['rail']],
  ['PayinCreate', payin, {override_default_payment_method_id: ID}, ['']],
  ['PayinCreate', payin, {scheduled_date: '2026-02-30'}, ['scheduled_date']],
];
const AMOUNTS: [changes: object, complaints: string[]][] = [
  [{amount_in_minor_units: undefined}, ['amount_in_minor_units']],
  [{amount_in_minor_units: undefined, amount_in_cents: null}, ['amount_in_minor_units']],
  [{amount_in_minor_units: undefined, amount_in_cents: 12_500}, []],
  [{amount_in_cents: 12_500}, []],
  [{amount_in_cents: null}, []],
  [{amount_in_cents: 12_501}, ['amount_in_minor_units']],
  [{amount_in_minor_units: 0}, ['amount_in_minor_units']],
  [{amount_in_minor_units: -1}, ['amount_in_minor_units']],
  [{amount_in_minor_units: 125.5}, ['amount_in_minor_units']],
  [{amount_in_minor_units: '12500'}, ['amount_in_minor_units']],
];

describe('schemas of payins and payouts', () => {
  for (const [name, base, changes, expected] of [
    ...CASES,
    ...AMOUNTS.map(([changes, expected]) => ['PayoutCreate', payout, changes, expected] as const),
    ...AMOUNTS.map(([changes, expected]) => ['PayinCreate', payin, changes, expected] as const),
  ])
    it(`${name} ${expected.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify(changes, (_, value: unknown) => value ?? null)}`, () =>
      assert.deepEqual(complaints(name, {...base, ...changes}), expected));

  it('read an answer with a field that is not in the contract, and keep it', () => {
    const answer = {
      ...payout,
      id: ID,
      subaccount_id: null,
      status: 'created',
      amount_in_cents: 12_500,
      currency_code: 'USD',
      country_code: 'US',
      rail: 'standard_ach',
      client_metadata: {},
      payout_metadata: {payment_method: {last4: '6789'}},
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      novelty: {deep: true},
    };
    assert.deepEqual(check('Payout', answer), {ok: true, value: answer});
    assert.deepEqual(check('PayoutPage', {data: [answer], next_cursor: null, total: 1}), {
      ok: true,
      value: {data: [answer], next_cursor: null, total: 1},
    });
  });

  it('filter a list by times with any offset, and by nothing less than a time', () => {
    for (const name of ['PayinListQuery', 'PayoutListQuery'] as const)
      for (const bound of ['created_from', 'created_to'])
        for (const [time, expected] of [
          ['2026-11-30T12:00:00Z', []],
          ['2026-11-30T12:00:00.123+01:00', []],
          ['2026-11-30T12:00:00', [bound]],
          ['2026-11-30', [bound]],
        ] as const)
          assert.deepEqual(complaints(name, {[bound]: time}), expected, `${name} ${bound} ${time}`);
  });

  it('filter a list by the documented statuses only', () => {
    assert.deepEqual(
      complaints('PayoutListQuery', {status: 'settled', payee_id: ID, created_from: '2026-01-01T00:00:00Z'}),
      [],
    );
    assert.deepEqual(complaints('PayoutListQuery', {status: 'lost'}), ['status']);
    assert.deepEqual(complaints('PayoutListQuery', {payer_id: ID}), ['']);
    assert.deepEqual(complaints('PayinListQuery', {payer_id: ID, created_to: 'yesterday'}), ['created_to']);
  });
});
