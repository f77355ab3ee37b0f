import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {KINDS} from '../../../src/batch/model/kinds.ts';
import {PERMITS} from '../../../src/cli/batch/run/granted.ts';
import {Grants, type PlannedWrite} from '../../../src/cli/guard/grants.ts';
import {RequestBuilder} from '../../../src/client/requests/built.ts';
import {Codec} from '../../../src/client/requests/codec.ts';
import {GuardedTransport, isRead} from '../../../src/client/transport/guarded-transport.ts';
import {DEFAULT_TIMEOUTS, type TransportRequest} from '../../../src/client/transport/transport.ts';
import {RemitError} from '../../../src/errors.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {answer, FakeTransport} from '../../client/transport/fake-transport.ts';
import {BASE_URL, LIVE_KEY} from '../run-cli.ts';

const ID = '5f0c6d3e-0000-4000-8000-000000000001';
const WRITE: PlannedWrite = {operation: 'payouts.create', body: {payee_id: ID, amount_in_minor_units: 100}};

function opened(service: ServiceFile = {}) {
  const builder = new RequestBuilder({baseUrl: BASE_URL, key: LIVE_KEY, codec: new Codec(service)});
  const grants = new Grants(() => builder);
  const inner = new FakeTransport(() => answer(200, {}));
  const transport = new GuardedTransport(inner, (write) => grants.check(write));
  return {grants, transport, sent: inner.requests};
}

const refused = (sending: Promise<unknown>): Promise<void> =>
  assert.rejects(sending, (error) => error instanceof RemitError && error.code === 'GUARD_WRITE');

describe('a write on the wire', () => {
  it('is refused unless it was allowed, and a GET is sent', async () => {
    const {grants, transport, sent} = opened();
    const write = grants.requestOf(WRITE);
    await refused(transport.send(write));
    await transport.send({...write, method: 'GET', body: undefined});
    assert.equal(sent.length, 1);
    grants.allow(WRITE);
    await transport.send(write);
    await transport.send({...write, headers: {...write.headers, 'idempotency-key': 'the same, again'}});
    assert.equal(sent.length, 3);
  });

  it('is refused with another operation, method, path or body than the one that was allowed', async () => {
    const {grants, transport, sent} = opened();
    const write = grants.requestOf(WRITE);
    grants.allow(WRITE);
    const others: Partial<TransportRequest>[] = [
      {operation: 'payees.create'},
      {operation: undefined},
      {method: 'PUT'},
      {path: `/api/payouts/${ID}/approve`},
      {path: '/api/payouts?amount=1'},
      {path: '/api/payouts/'},
      {body: `${write.body} `},
      {body: undefined},
      {permit: {}},
    ];
    for (const other of others) await refused(transport.send({...write, ...other}));
    assert.equal(sent.length, 0);
  });

  it('is any request except a GET without a body', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get'])
      assert.equal(isRead({method}), false, method);
    assert.equal(isRead({method: 'GET', body: '{}'}), false);
    assert.equal(isRead({method: 'GET'}), true);
  });

  it('names the operation and the request, without its query', async () => {
    const {grants, transport} = opened();
    const write = {...grants.requestOf(WRITE), path: '/api/payouts?token=secret'};
    await assert.rejects(transport.send(write), /refused to send POST \/api\/payouts as payouts\.create:/);
  });
});

describe('the writes of a confirmed batch', () => {
  const {operations} = KINDS.payout;
  const write = (over: Partial<TransportRequest>): TransportRequest => ({
    ...{method: 'POST', path: '/v1/payouts', operation: 'payouts.create', headers: {}, body: '{}'},
    ...{timeouts: DEFAULT_TIMEOUTS, permit: PERMITS.create, ...over},
  });
  const approve = (over: Partial<TransportRequest> = {}) =>
    write({
      path: `/v1/payouts/${ID}/release`,
      operation: 'payouts.approve',
      permit: PERMITS.approve,
      ...over,
    });
  const service: ServiceFile = {
    routes: {'payouts.create': 'POST /v1/payouts', 'payouts.approve': 'POST /v1/payouts/{id}/release'},
  };

  it('are those of its steps, on their routes', async () => {
    const {grants, transport, sent} = opened(service);
    grants.allowBatch(['create', 'approve'], PERMITS, operations, service);
    await transport.send(write({}));
    await transport.send(approve());
    assert.equal(sent.length, 2);
    for (const other of [
      write({permit: PERMITS.release}),
      write({permit: undefined}),
      write({permit: {}}),
      write({path: '/api/payouts'}),
      write({path: '/v1/payouts/'}),
      write({method: 'PUT'}),
      write({operation: 'payins.create'}),
      approve({permit: PERMITS.create}),
      approve({permit: PERMITS.cancel}),
      approve({path: '/v1/payouts//release'}),
      approve({path: `/v1/payouts/${ID}/x/release`}),
      approve({path: `/v1/payouts/${ID}?x/release`}),
      approve({path: `/v1/payouts/${ID}/approve`}),
    ])
      await refused(transport.send(other));
    assert.equal(sent.length, 2);
  });
});
