import assert from 'node:assert/strict';
import type {RequestEntry} from '../../../src/sandbox/api/exchange.ts';
import {TestSandbox} from '../harness.ts';

describe('the request log of a sandbox that speaks a dialect', () => {
  it('shows what was sent, also if no operation takes it, under the ids of the answers', async () => {
    const log: RequestEntry[] = [];
    const at = await TestSandbox.open({
      service: {
        routes: {'payees.create': 'PUT /v1/recipients'},
        headers: {requestId: 'x-trace'},
        envelopes: {record: 'data'},
      },
      onRequest: (entry) => log.push(entry),
    });
    const made = await at.call('PUT', '/v1/recipients', {body: {name: 'Acme'}});
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const refused = await at.call('POST', '/api/payees', {body: {name: 'Acme'}});
    assert.deepEqual([refused.status, refused.body.error_code], [404, 'NOT_FOUND']);
    assert.deepEqual(
      log.map(({method, path, operation, status, mode}) => [method, path, operation, status, mode]),
      [
        ['PUT', '/v1/recipients', 'payees.create', 201, 'test'],
        ['POST', '/api/payees', null, 404, null],
      ],
    );
    assert.deepEqual(
      log.map(({request_id}) => request_id),
      [made, refused].map(({headers}) => headers.get('x-trace')),
    );
    assert.equal(at.sandbox.requests().total, 2);
    await at.close();
  });
});
