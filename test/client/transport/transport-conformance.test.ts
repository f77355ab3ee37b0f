import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {getEventListeners, once} from 'node:events';
import type net from 'node:net';
import {setImmediate as nextTurn, setTimeout as sleep} from 'node:timers/promises';
import fc from 'fast-check';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import {PoolTransport} from '../../../src/client/transport/pool-transport.ts';
import {
  TransportFailure,
  type Timeouts,
  type Transport,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';
import {answerBytes, rawServer, reset, type Behaviour, type RawServer} from './raw-server.ts';
import {TEST_CERT} from './tls-fixture.ts';
import {failureOf} from './transport-failure.ts';
import {WITH_TYPESCRIPT} from '../../repo/tree.ts';

interface Kind {
  name: string;
  make(options: {baseUrl: string; maxBodyBytes?: number; ca?: string}): Transport;
  /** A write opens a socket of its own. */
  freshWrites: boolean;
  /** The channel of node:diagnostics_channel that reports the headers of an answer. */
  headersChannel: string;
}

const KINDS: Kind[] = [
  {
    name: 'HttpTransport',
    make: (options) => new HttpTransport(options),
    freshWrites: true,
    headersChannel: 'http.client.response.finish',
  },
  {
    name: 'PoolTransport',
    make: (options) => new PoolTransport({...options, connections: 1}),
    freshWrites: false,
    headersChannel: 'undici:request:headers',
  },
];
const BODY = JSON.stringify({id: 'p-1', name: 'Zoë'});

/** Resolves once the next answer's headers have arrived at the client. */
async function headersReceived(channel: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const onHeaders = () => {
      unsubscribe(channel, onHeaders);
      resolve();
    };
    subscribe(channel, onHeaders);
  });
  await nextTurn(); // the channel reports them before the transport gets them
}

