import assert from 'node:assert/strict';
import {once} from 'node:events';
import {request} from 'node:http';
import {connect, type Socket} from 'node:net';
import {systemClock} from '../../../src/clock.ts';
import {Receiver, type ReceivedRequest} from '../../../src/webhooks/http/server.ts';

describe('the receiver and hostile clients', function () {
  let receiver: Receiver;
  const received: ReceivedRequest[] = [];
  const held: (() => void)[] = [];
  const sockets: Socket[] = [];

  beforeEach(async () => {
    received.length = 0;
    held.length = 0;
    receiver = await Receiver.open({
      host: '127.0.0.1',
      port: 0,
      path: '/hook',
      maxBodyBytes: 1_048_576,
      clock: systemClock,
      refusal: (headers) => (headers.some(([name]) => name === 'X-Unsigned') ? 'no_signature' : undefined),
      receive: (one, reply) => {
        received.push(one);
        const {reason} = one.refusal ?? {};
        const answer = {status: reason === undefined ? 200 : reason === 'body_too_large' ? 413 : 401};
        if (one.headers.some(([name]) => name === 'X-Held')) held.push(() => reply(answer));
        else reply(answer);
      },
      onBug: (error) => assert.fail(String(error)),
      limits: {headMs: 500, requestMs: 1000},
    });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    receiver.kill();
  });

  /** A connection that sends this; what came back when it was closed. */
  function raw(text: string): {socket: Socket; closed: Promise<string>} {
    const socket = connect(receiver.port, '127.0.0.1');
    sockets.push(socket);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1'))).on('error', () => undefined);
    if (text !== '') socket.write(text);
    return {socket, closed: once(socket, 'close').then(() => answer)};
  }

  const good = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({
        port: receiver.port,
        host: '127.0.0.1',
        path: '/hook',
        method: 'POST',
        agent: false,
      });
      sent.on('response', (answer) => resolve(answer.resume().statusCode!)).on('error', reject);
      sent.end('{}');
    });
  const HEAD = 'POST /hook HTTP/1.1\r\nHost: a\r\n';

  it('disconnect slow headers, slow bodies and silent connections, while good ones are served', async () => {
    const slow = [
      raw(''),
      raw('POST /hook HTTP/1.1\r\n'),
      raw(`${HEAD}Content-Length: 10\r\n\r\n{`),
      raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
    ];
    const statuses = await Promise.all(Array.from({length: 20}, good));
    assert.deepEqual([...new Set(statuses)], [200]);
    const answers = await Promise.all(slow.map(({closed}) => closed));
    for (const answer of answers) assert.match(answer, /^$|^HTTP\/1\.1 408 /);
    assert.ok(
      received.every(({body}) => body.toString() === '{}'),
      'no part of a body is taken for the whole',
    );
  });

  it('refuse bad chunking, a wrong content-length, and endless headers', async () => {
    const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    assert.match(await raw(`${chunked}zz\r\n{}\r\n`).closed, /^HTTP\/1\.1 400 /);
    assert.match(
      await raw(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`).closed,
      /^HTTP\/1\.1 400 /,
    );
    assert.match(
      await raw(`${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`).closed,
      /^HTTP\/1\.1 400 /,
    );
    assert.match(await raw(`${HEAD}X: ${'a'.repeat(70_000)}`).closed, /^HTTP\/1\.1 431 |^$/);
    const short = raw(`${HEAD}Content-Length: 10\r\n\r\n{}`);
    short.socket.end();
    await short.closed;
    assert.deepEqual(received, []);
    assert.equal(await good(), 200);
  });

  it('answer 413 to a large body, announced or not, without keeping it', async () => {
    assert.match(await raw(`${HEAD}Content-Length: 1048577\r\n\r\n`).closed, /^HTTP\/1\.1 413 /);
    const {socket, closed} = raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const piece = Buffer.alloc(65_536, 0x20);
    for (let count = 0; count < 17; count += 1) {
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
    }
    assert.match(await closed, /^HTTP\/1\.1 413 |^$/);
    assert.deepEqual(
      received.map(({refusal, body}) => [refusal?.reason, body.length]),
      [
        ['body_too_large', 0],
        ['body_too_large', 0],
      ],
    );
    assert.ok(received.every(({refusal}) => refusal!.bodyBytes > 1_048_576));
  });

  it('read only the start of a large body that its headers rule out, and all of a small one', async () => {
    const {socket, closed} = raw(`${HEAD}X-Unsigned: 1\r\nContent-Length: 1000000\r\n\r\n`);
    socket.write(Buffer.alloc(30_000, 0x61));
    assert.match(await closed, /^HTTP\/1\.1 401 .*Connection: close/s);
    const small = raw(`${HEAD}X-Unsigned: 1\r\nConnection: close\r\nContent-Length: 5\r\n\r\n`);
    small.socket.write('hel');
    small.socket.write('lo');
    assert.match(await small.closed, /^HTTP\/1\.1 200 /);
    assert.deepEqual(
      received.map(({refusal, body}) => [refusal, body.length]),
      [
        [{reason: 'no_signature', bodyBytes: 1_000_000}, 16_384],
        [null, 5],
      ],
    );
    assert.equal(String(received[1]!.body), 'hello');
  });

  it('are answered in order when they do not wait for an answer, and may not send much ahead', async () => {
    const request = (body: string) => `${HEAD}X-Held: 1\r\nContent-Length: 2\r\n\r\n${body}`;
    assert.equal(await raw(request('{}').repeat(1000)).closed, '');
    assert.equal(received.length, 1);
    const {socket, closed} = raw(`${request('[]')}${request('""')}${HEAD}Conn`);
    for (const body of ['{}', '[]', '""']) {
      while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(String(received.at(-1)!.body), body);
      held.shift()!();
    }
    socket.write('ection: close\r\n\r\n');
    assert.match(await closed, /^HTTP\/1\.1 200 .*HTTP\/1\.1 200 .*HTTP\/1\.1 200 .*\r\n\r\n$/s);
    assert.equal(received.length, 4);
  });

  it('get 100 Continue if they ask before they send a body', async () => {
    const {socket, closed} = raw(
      `${HEAD}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`,
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{}');
    assert.match(await closed, /^HTTP\/1\.1 100 .*HTTP\/1\.1 200 /s);
  });

  it('are answered if they close their side after the request, and with HTTP/1.0', async () => {
    const ended = raw(`${HEAD}X-Held: 1\r\nContent-Length: 2\r\n\r\n{}`);
    ended.socket.end();
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    held[0]!();
    assert.match(await ended.closed, /^HTTP\/1\.1 200 .*Connection: close/s);
    const old = await raw('POST /hook HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}').closed;
    assert.match(old, /^HTTP\/1\.1 200 .*Connection: close/s);
    assert.match(await raw('HEAD /healthz HTTP/1.0\r\n\r\n').closed, /^HTTP\/1\.1 200 .*\r\n\r\n$/s);
  });

  it('may go away before they are answered', async () => {
    const gone = raw(`${HEAD}X-Held: 1\r\nContent-Length: 20000\r\n\r\n${'a'.repeat(20_000)}`);
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.socket.destroy();
    await gone.closed;
    await good();
    held[0]!();
    assert.equal(await good(), 200);
  });

  it('have their connections closed when the receiver closes, but get answers in progress', async () => {
    const idle = raw('');
    await once(idle.socket, 'connect');
    const busy = raw(`${HEAD}X-Held: 1\r\nContent-Length: 2\r\n\r\n{}`);
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = receiver.close();
    assert.equal(await idle.closed, '');
    held[0]!();
    assert.match(await busy.closed, /^HTTP\/1\.1 200 /);
    await closed;
  });

  it('close the connection that was silent longest when there are too many', async () => {
    const idle = Array.from({length: 1100}, () => raw(''));
    await Promise.all(idle.map(({socket}) => once(socket, 'connect')));
    assert.equal(await good(), 200);
    await Promise.all(idle.slice(0, 50).map(({closed}) => closed));
  });

  it('may exceed both limits of a body with the same bytes', async () => {
    const piece = Buffer.alloc(65_536, 0x61);
    const all = Array.from({length: 9}, () => raw(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`));
    for (let count = 0; count < 17; count += 1)
      for (const {socket} of all) {
        socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        socket.write('\r\n');
      }
    await Promise.all(all.map(({closed}) => closed));
    assert.equal(await good(), 200);
  });

  it('are limited in the bytes of all unfinished bodies', async () => {
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(900_000, 0x20);
    const many = Array.from({length: 60}, () => {
      const one = raw(`${HEAD}Content-Length: 1000000\r\n\r\n`);
      one.socket.write(piece);
      return one;
    });
    const closed = many.map((one) => one.closed);
    await Promise.race(closed);
    assert.equal(await good(), 200);
    await Promise.all(closed);
    const grown = (process.memoryUsage().rss - before) / 1_048_576;
    assert.ok(grown < 200, `${grown} MB with both sides in one process`);
  });

  it('refuses what a browser sends for a page, whatever the signature', async () => {
    const post = (header: string) =>
      raw(`POST /hook HTTP/1.1\r\nHost: a\r\n${header}Content-Length: 2\r\nConnection: close\r\n\r\n{}`)
        .closed;
    for (const header of [
      'Origin: https://evil.example\r\n',
      'origin: null\r\n',
      'Sec-Fetch-Site: cross-site\r\n',
    ])
      assert.match(await post(header), /^HTTP\/1\.1 403 /, header);
    assert.equal(received.length, 0);
    for (const header of ['', 'Sec-Fetch-Site: none\r\n', 'X-Origin: a\r\n'])
      assert.match(await post(header), /^HTTP\/1\.1 200 /, header);
    assert.equal(received.length, 3);
  });
});
