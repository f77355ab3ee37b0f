import assert from 'node:assert/strict';
import {setTimeout as sleep} from 'node:timers/promises';
import {Deadlines, type Timed} from '../../../src/client/transport/deadlines.ts';
import {PoolTransport} from '../../../src/client/transport/pool-transport.ts';
import {TransportFailure, type TransportRequest} from '../../../src/client/transport/transport.ts';
import {answerBytes, rawServer, type RawServer} from './raw-server.ts';

const timeouts = {connectMs: 3_000, headersMs: 3_000, totalMs: 3_000};
const request = (path: string, facts: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'POST',
  path,
  headers: {},
  body: '{}',
  timeouts,
  ...facts,
});

describe('PoolTransport: a full pool', () => {
  let server: RawServer;
  let transport: PoolTransport;
  let answer: () => void;
  beforeEach(async () => {
    const waiting: (() => void)[] = [];
    answer = () => waiting.shift()?.();
    server = await rawServer({
      onRequest: (socket) => waiting.push(() => socket.write(answerBytes(200, '{}'))),
    });
    transport = new PoolTransport({baseUrl: server.baseUrl, connections: 1});
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });
  const reached = async (count: number) => {
    while (server.requests.length < count) await sleep(2);
  };
  const failureOf = async (sending: Promise<unknown>) => {
    const failure = await sending.catch((error: unknown) => error);
    assert.ok(failure instanceof TransportFailure);
    return failure;
  };

  it('uses no more sockets than it has, one request at a time on each', async () => {
    const [first, second] = [transport.send(request('/1')), transport.send(request('/2'))];
    await reached(1);
    await sleep(30);
    assert.equal(server.requests.length, 1);
    answer();
    await first;
    await reached(2);
    answer();
    await second;
    assert.equal(server.accepted, 1);
  });

  const givingUp: [string, (stop: AbortController) => Partial<TransportRequest>, string][] = [
    ['runs out of time', () => ({timeouts: {...timeouts, totalMs: 40}}), 'timeout'],
    ['is aborted', ({signal}) => ({signal}), 'aborted'],
  ];
  for (const [how, facts, kind] of givingUp) {
    it(`never sends a request that ${how} while waiting for a socket`, async () => {
      const stop = new AbortController();
      const first = transport.send(request('/1'));
      await reached(1);
      const second = failureOf(transport.send(request('/2', facts(stop))));
      setTimeout(() => stop.abort(), 20);
      const {kind: got, sent} = await second;
      assert.deepEqual([got, sent], [kind, false]);
      answer();
      await first;
      const third = transport.send(request('/3'));
      await reached(2);
      answer();
      assert.equal((await third).status, 200);
      assert.deepEqual(
        server.requests.map(({line}) => line.split(' ')[1]),
        ['/1', '/3'],
      );
    });
  }

  it('does not count waiting for a socket as connecting', async () => {
    const first = transport.send(request('/1'));
    await reached(1);
    const second = transport.send(request('/2', {timeouts: {...timeouts, connectMs: 20}}));
    await sleep(60);
    answer();
    await first;
    await reached(2);
    answer();
    assert.equal((await second).status, 200);
  });

  it('watches the deadline of no request that has been answered, or given up', async () => {
    const {add, remove} = Object.getOwnPropertyDescriptors(Deadlines.prototype);
    const watched = new Set<Timed>();
    Deadlines.prototype.add = function (member) {
      watched.add(member);
      add.value!.call(this, member);
    };
    Deadlines.prototype.remove = function (member) {
      watched.delete(member);
      remove.value!.call(this, member);
    };
    try {
      const answered = transport.send(request('/1'));
      await reached(1);
      const late = failureOf(transport.send(request('/2', {timeouts: {...timeouts, totalMs: 40}})));
      while (watched.size < 2) await sleep(2);
      answer();
      await Promise.all([answered, late]);
      assert.equal(watched.size, 0);
    } finally {
      Object.defineProperties(Deadlines.prototype, {add, remove});
    }
  });

  it('closes without loading undici when it was never used', async () => {
    const unused = new PoolTransport({baseUrl: server.baseUrl, connections: 1});
    await unused.close();
    assert.equal((await failureOf(unused.send(request('/1')))).sent, false);
  });
});
