import assert from 'node:assert/strict';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {bankAccount, card} from '../payment-details.ts';

describe('sandbox: Payout', () => {
  let at: TestSandbox;
  let payee: {id: string; methodId: string};
  before(async () => {
    at = await TestSandbox.open();
  });
  beforeEach(async () => {
    payee = await at.ready('payee');
  });
  after(() => at.close());

  it('answers 201 with the documented fields, masked', async () => {
    const {status, body} = await at.payout(payee.id, {metadata: {invoice: 'INV-1'}});
    assert.equal(status, 201);
    assert.deepEqual(body, {
      id: body.id,
      payee_id: payee.id,
      subaccount_id: null,
      status: 'created',
      amount_in_minor_units: 12_500,
      amount_in_cents: 12_500,
      currency_code: 'USD',
      country_code: 'US',
      rail: 'standard_ach',
      payout_metadata: {
        payment_method: {
          id: payee.methodId,
          type: 'bank_account',
          last4: '6789',
          bank_name: 'Sandbox Test Bank',
          routing_last4: '0000',
        },
        payee: {id: payee.id, name: 'Elm Works'},
      },
      transfer_details: null,
      client_metadata: {invoice: 'INV-1'},
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    assert.deepEqual((await at.get(`/api/payouts/${body.id}`)).body, body);
  });

  it('accepts the deprecated amount_in_cents, alone or equal to the other (assumption 50)', async () => {
    const both = {amount_in_minor_units: 700, amount_in_cents: 700};
    for (const amounts of [{amount_in_minor_units: undefined, amount_in_cents: 700}, both]) {
      const {status, body} = await at.payout(payee.id, amounts);
      assert.deepEqual([status, body.amount_in_minor_units, body.amount_in_cents], [201, 700, 700]);
    }
    assertRefused(await at.payout(payee.id, {...both, amount_in_cents: 701}), 400, 'VALIDATION_ERROR');
  });

  it('accepts only positive whole amounts (Limits)', async () => {
    for (const amount of [0, -1, 1.5, '100', null, 2 ** 53, true])
      assertRefused(await at.payout(payee.id, {amount_in_minor_units: amount}), 400, 'VALIDATION_ERROR');
    assert.equal((await at.payout(payee.id, {amount_in_minor_units: Number.MAX_SAFE_INTEGER})).status, 201);
  });

  it('accepts metadata under both names, but not two different values (assumption 51)', async () => {
    const one = await at.payout(payee.id, {payout_metadata: {a: '1'}});
    assert.deepEqual(one.body.client_metadata, {a: '1'});
    const same = await at.payout(payee.id, {payout_metadata: {a: '1'}, metadata: {a: '1'}});
    assert.equal(same.status, 201);
    const different = {payout_metadata: {a: '1'}, metadata: {a: '2'}};
    assertRefused(await at.payout(payee.id, different), 400, 'VALIDATION_ERROR', 'payout_metadata');
  });

  it('holds metadata to its limits (Limits)', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({length: count}, (_, n) => [`k${n}`, 'v']));
    for (const metadata of [keys(50), {['k'.repeat(40)]: 'v'}, {k: '𝒳'.repeat(500)}])
      assert.equal((await at.payout(payee.id, {metadata})).status, 201);
    const large = Object.fromEntries(Array.from({length: 40}, (_, n) => [`k${n}`, 'v'.repeat(450)]));
    for (const metadata of [
      keys(51),
      {['k'.repeat(41)]: 'v'},
      {k: 'v'.repeat(501)},
      {k: 1},
      {k: null},
      large,
      'x',
    ])
      assertRefused(await at.payout(payee.id, {metadata}), 400, 'VALIDATION_ERROR');
  });

  it('answers 404 for an unknown payee or override method', async () => {
    const other = await at.ready('payee');
    assertRefused(await at.payout(UNKNOWN_ID), 404, 'NOT_FOUND');
    for (const id of [UNKNOWN_ID, other.methodId])
      assertRefused(await at.payout(payee.id, {override_default_payment_method_id: id}), 404, 'NOT_FOUND');
  });

  it('cannot be created for a payer', async () => {
    const payer = await at.ready('payer');
    assertRefused(await at.payout(payer.id), 404, 'NOT_FOUND');
  });

  it('needs a verified method: the default, or the override (rule 4 of the default rules)', async () => {
    const bare = await at.party('payee');
    assertRefused(await at.payout(bare), 422, 'INVALID_PAYMENT_DETAILS');
    const added = await at.post(`/api/payees/${bare}/payment-methods`, bankAccount());
    const override = {override_default_payment_method_id: added.body.id as string};
    assertRefused(await at.payout(bare, override), 422, 'INVALID_PAYMENT_DETAILS');
    at.passVerification();
    assertRefused(await at.payout(bare), 422, 'INVALID_PAYMENT_DETAILS');
    const {status, body} = await at.payout(bare, override);
    assert.deepEqual([status, body.payout_metadata.payment_method.id], [201, added.body.id]);
  });

  it('accepts the rails that the method supports, with a default for each type (assumption 54)', async () => {
    for (const rail of ['instant_bank', 'same_day_ach', 'standard_ach', 'wire'])
      assert.equal((await at.payout(payee.id, {rail})).body.rail, rail);
    assertRefused(await at.payout(payee.id, {rail: 'instant_card'}), 400, 'VALIDATION_ERROR', 'rail');
    assertRefused(await at.payout(payee.id, {rail: 'pigeon'}), 400, 'VALIDATION_ERROR', 'rail');
    const {body: added} = await at.post(`/api/payees/${payee.id}/payment-methods`, card());
    at.passVerification();
    const override = {override_default_payment_method_id: added.id as string};
    assert.equal((await at.payout(payee.id, override)).body.rail, 'instant_card');
    assertRefused(await at.payout(payee.id, {...override, rail: 'wire'}), 400, 'VALIDATION_ERROR', 'rail');
  });

  it('knows banks with fewer rails, by routing number', async () => {
    const add = async (routing_number: string) => {
      const {body} = await at.post(`/api/payees/${payee.id}/payment-methods`, bankAccount({routing_number}));
      at.passVerification();
      return {override_default_payment_method_id: body.id as string};
    };
    const ach = await add('790000022');
    assert.equal((await at.payout(payee.id, {...ach, rail: 'same_day_ach'})).status, 201);
    assertRefused(await at.payout(payee.id, {...ach, rail: 'wire'}), 400, 'VALIDATION_ERROR', 'rail');
    assertRefused(await at.payout(payee.id, await add('790000051')), 400, 'VALIDATION_ERROR', 'rail');
  });

  it('accepts only USD (assumption 53)', async () => {
    for (const currency_code of ['USD', null])
      assert.equal((await at.payout(payee.id, {currency_code})).body.currency_code, 'USD');
    for (const currency_code of ['EUR', 'usd', ''])
      assertRefused(await at.payout(payee.id, {currency_code}), 400, 'VALIDATION_ERROR', 'currency_code');
  });

  it('debits subaccounts of test entities only (assumption 55)', async () => {
    const subaccount = {subaccount_id: UNKNOWN_ID};
    assertRefused(await at.payout(payee.id, subaccount), 404, 'NOT_FOUND');
    const live = {key: at.sandbox.liveKey};
    const livePayee = await at.ready('payee', at.sandbox.liveKey);
    assertRefused(await at.payout(livePayee.id, subaccount, live), 403, 'AUTHORIZATION_ERROR');
    assert.equal((await at.payout(livePayee.id, {subaccount_id: null}, live)).status, 201);
  });

  it('still shows its payment method after that was deleted', async () => {
    const {body: extra} = await at.post(`/api/payees/${payee.id}/payment-methods`, bankAccount());
    at.passVerification();
    const {body} = await at.payout(payee.id, {override_default_payment_method_id: extra.id as string});
    assert.equal(
      (await at.call('DELETE', `/api/payees/${payee.id}/payment-methods/${extra.id}`)).status,
      204,
    );
    assert.deepEqual((await at.get(`/api/payouts/${body.id}`)).body, body);
    const refused = await at.post(`/api/payouts/${body.id}/approve`);
    assertRefused(refused, 422, 'INVALID_PAYMENT_DETAILS');
    assert.match(refused.body.message as string, /deleted/);
  });
});
