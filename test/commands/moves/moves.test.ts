import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli} from '../../cli/run-cli.ts';
import type {TransportAnswer} from '../../../src/client/transport/transport.ts';
import {answer, lost} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-000000000010';
const FROM = '0192a000-0000-7000-8000-000000000011';
const TO = '0192a000-0000-7000-8000-000000000012';
const LIVE = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
const CREATE = `moves create --source ${FROM} --destination ${TO} --amount 125.00 --currency USD`.split(' ');

const move = (changes: Record<string, unknown> = {}) => ({
  id: ID,
  source_subaccount_id: FROM,
  destination_subaccount_id: TO,
  amount_in_minor_units: 12_500,
  currency_code: 'USD',
  status: 'CREATED',
  created_at: '2026-01-01T00:00:00.000Z',
  settled_at: null,
  description: 'May',
  ...changes,
});
const settled = move({status: 'SETTLED', settled_at: '2026-01-01T00:00:01.000Z'});

describe('moves create', () => {
  it('sends the fields of the contract, and takes the move out of its envelope', async () => {
    const ran = await runCli([...CREATE, '--description', 'May', '--json'], {
      service: [answer(201, {data: move()})],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      ran.requests.map(({method, path}) => `${method} ${path}`),
      ['POST /api/subaccounts/move'],
    );
    assert.deepEqual(JSON.parse(ran.requests[0]!.body!), {
      source_subaccount_id: FROM,
      destination_subaccount_id: TO,
      amount_in_minor_units: 12_500,
      currency_code: 'USD',
      description: 'May',
    });
    assert.equal(ran.requests[0]!.headers['idempotency-key'], undefined);
    assert.deepEqual(ran.json(), move());
    const announced = `Creating a move of 125.00 USD (12500 minor units) from subaccount ${FROM} to ${TO}\n`;
    assert.equal(ran.stderr.slice(0, announced.length), announced);
  });

  it('shows a person the move', async () => {
    const ran = await runCli(CREATE, {service: [answer(201, {data: move()})]});
    assert.match(ran.stdout, /^Status\tCREATED$/m);
    assert.match(ran.stdout, /^Amount\t125\.00 USD$/m);
    assert.match(ran.stderr, new RegExp(`needs an approval .*:\nHint: remit moves approve ${ID}$`, 'm'));
  });

  it('refuses one subaccount twice before anything is sent', async () => {
    const ran = await runCli([
      ...CREATE.slice(0, 4),
      '--destination',
      FROM.toUpperCase(),
      '--amount-minor',
      '1',
    ]);
    assert.equal(ran.exitCode, 5);
    assert.match(ran.stderr, /destination_subaccount_id: is the same as source_subaccount_id/);
    assert.deepEqual(ran.requests, []);
  });

  it('is in doubt after a lost answer: sent once, exit 12, and the list settles it', async () => {
    for (const reply of [
      lost(),
      answer(500, {}),
      answer(502, 'oops'),
      answer(201, '<html>'),
      answer(201, {}),
      answer(204),
    ]) {
      const ran = await runCli([...CREATE, '--json'], {service: [reply]});
      assert.equal(ran.exitCode, 12);
      assert.equal(ran.requests.length, 1);
      assert.equal(ran.stdout, '');
      assert.match(ran.error().hint ?? '', /remit moves list --limit 5$/);
      assert.equal(ran.error().retryable, false);
    }
  });

  it('needs --live with a live key, and the amount typed', async () => {
    const refused = await runCli(CREATE, {env: LIVE});
    assert.equal(refused.exitCode, 11);
    assert.deepEqual(refused.requests, []);
    const sent = await runCli([...CREATE, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['125.00'],
      service: [answer(201, {data: move()})],
    });
    assert.equal(sent.exitCode, 0);
    assert.deepEqual(sent.questions, ['Create a move? Type its amount in USD:']);
  });

  it('sends nothing on a dry run', async () => {
    const ran = await runCli([...CREATE, '--dry-run'], {env: LIVE});
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, new RegExp(`^POST ${BASE_URL}/api/subaccounts/move$`, 'm'));
    assert.deepEqual(ran.requests, []);
  });
});