for (const kind of KINDS) {
  describe(`${kind.name}: conformance`, () => {
    let server: RawServer;
    let transport: Transport;
    const open = async (
      behaviour: Behaviour,
      options: {prefix?: string; maxBodyBytes?: number; ca?: string} = {},
    ) => {
      const {prefix = '', ...rest} = options;
      server = await rawServer(behaviour);
      transport = kind.make({baseUrl: server.baseUrl + prefix, ...rest});
    };
    const answering = (answer: Buffer | string) => open({onRequest: (socket) => socket.write(answer)});
    afterEach(async () => {
      await transport.close();
      await server.close();
    });

    describe('a whole answer', () => {
      it('brings status, headers and the bytes of the body', async () => {
        await answering(answerBytes(201, BODY, {'X-Request-Id': 'r-1', 'retry-after': '3'}));
        const answer = await transport.send(request());
        assert.equal(answer.status, 201);
        assert.equal(answer.headers['x-request-id'], 'r-1');
        assert.equal(answer.headers['retry-after'], '3');
        assert.equal(answer.body.toString(), BODY);
      });

      it('was asked for with the method, path, headers and exact body, under the prefix of the base URL', async () => {
        await open({onRequest: (socket) => socket.write(answerBytes(200, '{}'))}, {prefix: '/v1/'});
        await transport.send(request({method: 'POST', path: '/api/payouts?x=%2F', body: BODY}));
        const [got] = server.requests;
        assert.equal(got?.line, 'POST /v1/api/payouts?x=%2F HTTP/1.1');
        assert.equal(got?.headers['x-api-key'], 'test_key');
        assert.equal(got?.headers['content-length'], String(Buffer.byteLength(BODY)));
        assert.equal(got?.headers['transfer-encoding'], undefined);
        assert.equal(got?.body, BODY);
      });

      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        it(`comes to a ${method} without a body`, async () => {
          await answering('HTTP/1.1 204 No Content\r\n\r\n');
          const answer = await transport.send(request({method, body: undefined}));
          assert.deepEqual([answer.status, answer.body.length], [204, 0]);
        });
      }

      it('is handed on whatever its status, and a redirect is not followed', async () => {
        await answering(answerBytes(302, '', {location: '/elsewhere'}));
        const answer = await transport.send(request());
        assert.deepEqual([answer.status, answer.headers['location']], [302, '/elsewhere']);
        assert.equal(server.requests.length, 1);
      });

      it('may be no JSON', async () => {
        await answering(answerBytes(200, '<html>'));
        assert.equal((await transport.send(request())).body.toString(), '<html>');
      });

      it('may be chunked, or end with the connection', async () => {
        await open({
          onRequest: (socket, {nthOnSocket}) => {
            if (nthOnSocket === 1)
              socket.write(
                'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
              );
            else socket.end('HTTP/1.1 200 OK\r\n\r\nto the end');
          },
        });
        assert.equal((await transport.send(request())).body.toString(), 'abcde');
        assert.equal((await transport.send(request())).body.toString(), 'to the end');
      });

      it('may come after interim answers', async () => {
        const interim = Buffer.from(
          'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n',
        );
        await answering(Buffer.concat([interim, answerBytes(201, BODY)]));
        const answer = await transport.send(request({method: 'POST', body: '{}'}));
        assert.deepEqual(
          [answer.status, answer.body.toString(), answer.headers['link']],
          [201, BODY, undefined],
        );
      });

      it('after an unrequested 100 is read, or left in doubt: undici aborts there', async () => {
        await answering(
          Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), answerBytes(201, BODY)]),
        );
        const result = await transport
          .send(request({method: 'POST', body: '{}'}))
          .catch((error: unknown) => error as TransportFailure);
        if (result instanceof TransportFailure) assert.equal(result.sent, true);
        else assert.equal(result.status, 201);
      });

      it('joins headers that were sent twice', async () => {
        await answering(
          'HTTP/1.1 200 OK\r\nretry-after: 1\r\nretry-after: 2\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n',
        );
        const {headers} = await transport.send(request());
        assert.deepEqual([headers['retry-after'], headers['x-a']], ['1, 2', '1, 2']);
      });

      it('may arrive byte by byte', async () => {
        await open({
          onRequest: (socket) => {
            void (async () => {
              for (const byte of answerBytes(200, BODY)) {
                socket.write(Buffer.of(byte));
                await new Promise(setImmediate);
              }
            })();
          },
        });
        assert.equal((await transport.send(request())).body.toString(), BODY);
      });

      it('may come over TLS', async () => {
        await open({tls: true, onRequest: (socket) => socket.write(answerBytes(200, BODY))}, {ca: TEST_CERT});
        assert.equal((await transport.send(request())).body.toString(), BODY);
        assert.equal((await transport.send(request({method: 'POST', body: '{}'}))).body.toString(), BODY);
      });
    });

    describe('nothing left this machine', () => {
      const nothing = async (failure: TransportFailure) => {
        assert.equal(failure.sent, false);
        assert.equal(failure.status, undefined);
        assert.equal(server.bytes, 0);
      };

      it('when the connection is refused', async () => {
        await answering('');
        await server.close();
        const failure = await failureOf(transport.send(request()));
        assert.equal(failure.kind, 'refused');
        await nothing(failure);
      });

      it('when the TLS handshake never ends', async () => {
        await open({});
        transport = kind.make({baseUrl: server.baseUrl.replace('http:', 'https:')});
        const startedMs = performance.now();
        const failure = await failureOf(transport.send(request({}, {connectMs: 80})));
        assert.equal(failure.kind, 'connect-timeout');
        assert.ok(performance.now() - startedMs < 1000);
        await nothing(failure);
      });

      it('when the other side does not speak TLS', async () => {
        await open({onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')});
        transport = kind.make({baseUrl: server.baseUrl.replace('http:', 'https:')});
        const failure = await failureOf(transport.send(request()));
        assert.equal(failure.kind, 'tls');
        assert.equal(failure.sent, false);
      });

      it('when the connection breaks within the TLS handshake', async () => {
        await open({onConnection: reset});
        transport = kind.make({baseUrl: server.baseUrl.replace('http:', 'https:')});
        const failure = await failureOf(transport.send(request()));
        assert.deepEqual([failure.kind, failure.sent], ['tls', false]);
      });

      it('when the certificate is not trusted', async () => {
        await open({tls: true, onRequest: (socket) => socket.write(answerBytes(200, BODY))});
        const failure = await failureOf(transport.send(request()));
        assert.equal(failure.kind, 'tls');
        await nothing(failure);
      });

      it('when the signal was aborted before', async () => {
        await answering(answerBytes(200, BODY));
        const failure = await failureOf(
          transport.send(request({signal: AbortSignal.abort(new Error('enough'))})),
        );
        assert.deepEqual([failure.kind, (failure.cause as Error).message], ['aborted', 'enough']);
        await nothing(failure);
        assert.equal(server.accepted, 0);
      });

      it('when a header cannot be sent', async () => {
        await answering(answerBytes(200, BODY));
        const failure = await failureOf(transport.send(request({headers: {'x-api-key': 'test_a\nb'}})));
        assert.equal(failure.kind, 'other');
        assert.ok(!failure.message.includes('test_a'));
        await nothing(failure);
      });

      it('after close', async () => {
        await answering(answerBytes(200, BODY));
        await transport.close();
        await nothing(await failureOf(transport.send(request())));
      });
    });

    describe('bytes may have left', () => {
      const lost = async (behaviour: Behaviour, timeouts: Partial<Timeouts> = {}) => {
        await open(behaviour);
        const failure = await failureOf(transport.send(request({method: 'POST', body: '{}'}, timeouts)));
        assert.equal(failure.sent, true);
        return failure;
      };

      it('when the connection is reset before anything is read', async () => {
        const failure = await lost({onConnection: (socket) => setTimeout(() => reset(socket), 30)});
        assert.deepEqual([failure.kind, failure.status], ['reset', undefined]);
      });

      it('when the connection is reset after the request', async () => {
        const failure = await lost({onRequest: reset});
        assert.deepEqual([failure.kind, failure.status], ['reset', undefined]);
      });

      it('when the connection ends after the request', async () => {
        const failure = await lost({onRequest: (socket) => socket.end()});
        assert.deepEqual([failure.kind, failure.status], ['reset', undefined]);
      });

      it('when no answer comes in time', async () => {
        const startedMs = performance.now();
        const failure = await lost({onRequest: () => {}}, {headersMs: 80});
        assert.deepEqual([failure.kind, failure.status], ['timeout', undefined]);
        assert.ok(performance.now() - startedMs < 600, 'a coarse timer');
      });

      it('when only an interim answer comes in time', async () => {
        const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n';
        const failure = await lost({onRequest: (socket) => socket.write(interim)}, {headersMs: 80});
        assert.deepEqual([failure.kind, failure.status], ['timeout', undefined]);
      });

      it('when headers trickle in too slowly', async () => {
        const failure = await lost(
          {onRequest: (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nx: ')},
          {headersMs: 80},
        );
        assert.deepEqual([failure.kind, failure.status], ['timeout', undefined]);
      });

      it('when the body arrives too slowly, and the status is reported', async () => {
        const start = 'HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n';
        const startedMs = performance.now();
        const failure = await lost({onRequest: (socket) => trickle(socket, start)}, {totalMs: 120});
        assert.deepEqual([failure.kind, failure.status], ['timeout', 201]);
        assert.ok(performance.now() - startedMs < 600, 'a coarse timer');
      });

      it('when the whole time is over before the time for headers', async () => {
        const failure = await lost({onRequest: () => {}}, {totalMs: 79.6, headersMs: 5_000});
        assert.deepEqual([failure.kind, failure.why], ['timeout', 'no complete answer within 80 ms']);
      });

      it('when the headers are too large', async () => {
        const failure = await lost({
          onRequest: (socket) =>
            socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`),
        });
        assert.equal(failure.status, undefined);
      });

      it('when the answer is not HTTP', async () => {
        await lost({onRequest: (socket) => socket.write('SSH-2.0-OpenSSH\r\n')});
      });

      it('when the protocol is switched', async () => {
        await lost({
          onRequest: (socket) =>
            socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        });
      });

      it('when the signal is aborted while waiting', async () => {
        const stop = new AbortController();
        await open({onRequest: () => stop.abort(new Error('enough'))});
        const failure = await failureOf(transport.send(request({signal: stop.signal})));
        assert.deepEqual([failure.kind, failure.sent], ['aborted', true]);
      });

      it('when the signal is aborted within the body', async () => {
        const stop = new AbortController();
        await open({
          onRequest: (socket) => socket.write('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\nabc'),
        });
        const headers = headersReceived(kind.headersChannel);
        const sending = failureOf(transport.send(request({signal: stop.signal})));
        await headers;
        stop.abort();
        const failure = await sending;
        assert.deepEqual([failure.kind, failure.sent, failure.status], ['aborted', true, 201]);
      });

      it('when the body is larger than the limit', async () => {
        await open(
          {onRequest: (socket) => socket.write(answerBytes(200, 'x'.repeat(2000)))},
          {maxBodyBytes: 1000},
        );
        const failure = await failureOf(transport.send(request()));
        assert.deepEqual([failure.kind, failure.sent, failure.status], ['cut', true, 200]);
      });
    });

    describe('a cut answer', () => {
      const length = answerBytes(201, BODY);
      const chunked = Buffer.from(
        `HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n6\r\n:"p1"}\r\n0\r\n\r\n`,
      );
      for (const [how, whole] of [
        ['content-length', length],
        ['chunks', chunked],
      ] as const) {
        for (const [end, finish] of [
          ['an end', (socket: net.Socket) => socket.end()],
          ['a reset', reset],
        ] as const) {
          it(`by ${end} at any byte of an answer with ${how} never counts as complete`, async () => {
            let bytes = 0;
            await open({
              onRequest: (socket) => {
                socket.write(whole.subarray(0, bytes), () => setImmediate(() => finish(socket)));
              },
            });
            const headEnd = whole.indexOf('\r\n\r\n') + 4;
            for (bytes = 0; bytes < whole.length; bytes += 3) {
              const failure = await failureOf(transport.send(request({method: 'POST', body: '{}'})));
              assert.equal(failure.sent, true, `cut at ${bytes}`);
              // A reset may overtake the headers; an end may not.
              if (end === 'an end') {
                assert.equal(failure.status, bytes >= headEnd ? 201 : undefined, `cut at ${bytes}`);
                assert.equal(failure.kind, bytes >= headEnd ? 'cut' : 'reset', `cut at ${bytes}`);
              }
            }
          });
        }
      }
    });

    describe('connections', () => {
      it('are kept for the next read', async () => {
        await answering(answerBytes(200, BODY));
        for (let nth = 0; nth < 3; nth++) await transport.send(request());
        assert.equal(server.accepted, 1);
      });

      it('carry many reads, none of which leaves a listener', async () => {
        await answering(answerBytes(200, '{}'));
        const warnings: string[] = [];
        const onWarning = ({name}: Error) => void warnings.push(name);
        process.on('warning', onWarning);
        for (let count = 0; count < 12; count += 1) await transport.send(request());
        await sleep(0); // warnings come a turn later
        process.off('warning', onWarning);
        assert.deepEqual(warnings, []);
        assert.equal(server.accepted, 1);
      });

      it('that the service closes on the next request leave a read in doubt, which says so', async () => {
        await open({
          onRequest: (socket, {nthOnSocket}) =>
            nthOnSocket === 1 ? socket.write(answerBytes(200, BODY)) : reset(socket),
        });
        await transport.send(request());
        assert.equal((await failureOf(transport.send(request()))).sent, true);
      });

      it('that the service closed in between never make a write look unsent', async () => {
        await open({
          onRequest: (socket, {nthOnSocket}) =>
            nthOnSocket === 1 ? socket.write(answerBytes(200, BODY)) : reset(socket),
        });
        await transport.send(request());
        const write = transport.send(request({method: 'POST', body: '{}'}));
        if (kind.freshWrites) assert.equal((await write).status, 200);
        else assert.equal((await failureOf(write)).sent, true);
      });

      it('that the service closed while idle are replaced', async () => {
        await answering(answerBytes(200, BODY));
        await transport.send(request());
        const [idle] = server.open;
        assert.ok(idle);
        const closed = once(idle, 'close'); // once the client has closed its side too
        idle.end();
        await closed;
        assert.equal((await transport.send(request({method: 'POST', body: '{}'}))).status, 200);
      });

      it('carry many requests under one signal, and one listener at most stays', async () => {
        await answering(answerBytes(200, BODY));
        const warnings: Error[] = [];
        const onWarning = (warning: Error) => warnings.push(warning);
        process.on('warning', onWarning);
        const {signal} = new AbortController();
        await Promise.all(Array.from({length: 50}, () => transport.send(request({signal}))));
        await new Promise(setImmediate);
        process.off('warning', onWarning);
        assert.deepEqual(warnings, []);
        assert.ok(getEventListeners(signal, 'abort').length <= 1);
      });

      it('end with close, which lets the running request finish', async () => {
        let atWork: (socket: net.Socket) => void = () => undefined;
        const arrived = new Promise<net.Socket>((resolve) => (atWork = resolve));
        await open({onRequest: (socket) => atWork(socket)});
        const running = transport.send(request());
        const socket = await arrived;
        const closing = Promise.all([transport.close(), transport.close()]);
        await nextTurn();
        socket.write(answerBytes(200, BODY));
        await closing;
        assert.equal((await running).status, 200);
        for (const open of server.open) await once(open, 'close');
        assert.equal(server.open.size, 0);
      });

      it('are closed after a time-out, not used again', async () => {
        for (const method of ['GET', 'POST']) {
          let silent = true;
          await open({onRequest: (socket) => silent || socket.write(answerBytes(200, BODY))});
          await failureOf(transport.send(request({method}, {headersMs: 50})));
          const [first] = server.open;
          if (first && !first.closed) await once(first, 'close');
          silent = false;
          assert.equal((await transport.send(request({method}))).status, 200);
          assert.equal(server.accepted, 2);
          await transport.close();
          await server.close();
        }
      });
    });

    it('says `sent: false` only when no byte arrived, and resolves only with what was sent, whatever the service does', async function () {
      const whole = answerBytes(200, BODY);
      const doing = fc.record({
        at: fc.constantFrom('connection', 'request'),
        afterMs: fc.integer({min: 0, max: 3}),
        bytes: fc.integer({min: 0, max: whole.length}),
        then: fc.constantFrom('end', 'reset', 'stay'),
        method: fc.constantFrom('GET', 'POST'),
      });
      await fc.assert(
        fc.asyncProperty(doing, async ({at, afterMs, bytes, then, method}) => {
          const act = (socket: net.Socket) => {
            setTimeout(() => {
              if (socket.destroyed) return;
              if (bytes > 0) socket.write(whole.subarray(0, bytes));
              if (then === 'end') socket.end();
              if (then === 'reset') reset(socket);
            }, afterMs);
          };
          await open({
            onConnection: (socket) => at === 'connection' && act(socket),
            onRequest: (socket) => at === 'request' && act(socket),
          });
          try {
            const result = await transport
              .send(
                request({method, body: method === 'POST' ? '{}' : undefined}, {headersMs: 60, totalMs: 120}),
              )
              .catch((error: unknown) => error as TransportFailure);
            if (result instanceof TransportFailure) assert.ok(result.sent || server.bytes === 0);
            else assert.equal(result.body.toString(), BODY);
          } finally {
            await transport.close();
            await server.close();
          }
        }),
        {numRuns: Number(process.env['REMIT_FUZZ_RUNS'] ?? 40)},
      );
    });

    it('keeps no process alive with a socket that idles', async () => {
      await open({onRequest: (socket) => socket.write(answerBytes(200, BODY))});
      const file = kind.name === 'HttpTransport' ? 'http-transport' : 'pool-transport';
      const script = `
        const {${kind.name}: Kind} = await import(${JSON.stringify(new URL(`../../../src/client/transport/${file}.ts`, import.meta.url).href)});
        const transport = new Kind({baseUrl: ${JSON.stringify(server.baseUrl)}, connections: 1});
        const timeouts = {connectMs: 5000, headersMs: 5000, totalMs: 5000};
        const answer = await transport.send({method: 'GET', path: '/', headers: {}, timeouts});
        if (${kind.name === 'PoolTransport'}) await transport.close();
        console.log(answer.status, performance.now());
        process.on('exit', () => console.log(performance.now()));`;
      const child = spawn(process.execPath, [...WITH_TYPESCRIPT, '--input-type=module', '-e', script], {
        cwd: new URL('../../..', import.meta.url),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await once(child, 'exit');
      const [status, answeredMs, exitedMs] = text.trim().split(/\s+/).map(Number);
      assert.equal(status, 200);
      assert.ok(exitedMs! - answeredMs! < 10_000, text);
    });
  });
}

function request(facts: Partial<TransportRequest> = {}, timeouts: Partial<Timeouts> = {}): TransportRequest {
  return {
    method: 'GET',
    path: '/api/x',
    headers: {'x-api-key': 'test_key'},
    timeouts: {connectMs: 3_000, headersMs: 3_000, totalMs: 3_000, ...timeouts},
    ...facts,
  };
}

/** One more byte every 10 ms, without end. */
function trickle(socket: net.Socket, start: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write('a'), 10);
  socket.on('close', () => clearInterval(timer));
}
