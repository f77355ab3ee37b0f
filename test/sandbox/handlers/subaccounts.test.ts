import assert from 'node:assert/strict';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {Accounts} from '../accounts.ts';

/** Interface document, "What the service does", Subaccounts; assumption 11. */
describe('sandbox: subaccounts', () => {
  let at: TestSandbox;
  let accounts: Accounts;
  before(async () => {
    at = await TestSandbox.open();
    accounts = new Accounts(at);
  });
  afterEach(async () => assert.deepEqual((await at.sandbox.audit()).problems, []));
  after(() => at.close());

  it('are created empty, in USD, and read back', async () => {
    const {status, body} = await at.post('/api/subaccounts', {name: '  Rent '});
    assert.equal(status, 201);
    assert.deepEqual(body, {
      id: body.id,
      name: 'Rent',
      currency_code: 'USD',
      balance_in_minor_units: 0,
      status: 'active',
      created_at: new Date(at.clock.now()).toISOString(),
    });
    assert.deepEqual((await at.get(`/api/subaccounts/${body.id}`)).body, body);
    assert.equal((await at.post('/api/subaccounts', {name: 'Rent', currency_code: 'USD'})).status, 201);
  });

  it('take USD only, and a name of 1 to 255 characters', async () => {
    assertRefused(
      await at.post('/api/subaccounts', {name: 'Rent', currency_code: 'EUR'}),
      400,
      'VALIDATION_ERROR',
      'currency_code',
    );
    for (const name of ['', '   ', 'x'.repeat(256), 5, 'a\u0000b'])
      assertRefused(await at.post('/api/subaccounts', {name}), 400, 'VALIDATION_ERROR', 'name');
    assert.equal((await at.post('/api/subaccounts', {name: 'x'.repeat(255)})).status, 201);
  });

  it('belong to one entity: 404 for other entities, and not in their list', async () => {
    const live = {key: at.sandbox.liveKey};
    const id = await accounts.subaccount();
    assertRefused(await at.get(`/api/subaccounts/${id}`, live), 404, 'NOT_FOUND');
    assertRefused(await at.get(`/api/subaccounts/${UNKNOWN_ID}`), 404, 'NOT_FOUND');
    assertRefused(await at.get('/api/subaccounts/x'), 400, 'VALIDATION_ERROR', 'id');
    assert.deepEqual((await at.get('/api/subaccounts', live)).body, {data: [], next_cursor: null});
  });

  it('are listed by cursor, each once, in both orders', async () => {
    await accounts.subaccount();
    const ascending = await accounts.walk('/api/subaccounts?order=asc&limit=2');
    assert.equal(new Set(ascending).size, ascending.length);
    assert.deepEqual(await accounts.walk('/api/subaccounts?limit=3'), ascending.toReversed());
  });

  it('are credited by a payin that names them, once it settles, instead of the main account (Payin)', async () => {
    const before = (await at.sandbox.audit()).entities[0]!.balances;
    const id = await accounts.subaccount();
    const payer = await at.ready('payer');
    const {status, body} = await at.payin(payer.id, {subaccount_id: id, auto_approve: true});
    assert.deepEqual([status, body.subaccount_id], [201, id]);
    assert.equal(await accounts.held(id), 0);
    at.clock.pass(3000);
    assert.equal(await at.statusOf('payin', body.id as string), 'settled');
    assert.equal(await accounts.held(id), 12_500);
    assert.equal((await at.sandbox.audit()).entities[0]!.balances.main, before.main);
  });

  it('are debited by a payout that names them, instead of the main account (Payout)', async () => {
    const before = (await at.sandbox.audit()).entities[0]!.balances;
    const id = await accounts.subaccount(20_000);
    const payee = await at.ready('payee');
    const paid = await at.payout(payee.id, {subaccount_id: id, auto_approve: true});
    assert.deepEqual([paid.status, paid.body.subaccount_id], [201, id]);
    assert.equal(await accounts.held(id), 7500);
    at.clock.pass(3000);
    assert.equal(await at.statusOf('payout', paid.body.id as string), 'settled');
    assert.equal(await accounts.held(id), 7500);
    assert.equal((await at.sandbox.audit()).entities[0]!.balances.main, before.main);
  });

  it('get the money of a payout back when it is canceled or fails', async () => {
    const id = await accounts.subaccount(50_000);
    const payee = await at.ready('payee');
    const held = await at.payout(payee.id, {
      subaccount_id: id,
      auto_approve: true,
      scheduled_date: '2026-12-24',
    });
    assert.equal(await accounts.held(id), 37_500);
    await at.post(`/api/payouts/${held.body.id}/cancel`);
    assert.equal(await accounts.held(id), 50_000);
    for (const name of ['fails_after_initiated', 'fails_after_debited'])
      await at.payout(payee.id, {
        subaccount_id: id,
        auto_approve: true,
        metadata: {'sandbox.scenario': name},
      });
    assert.equal(await accounts.held(id), 25_000);
    at.clock.pass(10_000);
    assert.equal(await accounts.held(id), 50_000);
  });

  it('refuse the approval of a payout that they cannot pay, though the main account could (assumption 56)', async () => {
    const id = await accounts.subaccount(12_499);
    const payee = await at.ready('payee');
    const {status, body} = await at.payout(payee.id, {subaccount_id: id, auto_approve: true});
    assert.deepEqual([status, body.status], [207, 'created']);
    assert.match(body.warning as string, new RegExp(`insufficient funds in subaccount ${id}`));
    assertRefused(await at.post(`/api/payouts/${body.id}/approve`), 422, 'INVALID_PAYMENT_DETAILS');
  });

  it('are for payins and payouts of test entities only: 403 for a live one (assumption 55)', async () => {
    const live = {key: at.sandbox.liveKey};
    const {body} = await at.post('/api/subaccounts', {name: 'Live'}, live);
    const payee = await at.ready('payee', at.sandbox.liveKey);
    const payer = await at.ready('payer', at.sandbox.liveKey);
    const subaccount = {subaccount_id: body.id as string};
    assertRefused(await at.payout(payee.id, subaccount, live), 403, 'AUTHORIZATION_ERROR');
    assertRefused(await at.payin(payer.id, subaccount, live), 403, 'AUTHORIZATION_ERROR');
  });

  it('must belong to the entity where a payin or payout names them: 404 (Payin, Payout)', async () => {
    const {body} = await at.post('/api/subaccounts', {name: 'Live'}, {key: at.sandbox.liveKey});
    const payee = await at.ready('payee');
    const payer = await at.ready('payer');
    for (const subaccount_id of [UNKNOWN_ID, body.id]) {
      assertRefused(await at.payout(payee.id, {subaccount_id}), 404, 'NOT_FOUND');
      assertRefused(await at.payin(payer.id, {subaccount_id}), 404, 'NOT_FOUND');
    }
  });

  it('are virtual: the bank reports nothing of what comes to them and leaves them', async () => {
    const [account] = await accounts.treasury();
    const lines = (await at.get(`/api/treasury/accounts/${account}/transactions`)).body;
    const id = await accounts.subaccount(30_000);
    const payee = await at.ready('payee');
    await at.payout(payee.id, {subaccount_id: id, auto_approve: true});
    at.clock.pass(3000);
    assert.deepEqual((await at.get(`/api/treasury/accounts/${account}/transactions`)).body, lines);
  });
});
