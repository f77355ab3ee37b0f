import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, request, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {RemitError} from '../../../src/errors.ts';
import {BodyTooLargeError, readRawBody} from '../../../src/webhooks/verify/raw-body.ts';

/** What a server's handler makes of a request with this body. */
async function served<T>(body: Buffer, handle: (request: IncomingMessage) => Promise<T>): Promise<T> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const result = new Promise<T>((resolve, reject) =>
      server.on('request', (incoming, answer) => {
        handle(incoming)
          .then(resolve, reject)
          .finally(() => answer.writeHead(200, {connection: 'close'}).end());
      }),
    );
    const {port} = server.address() as AddressInfo;
    const sent = request({port, host: '127.0.0.1', method: 'POST', agent: false});
    sent.on('error', () => undefined).on('response', (answer) => answer.resume());
    sent.end(body);
    return await result;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const BYTES = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x0d, 0x0a, 0x00, 0x7d]);

describe('readRawBody', () => {
  it('gives the bytes of a Node request and of a Fetch request', async () => {
    assert.deepEqual(await served(BYTES, (incoming) => readRawBody(incoming)), BYTES);
    const fetched = new Request('http://a.test/', {method: 'POST', body: BYTES});
    assert.deepEqual(await readRawBody(fetched), BYTES);
    assert.deepEqual(await readRawBody(new Request('http://a.test/', {method: 'POST'})), Buffer.alloc(0));
  });

  it('stops at the maximum size', async () => {
    const limits = {maxBytes: 10};
    assert.equal((await served(Buffer.alloc(10), (incoming) => readRawBody(incoming, limits))).length, 10);
    await assert.rejects(
      served(Buffer.alloc(11), (incoming) => readRawBody(incoming, limits)),
      (error) => error instanceof BodyTooLargeError && error.statusCode === 413,
    );
    await assert.rejects(
      served(Buffer.alloc(1_048_577), (incoming) => readRawBody(incoming)),
      BodyTooLargeError,
    );
  });

  it('rejects a request that was aborted before it is called', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const headers = {'content-length': 100};
    const sent = request({port, host: '127.0.0.1', method: 'POST', headers, agent: false});
    sent.on('error', () => undefined).write('{');
    const [incoming] = (await once(server, 'request')) as [IncomingMessage];
    sent.destroy();
    await new Promise<void>((resolve) => incoming.on('error', () => undefined).on('close', () => resolve()));
    try {
      await assert.rejects(readRawBody(incoming), /the connection closed before the whole body had arrived/);
    } finally {
      server.close();
    }
  });

  it('refuses a request that a parser has already read', async () => {
    const wasRead = (error: unknown) => error instanceof RemitError && error.code === 'LOCAL_VALIDATION';
    const twice = async (incoming: IncomingMessage) => {
      await readRawBody(incoming);
      return readRawBody(incoming);
    };
    await assert.rejects(served(BYTES, twice), wasRead);
    const fetched = new Request('http://a.test/', {method: 'POST', body: '{}'});
    await fetched.text();
    await assert.rejects(readRawBody(fetched), wasRead);
  });
});
