import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {TestSandbox, UNKNOWN_ID, assertRefused, type Answer} from '../harness.ts';

describe('sandbox control calls', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('always need the token; an API key does not help', async () => {
    for (const path of ['status', 'audit', 'keys', 'faults', 'nothing']) {
      const token: Record<string, string>[] = [
        {},
        {'x-sandbox-token': ''},
        {'x-sandbox-token': 'x'.repeat(32)},
      ];
      for (const headers of token)
        assertRefused(await at.get(`/sandbox/${path}`, {headers}), 401, 'AUTHENTICATION_ERROR');
    }
  });

  it('prove that the sandbox has the token to a caller who does not send it', async () => {
    const nonce = 'c0ffee'.repeat(6);
    const proof = createHmac('sha256', at.sandbox.controlToken).update(nonce).digest('hex');
    const answer = await at.get(`/sandbox/hello?nonce=${nonce}`);
    assert.deepEqual([answer.status, answer.body], [200, {proof}]);
    for (const query of ['', '?nonce=', '?nonce=short', `?nonce=${'a'.repeat(200)}`, `?nonce=${nonce}&x=1`])
      assertRefused(await at.get(`/sandbox/hello${query}`), 400, 'VALIDATION_ERROR');
    const foreign: Record<string, string>[] = [{host: 'evil.example'}, {origin: 'http://evil.example'}];
    for (const headers of foreign)
      assertRefused(await at.get(`/sandbox/hello?nonce=${nonce}`, {headers}), 403, 'AUTHORIZATION_ERROR');
    assertRefused(await at.post('/sandbox/hello', {}), 401, 'AUTHENTICATION_ERROR');
  });

  it('refuse another host, and another origin, even with the token', async () => {
    const refused = async (headers: Record<string, string>) =>
      assertRefused(
        await at.control('GET', '/sandbox/status', undefined, headers),
        403,
        'AUTHORIZATION_ERROR',
      );
    await refused({host: 'evil.example'});
    await refused({host: '127.0.0.1.evil.example'});
    await refused({origin: 'http://evil.example'});
    await refused({origin: 'null'});
    const same = {host: 'localhost', origin: 'http://localhost'};
    assert.equal((await at.control('GET', '/sandbox/status', undefined, same)).status, 200);
  });

  it('take JSON only', async () => {
    const form = await at.control('POST', '/sandbox/reset', {}, {'content-type': 'text/plain'});
    assertRefused(form, 400, 'VALIDATION_ERROR');
    const bare = await at.control('POST', `/sandbox/deliveries/${UNKNOWN_ID}/redeliver`);
    assertRefused(bare, 400, 'VALIDATION_ERROR');
    assertRefused(await at.control('POST', '/sandbox/reset', {hard: true}), 400, 'VALIDATION_ERROR');
    assertRefused(await at.control('POST', '/sandbox/nothing', {}), 404, 'NOT_FOUND');
  });

  it('show the clock, requests and the audit', async () => {
    await at.party('payee');
    const {body} = await at.control('GET', '/sandbox/status');
    assert.deepEqual(Object.keys(body as object), ['clock', 'requests', 'faults', 'deliveries', 'audit']);
    assert.equal(body.requests.answers['payees.create 201'], 1);
    assert.deepEqual((await at.control('GET', '/sandbox/audit')).body, body.audit);
  });

  it('list and issue keys', async () => {
    const {body: before} = await at.control('GET', '/sandbox/keys');
    const issued: Answer = await at.control('POST', '/sandbox/keys', {mode: 'live', scope: 'read'});
    assert.equal(issued.status, 201);
    assert.match(issued.body.key as string, /^live_sandbox_/);
    const {body: after} = await at.control('GET', '/sandbox/keys');
    assert.equal(after.data.length, before.data.length + 1);
    assert.equal((await at.get('/api/payouts', {key: issued.body.key as string})).status, 200);
  });

  it('issue other keys after a restart with the same seed', async () => {
    const fresh = await TestSandbox.open();
    const one = await fresh.sandbox.issueKey({mode: 'test', scope: 'full'});
    await fresh.reopen();
    const other = await fresh.sandbox.issueKey({mode: 'test', scope: 'full'});
    assert.notEqual(one.key, other.key);
    await fresh.close();
  });

  it('reset takes records, faults and counts away, and keeps keys', async () => {
    const {id} = await at.ready('payee');
    await at.payout(id, {auto_approve: true}, {idempotencyKey: 'before-reset'});
    await at.control('POST', '/sandbox/faults', {effect: {kind: 'latency', ms: 0}});
    const reset = await at.control('POST', '/sandbox/reset', {main_balance_in_minor_units: 500});
    assert.equal(reset.status, 200);
    assert.deepEqual([reset.body.requests.total, reset.body.faults], [0, 0]);
    assert.equal(reset.body.audit.entities[0].balances.main, '500');
    assert.deepEqual(reset.body.audit.problems, []);
    assert.deepEqual((await at.get('/api/payouts')).body.data, []);
    at.clock.pass(60_000);
    const again = await at.ready('payee');
    assert.equal((await at.payout(again.id, {}, {idempotencyKey: 'before-reset'})).status, 201);
  });

  it('add, list and remove fault rules', async () => {
    const {status, body} = await at.control('POST', '/sandbox/faults', {effect: {kind: 'cut'}, times: 1});
    assert.equal(status, 201);
    assert.equal((await at.control('GET', '/sandbox/faults')).body.data[0].id, body.id);
    assert.equal((await at.control('DELETE', `/sandbox/faults/${body.id}`)).status, 204);
    assertRefused(await at.control('DELETE', `/sandbox/faults/${body.id}`), 404, 'NOT_FOUND');
    assertRefused(
      await at.control('POST', '/sandbox/faults', {effect: {kind: 'x'}}),
      400,
      'VALIDATION_ERROR',
    );
    await at.control('POST', '/sandbox/faults', {effect: {kind: 'cut'}});
    assert.equal((await at.control('DELETE', '/sandbox/faults')).status, 204);
    assert.deepEqual((await at.control('GET', '/sandbox/faults')).body.data, []);
  });

  it('refuse fault rules whose headers cannot be sent', async () => {
    for (const effect of [
      {kind: 'status', status: 429, retry_after: '1\r\nx: y'},
      {kind: 'wrong_type', type: 'text/\u0000plain'},
    ])
      assertRefused(await at.control('POST', '/sandbox/faults', {effect}), 400, 'VALIDATION_ERROR');
  });

  it('are not hit by fault rules', async () => {
    await at.control('POST', '/sandbox/faults', {effect: {kind: 'reset', when: 'before'}});
    assert.equal((await at.control('GET', '/sandbox/status')).status, 200);
    await at.control('DELETE', '/sandbox/faults');
  });

  it('do not advance the clock beyond the year 2199', async () => {
    assertRefused(
      await at.control('POST', '/sandbox/advance', {to: '9999-12-31T20:00:00Z'}),
      400,
      'VALIDATION_ERROR',
    );
  });

  it('advance the clock', async () => {
    const before = at.clock.now();
    const {body} = await at.control('POST', '/sandbox/advance', {ms: 60_000});
    assert.equal(Date.parse(body.now as string), before + 60_000);
    const to = new Date(before + 3_600_000).toISOString();
    assert.equal((await at.control('POST', '/sandbox/advance', {to})).body.now, to);
    assertRefused(await at.control('POST', '/sandbox/advance', {ms: -1}), 400, 'VALIDATION_ERROR');
  });
});
