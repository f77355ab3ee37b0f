import assert from 'node:assert/strict';
import {BANK_DIALECT_NAMES, type BankDialect} from '../../../src/sandbox/base/bank-dialect.ts';
import type {SandboxOptions} from '../../../src/sandbox/sandbox.ts';
import {operatingAccount} from '../accounts.ts';
import {TestSandbox, assertRefused} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';

const DAY = 86_400_000;

interface Line {
  id: string;
  amount_in_minor_units: number;
  direction: string;
  description: string | null;
  bank_reference: string;
  status: string;
  posted_at: string | null;
}

/** A sandbox, its main account, and the lines of it, read page by page. */
async function bank(options: Partial<SandboxOptions> = {}) {
  const at = await TestSandbox.open(options);
  const {body} = await at.get('/api/treasury/accounts');
  const accountId = operatingAccount(body);
  const lines = async (): Promise<Line[]> => {
    const all: Line[] = [];
    for (let cursor = ''; ;) {
      const page = await at.get(`/api/treasury/accounts/${accountId}/transactions?limit=2${cursor}`);
      all.push(...(page.body.data as Line[]));
      if (page.body.next_cursor === null) return all.sort((a, b) => (a.id < b.id ? -1 : 1));
      cursor = `&cursor=${page.body.next_cursor as string}`;
    }
  };
  const payee = await at.ready('payee');
  const pay = async (amount: number, rail = 'standard_ach') => {
    const made = await at.payout(payee.id, {amount_in_minor_units: amount, auto_approve: true, rail});
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body.id as string;
  };
  const pass = async (ms: number) => {
    at.clock.pass(ms);
    await at.sandbox.audit();
  };
  const trace = async (id: string) => {
    const {body: record} = await at.get(`/api/payouts/${id}`);
    const {trace_number, end_to_end_id} = record.transfer_details;
    return (trace_number ?? end_to_end_id) as string;
  };
  const close = async () => {
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  };
  return {at, accountId, lines, pay, pass, trace, close};
}

