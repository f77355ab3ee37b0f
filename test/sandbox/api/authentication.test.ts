import assert from 'node:assert/strict';
import {MONDAY, TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';

describe('sandbox: Authentication', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('answers 401 without a key, and with keys that it did not issue', async () => {
    for (const key of [
      null,
      '',
      'test_',
      'test_sandbox_',
      'test_sandbox_AAAAAAAAAAAAAAAAAAAAAAAA',
      'live_4242',
      ' ',
    ])
      assertRefused(await at.get('/api/payouts', {key}), 401, 'AUTHENTICATION_ERROR');
  });

  it('never repeats a refused key', async () => {
    const {body} = await at.get('/api/payouts', {key: 'live_verysecretvalue'});
    assert.doesNotMatch(JSON.stringify(body), /verysecret/);
  });

  it('checks the key before route, path and body', async () => {
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['PUT', '/api/payouts'],
      ['GET', '/api/payouts/not-a-uuid'],
    ] as const)
      assertRefused(await at.call(method, path, {key: null}), 401, 'AUTHENTICATION_ERROR');
    assertRefused(await at.call('POST', '/api/payouts', {key: null, text: '{'}), 401, 'AUTHENTICATION_ERROR');
  });

  it('scopes keys by prefix: test_sandbox_ and live_sandbox_', () => {
    assert.match(at.sandbox.testKey, /^test_sandbox_[\w-]{24}$/);
    assert.match(at.sandbox.liveKey, /^live_sandbox_[\w-]{24}$/);
  });

  it('answers 403 to a read-only key on every write, before it looks at path and body', async () => {
    const {key} = await at.sandbox.issueKey({mode: 'test', scope: 'read'});
    assert.equal((await at.get('/api/payouts', {key})).status, 200);
    assertRefused(await at.post('/api/payees', {name: 'x'}, {key}), 403, 'AUTHORIZATION_ERROR');
    assertRefused(await at.post('/api/payouts/not-a-uuid/approve', {}, {key}), 403, 'AUTHORIZATION_ERROR');
    assertRefused(await at.call('POST', '/api/payouts', {key, text: '{'}), 403, 'AUTHORIZATION_ERROR');
    const path = `/api/payees/${UNKNOWN_ID}/payment-methods/${UNKNOWN_ID}`;
    assertRefused(await at.call('DELETE', path, {key}), 403, 'AUTHORIZATION_ERROR');
  });

  it('answers 404 for records of other entities (rule 4)', async () => {
    const live = {key: at.sandbox.liveKey};
    const payee = await at.ready('payee');
    const payer = await at.ready('payer');
    const payout = (await at.payout(payee.id)).body.id as string;
    const payin = (await at.payin(payer.id)).body.id as string;
    assertRefused(await at.get(`/api/payees/${payee.id}`, live), 404, 'NOT_FOUND');
    assertRefused(await at.get(`/api/payers/${payer.id}`, live), 404, 'PAYER_NOT_FOUND');
    assertRefused(await at.get(`/api/payouts/${payout}`, live), 404, 'NOT_FOUND');
    assertRefused(await at.get(`/api/payins/${payin}`, live), 404, 'NOT_FOUND');
    assertRefused(await at.post(`/api/payouts/${payout}/approve`, {}, live), 404, 'NOT_FOUND');
    assertRefused(await at.post(`/api/payouts/${payout}/cancel`, {}, live), 404, 'NOT_FOUND');
    assertRefused(await at.post(`/api/payins/${payin}/approve`, {}, live), 404, 'NOT_FOUND');
    assertRefused(await at.payout(payee.id, {}, live), 404, 'NOT_FOUND');
    assertRefused(await at.payin(payer.id, {}, live), 404, 'PAYER_NOT_FOUND');
    assertRefused(await at.get(`/api/payees/${payee.id}/payment-methods`, live), 404, 'NOT_FOUND');
    const method = `/api/payees/${payee.id}/payment-methods/${payee.methodId}`;
    assertRefused(await at.call('DELETE', method, live), 404, 'NOT_FOUND');
    assertRefused(await at.post(`${method}/set-default`, {}, live), 404, 'NOT_FOUND');
    assertRefused(
      await at.post(`/api/payees/${payee.id}/payment-methods`, bankAccount(), live),
      404,
      'NOT_FOUND',
    );
    for (const list of ['/api/payees', '/api/payers', '/api/payouts', '/api/payins'])
      assert.deepEqual((await at.get(list, live)).body, {data: [], next_cursor: null});
  });

  it('separates idempotency keys by entity', async () => {
    const test = await at.ready('payee');
    const live = await at.ready('payee', at.sandbox.liveKey);
    const one = await at.payout(test.id, {}, {idempotencyKey: 'both-entities'});
    const other = await at.payout(live.id, {}, {idempotencyKey: 'both-entities', key: at.sandbox.liveKey});
    assert.deepEqual([one.status, other.status], [201, 201]);
    assert.notEqual(one.body.id, other.body.id);
  });

  it('adds a request id to every answer', async () => {
    const [one, other] = [await at.get('/api/payouts'), await at.get('/api/nothing', {key: null})];
    assert.match(one.headers.get('x-request-id') ?? '', /^req_/);
    assert.notEqual(one.headers.get('x-request-id'), other.headers.get('x-request-id'));
  });

  it("uses the sandbox's clock for times of records", async () => {
    const fresh = await TestSandbox.open();
    const {body} = await fresh.post('/api/payees', {name: 'Elm'});
    assert.equal(body.created_at, MONDAY);
    await fresh.close();
  });
});
