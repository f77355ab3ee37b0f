import assert from 'node:assert/strict';
import type {SandboxContext} from '../../../src/sandbox/world/context.ts';
import {IdMaker} from '../../../src/sandbox/base/ids.ts';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {seededRandom} from '../../../src/sandbox/base/random.ts';
import {openTreasuryAccount, RESERVE_BALANCE_MINOR} from '../../../src/sandbox/ledger/treasury-account.ts';
import {MAIN_BALANCE_MINOR, listEntities} from '../../../src/sandbox/entities/entities.ts';
import {Accounts} from '../accounts.ts';
import {MONDAY, TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {testStore} from '../test-store.ts';

/** Interface document, "Treasury account and account transfer" and "Treasury"; assumptions 18 to 22 and 29. */
describe('sandbox: treasury accounts', () => {
  let at: TestSandbox;
  let accounts: Accounts;
  let main: string;
  let other: string;
  before(async () => {
    at = await TestSandbox.open();
    accounts = new Accounts(at);
    [main, other] = await accounts.treasury();
  });
  afterEach(async () => assert.deepEqual((await at.sandbox.audit()).problems, []));
  after(() => at.close());

  const path = (id: string, what = '') => `/api/treasury/accounts/${id}${what}`;
  const credit = (id: string, body: object, options = {}) =>
    at.post(path(id, '/simulate-inbound-credit'), body, options);

  it('are two of type SIM in USD for each entity, with identifier, label and currency', async () => {
    for (const key of [at.sandbox.testKey, at.sandbox.liveKey]) {
      const {status, body} = await at.get('/api/treasury/accounts?order=asc', {key});
      assert.equal(status, 200);
      assert.deepEqual(
        (body.data as {id: string}[]).map(({id, ...rest}) => ({...rest, id: typeof id})),
        ['Operating', 'Reserve'].map((label) => ({
          label,
          currency_code: 'USD',
          type: 'SIM',
          status: 'active',
          id: 'string',
        })),
      );
      assert.equal(body.next_cursor, null);
    }
  });

  it('are listed by cursor', async () => {
    assert.deepEqual(await accounts.walk('/api/treasury/accounts?limit=1'), [other, main]);
    assert.deepEqual(await accounts.walk('/api/treasury/accounts?limit=1&order=asc'), [main, other]);
  });

  it('cannot be created through the API', async () => {
    assertRefused(await at.post('/api/treasury/accounts', {label: 'New'}), 404, 'NOT_FOUND');
  });

  it('are funded, and have a balance snapshot from the start', async () => {
    const as_of = MONDAY;
    const funded = {current: MAIN_BALANCE_MINOR, available: MAIN_BALANCE_MINOR, as_of};
    assert.deepEqual(await accounts.reported(main), funded);
    const reserve = {current: RESERVE_BALANCE_MINOR, available: RESERVE_BALANCE_MINOR, as_of};
    assert.deepEqual(await accounts.reported(other), reserve);
    assert.deepEqual((await at.get(path(main, '/balance'))).body, {
      account_id: main,
      currency_code: 'USD',
      current_balance_in_minor_units: MAIN_BALANCE_MINOR,
      available_balance_in_minor_units: MAIN_BALANCE_MINOR,
      as_of,
    });
    assert.deepEqual((await at.get(path(main, '/transactions'))).body, {data: [], next_cursor: null});
  });

  it('take a simulated inbound credit, which then appears in the bank-reported transactions (Treasury)', async () => {
    at.clock.pass(60_000);
    const now = new Date(at.clock.now()).toISOString();
    const before = await accounts.reported(other);
    const {status, body} = await credit(other, {
      amount_in_minor_units: 4200,
      currency_code: 'USD',
      description: 'Invoice 7',
    });
    assert.equal(status, 201);
    assert.match(body.bank_reference as string, /^\d{12}$/);
    assert.deepEqual(body, {
      id: body.id,
      account_id: other,
      amount_in_minor_units: 4200,
      direction: 'credit',
      currency_code: 'USD',
      description: 'Invoice 7',
      bank_reference: body.bank_reference,
      status: 'posted',
      posted_at: now,
      value_date: '2026-03-02',
    });
    assert.deepEqual((await at.get(path(other, '/transactions'))).body, {data: [body], next_cursor: null});
    const {current, available} = before;
    const after = {current: current + 4200, available: available + 4200, as_of: now};
    assert.deepEqual(await accounts.reported(other), after);
    assert.deepEqual((await at.get(path(main, '/transactions'))).body.data, []);
  });

  it('name the counterparty of a credit without a description', async () => {
    const {body} = await credit(other, {amount_in_minor_units: 1, counterparty_name: 'Elm Works'});
    assert.equal(body.description, 'Inbound credit from Elm Works');
    assert.equal((await credit(other, {amount_in_minor_units: 1})).body.description, 'Inbound credit');
  });

  it('take simulated credits for test entities only: 403 (Treasury)', async () => {
    const live = new Accounts(at, at.sandbox.liveKey);
    const [account] = await live.treasury();
    const refused = await credit(account, {amount_in_minor_units: 1}, {key: at.sandbox.liveKey});
    assertRefused(refused, 403, 'AUTHORIZATION_ERROR');
    assert.deepEqual(await live.lines(account), []);
  });

  it('hold simulated credits to a positive amount, the currency of the account, and known fields', async () => {
    for (const amount_in_minor_units of [0, -1, 0.5, '1', null, undefined])
      assertRefused(
        await credit(other, {amount_in_minor_units}),
        400,
        'VALIDATION_ERROR',
        'amount_in_minor_units',
      );
    const amount_in_minor_units = 1;
    assertRefused(
      await credit(other, {amount_in_minor_units, currency_code: 'EUR'}),
      400,
      'VALIDATION_ERROR',
      'currency_code',
    );
    assertRefused(await credit(other, {amount_in_minor_units, rail: 'wire'}), 400, 'VALIDATION_ERROR');
    assertRefused(
      await credit(other, {amount_in_minor_units, description: 'x'.repeat(501)}),
      400,
      'VALIDATION_ERROR',
      'description',
    );
  });

  it('change their label, of 1 to 255 characters (Treasury; assumption 22)', async () => {
    const label = (text: unknown, id = main, options = {}) =>
      at.post(path(id, '/update-label'), {label: text}, options);
    const {status, body} = await label('  Payroll ');
    assert.deepEqual([status, body.id, body.label, body.type], [200, main, 'Payroll', 'SIM']);
    const {data} = (await at.get('/api/treasury/accounts?order=asc')).body as {data: {label: string}[]};
    assert.deepEqual(
      data.map((account) => account.label),
      ['Payroll', 'Reserve'],
    );
    assert.equal((await label('x'.repeat(255))).status, 200);
    for (const bad of ['', '  ', 'x'.repeat(256), 5, null, undefined, 'a\u0000b'])
      assertRefused(await label(bad), 400, 'VALIDATION_ERROR', 'label');
    assertRefused(await label('Mine', main, {key: at.sandbox.liveKey}), 404, 'NOT_FOUND');
    assert.equal((await label('Operating')).body.label, 'Operating');
  });

  it('answer 404 NOT_FOUND for an account that is not there, or is another entity’s (Errors)', async () => {
    const live = {key: at.sandbox.liveKey};
    for (const [id, options] of [
      [UNKNOWN_ID, {}],
      [main, live],
    ] as const) {
      assertRefused(await at.get(path(id, '/balance'), options), 404, 'NOT_FOUND');
      assertRefused(await at.get(path(id, '/transactions'), options), 404, 'NOT_FOUND');
      assertRefused(await at.post(path(id, '/update-label'), {label: 'x'}, options), 404, 'NOT_FOUND');
      assertRefused(await credit(id, {amount_in_minor_units: 1}, options), 404, 'NOT_FOUND');
    }
    assertRefused(await at.get(path('x', '/balance')), 400, 'VALIDATION_ERROR', 'account_id');
  });

  it('have their transactions listed by cursor, each once, in both orders; a cursor serves its own account', async () => {
    for (let n = 0; n < 7; n += 1) await credit(main, {amount_in_minor_units: 1 + n});
    const list = path(main, '/transactions');
    const ascending = await accounts.walk(`${list}?order=asc&limit=3`);
    assert.equal(new Set(ascending).size, 7);
    assert.deepEqual(await accounts.walk(`${list}?limit=2`), ascending.toReversed());
    const {next_cursor: cursor} = (await at.get(`${list}?limit=1`)).body as {next_cursor: string};
    assertRefused(
      await at.get(`${path(other, '/transactions')}?cursor=${cursor}`),
      400,
      'VALIDATION_ERROR',
      'cursor',
    );
  });

  it('continue with the same label, lines and balance after a restart', async () => {
    const before = [await accounts.lines(main), await accounts.reported(main)];
    await at.reopen();
    assert.deepEqual([await accounts.lines(main), await accounts.reported(main)], before);
    const {body} = await credit(main, {amount_in_minor_units: 1});
    assert.equal((await accounts.walk(path(main, '/transactions?limit=1')))[0], body.id);
  });

  it('are funded again by a reset, without lines', async () => {
    await at.sandbox.reset({mainBalanceMinor: 500});
    const [first, second] = await accounts.treasury();
    assert.equal((await accounts.reported(first)).current, 500);
    assert.equal((await accounts.reported(second)).current, RESERVE_BALANCE_MINOR);
    assert.deepEqual(await accounts.lines(first), []);
  });
});

describe('sandbox: what the bank reports of payouts and payins', () => {
  let at: TestSandbox;
  let accounts: Accounts;
  let main: string;
  beforeEach(async () => {
    at = await TestSandbox.open({mainBalanceMinor: 100_000});
    accounts = new Accounts(at);
    [main] = await accounts.treasury();
  });
  afterEach(async () => {
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });

  const said = async (account = main, of = accounts) =>
    (await of.lines(account)).map(
      ({direction, amount, posted}) => `${direction} ${amount} ${posted.slice(14, 23)}`,
    );

  it('is a debit when a payout is debited; until then only what is available goes down', async () => {
    const {id} = await at.ready('payee');
    await at.payout(id, {auto_approve: true});
    assert.deepEqual(await said(), []);
    at.clock.pass(1500);
    assert.deepEqual(await said(), ['debit 12500 00:03.500']);
    const {current, available} = await accounts.reported(main);
    assert.deepEqual([current, available], [87_500, 87_500]);
    await at.payout(id, {auto_approve: true, scheduled_date: '2026-12-24'});
    await at.payout(id, {auto_approve: true});
    at.clock.pass(1500);
    const later = await accounts.reported(main);
    assert.deepEqual([later.current, later.available], [75_000, 62_500]);
  });

  it('is a debit and a credit when a payout comes back', async () => {
    const {id} = await at.ready('payee');
    await at.payout(id, {auto_approve: true, metadata: {'sandbox.scenario': 'fails_after_debited'}});
    at.clock.pass(3000);
    assert.deepEqual(await said(), ['debit 12500 00:03.500', 'credit 12500 00:05.000']);
    assert.equal((await accounts.reported(main)).current, 100_000);
  });

  it('is a credit when a payin settles, and a debit when it comes back late', async () => {
    const {id} = await at.ready('payer');
    await at.payin(id, {auto_approve: true, metadata: {'sandbox.scenario': 'late_return'}});
    at.clock.pass(3000);
    assert.deepEqual(await said(), ['credit 12500 00:05.000']);
    at.clock.pass(3000);
    assert.deepEqual(await said(), ['credit 12500 00:05.000', 'debit 12500 00:06.500']);
    assert.equal((await accounts.reported(main)).current, 100_000);
  });

  it('counts nothing as available that was not reported yet', async () => {
    const key = at.sandbox.liveKey;
    const live = new Accounts(at, key);
    const [account] = await live.treasury();
    const {id} = await at.ready('payer', key);
    await at.payin(id, {auto_approve: true}, {key});
    at.clock.pass(500);
    await at.payin(id, {auto_approve: true}, {key});
    at.clock.pass(3700); // the first has been reported; the second is booked only
    const {current, available} = await live.reported(account);
    assert.deepEqual([current, available], [112_500, 112_500]);
    assert.deepEqual((await at.sandbox.audit()).problems, []);
  });

  it('comes to a live-style entity with the bank’s next report only (What the service does)', async () => {
    const live = new Accounts(at, at.sandbox.liveKey);
    const [account] = await live.treasury();
    const {id} = await at.ready('payee', at.sandbox.liveKey);
    await at.payout(id, {auto_approve: true}, {key: at.sandbox.liveKey});
    at.clock.pass(1500);
    assert.deepEqual(await said(account, live), []);
    assert.equal((await live.reported(account)).current, 100_000);
    at.clock.pass(1000);
    assert.deepEqual(await said(account, live), ['debit 12500 00:03.500']);
    const {current, as_of} = await live.reported(account);
    assert.deepEqual([current, as_of], [87_500, new Date(at.clock.now()).toISOString()]);
  });

  it('comes to a live-style entity at 07:00 of the next banking day where banks keep their hours', async () => {
    const real = await TestSandbox.open({timing: 'real', frozenAtMs: Date.parse('2026-03-06T15:00:00Z')});
    const key = real.sandbox.liveKey;
    const {payees} = await real.sandbox.seed({payees: 1, payers: 0, mode: 'live'});
    await real.payout(payees[0]!.id, {auto_approve: true, rail: 'instant_bank'}, {key});
    const live = new Accounts(real, key);
    const [account] = await live.treasury();
    await real.sandbox.advance({toMs: Date.parse('2026-03-09T10:59:59Z')});
    assert.deepEqual(await live.lines(account), []);
    await real.sandbox.advance({ms: 1000});
    const [line] = await live.lines(account);
    assert.equal(line?.posted, '2026-03-06T15:00:02.000Z');
    assert.equal((await live.reported(account)).as_of, '2026-03-09T11:00:00.000Z');
    await real.close();
  });
});

describe('sandbox: a treasury account that is not SIM', () => {
  it('takes no simulated credit: 400; and has no balance until one is reported: 404', async () => {
    const place = await testStore();
    const store = await openSandboxStore(place.place);
    const at = await TestSandbox.open({store});
    const random = seededRandom('accounts');
    const parts = {store, clock: at.clock, ids: new IdMaker(random), random, rules: {}};
    const context = parts as unknown as SandboxContext; // all it uses
    const id = await store.write(async (queries) => {
      const [entity] = await listEntities(queries);
      const account = {entityId: entity!.id, label: 'Bank', type: 'BANK', funding: 0, reported: false};
      return openTreasuryAccount(queries, context, account);
    });
    const path = `/api/treasury/accounts/${id}`;
    assertRefused(
      await at.post(`${path}/simulate-inbound-credit`, {amount_in_minor_units: 1}),
      400,
      'VALIDATION_ERROR',
      'account_id',
    );
    assertRefused(await at.get(`${path}/balance`), 404, 'NOT_FOUND');
    assert.deepEqual((await at.get(`${path}/transactions`)).body.data, []);
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
    await place.drop();
  });
});
