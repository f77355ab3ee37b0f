import assert from 'node:assert/strict';
import {stripVTControlCharacters} from 'node:util';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli} from '../../cli/run-cli.ts';
import {answer, lost, type Script} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-000000000031';
const FROM = '0192a000-0000-7000-8000-000000000032';
const TO = '0192a000-0000-7000-8000-000000000033';
const LIVE = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
const CREATE =
  `transfers create --source ${FROM} --destination ${TO} --amount 10.00 --currency USD --rail book`.split(
    ' ',
  );

const transfer = (changes: Record<string, unknown> = {}) => ({
  id: ID,
  source_account_id: FROM,
  destination_account_id: TO,
  amount_in_minor_units: 1_000,
  currency_code: 'USD',
  rail: 'book',
  status: 'created',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...changes,
});

/** A service whose list shows these statuses, one a walk, the last one for ever. */
const listing = (...statuses: string[]): Script => {
  let walks = 0;
  return ({method}) =>
    method === 'GET'
      ? page([transfer({id: TO}), transfer({status: statuses[Math.min(walks++, statuses.length - 1)]})])
      : answer(202, transfer({status: 'approved'}));
};

describe('transfers create', () => {
  it('sends the fields of the contract', async () => {
    const ran = await runCli([...CREATE, '--auto-approve', '--description', 'May'], {
      service: [answer(201, transfer({status: 'settled'}))],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.requests[0]!.path, '/api/treasury/account-transfers');
    assert.deepEqual(JSON.parse(ran.requests[0]!.body!), {
      source_account_id: FROM,
      destination_account_id: TO,
      amount_in_minor_units: 1_000,
      currency_code: 'USD',
      rail: 'book',
      auto_approve: true,
      description: 'May',
    });
    assert.match(ran.stdout, /^Status\tsettled$/m);
  });

  it('sends a rail that is not in the contract, and refuses what is no word', async () => {
    const odd = await runCli([...CREATE.slice(0, -1), 'fednow'], {service: [answer(201, transfer())]});
    assert.equal(odd.exitCode, 0);
    const bad = await runCli([...CREATE.slice(0, -1), 'by pigeon']);
    assert.equal(bad.exitCode, 5);
    assert.deepEqual(bad.requests, []);
  });

  it('says that it needs an approval, with the command that approves', async () => {
    const ran = await runCli(CREATE, {service: [answer(201, transfer({auto_approve: false}))]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(
      ran.stderr,
      new RegExp(`needs an approval before any money moves:\nHint: remit transfers approve ${ID}$`, 'm'),
    );
    assert.match(ran.stdout, /^Auto-approve\tno$/m);
    const approved = await runCli([...CREATE, '--auto-approve'], {
      service: [answer(201, transfer({status: 'initiated'}))],
    });
    assert.doesNotMatch(approved.stderr, /needs an approval/);
  });

  it('says after 202 that the bank is at work, with the command that waits', async () => {
    const ran = await runCli([...CREATE, '--auto-approve'], {
      service: [answer(202, transfer({status: 'approved'}))],
    });
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stderr, new RegExp(`remit transfers wait ${ID}$`, 'm'));
  });

  it('is a partial success when it was to be approved and was not', async () => {
    const ran = await runCli([...CREATE, '--auto-approve', '--wait'], {service: [answer(201, transfer())]});
    assert.equal(ran.exitCode, 8);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.stderr, new RegExp(`remit transfers approve ${ID}$`, 'm'));
  });

  it('waits by reading the list', async () => {
    const ran = await runCli([...CREATE, '--auto-approve', '--wait', '--json'], {
      service: listing('initiated', 'initiated', 'settled'),
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as {status: string}).status, 'settled');
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['POST', 'GET', 'GET', 'GET'],
    );
  });

  it('says that a wait is for an approval when it was created without one', async () => {
    const service: Script = ({method}) =>
      method === 'GET' ? page([transfer({status: 'settled'})]) : answer(201, transfer());
    const ran = await runCli([...CREATE, '--wait'], {service});
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stderr, new RegExp(`needs an approval.*\nHint: remit transfers approve ${ID}\n`));
  });

  it('is in doubt after a lost answer: sent once, exit 12, and the list settles it', async () => {
    const ran = await runCli([...CREATE, '--json'], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.error().hint ?? '', new RegExp(`remit transfers list --account ${FROM} --limit 5$`));
  });

  it('needs --live with a live key', async () => {
    const ran = await runCli(CREATE, {env: LIVE});
    assert.equal(ran.exitCode, 11);
    assert.deepEqual(ran.requests, []);
  });
});

