import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {OperationId} from '../../../src/contract/operations/operations.ts';
import {CANONICAL, Codec} from '../../../src/client/requests/codec.ts';
import {keyOnWire} from '../../../src/client/requests/idempotency.ts';
import {DEFAULT_TIMEOUTS, type TransportRequest} from '../../../src/client/transport/transport.ts';
import {RemitError} from '../../../src/errors.ts';

const REQUEST: TransportRequest = {
  ...{method: 'POST', path: '/api/payouts', operation: 'payouts.create', timeouts: DEFAULT_TIMEOUTS},
  headers: {'x-api-key': 'test_k', 'content-type': 'application/json', 'idempotency-key': 'abc'},
  body: '{"payee_id":"p","amount_in_minor_units":5,"currency_code":"USD"}',
};
const raw = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  ...{status, headers},
  body: Buffer.from(JSON.stringify(body)),
});

describe('the codec', () => {
  it('sends the very request without a service file', () => {
    assert.equal(CANONICAL.encode(REQUEST), REQUEST);
    assert.equal(new Codec({}).encode(REQUEST), REQUEST);
  });

  it('sends the same bytes with a service file that says nothing of this request', () => {
    const {headers, body, path, method} = new Codec({paging: {max: 5}}).encode(REQUEST);
    assert.deepEqual(
      {headers, body, path, method},
      {
        ...{headers: REQUEST.headers, body: REQUEST.body, path: REQUEST.path, method: 'POST'},
      },
    );
  });

  it('sends the key under another name and in another form, and headers of its own', () => {
    const codec = new Codec({
      keys: {header: 'X-Request-Key', format: 'uuid'},
      headers: {send: {'X-Tenant': 'acme'}},
    });
    assert.deepEqual(codec.encode(REQUEST).headers, {
      'x-api-key': 'test_k',
      'content-type': 'application/json',
      'x-request-key': 'ba7816bf-8f01-8fea-8141-40de5dae2223',
      'x-tenant': 'acme',
    });
  });

  it('makes one key out of one key: published vectors', () => {
    const batchKey = 'QgwgqKv6-A0COnSvatf9Hx9xhRGaE5w2D60RvleLWeo';
    assert.equal(keyOnWire('abc', {format: 'uuid'}), 'ba7816bf-8f01-8fea-8141-40de5dae2223');
    assert.equal(keyOnWire(batchKey, {format: 'uuid'}), 'e10f7a29-2fe7-8899-bcb3-44a4652b265b');
    assert.equal(keyOnWire(batchKey, {maxLength: 36}), '4Q96KS_nuJk8s0SkZSsmW4Yw8j2pd2latNjz');
    const own = '0b9c1a3e-1c1f-4e0a-9a7e-3f3f2c1d0e9b';
    assert.equal(keyOnWire(own, {format: 'uuid'}), own);
    assert.equal(keyOnWire('abc', {maxLength: 22}), 'abc');
    assert.equal(keyOnWire('a'.repeat(23), {maxLength: 22}).length, 22);
    assert.equal(keyOnWire(batchKey, {}), batchKey);
  });

  it('refuses a request that cannot be written, before it is sent', () => {
    const codec = new Codec({units: {'payouts.amount_in_minor_units': 'major'}});
    assert.throws(
      () => codec.encode({...REQUEST, body: '{"amount_in_minor_units":5}'}),
      (error) =>
        error instanceof RemitError &&
        error.code === 'LOCAL_VALIDATION' &&
        /currency_code/.test(error.message),
    );
  });

  it('reads code, message and request id where the service has them', () => {
    const codec = new Codec({
      errors: {code: 'fault.kind', message: 'fault.text', codes: {no_payer: 'PAYER_NOT_FOUND'}},
      headers: {requestId: 'X-Trace'},
    });
    const answer = codec.read(
      REQUEST,
      raw(404, {fault: {kind: 'no_payer', text: 'none'}}, {'x-trace': 't'}),
      0,
    );
    assert.deepEqual([answer.errorCode, answer.message, answer.requestId], ['PAYER_NOT_FOUND', 'none', 't']);
  });

  it('reads one record within data, and statuses in capitals, without a service file', () => {
    const answer = CANONICAL.read(REQUEST, raw(201, {data: {id: 'i', status: 'CREATED'}}), 0);
    assert.deepEqual(answer.json, {id: 'i', status: 'created'});
    const list = CANONICAL.read(
      {operation: 'payouts.list'},
      raw(200, {data: [{id: 'i', status: 'Settled'}, {}]}),
      0,
    );
    assert.deepEqual(list.json, {data: [{id: 'i', status: 'settled'}, {}]});
    const move = {data: {id: 'i', status: 'settled'}};
    assert.deepEqual(CANONICAL.read({operation: 'moves.get'}, raw(200, move), 0).json, {
      data: {id: 'i', status: 'SETTLED'},
    });
    const strange = {id: 'i', status: 'PAID_OUT', data: {id: 'j'}};
    assert.deepEqual(CANONICAL.read(REQUEST, raw(200, strange), 0).json, strange);
  });

  it('does not change an answer that belongs to no operation', () => {
    const body = {data: {id: 'i', status: 'CREATED'}};
    assert.deepEqual(new Codec({envelopes: {record: 'data'}}).read({}, raw(200, body), 0).json, body);
  });

  for (const [status, body, row, key] of [
    [404, {}, 1, 'routes.payouts.create'],
    [404, {message: 'Cannot POST /api/payouts'}, 1, 'routes.payouts.create'],
    [405, {error_code: 'METHOD', message: 'no'}, 1, 'routes.payouts.create'],
    [400, {message: 'unknown field metadata'}, 51, 'fields.payouts.metadata'],
    [400, {message: 'payee_id is not a known field'}, null, 'fields.payouts.payee_id'],
    [400, {error_code: 'VALIDATION_ERROR', message: 'Idempotency-Key must be a UUID'}, 45, 'keys.format'],
    [409, {reason: 'busy'}, 42, 'errors.code'],
    [201, {result: {id: 'i'}}, 1, 'envelopes.record'],
  ] as const)
    it(`names ${key} after ${status} ${JSON.stringify(body)}`, () => {
      const {assumption} = CANONICAL.read(REQUEST, raw(status, body), 0);
      assert.deepEqual([assumption?.row, assumption?.key], [row, key]);
      assert.ok(assumption?.text.includes(`set ${key} in the service file`), assumption?.text);
    });

  it('names what a list is assumed to be', () => {
    const after = (status: number, body: unknown) =>
      CANONICAL.read({operation: 'payouts.list'}, raw(status, body), 0).assumption?.key;
    assert.equal(after(200, {items: []}), 'envelopes.list');
    assert.equal(after(400, {message: 'limit must be at most 25'}), 'paging.max');
    assert.equal(after(400, {message: 'order must be oldest or newest'}), 'paging.order');
    assert.equal(after(200, {data: []}), undefined);
  });

  it('names the route after NOT_FOUND for a path that names no record', () => {
    const after = (operation: OperationId) =>
      CANONICAL.read({operation}, raw(404, {error_code: 'NOT_FOUND', message: 'm'}), 0).assumption;
    for (const id of ['payouts.list', 'eventTypes.list', 'payees.create', 'treasury.accounts'] as const) {
      assert.match(after(id)?.key ?? '', new RegExp(`^(routes\\.${id}|prefixes\\.treasury)$`));
      assert.doesNotMatch(after(id)!.text, /^unless/);
    }
    assert.match(
      after('payouts.create')!.text,
      /^unless a record that the request names does not exist, the route/,
    );
    for (const id of ['payouts.get', 'payouts.approve', 'payeePaymentMethods.list'] as const)
      assert.equal(after(id), undefined);
  });

  it('names nothing if the service answers as documented', () => {
    for (const [status, error_code] of [
      [404, 'PAYER_NOT_FOUND'],
      [422, 'INVALID_PAYMENT_DETAILS'],
      [401, 'AUTHENTICATION_ERROR'],
      [503, 'SERVICE_UNAVAILABLE'],
    ] as const)
      assert.equal(CANONICAL.read(REQUEST, raw(status, {error_code, message: 'm'}), 0).assumption, undefined);
    assert.equal(
      CANONICAL.read(REQUEST, raw(201, {id: 'i', status: 'created', client_metadata: {}}), 0).assumption,
      undefined,
    );
  });
});
