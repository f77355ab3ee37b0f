import assert from 'node:assert/strict';
import {loggedDeliveryLine, requestLine} from '../../../../src/cli/sandbox/start/request-log.ts';
import type {RequestEntry} from '../../../../src/sandbox/api/exchange.ts';
import type {DeliveryEntry} from '../../../../src/sandbox/webhooks/delivery-log.ts';

const plain = (_style: string, text: string) => text;
const ID = '019b76da-a800-7000-8235-80d251bba0e9';
const request = (facts: Partial<RequestEntry> = {}): RequestEntry => ({
  type: 'request',
  at: '2026-03-02T15:00:00.000Z',
  method: 'GET',
  path: `/api/payouts/${ID}`,
  operation: 'payouts.get',
  status: 200,
  elapsed_ms: 1.2,
  mode: 'test',
  request_id: 'req_000001',
  ...facts,
});
const delivery = (facts: Partial<DeliveryEntry> = {}): DeliveryEntry => ({
  type: 'delivery',
  at: '2026-03-02T15:00:00.000Z',
  delivery_id: ID,
  endpoint_id: ID,
  event_id: ID,
  event_type: 'payout.settled',
  url: 'https://localhost:4600/hook',
  mode: 'test',
  status: 200,
  elapsed_ms: 12,
  attempt: 1,
  state: 'delivered',
  next_attempt_at: null,
  ...facts,
});
const withoutTime = (line: string) => line.replace(/^\d\d:\d\d:\d\dZ {2}/, '');

describe('the request log', () => {
  it('says what became of a request within the first 80 columns', () => {
    const line = requestLine(request(), plain);
    assert.equal(withoutTime(line), `200  GET     /api/payouts/${ID}  1.2ms  req_000001`);
    assert.ok(line.indexOf('1.2ms') + 5 <= 80);
  });

  it('marks live keys, faults and connections that broke', () => {
    const line = requestLine(request({path: '/x', status: null, mode: 'live', fault: 'reset'}), plain);
    assert.equal(withoutTime(line), 'reset  GET     /x  1.2ms  req_000001  live  fault: reset');
  });

  it('removes control characters of a path', () => {
    const line = requestLine(request({path: '/a\u001b[2J\u202e\nb'}), plain);
    assert.doesNotMatch(line, /[\u001b\u202e\n]/);
  });

  it('tells where a delivery went, what was answered, and when it is sent again', () => {
    const failed = delivery({status: 500, state: 'pending', next_attempt_at: '2026-03-02T15:00:05.000Z'});
    assert.deepEqual(
      [delivery(), delivery({attempt: 3}), failed, delivery({by_hand: true})].map((entry) =>
        withoutTime(loggedDeliveryLine(entry, plain)),
      ),
      [
        'payout.settled  to https://localhost:4600/hook  200  12ms',
        'payout.settled  to https://localhost:4600/hook  200  12ms  attempt 3',
        'payout.settled  to https://localhost:4600/hook  500  12ms  attempt 1  next at 2026-03-02T15:00:05.000Z',
        'payout.settled  to https://localhost:4600/hook  200  12ms  by hand',
      ],
    );
  });
});
