import assert from 'node:assert/strict';
import {createServer, get} from 'node:http';
import type {AddressInfo} from 'node:net';
import nock from 'nock';
import {RemitClient} from '../../src/client/client.ts';
import type {RemitError} from '../../src/errors.ts';
import {rawServer} from './transport/raw-server.ts';
import {RecordingClock} from './recording-clock.ts';

const HOST = 'api.example.com';
const BASE = `https://${HOST}`;
const BODY = {payee_id: '7f8c1f6e-3a56-4a1b-9c7d-2b6b4b0f8a02', amount_in_minor_units: 12_500};

// Importing nock puts it between every test and node:http; it shall stand there only for these.
nock.restore();

/** The client over its own node:http transport; nock sees that one, and not undici (which has the conformance test). */
describe('the client over node:http', () => {
  let client: RemitClient;
  beforeEach(() => {
    nock.activate();
    nock.enableNetConnect((host) => !host.startsWith(HOST)); // only this one is cut off: other tests may have sockets open
    client = new RemitClient({baseUrl: BASE, key: 'test_abcdefghijklmnop', clock: new RecordingClock()});
  });
  afterEach(async () => {
    await client.close();
    const pending = nock.pendingMocks();
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
    assert.deepEqual(pending, []);
  });

  it('creates a payout', async () => {
    nock(BASE, {
      reqheaders: {
        'x-api-key': 'test_abcdefghijklmnop',
        'content-type': 'application/json',
        'idempotency-key': 'k',
        accept: 'application/json',
      },
    })
      .post('/api/payouts', BODY)
      .reply(201, {id: 'p', status: 'created'}, {'x-request-id': 'r'});
    const {data, status, requestId} = await client.payouts.create(BODY, {idempotencyKey: 'k'});
    assert.deepEqual([data.id, status, requestId], ['p', 201, 'r']);
  });

  it('replays a lost answer and a 503 with the same key', async () => {
    const scope = nock(BASE, {reqheaders: {'idempotency-key': 'k'}});
    scope.post('/api/payouts', BODY).replyWithError(Object.assign(new Error('reset'), {code: 'ECONNRESET'}));
    scope.post('/api/payouts', BODY).reply(503, {error_code: 'SERVICE_UNAVAILABLE', message: 'wait'});
    scope.post('/api/payouts', BODY).reply(200, {id: 'p', status: 'approved'});
    const {attempts, replayed} = await client.payouts.create(BODY, {idempotencyKey: 'k'});
    assert.deepEqual([attempts, replayed], [3, true]);
  });

  it('does not follow a redirect with the key', async () => {
    nock(BASE).get('/api/payouts/p').reply(307, '', {location: 'https://evil.example/'});
    await assert.rejects(client.payouts.get({id: 'p'}), {code: 'REDIRECTED', httpStatus: 307});
  });

  it('walks the pages of a list', async () => {
    const scope = nock(BASE);
    scope
      .get('/api/payouts')
      .query({limit: '100', status: 'failed'})
      .reply(200, {data: [{id: '1'}], next_cursor: 'n'});
    scope
      .get('/api/payouts')
      .query({limit: '100', status: 'failed', cursor: 'n'})
      .reply(200, {data: [{id: '2'}], next_cursor: null});
    const ids = (await client.payouts.list({status: 'failed'}).toArray()).map(({id}) => id);
    assert.deepEqual(ids, ['1', '2']);
  });

  it('is here without its network, and nothing else is', async () => {
    await assert.rejects(client.payouts.get({id: 'unexpected'}), {code: 'UNAVAILABLE'});
    const server = createServer((_, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const {port} = server.address() as AddressInfo;
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'here');
    await new Promise<void>((resolve) =>
      get(`http://127.0.0.1:${port}/`, (r) => r.resume().on('end', resolve)),
    );
    server.closeAllConnections();
    server.close();
  });
});

describe('the client and a refused connection', () => {
  it('is unavailable, and not in doubt', async () => {
    const server = await rawServer({});
    await server.close();
    const local = new RemitClient({
      baseUrl: server.baseUrl,
      key: 'test_abcdefghijklmnop',
      clock: new RecordingClock(),
    });
    const refused = (await local.payouts.create(BODY).catch((error: unknown) => error)) as RemitError;
    await local.close();
    assert.deepEqual([refused.code, refused.exitCode, refused.details?.['attempts']], ['UNAVAILABLE', 7, 3]);
    assert.equal(
      refused.message.split(server.baseUrl).length,
      2,
      `names the request twice: ${refused.message}`,
    );
  });
});
