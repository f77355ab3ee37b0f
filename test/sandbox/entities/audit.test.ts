import assert from 'node:assert/strict';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {Accounts} from '../accounts.ts';
import {TestSandbox} from '../harness.ts';
import {testStore, type TestStore} from '../test-store.ts';

/** Changes to a store behind the sandbox's back, and what the audit reports about them. */
describe('sandbox audit', () => {
  let place: TestStore;
  let store: Store;
  let at: TestSandbox;
  let accounts: Accounts;
  beforeEach(async () => {
    place = await testStore();
    store = await openSandboxStore(place.place);
    at = await TestSandbox.open({store, mainBalanceMinor: 100_000});
    accounts = new Accounts(at);
  });
  afterEach(async () => {
    await at.close();
    await place.drop();
  });

  const problems = async () => (await at.sandbox.audit()).problems;
  const tamper = async (sql: string, params: string[] = []) => {
    assert.deepEqual(await problems(), []);
    assert.equal(await store.write((queries) => queries.run(sql, params)), 1);
  };

  it('shows balances that sum to zero', async () => {
    await accounts.subaccount(700);
    const {balances} = (await at.sandbox.audit()).entities[0]!;
    assert.equal(balances.subaccounts, '700');
    assert.equal(
      Object.values(balances).reduce((sum, held) => sum + BigInt(held), 0n),
      0n,
    );
  });

  it('names the account whose balance was changed', async () => {
    const id = await accounts.subaccount(700);
    await tamper('update ledger_accounts set balance = balance + 1 where id = ?', [`sub:${id}`]);
    assert.deepEqual(await problems(), [
      'test: the balances sum to 1, not to zero',
      `test: sub:${id} holds 701, but its postings sum to 700`,
    ]);
  });

  it('names the accounts of a posting that was removed', async () => {
    const id = await accounts.subaccount(700);
    await tamper(`delete from ledger_postings where credit = ?`, [`sub:${id}`]);
    assert.deepEqual(await problems(), [
      'test: clearing holds 0, but its postings sum to 700',
      `test: sub:${id} holds 700, but its postings sum to 0`,
    ]);
  });

  it('names the first payout that claims another status than its money has', async () => {
    const {id} = await at.ready('payee');
    await at.payout(id, {auto_approve: true, scheduled_date: '2026-12-24'});
    const wrong = await at.payout(id, {auto_approve: true, scheduled_date: '2026-12-24'});
    await tamper(`update transfers set status = 'canceled' where id = ?`, [wrong.body.id as string]);
    assert.deepEqual(await problems(), [
      'test: reserved holds 25000, but what is under way needs 12500',
      `test: the first with other postings than its status asks for: payout ${wrong.body.id}`,
    ]);
  });

  it('notices that a settled move has no posting', async () => {
    const [from, to] = [await accounts.subaccount(700), await accounts.subaccount()];
    const move = {source_subaccount_id: from, destination_subaccount_id: to, amount_in_minor_units: 5};
    const {id} = (await at.post('/api/subaccounts/move', move)).body.data as {id: string};
    await tamper(`update moves set status = 'SETTLED' where id = ?`, [id]);
    assert.deepEqual(await problems(), [
      `test: settled moves sub:${from} to sub:${to}: 1 of 5 without matching postings`,
    ]);
  });

  it('names the treasury account of a transaction that the bank never booked, or that is missing', async () => {
    const [main] = await accounts.treasury();
    await at.post(`/api/treasury/accounts/${main}/simulate-inbound-credit`, {amount_in_minor_units: 5});
    await tamper('delete from bank_transactions where account_id = ?', [main]);
    assert.deepEqual(await problems(), [
      `test: treasury account ${main} holds 100005, but the bank's lines lead to 100000`,
      `test: treasury account ${main} is reported at 100005, its lines lead to 100000`,
    ]);
  });

  it('notices missing timers of account transfers in progress and of transactions that wait for a report', async () => {
    const live = new Accounts(at, at.sandbox.liveKey);
    for (const [of, key] of [
      [accounts, at.sandbox.testKey],
      [live, at.sandbox.liveKey],
    ] as const) {
      const [source, destination] = await of.treasury();
      const transfer = {
        source_account_id: source,
        destination_account_id: destination,
        amount_in_minor_units: 5,
        currency_code: 'USD',
        rail: 'book',
        auto_approve: true,
      };
      assert.equal((await at.post('/api/treasury/account-transfers', transfer, {key})).status, 201);
    }
    await store.write((queries) => queries.run('delete from timers'));
    const found = await problems();
    assert.match(found[0]!, /^test: 1 account transfers under way have no timer, the first is /);
    assert.match(found[1]!, /^live: 1 account transfers under way have no timer/);
    assert.match(found[2]!, /^live: 1 lines of the bank that wait for its report have no timer/);
  });

  it('names a key that belongs to two records', async () => {
    const {id} = await at.ready('payee');
    await at.payout(id, {}, {idempotencyKey: 'one'});
    const other = await at.payout(id, {}, {idempotencyKey: 'other'});
    await store.write((queries) => queries.run('drop index if exists transfers_key')); // PostgreSQL would refuse
    await tamper(`update transfers set idempotency_key = 'one' where id = ?`, [other.body.id as string]);
    assert.deepEqual(await problems(), [
      'test: 1 idempotency keys have more than one payout, the first is one',
    ]);
  });
});
