import assert from 'node:assert/strict';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';

describe('sandbox: Errors, VALIDATION_ERROR and unknown routes', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('answers 404 with the methods that a path takes', async () => {
    assertRefused(await at.get('/api/nothing'), 404, 'NOT_FOUND');
    assertRefused(await at.get('/api/payouts/'), 404, 'NOT_FOUND');
    const wrong = await at.call('PUT', '/api/payouts');
    assertRefused(wrong, 404, 'NOT_FOUND');
    assert.match(wrong.body.message as string, /POST, GET/);
  });

  it('refuses a malformed UUID in a path (assumption 59)', async () => {
    assertRefused(await at.get('/api/payouts/42'), 400, 'VALIDATION_ERROR', 'id');
    assertRefused(await at.get(`/api/payouts/${UNKNOWN_ID}0`), 400, 'VALIDATION_ERROR', 'id');
    const method = `/api/payees/x/payment-methods/${UNKNOWN_ID}`;
    assertRefused(await at.call('DELETE', method), 400, 'VALIDATION_ERROR', 'payee_id');
  });

  it('takes UUIDs in either case', async () => {
    const {body} = await at.post('/api/payees', {name: 'Elm'});
    const answer = await at.get(`/api/payees/${(body.id as string).toUpperCase()}`);
    assert.equal(answer.body.id, body.id);
    const {id} = await at.ready('payee');
    assert.equal((await at.payout(id.toUpperCase())).body.payee_id, id);
  });

  it('refuses bodies that are not a JSON object of the operation', async () => {
    for (const text of ['', '{', '[]', 'null', '"x"', '5', '{"name":"x"}x', '\u0000'])
      assertRefused(await at.call('POST', '/api/payees', {text}), 400, 'VALIDATION_ERROR');
  });

  it('refuses another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'text/json'])
      assertRefused(
        await at.call('POST', '/api/payees', {text: '{"name":"x"}', headers: {'content-type': type}}),
        400,
        'VALIDATION_ERROR',
      );
    const headers = {'content-type': 'Application/JSON; charset=utf-8'};
    assert.equal((await at.call('POST', '/api/payees', {text: '{"name":"x"}', headers})).status, 201);
  });

  it('refuses a body above 1 MiB', async () => {
    const text = JSON.stringify({name: 'x'.repeat(1024 * 1024)});
    const answer = await at.call('POST', '/api/payees', {text});
    assertRefused(answer, 400, 'VALIDATION_ERROR');
    assert.match(answer.body.message as string, /larger than/);
  });

  it('refuses unknown fields and names each wrong one', async () => {
    const answer = await at.post('/api/payouts', {payee_id: 'x', amount_in_minor_units: 0, foo: 1});
    assertRefused(answer, 400, 'VALIDATION_ERROR', 'payee_id');
    assertRefused(answer, 400, 'VALIDATION_ERROR', 'amount_in_minor_units');
    assert.match(JSON.stringify(answer.body.details), /foo/);
  });

  it('refuses unknown, repeated and malformed query parameters', async () => {
    assertRefused(await at.get('/api/payouts?page=2'), 400, 'VALIDATION_ERROR');
    assertRefused(await at.get('/api/payouts?limit=1&limit=2'), 400, 'VALIDATION_ERROR', 'limit');
    assertRefused(await at.get('/api/payouts?status=paid'), 400, 'VALIDATION_ERROR', 'status');
    assertRefused(
      await at.get('/api/payouts?created_from=yesterday'),
      400,
      'VALIDATION_ERROR',
      'created_from',
    );
    assertRefused(await at.get(`/api/payouts/${UNKNOWN_ID}?expand=all`), 400, 'VALIDATION_ERROR');
  });

  it('checks the body before it looks for resources, and resources before rules', async () => {
    assertRefused(await at.payout(UNKNOWN_ID, {amount_in_minor_units: 0}), 400, 'VALIDATION_ERROR');
    assertRefused(await at.payout(UNKNOWN_ID, {currency_code: 'EUR'}), 404, 'NOT_FOUND');
  });

  it('refuses half a surrogate pair by its field: kept, it would be another character', async () => {
    const create = (text: string) => at.call('POST', '/api/payees', {text});
    for (const [text, field] of [
      ['{"name":"Elm \\ud83d"}', 'name'],
      ['{"name":"Elm \\uDE00\\uD83D"}', 'name'],
      ['{"name":"Elm","metadata":{"note":"\\udc00"}}', 'metadata.note'],
      ['{"name":"Elm","metadata":{"\\ud800":"x"}}', 'metadata'],
    ] as const)
      assertRefused(await create(text), 400, 'VALIDATION_ERROR', field);
    const {body} = await create('{"name":"Elm \\ud83d\\ude00 \\\\ud83d"}'); // a pair, and a backslash
    assert.equal(body.name, 'Elm \u{1f600} \\ud83d');
  });

  it('looks for half a surrogate pair however deep a body is nested', async () => {
    const nested = (text: string) => '{"name":'.repeat(50_000) + text + '}'.repeat(50_000);
    const create = (text: string) => at.call('POST', '/api/payees', {text: nested(text)});
    assertRefused(await create('"\\ud83d"'), 400, 'VALIDATION_ERROR', Array(20).fill('name').join('.'));
    assertRefused(await create('"\\ud83d\\ude00"'), 400, 'VALIDATION_ERROR', 'name');
  });

  it('keeps awkward text exactly', async () => {
    for (const name of [
      'O\u2019Brien "&<> Söhne',
      '\u202eabc',
      '𝒳'.repeat(10),
      "'; drop table parties; --",
      'constructor',
    ]) {
      const {body} = await at.post('/api/payees', {name, metadata: {[name]: name}});
      assert.equal(body.name, name);
      assert.deepEqual((await at.get(`/api/payees/${body.id}`)).body.metadata, {[name]: name});
    }
  });
});
