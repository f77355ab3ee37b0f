import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server} from 'node:http';
import {connect, type AddressInfo} from 'node:net';
import {ServiceError} from '../../src/sandbox/base/service-error.ts';
import {SocketRequest} from '../../src/sandbox/socket-request.ts';

describe('a request of a socket', () => {
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({port} = server.address() as AddressInfo);
  });
  after(() => server.close().closeAllConnections());

  /** What a server makes of these bytes. The client closes its side after them. */
  async function received(bytes: string): Promise<SocketRequest> {
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .end(Buffer.from(bytes, 'latin1'));
    const [incoming] = await arrived;
    return new SocketRequest(incoming);
  }
  const get = (target: string, host = 'localhost:4010') =>
    received(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);

  it('has the URL that a browser would make of path and host', async () => {
    for (const [target, host, url] of [
      ['/api/payouts?limit=1', 'localhost:4010', 'http://localhost:4010/api/payouts?limit=1'],
      ['/api/payouts', '[::1]:4010', 'http://[::1]:4010/api/payouts'],
      ['/api/payouts', 'LocalHost:65535', 'http://localhost:65535/api/payouts'],
      ['/api/payouts', 'localhost:80', 'http://localhost/api/payouts'],
      ['/api/../sandbox/status', 'localhost:4010', 'http://localhost:4010/sandbox/status'],
      ['/a"b', 'localhost:4010', 'http://localhost:4010/a%22b'],
      ['http://localhost:4010/api/payouts', 'localhost:4010', 'http://localhost:4010/api/payouts'],
    ] as const)
      assert.equal((await get(target, host)).url, url);
  });

  it('is refused where path or host could be read in two ways', async () => {
    for (const [target, host] of [
      ['/api/payouts', 'bad host'],
      ['/api/payouts', ''],
      ['/api/payouts', 'localhost:4010@elsewhere.example'],
      ['/api/payouts', 'localhost:4010/sandbox'],
      ['/api/payouts', '127.1:4010/'],
      ['/api/payouts', 'localhost:70000'],
      ['/api\\payouts', 'localhost:4010'],
      ['*', 'localhost:4010'],
    ] as const)
      await assert.rejects(
        get(target, host),
        (error) => error instanceof ServiceError && error.status === 400,
        `${target} at ${host}`,
      );
  });

  it('joins the values of a repeated header, as a standard Request does', async () => {
    const {headers} = await received(
      'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: a\r\norigin: b\r\nCookie: c=1\r\ncookie: d=2\r\n\r\n',
    );
    assert.deepEqual(
      [headers.get('origin'), headers.get('cookie'), headers.get('content-type')],
      ['a, b', 'c=1; d=2', null],
    );
    assert.deepEqual(
      [...headers],
      [
        ['host', 'localhost'],
        ['origin', 'a, b'],
        ['cookie', 'c=1; d=2'],
      ],
    );
  });

  it('has the whole body, whatever the client does after it', async () => {
    const text = '{"name":"\u00c3\u00a9lan"}'; // é, as two bytes
    const head = 'POST / HTTP/1.1\r\nhost: localhost\r\n';
    const declared = await received(`${head}content-length: ${text.length}\r\n\r\n${text}`);
    const chunked = await received(
      `${head}transfer-encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    );
    assert.deepEqual([await declared.text(), await chunked.text()], ['{"name":"élan"}', '{"name":"élan"}']);
  });

  it('has no body if the client ends before it is complete', async () => {
    const request = await received('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\n\r\n{"na');
    await assert.rejects(request.text());
  });

  it('has no text of a GET', async () => {
    const request = await received('GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}');
    assert.equal(await request.text(), '');
  });
});
