import assert from 'node:assert/strict';
import {after, before, describe, it} from 'mocha';
import {TestSandbox, type CallOptions} from '../harness.ts';

/** Assumption 32: an empty body flips an endpoint. Everywhere else a body without a byte is no JSON. */
describe('an empty body', () => {
  let at: TestSandbox;
  let path: string;
  before(async () => {
    at = await TestSandbox.open();
    const body = {url: 'https://example.com/hooks', event_types: ['payout.settled']};
    const {status, body: made} = await at.post('/api/webhooks/endpoints', body);
    assert.equal(status, 201);
    path = `/api/webhooks/endpoints/${made.id}/toggle`;
  });
  after(() => at.close());

  it('flips an endpoint, with and without a content type', async () => {
    for (const [headers, active] of [
      [{}, false],
      [{'content-type': 'application/json'}, true],
    ] as [Record<string, string>, boolean][]) {
      const {status, body} = await at.call('POST', path, {headers});
      assert.equal(status, 200);
      assert.equal(body.is_active, active);
    }
  });

  it('does not allow a body of another type, or invalid JSON', async () => {
    for (const options of [
      {text: 'is_active=true', headers: {'content-type': 'application/x-www-form-urlencoded'}},
      {text: '{'},
      {text: '[]'},
    ] as CallOptions[])
      assert.equal((await at.call('POST', path, options)).status, 400);
  });

  it('is refused where the document requires an empty object', async () => {
    const id = '0192a000-0000-7000-8000-000000000010';
    const {status, body} = await at.call('POST', `/api/subaccounts/move/${id}/approve`);
    assert.equal(status, 400);
    assert.equal(body.error_code, 'VALIDATION_ERROR');
  });
});
