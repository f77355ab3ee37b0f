import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli, TEST_KEY} from '../cli/run-cli.ts';
import {answer, lost} from '../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID, payout} from './fixtures.ts';

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

  it('with a generated key compares the record and notices a missing approval, as create does', async () => {
    const body = {
      payee_id: PAYEE_ID,
      amount_in_minor_units: 12_500,
      currency_code: 'USD',
      auto_approve: true,
    };
    const line = ['api', 'POST', '/api/payouts', '-d', JSON.stringify(body), '--json'];
    const open = await runCli(line, {service: [answer(201, payout({status: 'created'}))]});
    assert.equal(open.exitCode, 8, open.stderr);
    assert.match(open.stderr, /was not approved: its status is still created/);
    const other = await runCli(line, {service: [answer(201, payout({payee_id: METHOD_ID}))]});
    assert.deepEqual([other.exitCode, other.error().code], [6, 'KEY_REUSED'], other.stderr);
    const asked = await runCli(line, {service: [answer(201, payout({status: 'approved'}))]});
    assert.deepEqual([asked.exitCode, asked.requests.length], [0, 1], asked.stderr);
  });

  it('is in doubt after a success without the record of a payment, also raw', async () => {
    const body = {payee_id: PAYEE_ID, amount_in_minor_units: 12_500};
    const move = {
      ...{source_subaccount_id: PAYEE_ID, destination_subaccount_id: METHOD_ID},
      ...{amount_in_minor_units: 5, currency_code: 'USD'},
    };
    for (const line of [
      ['/api/payouts', JSON.stringify(body), '--raw'],
      ['/api/payouts', JSON.stringify(body)],
      ['/api/subaccounts/move', JSON.stringify(move)],
    ]) {
      const [path = '', data = '', ...more] = line;
      const words = ['api', 'POST', path, '-d', data, ...more, '--json'];
      const ran = await runCli(words, {service: [answer(201, {})]});
      assert.deepEqual([ran.exitCode, ran.error().code], [12, 'IN_DOUBT'], ran.stderr);
    }
  });

  it('sends a key that the operation does not take, and never repeats the request for it', async () => {
    const move = {
      ...{source_subaccount_id: PAYEE_ID, destination_subaccount_id: METHOD_ID},
      ...{amount_in_minor_units: 5, currency_code: 'USD'},
    };
    for (const raw of [[], ['--raw']]) {
      const data = ['-d', JSON.stringify(move), '--idempotency-key', 'k-1', '--json'];
      const ran = await runCli(['api', 'POST', '/api/subaccounts/move', ...data, ...raw], {
        service: [lost()],
      });
      assert.equal(ran.exitCode, 12, ran.stderr);
      assert.deepEqual(
        ran.requests.filter(({method}) => method === 'POST').map(({headers}) => headers['idempotency-key']),
        ['k-1'],
      );
      assert.match(ran.error().hint ?? '', /api GET /);
      assert.doesNotMatch(ran.error().hint ?? '', /--idempotency-key/);
    }
  });

  it('is a partial success if an approval was requested and the status does not show it', async () => {
    const body = {
      ...{payee_id: PAYEE_ID, amount_in_minor_units: 12_500, currency_code: 'USD'},
      auto_approve: true,
    };
    const line = ['api', 'POST', '/api/payouts', '-d', JSON.stringify(body), '--json'];
    for (const [status, words] of [
      ['queued_x', /whether the payout was approved is unknown/],
      ['failed', /the payout has failed/],
    ] as const) {
      const ran = await runCli(line, {service: [answer(201, payout({status}))]});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, words);
      assert.match(ran.stderr, /Hint: remit payouts get /);
    }
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
    const payee = await runCli(['api', 'POST', '/api/payees', '-d', '{"name":"x"}'], {env: LIVE});
    assert.match(payee.stderr, /^Error: refused to POST \/api\/payees with a live key$/m);
    const read = await runCli(['api', 'GET', '/api/payouts'], {
      env: LIVE,
      service: [answer(200, {data: []})],
    });
    assert.equal(read.exitCode, 0);
    const typed = await runCli([...argv, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['5'],
      service: [answer(201, payout({amount_in_minor_units: 5}))],
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

  it('sends the headers that were typed, on every page', async () => {
    const words = ['-H', 'X-Tenant: acme', '--header', 'x-trace:a:b', '--json'];
    const one = await runCli(['api', 'GET', '/x', ...words], {service: [answer(200, {})]});
    assert.equal(one.requests[0]!.headers['x-tenant'], 'acme');
    assert.equal(one.requests[0]!.headers['x-trace'], 'a:b');
    const pages = [answer(200, {data: [1], next_cursor: 'c'}), answer(200, {data: [2], next_cursor: null})];
    const all = await runCli(['api', 'GET', '/x', '--paginate', ...words], {service: pages});
    assert.deepEqual(
      all.requests.map(({headers}) => headers['x-tenant']),
      ['acme', 'acme'],
    );
  });

  for (const [header, message] of [
    ['x-api-key: k', /the header x-api-key is set by remit/],
    ['Authorization: Bearer x', /set by remit/],
    ['idempotency-key: k', /set by remit/],
    ['host: evil.example.com', /set by remit/],
    ['no colon', /not of the form NAME:VALUE/],
    ['a b: c', /not a header name/],
    ['x: \u00e9', /characters that HTTP does not allow/],
    ['x: a\r\nx-api-key: k', /characters that HTTP does not allow/],
  ] as const)
    it(`refuses the header ${JSON.stringify(header)}`, async () => {
      const ran = await runCli(['api', 'GET', '/x', '-H', header]);
      assert.deepEqual([ran.exitCode, ran.requests], [2, []]);
      assert.match(ran.stderr, message);
    });

  it('shows the status and headers of the answer, redacted', async () => {
    const headers = {'x-request-id': 'r-1', 'x-api-key': TEST_KEY};
    const service = [answer(200, {id: 'p'}, headers)];
    const words = ['api', 'GET', '/x', '--include'];
    const json = (await runCli([...words, '--json'], {service})).json() as Record<string, unknown>;
    assert.deepEqual([json['http_status'], json['body']], [200, {id: 'p'}]);
    assert.equal((json['headers'] as Record<string, string>)['x-request-id'], 'r-1');
    const piped = await runCli(words, {service});
    assert.deepEqual(JSON.parse(piped.stdout), json);
    const shown = await runCli(words, {service, columns: 80});
    assert.match(shown.stdout, /^HTTP 200\n/);
    assert.match(shown.stdout, /^x-request-id: r-1$/m);
    assert.match(shown.stdout, /\n\n\{\n {2}"id": "p"\n\}\n$/);
    for (const {stdout} of [piped, shown]) assert.doesNotMatch(stdout, new RegExp(TEST_KEY));
    const empty = await runCli(['api', 'DELETE', '/x', '-i', '--json'], {service: [answer(204)]});
    assert.deepEqual(empty.json(), {http_status: 204, headers: {}, body: null});
  });
});
