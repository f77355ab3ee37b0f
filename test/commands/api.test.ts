import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli} from '../cli/run-cli.ts';
import {answer, lost} from '../client/transport/fake-transport.ts';
import {PAYEE_ID, payout} from './fixtures.ts';

const LIVE = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};

describe('api', () => {
  it('sends any request under the base URL and prints its answer', async () => {
    const ran = await runCli(['api', 'get', '/api/payouts?limit=5', '--query', 'data[].id'], {
      service: [answer(200, {data: [{id: 'a'}, {id: 'b'}], next_cursor: null})],
    });
    assert.equal(ran.exitCode, 0);
    assert.equal(ran.stdout, 'a\nb\n');
    assert.deepEqual([ran.requests[0]!.method, ran.requests[0]!.path], ['GET', '/api/payouts?limit=5']);
  });

  it('makes and shows a key where the contract takes one', async () => {
    const data = JSON.stringify({payee_id: PAYEE_ID, amount_in_minor_units: 5});
    const ran = await runCli(['api', 'POST', '/api/payouts', '-d', data, '--json'], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 3);
    assert.equal(new Set(ran.requests.map(({headers}) => headers['idempotency-key'])).size, 1);
    assert.match(ran.stderr, /^Idempotency key: 11111111-/m);
    assert.match(ran.error().hint ?? '', /^remit api POST \/api\/payouts .*--idempotency-key 11111111-/);
    assert.equal(ran.error().retryable, false); // the same words would make another key
  });

  it('may be typed again unchanged after a lost answer only where its key was typed', async () => {
    const data = JSON.stringify({payee_id: PAYEE_ID, amount_in_minor_units: 5});
    const line = ['api', 'POST', '/api/payouts', '-d', data, '--idempotency-key', 'k-1', '--json'];
    const ran = await runCli(line, {service: [lost()]});
    assert.deepEqual([ran.exitCode, ran.error().retryable], [12, true]);
  });

  it('never repeats a POST without one', async () => {
    const ran = await runCli(['api', 'POST', '/api/payees', '-d', '{"name":"x"}'], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.equal(ran.requests[0]!.headers['idempotency-key'], undefined);
  });

  it('guards what it sends', async () => {
    const argv = [
      'api',
      'POST',
      '/api/payouts',
      '-d',
      JSON.stringify({payee_id: PAYEE_ID, amount_in_minor_units: 5}),
    ];
    const refused = await runCli(argv, {env: LIVE});
    assert.equal(refused.exitCode, 11);
    assert.match(refused.stderr, new RegExp(`payee ${PAYEE_ID}`));
    assert.deepEqual(refused.requests, []);
    const read = await runCli(['api', 'GET', '/api/payouts'], {
      env: LIVE,
      service: [answer(200, {data: []})],
    });
    assert.equal(read.exitCode, 0);
    const typed = await runCli([...argv, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['5'],
      service: [answer(201, payout())],
    });
    assert.equal(typed.exitCode, 0);
  });

  it('reads the body from stdin or a file on request only', async () => {
    const ran = await runCli(['api', 'POST', '/api/payees', '-d', '-'], {
      stdin: '{"name":"x"}',
      service: [answer(201, {id: 'p'})],
    });
    assert.equal(ran.requests[0]!.body, '{"name":"x"}');
    assert.equal((await runCli(['api', 'POST', '/x', '-d', '{'])).exitCode, 5);
    assert.equal((await runCli(['api', 'POST', '/x', '-d', '@/nowhere'])).exitCode, 5);
  });

  it('quotes nothing of a body that is not JSON, which may hold a secret', async () => {
    for (const data of ['{"signing_secret": hunter2}', 'hunter2']) {
      const ran = await runCli(['api', 'POST', '/x', '--debug', '-d', data]);
      assert.equal(ran.exitCode, 5);
      assert.match(ran.stderr, /--data is not JSON: Unexpected token/);
      assert.doesNotMatch(ran.stderr + ran.stdout, /unter2/);
    }
  });

  for (const [path, exit] of [
    ['https://evil.example.com/', 11],
    ['//evil.example.com/', 11],
    ['api/payouts', 11],
    ['/api/../x', 11],
    ['/a b', 11],
  ] as const)
    it(`refuses the path ${path}`, async () => {
      const ran = await runCli(['api', 'GET', path]);
      assert.equal(ran.exitCode, exit);
      assert.deepEqual(ran.requests, []);
    });

  it('knows its methods', async () => {
    assert.equal((await runCli(['api', 'FETCH', '/x'])).exitCode, 2);
  });

  it('calls a warning a partial success, and an empty answer done', async () => {
    assert.equal((await runCli(['api', 'POST', '/x'], {service: [answer(207, {warning: 'w'})]})).exitCode, 8);
    const deleted = await runCli(['api', 'DELETE', '/x', '--json'], {service: [answer(204)]});
    assert.deepEqual(deleted.json(), {http_status: 204});
  });
});
