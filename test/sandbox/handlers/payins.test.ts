import assert from 'node:assert/strict';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';

describe('sandbox: Payin', () => {
  let at: TestSandbox;
  let payer: {id: string; methodId: string};
  before(async () => {
    at = await TestSandbox.open();
  });
  beforeEach(async () => {
    payer = await at.ready('payer');
  });
  after(() => at.close());

  it('answers 201 with the documented fields, masked', async () => {
    const {status, body} = await at.payin(payer.id, {metadata: {order: '7'}});
    assert.equal(status, 201);
    assert.deepEqual(body, {
      id: body.id,
      payer_id: payer.id,
      subaccount_id: null,
      status: 'created',
      amount_in_minor_units: 12_500,
      amount_in_cents: 12_500,
      currency_code: 'USD',
      country_code: 'US',
      rail: 'standard_ach',
      payin_metadata: {
        payment_method: {
          id: payer.methodId,
          type: 'bank_account',
          last4: '6789',
          bank_name: 'Sandbox Test Bank',
          routing_last4: '0000',
        },
        payer: {id: payer.id, name: 'Elm Works'},
      },
      client_metadata: {order: '7'},
      status_recorded_at: body.created_at,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    assert.deepEqual((await at.get(`/api/payins/${body.id}`)).body, body);
  });

  it('answers 404 PAYER_NOT_FOUND and PAYMENT_METHOD_NOT_FOUND (Errors)', async () => {
    const other = await at.ready('payer');
    assertRefused(await at.payin(UNKNOWN_ID), 404, 'PAYER_NOT_FOUND');
    for (const payment_method_id of [UNKNOWN_ID, other.methodId])
      assertRefused(await at.payin(payer.id, {payment_method_id}), 404, 'PAYMENT_METHOD_NOT_FOUND');
    assertRefused(await at.get(`/api/payins/${UNKNOWN_ID}`), 404, 'NOT_FOUND');
  });

  it('debits the named method instead of the default', async () => {
    const {body: extra} = await at.post(`/api/payers/${payer.id}/payment-methods`, bankAccount());
    const named = {payment_method_id: extra.id as string};
    assertRefused(await at.payin(payer.id, named), 422, 'INVALID_PAYMENT_DETAILS');
    at.passVerification();
    assert.equal((await at.payin(payer.id, named)).body.payin_metadata.payment_method.id, extra.id);
    assert.equal((await at.payin(payer.id, {payment_method_id: null})).status, 201);
  });

  it('takes standard_ach, same_day_ach, null, or nothing as rail', async () => {
    assert.equal((await at.payin(payer.id, {rail: 'same_day_ach'})).body.rail, 'same_day_ach');
    assert.equal((await at.payin(payer.id, {rail: null})).body.rail, 'standard_ach');
    for (const rail of ['wire', 'instant_bank', ''])
      assertRefused(await at.payin(payer.id, {rail}), 400, 'VALIDATION_ERROR', 'rail');
  });

  it('takes null metadata, and only strings as values (Limits win over the typed schema)', async () => {
    assert.deepEqual((await at.payin(payer.id, {metadata: null})).body.client_metadata, {});
    assertRefused(await at.payin(payer.id, {metadata: {k: 5}}), 400, 'VALIDATION_ERROR', 'metadata.k');
  });

  it('credits subaccounts of test entities only', async () => {
    assertRefused(await at.payin(payer.id, {subaccount_id: UNKNOWN_ID}), 404, 'NOT_FOUND');
    const live = {key: at.sandbox.liveKey};
    const livePayer = await at.ready('payer', at.sandbox.liveKey);
    assertRefused(
      await at.payin(livePayer.id, {subaccount_id: UNKNOWN_ID}, live),
      403,
      'AUTHORIZATION_ERROR',
    );
  });

  it('moves to approved and initiated on auto_approve, then debited and settled, and the money arrives', async () => {
    const before = (await at.sandbox.audit()).entities[0]!.balances;
    const {status, body} = await at.payin(payer.id, {auto_approve: true});
    assert.deepEqual([status, body.status], [201, 'initiated']);
    at.clock.pass(1500);
    assert.equal(await at.statusOf('payin', body.id as string), 'debited');
    at.clock.pass(1500);
    const settled = (await at.get(`/api/payins/${body.id}`)).body;
    assert.equal(settled.status, 'settled');
    assert.equal(settled.status_recorded_at, settled.updated_at);
    const after = await at.sandbox.audit();
    assert.equal(BigInt(after.entities[0]!.balances.main), BigInt(before.main) + 12_500n);
    assert.deepEqual(after.problems, []);
  });
});