describe('moves approve', () => {
  it('sends one empty object, and shows the settled move', async () => {
    const ran = await runCli(['moves', 'approve', ID], {service: [answer(201, {data: settled})]});
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['POST', `/api/subaccounts/move/${ID}/approve`, '{}']],
    );
    assert.match(ran.stdout, /^Status\tSETTLED$/m);
  });

  it('exits 8 when the move is still CREATED after it', async () => {
    for (const service of [[answer(201, {data: move()})], [answer(204), answer(200, {data: move()})]]) {
      const ran = await runCli(['moves', 'approve', ID, '--json'], {service});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /the move was not settled: its status is still CREATED/);
      assert.match(ran.stderr, new RegExp(`^Hint: remit moves get ${ID}$`, 'm'));
    }
    const created = await runCli([...CREATE, '--json'], {service: [answer(201, {data: move()})]});
    assert.equal(created.exitCode, 0);
  });

  it('is a partial success with 207, whatever the status is', async () => {
    for (const status of ['CREATED', 'SETTLED', 'HALFWAY']) {
      const body = {data: move({status}), warning: 'the destination was busy'};
      const ran = await runCli(['moves', 'approve', ID, '--json'], {service: [answer(207, body)]});
      assert.equal(ran.exitCode, 8);
      assert.equal((ran.json() as {status: string}).status, status);
      assert.match(ran.stderr, /^Warning: the destination was busy$/m);
      const next = status === 'CREATED' ? 'approve' : 'get';
      assert.match(ran.stderr, new RegExp(`^Hint: remit moves ${next} ${ID}$`, 'm'));
    }
  });

  it('prints after 207 the command that approves a live move again', async () => {
    const warned = answer(207, {data: move(), warning: 'approve the move again'});
    const ran = await runCli(['moves', 'approve', ID, '--live', '--yes', '--json'], {
      env: LIVE,
      service: [answer(200, {data: move()}), warned],
    });
    assert.match(ran.stderr, new RegExp(`^Hint: remit moves approve ${ID} --live$`, 'm'));
  });

  const refused = (found: TransportAnswer) =>
    runCli(['moves', 'approve', ID, '--json'], {
      service: [answer(400, {error_code: 'VALIDATION_ERROR', message: 'refused'}), found],
    });

  it('says after a 400 that an earlier approval settled the move', async () => {
    const ran = await refused(answer(200, {data: settled}));
    assert.equal(ran.exitCode, 5);
    assert.equal(ran.error().code, 'VALIDATION_ERROR');
    assert.match(
      ran.error().message,
      /refused \(POST \S+\)\. The move is SETTLED already; this request changed nothing$/,
    );
    assert.equal(ran.error().hint, `remit moves get ${ID}`);
  });

  it('says after a 400, such as one for insufficient funds, that no money moved', async () => {
    const ran = await refused(answer(200, {data: move()}));
    assert.equal(ran.exitCode, 5);
    assert.match(ran.error().message, /refused \(POST \S+\)\. The move is still CREATED: no money moved/);
    assert.doesNotMatch(ran.error().message, /done|settled/);
    assert.equal(ran.error().hint, `remit subaccounts get ${FROM}`);
  });

  it('does not guess after a 400 when the move cannot be read', async () => {
    const ran = await refused(answer(500, {}));
    assert.equal(ran.exitCode, 5);
    assert.match(ran.error().message, /Whether the move is settled is unknown/);
    assert.equal(ran.error().hint, `remit moves get ${ID}`);
    const unknown = await runCli(['moves', 'approve', ID, '--json'], {service: [answer(404, {})]});
    assert.equal(unknown.exitCode, 4);
    assert.doesNotMatch(unknown.error().message, /settled/);
  });

  it('is never repeated blindly: a lost answer is in doubt, and a read settles it', async () => {
    const ran = await runCli(['moves', 'approve', ID], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.stderr, new RegExp(`^Hint: .*remit moves get ${ID}$`, 'm'));
  });

  it('reads a live move first, so that its amount can be seen and typed', async () => {
    const ran = await runCli(['moves', 'approve', ID, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['125.00'],
      service: [answer(200, {data: move()}), answer(404, {}), answer(404, {}), answer(201, {data: settled})],
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['GET', 'GET', 'GET', 'POST'], // the move, and the names of its two subaccounts
    );
  });
});

describe('moves get and list', () => {
  it('take a move with or without its envelope', async () => {
    for (const body of [{data: settled}, settled]) {
      const ran = await runCli(['moves', 'get', ID, '--json'], {service: [answer(200, body)]});
      assert.deepEqual(ran.json(), settled);
      assert.equal(ran.requests[0]!.path, `/api/subaccounts/move/${ID}`);
    }
  });

  it('walk every page', async () => {
    const ran = await runCli(['moves', 'list', '--all', '-o', 'id'], {
      service: [page([move()], 'next'), page([move({id: TO})])],
    });
    assert.deepEqual(ran.stdout.trim().split('\n'), [ID, TO]);
    assert.match(ran.requests[1]!.path, /^\/api\/subaccounts\/move\?.*cursor=next/);
  });
});
