import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {startSandbox, type RunningSandbox} from '../../../src/sandbox/server.ts';
import type {DeliveryEntry} from '../../../src/sandbox/webhooks/delivery-log.ts';
import {verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {HttpsReceiver} from './https-receiver.ts';

describe('deliveries over HTTPS', () => {
  it('reach a real receiver, signed, while a payout is processed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-https-'));
    const receiver = await HttpsReceiver.open();
    const log: DeliveryEntry[] = [];
    const running: RunningSandbox = await startSandbox({
      store: join(folder, 'sandbox.db'),
      timing: 'instant',
      authorityFile: receiver.authorityFile,
      checkAnswers: true,
      onDelivery: (entry) => log.push(entry),
      onBug: (error) => assert.fail(String(error)),
    });
    const post = async (path: string, body: object) => {
      const response = await fetch(running.baseUrl + path, {
        method: 'POST',
        headers: {'x-api-key': running.testKey, 'content-type': 'application/json'},
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 201);
      return (await response.json()) as {id: string; signing_secret: string};
    };
    try {
      const endpoint = await post('/api/webhooks/endpoints', {
        url: receiver.url('/hook?a=1'),
        event_types: EVENT_TYPE_NAMES,
      });
      const {payees} = await running.sandbox.seed({payees: 1, payers: 0});
      const payout = await post('/api/payouts', {
        payee_id: payees[0]!.id,
        amount_in_minor_units: 100,
        auto_approve: true,
      });
      await receiver.until(2);
      const types = receiver.received.map(({method, path, headers, rawHeaders, body}) => {
        assert.equal(`${method} ${path}`, 'POST /hook?a=1');
        assert.equal(headers['content-type'], 'application/json');
        assert.equal(headers['user-agent'], 'remit-sandbox');
        assert.equal(headers['cookie'] ?? headers['x-api-key'], undefined);
        const {ok} = verifyWebhook({
          body,
          headers: rawHeaders,
          secrets: endpoint.signing_secret,
        });
        assert.ok(ok);
        const event = JSON.parse(body.toString()) as {type: string; data: object};
        assert.deepEqual(event.data, {payout_id: payout.id});
        return event.type;
      });
      assert.deepEqual(types, ['payout.debited', 'payout.settled']);
    } finally {
      await running.close();
      await receiver.close();
      rmSync(folder, {recursive: true, force: true});
    }
    assert.deepEqual(
      log.map(({event_type, status, state, attempt}) => [event_type, status, state, attempt]),
      [
        ['payout.debited', 200, 'delivered', 1],
        ['payout.settled', 200, 'delivered', 1],
      ],
    );
  });
});
