import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli} from '../../cli/run-cli.ts';
import {answer, lost} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-000000000021';
const TX = '0192a000-0000-7000-8000-000000000022';
const uuid = (n: number) => `0192a000-0000-7000-8001-${String(n).padStart(12, '0')}`;
const account = {id: ID, label: 'Operating', currency_code: 'USD', type: 'SIM', status: 'active'};
const transaction = {
  id: TX,
  account_id: ID,
  amount_in_minor_units: 100_000,
  direction: 'credit',
  currency_code: 'USD',
  description: 'Invoice 17',
  bank_reference: 'B-1',
  status: 'posted',
  posted_at: '2026-01-01T00:00:00.000Z',
  value_date: '2026-01-01',
};

describe('treasury', () => {
  it('lists accounts', async () => {
    const ran = await runCli(['treasury', 'accounts'], {service: [page([account])]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, new RegExp(`^${ID}\tOperating\tUSD\tSIM\tactive$`, 'm'));
    assert.match(ran.requests[0]!.path, /^\/api\/treasury\/accounts\?/);
    const long = await runCli(['treasury', 'accounts', 'list'], {service: [page([account])]});
    assert.equal(long.stdout, ran.stdout);
  });

  it('shows one account of the list, on any of its pages', async () => {
    const others = Array.from({length: 100}, (_, n) => ({...account, id: uuid(n), label: `Other ${n}`}));
    const pages = () => [page(others, 'next'), page([account])];
    const ran = await runCli(['treasury', 'accounts', 'get', ID.toUpperCase(), '--json'], {service: pages()});
    assert.deepEqual([ran.exitCode, ran.json()], [0, account], ran.stderr);
    assert.equal(ran.requests.length, 2);
    const none = await runCli(['treasury', 'accounts', 'get', uuid(200), '--json'], {service: pages()});
    assert.equal(none.exitCode, 4);
    assert.match(none.error().message, /^no treasury account .* among those that the service lists$/);
    assert.equal(none.error().hint, 'remit treasury accounts list');
  });

  it('shows the reported balance in major units', async () => {
    const balance = {
      account_id: ID,
      currency_code: 'USD',
      current_balance_in_minor_units: 12_345,
      available_balance_in_minor_units: -5,
      as_of: '2026-01-01T00:00:00.000Z',
    };
    const ran = await runCli(['treasury', 'balance', ID], {service: [answer(200, balance)]});
    assert.match(ran.stdout, /^Current balance\t123\.45 USD$/m);
    assert.match(ran.stdout, /^Available balance\t-0\.05 USD$/m);
    assert.equal(ran.requests[0]!.path, `/api/treasury/accounts/${ID}/balance`);
  });

  it('exits 8 and names the keys if the balance has other names', async () => {
    const ran = await runCli(['treasury', 'balance', ID], {
      service: [answer(200, {account: ID, current: 500})],
    });
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stdout, /^current\t500$/m);
    assert.match(
      ran.stderr,
      /^Warning: the answer does not show current_balance_in_minor_units and currency_code; if this service differs, set fields\.treasury\.current_balance_in_minor_units, units\.treasury\.current_balance_in_minor_units and fields\.treasury\.currency_code in the service file$/m,
    );
    assert.match(ran.stderr, /^Hint: remit doctor$/m);
  });

  it('reports with exit 4 that there is no balance yet', async () => {
    const ran = await runCli(['treasury', 'balance', ID], {
      service: [answer(404, {error_code: 'NOT_FOUND', message: 'no balance was reported yet'})],
    });
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, /no balance was reported yet/);
  });

  it('lists the transactions of one account', async () => {
    const ran = await runCli(['treasury', 'transactions', ID, '-o', 'csv', '--fields', 'id,direction'], {
      service: [page([transaction])],
    });
    assert.equal(ran.stdout, `id,direction\n${TX},credit\n`);
    assert.match(ran.requests[0]!.path, new RegExp(`^/api/treasury/accounts/${ID}/transactions\\?`));
  });

  it('changes a label', async () => {
    const ran = await runCli(['treasury', 'label', ID, 'Payroll', '--json'], {
      service: [answer(200, {...account, label: 'Payroll'})],
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['POST', `/api/treasury/accounts/${ID}/update-label`, '{"label":"Payroll"}']],
    );
    assert.equal((ran.json() as {label: string}).label, 'Payroll');
    const long = await runCli(['treasury', 'label', ID, 'x'.repeat(256)]);
    assert.equal(long.exitCode, 5);
    assert.deepEqual(long.requests, []);
  });

  it('simulates an inbound credit', async () => {
    const line = `treasury simulate-credit ${ID} --amount 1000.00 --currency USD --counterparty-name Acme --description x`;
    const ran = await runCli(line.split(' '), {service: [answer(201, transaction)]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(JSON.parse(ran.requests[0]!.body!), {
      amount_in_minor_units: 100_000,
      currency_code: 'USD',
      description: 'x',
      counterparty_name: 'Acme',
    });
    assert.match(ran.stdout, /^Direction\tcredit$/m);
  });

  it('is in doubt about a credit after a lost answer, until the transactions are read', async () => {
    const line = `treasury simulate-credit ${ID} --amount-minor 5`;
    const ran = await runCli(line.split(' '), {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.stderr, new RegExp(`remit treasury transactions ${ID} --limit 5$`, 'm'));
  });

  it('writes nothing with a live key that was not confirmed', async () => {
    const env = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await runCli(['treasury', 'label', ID, 'x'], {env});
    assert.equal(ran.exitCode, 11);
    assert.deepEqual(ran.requests, []);
  });
});