describe('transfers approve', () => {
  it('sends one empty object', async () => {
    const ran = await runCli(['transfers', 'approve', ID], {
      service: [answer(200, transfer({status: 'approved'}))],
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['POST', `/api/treasury/account-transfers/${ID}/approve`, '{}']],
    );
  });

  it('finds a live one in the list first, so that its amount can be typed', async () => {
    const ran = await runCli(['transfers', 'approve', ID, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['10.00'],
      service: listing('created'),
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['GET', 'GET', 'POST'], // the transfer, and the labels of the accounts
    );
  });

  it('waits by reading the list', async () => {
    const ran = await runCli(['transfers', 'approve', ID, '--wait', '--json'], {
      service: listing('initiated', 'settled'),
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as {status: string}).status, 'settled');
  });

  it('is in doubt after a lost answer, until the list is read', async () => {
    const ran = await runCli(['transfers', 'approve', ID], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.match(ran.stderr, new RegExp(`remit transfers get ${ID}$`, 'm'));
  });
});

describe('transfers get, list and wait', () => {
  it('get walks the list until it finds the id, in any case of letters', async () => {
    const service = [page([transfer({id: TO})], 'next'), page([transfer({novelty: 1})], 'more')];
    const ran = await runCli(['transfers', 'get', ID.toUpperCase(), '--json'], {service});
    assert.deepEqual(ran.json(), transfer({novelty: 1}));
    assert.equal(ran.requests.length, 2);
  });

  it('get shows the labels of both accounts on the card at a terminal only', async () => {
    const service: Script = ({path}) =>
      path.startsWith('/api/treasury/accounts?')
        ? page([
            {id: FROM, label: 'Operating'},
            {id: TO, label: null},
          ])
        : page([transfer()]);
    const shown = await runCli(['transfers', 'get', ID], {service, columns: 100});
    const card = stripVTControlCharacters(shown.stdout);
    assert.match(card, new RegExp(`^Source +Operating \\(${FROM}\\)$`, 'm'));
    assert.match(card, new RegExp(`^Destination +${TO}$`, 'm'));
    const piped = await runCli(['transfers', 'get', ID], {service});
    assert.match(piped.stdout, new RegExp(`^Source\t${FROM}$`, 'm'));
    assert.equal(piped.requests.length, 1);
  });

  it('get ends with 4 when the list has no such id', async () => {
    const ran = await runCli(['transfers', 'get', ID], {service: [page([transfer({id: TO})])]});
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, /^Hint: remit transfers list$/m);
  });

  it('wait ends with 9 and the reason when it failed', async () => {
    const failed = transfer({status: 'failed', failure_reason: 'insufficient funds'});
    const ran = await runCli(['transfers', 'wait', ID, '--json'], {service: [page([failed])]});
    assert.equal(ran.exitCode, 9);
    assert.equal(ran.stdout, '');
    assert.match(ran.error().message, /is failed \(insufficient funds\); it will not be settled/);
    assert.deepEqual(ran.error().details?.['record'], failed);
  });

  it('wait knows that an account transfer is never debited', async () => {
    const ran = await runCli(['transfers', 'wait', ID, '--until', 'debited'], {service: listing('settled')});
    assert.equal(ran.exitCode, 2);
    assert.deepEqual(ran.requests, []);
  });

  it('wait ends with 10 when time runs out', async () => {
    const ran = await runCli(['transfers', 'wait', ID, '--until', 'settled', '--timeout', '5s'], {
      service: listing('initiated'),
    });
    assert.equal(ran.exitCode, 10);
    assert.match(ran.stderr, new RegExp(`^Hint: remit transfers wait ${ID} --until settled$`, 'm'));
  });

  it('list is filtered by status and account', async () => {
    const ran = await runCli(['transfers', 'list', '--status', 'failed', '--account', FROM], {
      service: [page([transfer({status: 'failed'})])],
    });
    assert.equal(ran.exitCode, 0);
    const query = new URL(ran.requests[0]!.path, BASE_URL).searchParams;
    assert.deepEqual([query.get('status'), query.get('account_id')], ['failed', FROM]);
  });
});
