import assert from 'node:assert/strict';
import {getEventListeners, once} from 'node:events';
import {createServer, type Server} from 'node:http';
import {createServer as createTcpServer, type AddressInfo} from 'node:net';
import {httpsPoster, type Posted, type PosterOptions} from '../../../src/sandbox/webhooks/post.ts';
import {receiverTrust} from '../../../src/sandbox/webhooks/trust.ts';
import {HttpsReceiver} from './https-receiver.ts';

const LOCAL = {loopback: true, private: false};
const BODY = '{"id":"1","type":"payout.settled","data":{"note":"é"}}';

describe('poster of webhook deliveries', () => {
  let receiver: HttpsReceiver;

  before(async () => (receiver = await HttpsReceiver.open()));
  after(() => receiver.close());
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer = (_request, response) => response.writeHead(200).end('thanks');
  });

  const post = (url: string, options: Partial<PosterOptions> = {}): Promise<Posted> =>
    httpsPoster({policy: LOCAL, trust: receiverTrust(receiver.authorityFile), ...options})(
      {url, headers: {'Content-Type': 'application/json', 'X-Webhook-Timestamp': '1'}, body: BODY},
      new AbortController().signal,
    );

  it('sends headers and body as they are, and takes the answer', async () => {
    const {status, response, error} = await post(receiver.url('/a/b?c=d'));
    assert.deepEqual({status, response, error}, {status: 200, response: 'thanks', error: undefined});
    const [got] = receiver.received;
    assert.equal(got!.path, '/a/b?c=d');
    assert.deepEqual(got!.body, Buffer.from(BODY));
    assert.equal(got!.headers['x-webhook-timestamp'], '1');
    assert.equal(got!.headers['content-length'], String(Buffer.byteLength(BODY)));
  });

  it('leaves nothing behind on the signal that would stop it', async () => {
    const {signal} = new AbortController();
    const poster = httpsPoster({policy: LOCAL, trust: receiverTrust(receiver.authorityFile)});
    for (const url of [receiver.url(), 'https://127.0.0.1:1/', 'https://10.0.0.1/'])
      await poster({url, headers: {}, body: BODY}, signal);
    await new Promise((resolve) => setTimeout(resolve, 20)); // the socket's end
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('follows no redirect', async () => {
    receiver.answer = (_request, response) =>
      response.writeHead(307, {location: receiver.url('/other')}).end();
    assert.equal((await post(receiver.url())).status, 307);
    assert.equal(receiver.received.length, 1);
  });

  it('gives up when the headers have not ended in time, and says so', async () => {
    receiver.answer = () => undefined;
    const {status, error, elapsedMs} = await post(receiver.url(), {timeoutMs: 150});
    assert.deepEqual([status, error], [null, {code: 'timeout', message: 'no answer within 0.15 s'}]);
    assert.ok(elapsedMs >= 140 && elapsedMs < 5000, `${elapsedMs}`);
  });

  it('gives up on a server that never finishes the handshake', async () => {
    const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const {port} = silent.address() as AddressInfo;
    const {error} = await post(`https://127.0.0.1:${port}/`, {timeoutMs: 150});
    silent.close();
    assert.equal(error?.code, 'timeout');
  });

  it('counts an answer whose body never ends, and keeps its beginning', async () => {
    receiver.answer = (_request, response) => {
      response.writeHead(202);
      const more = setInterval(() => response.write('x'.repeat(1000)), 1);
      response.once('close', () => clearInterval(more));
    };
    const {status, response, elapsedMs} = await post(receiver.url());
    assert.deepEqual([status, response], [202, 'x'.repeat(2048)]);
    assert.ok(elapsedMs < 1500);
  });

  it('counts an answer whose body is truncated', async () => {
    receiver.answer = (_request, response) => {
      response.writeHead(200, {'content-length': '100'});
      response.write('part', () => response.destroy());
    };
    const {status, response} = await post(receiver.url());
    assert.deepEqual([status, response], [200, 'part']);
  });

  it('hands over Retry-After', async () => {
    receiver.answer = (_request, response) => response.writeHead(503, {'retry-after': '7'}).end();
    assert.equal((await post(receiver.url())).retryAfter, '7');
  });

  it('reports a missing listener and a broken connection', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const {port} = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    assert.equal((await post(`https://127.0.0.1:${port}/`)).error?.code, 'connection');
    receiver.answer = (request) => request.socket.destroy();
    assert.deepEqual((await post(receiver.url())).error?.code, 'connection');
  });

  it('accepts no unknown certificate, no certificate of another name, and no plain HTTP', async () => {
    const unknown = await post(receiver.url(), {trust: receiverTrust(undefined)});
    assert.equal(unknown.error?.code, 'tls');
    assert.match(unknown.error.message, /certificate/);
    const resolve = async () => [{address: '127.0.0.1', family: 4}];
    const other = await post(receiver.url('/', 'receiver.test'), {resolve});
    assert.equal(other.error?.code, 'tls');
    assert.match(other.error.message, /certificate is not accepted.*receiver\.test/); // so it was asked: 127.0.0.1
    const plain: Server = createServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const {error} = await post(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/`);
    assert.equal(error?.code, 'tls');
    assert.match(error.message, /does not speak HTTPS/);
    assert.doesNotMatch(error.message, /\.\.\/deps|routines/);
    plain.close();
    assert.deepEqual(receiver.received, []);
  });

  it('trusts the local authority on loopback only', async () => {
    const asked: boolean[] = [];
    const trust: PosterOptions['trust'] = (loopback) => {
      asked.push(loopback);
      return receiverTrust(undefined)(false);
    };
    await post(receiver.url(), {trust});
    const resolve = async () => [
      {address: '127.0.0.1', family: 4},
      {address: '10.255.255.1', family: 4},
    ];
    await post(receiver.url('/', 'mixed.test'), {
      trust,
      resolve,
      policy: {loopback: true, private: true},
      timeoutMs: 100,
    });
    assert.deepEqual(asked, [true, false]);
  });

  it('connects to no forbidden address, however it is written or named', async () => {
    const resolve = async () => [
      {address: '93.184.216.34', family: 4},
      {address: '169.254.169.254', family: 4},
    ];
    const refused: Posted[] = [
      await post('https://metadata.test/', {resolve}),
      await post('https://169.254.169.254/latest'),
      await post('https://0xa9fea9fe/'),
      await post('https://[::ffff:169.254.169.254]/'),
      await post('https://10.1.2.3/'),
      await post('https://[fd00::1]/'),
      await post(receiver.url(), {policy: {loopback: false, private: false}}),
      await post(receiver.url('/', '127.1'), {policy: {loopback: false, private: false}}),
      await post('https://0.0.0.0/'),
    ];
    for (const {error, status} of refused) assert.deepEqual([status, error?.code], [null, 'address']);
    assert.match(
      refused[0]!.error!.message,
      /^metadata\.test leads to 169\.254\.169\.254, a special address/,
    );
    assert.equal((await post(receiver.url().replace('https', 'http'))).error?.code, 'address');
  });

  it('asks the resolver once, and connects to what was checked', async () => {
    let asked = 0;
    const resolve = async () => [{address: (asked += 1) === 1 ? '127.0.0.1' : '169.254.169.254', family: 4}];
    assert.equal((await post(receiver.url(), {resolve})).status, 200);
    assert.equal(asked, 1);
  });

  it('says that a name has no address', async () => {
    const nothing = await post('https://gone.test/', {resolve: async () => []});
    assert.deepEqual(nothing.error, {code: 'dns', message: 'gone.test has no address'});
    const failing = await post('https://gone.test/', {
      resolve: () => Promise.reject(Object.assign(new Error('no'), {code: 'ENOTFOUND'})),
    });
    assert.match(failing.error!.message, /ENOTFOUND/);
  });

  it('waits for a resolver at most as long as for an answer, and not at all once the sandbox stops', async () => {
    const resolve = () => new Promise<never>(() => {});
    const late = await post('https://slow.test/', {resolve, timeoutMs: 20});
    assert.deepEqual(late.error, {code: 'dns', message: 'the name was not resolved within 0.02 s'});
    const send = httpsPoster({policy: LOCAL, trust: receiverTrust(receiver.authorityFile), resolve});
    const stopped = send({url: 'https://slow.test/', headers: {}, body: BODY}, AbortSignal.abort());
    assert.equal((await stopped).error?.code, 'aborted');
  });

  it('hangs up when the sandbox stops', async () => {
    const stop = new AbortController();
    receiver.answer = () => stop.abort();
    const send = httpsPoster({policy: LOCAL, trust: receiverTrust(receiver.authorityFile)});
    const {error} = await send({url: receiver.url(), headers: {}, body: BODY}, stop.signal);
    assert.equal(error?.code, 'aborted');
  });
});