describe('bank dialects of the sandbox', () => {
  const textOf = async (dialect: BankDialect) => {
    const {lines, pay, pass, trace, close} = await bank({bankDialect: dialect});
    const id = await pay(100);
    await pass(5000);
    const [line] = await lines();
    const text = {id, trace: await trace(id), description: line?.description};
    await close();
    return text;
  };

  it('write the id of a payout by default', async () => {
    const {id, description} = await textOf('id');
    assert.equal(description, `payout ${id} by standard_ach`);
  });

  it('write the trace number only', async () => {
    const {trace, description} = await textOf('trace');
    assert.equal(description, trace);
  });

  for (const length of [10, 18, 35, 140] as const)
    it(`cut the text after ${length} characters`, async () => {
      const {id, trace, description} = await textOf(`cut-${length}`);
      assert.equal(description, `${trace} payout ${id} by standard_ach`.slice(0, length).trimEnd());
    });

  it('write no text', async () => {
    assert.equal((await textOf('empty')).description, null);
  });

  it('book one line for each ACH file, and one for each wire', async () => {
    const {lines, pay, pass, close} = await bank({bankDialect: 'ach-file'});
    for (const amount of [100, 200, 300]) await pay(amount);
    await pay(5000, 'wire');
    await pass(5000);
    assert.deepEqual(
      (await lines()).map((line) => line.amount_in_minor_units),
      [5000],
      'the file is still open',
    );
    await pass(60_000);
    await pay(700);
    await pass(5000);
    await pass(60_000);
    const amounts = (await lines()).map((line) => line.amount_in_minor_units);
    assert.deepEqual(
      amounts.sort((a, b) => a - b),
      [600, 700, 5000],
    );
    await close();
  });

  it('book a file of real hours as one line, at its deadline', async () => {
    const {at, lines, pass, close} = await bank({bankDialect: 'ach-file', timing: 'real'});
    const payeeId = await at.party('payee');
    const added = await at.post(`/api/payees/${payeeId}/payment-methods`, bankAccount());
    await pass(60_000);
    await at.post(`/api/payees/${payeeId}/payment-methods/${added.body.id as string}/set-default`);
    for (const [amount, laterMs] of [
      [100, 60_000],
      [200, 3_600_000],
      [400, 60_000],
    ] as const) {
      const body = {amount_in_minor_units: amount, auto_approve: true, rail: 'standard_ach'};
      assert.ok((await at.payout(payeeId, body)).status < 300);
      await pass(laterMs);
    }
    await pass(3 * DAY);
    const found = (await lines()).map((line) => [line.amount_in_minor_units, line.posted_at]);
    assert.deepEqual(found, [
      [300, '2026-03-02T15:30:00.000Z'],
      [400, '2026-03-02T16:30:00.000Z'],
    ]);
    await close();
  });

  it('add a fee to what leaves, and take it from what arrives', async () => {
    const {at, lines, pay, pass, close} = await bank({bankDialect: 'net-fee'});
    await pay(1000);
    const payer = await at.ready('payer');
    await at.payin(payer.id, {amount_in_minor_units: 2000, auto_approve: true});
    await at.payin(payer.id, {amount_in_minor_units: 25, auto_approve: true});
    for (let step = 0; step < 5; step += 1) await pass(5000);
    const amounts = (await lines()).map(
      ({direction, amount_in_minor_units: amount}) => `${direction} ${amount}`,
    );
    assert.deepEqual(amounts.sort(), ['credit 1975', 'credit 25', 'debit 1025']);
    await close();
  });

  it('replace a pending line by a posted one with another id', async () => {
    const {at, lines, pay, pass, close} = await bank({bankDialect: 'pending'});
    await pay(100);
    await pass(1500);
    const [pending, ...others] = await lines();
    assert.deepEqual([pending?.status, pending?.posted_at, others], ['pending', null, []]);
    assert.deepEqual((await at.sandbox.audit()).problems, [], 'a pending line is not money');
    await pass(1000);
    const [posted, ...more] = await lines();
    assert.deepEqual([posted?.status, more], ['posted', []]);
    assert.notEqual(posted?.id, pending?.id);
    assert.notEqual(posted?.bank_reference, pending?.bank_reference);
    await close();
  });

  it('survive a reset and a restart, if they were chosen at the start', async () => {
    const {at, close} = await bank({bankDialect: 'empty'});
    await at.sandbox.reset();
    await at.reopen();
    const {body} = await at.get('/api/treasury/accounts');
    assert.equal(body.data.length, 2);
    const payee = await at.ready('payee');
    await at.payout(payee.id, {auto_approve: true});
    at.clock.pass(5000);
    const main = operatingAccount(body);
    const page = await at.get(`/api/treasury/accounts/${main}/transactions`);
    assert.deepEqual(
      (page.body.data as Line[]).map((line) => line.description),
      [null],
    );
    await close();
  });

  it('are set for one account, or for all', async () => {
    const {at, accountId, close} = await bank();
    const one = await at.control('POST', '/sandbox/bank-dialect', {dialect: 'trace', account_id: accountId});
    assert.deepEqual(one.body, {data: [{account_id: accountId, dialect: 'trace'}]});
    const all = await at.control('POST', '/sandbox/bank-dialect', {dialect: 'empty'});
    assert.equal(all.body.data.length, 4, 'two accounts of each entity');
    const missing = {dialect: 'empty', account_id: '00000000-0000-4000-8000-000000000000'};
    assertRefused(await at.control('POST', '/sandbox/bank-dialect', missing), 404, 'NOT_FOUND');
    assertRefused(
      await at.control('POST', '/sandbox/bank-dialect', {dialect: 'kind'}),
      400,
      'VALIDATION_ERROR',
    );
    await close();
  });

  for (const dialect of BANK_DIALECT_NAMES)
    it(`lead to the balance of the account: ${dialect}`, async () => {
      const {at, accountId, lines, pay, pass, close} = await bank({bankDialect: dialect});
      const balance = async () => {
        const {body} = await at.get(`/api/treasury/accounts/${accountId}/balance`);
        return body.current_balance_in_minor_units as number;
      };
      const before = await balance();
      const ids = [];
      for (const rail of ['standard_ach', 'wire', 'same_day_ach', 'instant_bank'])
        ids.push(await pay(1000, rail));
      for (let step = 0; step < 4; step += 1) await pass(2000);
      await at.sandbox.simulate({kind: 'payout', id: String(ids[0]), outcome: 'return', code: 'R02'});
      await pass(120_000);
      const sums = (await lines()).map((line) =>
        line.direction === 'credit' ? line.amount_in_minor_units : -line.amount_in_minor_units,
      );
      assert.equal(
        sums.reduce((total, sum) => total + sum, before),
        await balance(),
      );
      assert.ok((await balance()) < before);
      await close(); // the audit compares the lines with the ledger
    });
});

describe('returns after settlement', () => {
  const settled = async () => {
    const scene = await bank({bankDialect: 'trace'});
    const id = await scene.pay(1000);
    for (let step = 0; step < 4; step += 1) await scene.pass(2000);
    return {...scene, id};
  };

  for (const days of [1, 12, 60])
    it(`arrive ${days} days later with their code`, async () => {
      const {at, id, lines, pass, trace, close} = await settled();
      const asked = {kind: 'payout', id, outcome: 'return', code: 'r02', after_ms: days * DAY};
      const {status, body} = await at.control('POST', '/sandbox/simulate', asked);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.status, body.code], ['settled', 'R02']);
      await pass(days * DAY - 60_000);
      assert.equal((await lines()).length, 1);
      await pass(60_001);
      const [, back] = await lines();
      assert.deepEqual(
        [back?.direction, back?.amount_in_minor_units, back?.description],
        ['credit', 1000, `RETURN R02 ${await trace(id)}`],
      );
      await pass(90 * DAY);
      assert.equal((await lines()).length, 2, 'once');
      await close();
    });

  it('cannot be planned for a record that has not settled, or for another outcome', async () => {
    const {at, pay, id, close} = await settled();
    const fresh = await pay(1000);
    const plan = (asked: object) =>
      at.control('POST', '/sandbox/simulate', {kind: 'payout', after_ms: DAY, ...asked});
    assertRefused(await plan({id: fresh, outcome: 'return'}), 400, 'VALIDATION_ERROR');
    assertRefused(await plan({id, outcome: 'settle'}), 400, 'VALIDATION_ERROR');
    await close();
  });
});
