import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import type tls from 'node:tls';
import zlib from 'node:zlib';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import {PoolTransport} from '../../../src/client/transport/pool-transport.ts';
import type {Transport, TransportRequest} from '../../../src/client/transport/transport.ts';
import type {KeyPair} from '../../../src/webhooks/tls/certificates.ts';
import {certify} from '../../network/authority.ts';
import {forwardProxy, type ForwardProxy} from '../../network/forward-proxy.ts';
import {failureOf} from './transport-failure.ts';

interface Options {
  baseUrl: string;
  proxy?: string;
  ca?: string;
  cert?: string;
  key?: string;
  maxBodyBytes?: number;
}

const KINDS: {name: string; make(options: Options): Transport}[] = [
  {name: 'HttpTransport', make: (options) => new HttpTransport(options)},
  {name: 'PoolTransport', make: (options) => new PoolTransport({...options, connections: 2})},
];

const HOST = 'api.pay.test';
/** How a server refuses a client without a certificate: only TLS 1.3 has an alert of its own for it. */
const MISSING = {'TLSv1.2': 'handshake-refused', 'TLSv1.3': 'client-certificate'} as const;
const KEY = 'test_key_of_the_api';

interface Pki {
  ca: KeyPair;
  server: KeyPair;
  client: KeyPair;
  strangeClient: KeyPair;
  expired: KeyPair;
  future: KeyPair;
  selfSigned: KeyPair;
}

async function makePki(): Promise<Pki> {
  const hosts = [HOST, 'localhost', '127.0.0.1', '::1'];
  const ca = await certify({name: 'Test authority', isAuthority: true});
  return {
    ca,
    server: await certify({name: HOST, hosts, issuer: ca}),
    client: await certify({name: 'client', issuer: ca}),
    strangeClient: await certify({name: 'strange client'}),
    expired: await certify({name: HOST, hosts, issuer: ca, validFromDay: -9, validToDay: -2}),
    future: await certify({name: HOST, hosts, issuer: ca, validFromDay: 2, validToDay: 9}),
    selfSigned: await certify({name: HOST, hosts}),
  };
}

for (const kind of KINDS) {
  describe(`${kind.name}: networks`, () => {
    let pki: Pki;
    const closing: (() => unknown)[] = [];
    before(async () => {
      pki = await makePki();
    });
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });

    const listen = async (server: net.Server, host = '127.0.0.1'): Promise<number> => {
      const sockets = new Set<net.Socket>();
      for (const event of ['connection', 'secureConnection'])
        server.on(event, (socket: net.Socket) => {
          sockets.add(socket);
          socket.on('error', () => {}).on('close', () => sockets.delete(socket));
        });
      server.on('tlsClientError', () => {});
      server.listen(0, host);
      await once(server, 'listening');
      closing.push(() => {
        for (const socket of sockets) socket.destroy();
        return new Promise((resolve) => server.close(resolve));
      });
      return (server.address() as net.AddressInfo).port;
    };
    /** A service over TLS; `requests` are those that it answered. */
    const service = async (options: tls.TlsOptions = {}, pair = pki.server, host?: string) => {
      const requests: http.IncomingMessage[] = [];
      const {createServer} = await import('node:https');
      const server = createServer(
        {cert: pair.certificate, key: pair.key, ...options},
        (request, response) => {
          requests.push(request);
          request.resume().on('end', () => response.end('{"id":"p-1"}'));
        },
      );
      return {port: await listen(server, host), requests};
    };
    const open = (options: Options): Transport => {
      const transport = kind.make(options);
      closing.push(() => transport.close());
      return transport;
    };
    const proxied = async (options: Parameters<typeof forwardProxy>[0]): Promise<ForwardProxy> => {
      const proxy = await forwardProxy(options);
      closing.push(() => proxy.close());
      return proxy;
    };
    const unsent = async (transport: Transport, method = 'POST') => {
      const failure = await failureOf(transport.send(request({method})));
      assert.equal(failure.sent, false, failure.message);
      return failure;
    };

    describe('through a proxy', () => {
      it('reaches the service, and the proxy sees neither key nor body', async () => {
        const {port, requests} = await service();
        const proxy = await proxied({hosts: {[`${HOST}:443`]: port}});
        const transport = open({baseUrl: `https://${HOST}`, proxy: proxy.url, ca: pki.ca.certificate});
        for (const method of ['POST', 'GET', 'GET']) {
          const answer = await transport.send(request({method}));
          assert.deepEqual([answer.status, answer.body.toString()], [200, '{"id":"p-1"}']);
        }
        assert.deepEqual(
          requests.map(({method, headers}) => [method, headers['x-api-key'], headers['host']]),
          ['POST', 'GET', 'GET'].map((method) => [method, KEY, HOST]),
        );
        assert.ok(proxy.connects.every((target) => target === `${HOST}:443`));
        assert.ok(proxy.connects.length < 3, 'connections are kept');
        const seen = proxy.seen();
        for (const secret of [KEY, 'the-body']) assert.ok(!seen.includes(secret), secret);
      });

      it('sends the credentials of its URL to the proxy alone', async () => {
        const {port, requests} = await service();
        const proxy = await proxied({hosts: {[`${HOST}:8443`]: port}, credentials: 'jo:p@ss'});
        const url = proxy.url.replace('://', '://jo:p%40ss@');
        const transport = open({baseUrl: `https://${HOST}:8443`, proxy: url, ca: pki.ca.certificate});
        assert.equal((await transport.send(request())).status, 200);
        assert.equal(requests[0]?.headers['proxy-authorization'], undefined);
      });

      it('works with an https proxy', async () => {
        const {port} = await service();
        const proxy = await proxied({hosts: {[`${HOST}:443`]: port}, tls: pki.server});
        const transport = open({baseUrl: `https://${HOST}`, proxy: proxy.url, ca: pki.ca.certificate});
        assert.equal((await transport.send(request())).status, 200);
      });

      it('resolves no name by itself', async () => {
        const proxy = await proxied({});
        const failure = await unsent(open({baseUrl: 'https://no-such-host.invalid', proxy: proxy.url}));
        assert.deepEqual([failure.kind, proxy.connects.slice(0, 1)], ['proxy', ['no-such-host.invalid:443']]);
      });

      for (const [line, trouble] of [
        ['407 Proxy Authentication Required', 'proxy-credentials'],
        ['403 Forbidden', 'proxy-denied'],
        ['502 Bad Gateway', 'proxy-failed'],
      ] as const)
        it(`that answers ${line}, nothing was sent`, async () => {
          const proxy = await proxied({answer: line});
          const url = proxy.url.replace('://', '://jo:secret@');
          const failure = await unsent(open({baseUrl: `https://${HOST}`, proxy: url}));
          assert.deepEqual([failure.kind, failure.trouble, failure.status], ['proxy', trouble, undefined]);
          assert.match(
            failure.why,
            new RegExp(`^the proxy http://127.0.0.1:\\d+ .*${HOST}:443 \\(${line.slice(0, 3)}`),
          );
          assert.ok(!failure.message.includes('secret'));
        });

      it('that refuses the connection, nothing was sent', async () => {
        const proxy = await forwardProxy();
        await proxy.close();
        const failure = await unsent(open({baseUrl: `https://${HOST}`, proxy: proxy.url}));
        assert.deepEqual([failure.kind, failure.trouble], ['proxy', 'proxy-unreachable']);
        assert.match(
          failure.why,
          /^no connection to the proxy http:.*: connection refused \(ECONNREFUSED\)$/,
        );
      });

      it('that never answers, nothing was sent, within the time for a connection', async () => {
        const proxy = await proxied({isSilent: true});
        const transport = open({baseUrl: `https://${HOST}`, proxy: proxy.url});
        const failure = await failureOf(transport.send(request({}, {connectMs: 80})));
        assert.deepEqual([failure.kind, failure.sent], ['proxy', false]);
        assert.match(failure.why, /^no connection through the proxy .* within 80 ms$/);
      });

      it('that is not a proxy: nothing was sent', async () => {
        const port = await listen(net.createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
        const failure = await unsent(open({baseUrl: `https://${HOST}`, proxy: `http://127.0.0.1:${port}`}));
        assert.equal(failure.trouble, 'proxy-unreachable');
      });

      it('the certificate of the service is checked, for its own name', async () => {
        const {port, requests} = await service(
          {},
          await certify({name: 'x', hosts: ['127.0.0.1'], issuer: pki.ca}),
        );
        const proxy = await proxied({hosts: {[`${HOST}:443`]: port}});
        const failure = await unsent(
          open({baseUrl: `https://${HOST}`, proxy: proxy.url, ca: pki.ca.certificate}),
        );
        assert.equal(failure.trouble, 'wrong-name');
        assert.equal(requests.length, 0);
      });

      it('no request to http on this machine goes', async () => {
        const proxy = await proxied({});
        const port = await listen(http.createServer((_, response) => response.end('{}')));
        const transport = open({baseUrl: `http://127.0.0.1:${port}`, proxy: proxy.url});
        assert.equal((await transport.send(request())).status, 200);
        assert.deepEqual([proxy.connects, proxy.requests], [[], []]);
      });
    });

    describe('TLS', () => {
      const trouble = async (options: tls.TlsOptions, pair: KeyPair, more: Partial<Options> = {}) => {
        const {port, requests} = await service(options, pair);
        const transport = open({baseUrl: `https://127.0.0.1:${port}`, ...more});
        const failure = await unsent(transport);
        assert.deepEqual([failure.kind, requests.length], ['tls', 0]);
        return failure;
      };
      const trusting = () => ({ca: pki.ca.certificate});

      it('names an unknown issuer', async () => {
        assert.equal((await trouble({}, pki.server)).trouble, 'unknown-issuer');
      });

      it('names a self-signed certificate', async () => {
        assert.equal((await trouble({}, pki.selfSigned)).trouble, 'self-signed');
      });

      it('trusts only the given authorities', async () => {
        const other = await certify({name: 'Other authority', isAuthority: true});
        assert.equal((await trouble({}, pki.server, {ca: other.certificate})).trouble, 'unknown-issuer');
      });

      it('names an expired certificate, and one that is not valid yet', async () => {
        assert.equal((await trouble({}, pki.expired, trusting())).trouble, 'expired');
        assert.equal((await trouble({}, pki.future, trusting())).trouble, 'not-yet-valid');
      });

      it('names the hosts that the certificate is for', async () => {
        const other = await certify({name: 'x', hosts: ['other.test'], issuer: pki.ca});
        const failure = await trouble({}, other, trusting());
        assert.equal(failure.trouble, 'wrong-name');
        assert.match(failure.why, /for another host: other\.test \((ERR_TLS|HOSTNAME)/);
      });

      it('names an old protocol version', async () => {
        const old = {maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0'} as const;
        assert.equal((await trouble(old, pki.server, trusting())).trouble, 'protocol-version');
      });

      it('names a port of plain http', async () => {
        const port = await listen(http.createServer((_, response) => response.end('{}')));
        const failure = await unsent(open({baseUrl: `https://127.0.0.1:${port}`}));
        assert.deepEqual([failure.kind, failure.trouble], ['tls', 'plain-http']);
      });

      it('names a server of HTTP/2 only', async () => {
        const server = http2.createSecureServer({cert: pki.server.certificate, key: pki.server.key});
        const port = await listen(server);
        const failure = await unsent(open({baseUrl: `https://127.0.0.1:${port}`, ...trusting()}));
        assert.deepEqual([failure.kind, failure.trouble], ['tls', 'http2-only']);
      });

      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const strict = () => ({
          ...{requestCert: true, rejectUnauthorized: true, ca: pki.ca.certificate},
          ...{minVersion: version, maxVersion: version},
        });

        it(`shows the client certificate (${version})`, async () => {
          const {port, requests} = await service(strict());
          const {certificate: cert, key} = pki.client;
          const transport = open({baseUrl: `https://127.0.0.1:${port}`, ...trusting(), cert, key});
          for (const method of ['POST', 'GET'])
            assert.equal((await transport.send(request({method}))).status, 200);
          assert.equal(requests.length, 2);
        });

        it(`a missing client certificate means that nothing was sent (${version})`, async () => {
          for (let nth = 0; nth < 5; nth++)
            assert.equal((await trouble(strict(), pki.server, trusting())).trouble, MISSING[version]);
        });
      }
    });

    it('a server of HTTP/2 only without TLS is named, and leaves a write in doubt', async () => {
      const port = await listen(http2.createServer());
      const failure = await failureOf(open({baseUrl: `http://127.0.0.1:${port}`}).send(request()));
      assert.equal(failure.sent, true);
      assert.match(failure.why, /HTTP\/2 only/);
    });

    it('connects to an IPv6 address', async () => {
      const {port} = await service({}, pki.server, '::1');
      const transport = open({baseUrl: `https://[::1]:${port}`, ca: pki.ca.certificate});
      assert.equal((await transport.send(request())).status, 200);
    });

    describe('a host name', () => {
      /** What the resolver of this process says, instead of the system's. */
      const resolving = (lookup: unknown) => {
        const dns = process.getBuiltinModule('node:dns');
        const original = dns.lookup;
        closing.push(() => (dns.lookup = original));
        dns.lookup = lookup as typeof dns.lookup;
      };
      const leadsTo =
        (...addresses: string[]) =>
        (_host: string, _options: unknown, callback: (...found: unknown[]) => void) =>
          setImmediate(
            callback,
            null,
            addresses.map((address) => ({address, family: net.isIP(address)})),
          );

      it('with a dead IPv6 address is reached at the other one', async () => {
        const {port} = await service();
        resolving(leadsTo('::1', '127.0.0.1')); // nothing listens on ::1
        const transport = open({baseUrl: `https://${HOST}:${port}`, ca: pki.ca.certificate});
        assert.equal((await transport.send(request())).status, 200);
      });

      it('with an IPv6 address that never answers is reached at the other one, a second later', async () => {
        const {port} = await service();
        closing.push(await silentPort(port));
        resolving(leadsTo('::1', '127.0.0.1'));
        const transport = open({baseUrl: `https://${HOST}:${port}`, ca: pki.ca.certificate});
        const began = performance.now();
        assert.equal((await transport.send(request())).status, 200);
        const tookMs = performance.now() - began;
        assert.ok(tookMs > 900 && tookMs < 9_000, `${tookMs} ms`);
      });

      it('that is not resolved in time is named, and nothing was sent', async () => {
        resolving(() => {});
        const transport = open({baseUrl: `https://${HOST}`});
        const failure = await failureOf(transport.send(request({}, {connectMs: 80})));
        assert.deepEqual([failure.kind, failure.sent], ['dns', false]);
        assert.equal(failure.why, 'the host name was not resolved within 80 ms');
      });

      it('that the name server does not answer for is named', async () => {
        resolving((...[, , callback]: [unknown, unknown, (error: Error) => void]) =>
          setImmediate(callback, Object.assign(new Error('getaddrinfo EAI_AGAIN'), {code: 'EAI_AGAIN'})),
        );
        const failure = await unsent(open({baseUrl: `https://${HOST}`}));
        assert.equal(failure.kind, 'dns');
        assert.match(failure.why, /no answer from the name server \(EAI_AGAIN\)$/);
      });
    });

    it('names a host that does not exist', async () => {
      const failure = await unsent(open({baseUrl: 'https://no-such-host.invalid'}));
      assert.equal(failure.kind, 'dns');
    });

    describe('a compressed answer', () => {
      const answering = async (coding: string, body: Buffer, maxBodyBytes?: number) => {
        const server = http.createServer((_, response) => {
          response.writeHead(201, {'content-encoding': coding}).end(body);
        });
        const baseUrl = `http://127.0.0.1:${await listen(server)}`;
        return open({baseUrl, ...(maxBodyBytes === undefined ? {} : {maxBodyBytes})}).send(request());
      };
      const text = JSON.stringify({id: 'p-1', name: 'Zoë'.repeat(50)});

      for (const [coding, encode] of [
        ['gzip', zlib.gzipSync],
        ['x-gzip', zlib.gzipSync],
        ['br', zlib.brotliCompressSync],
        ['deflate', zlib.deflateSync],
        ['deflate', zlib.deflateRawSync],
        ['GZIP', zlib.gzipSync],
        ['identity', (bytes: Buffer) => bytes],
        ['gzip, br', (bytes: Buffer) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
      ] as const)
        it(`is decoded (${coding}, ${encode.name || 'two of them'})`, async () => {
          const answer = await answering(coding, encode(Buffer.from(text)));
          assert.deepEqual([answer.status, answer.body.toString(), answer.undecoded], [201, text, undefined]);
        });

      it('that would be larger than the limit keeps its status and stays packed', async () => {
        for (const [coding, encode] of [
          ['gzip', zlib.gzipSync],
          ['br', zlib.brotliCompressSync],
          ['deflate', zlib.deflateSync],
        ] as const) {
          const answer = await answering(coding, encode(Buffer.alloc(5_000_000)), 100_000);
          assert.deepEqual(
            [answer.status, answer.undecoded],
            [201, `a ${coding} body that decodes to more than 100000 bytes`],
          );
          assert.ok(answer.body.length < 100_000);
        }
      });

      it('that is damaged, or in another encoding, keeps its status', async () => {
        const damaged = zlib.gzipSync(text).subarray(0, 40);
        assert.equal((await answering('gzip', damaged)).undecoded, 'a gzip body that cannot be decoded');
        const zstd = await answering('zstd', Buffer.from('xxxx'));
        assert.equal(zstd.undecoded, 'a body in the unsupported encoding zstd');
        const many = await answering('gzip, gzip, gzip, gzip', Buffer.from('xxxx'));
        assert.equal(many.undecoded, 'a body in the unsupported encoding gzip, gzip, gzip, gzip');
      });
    });
  });
}

/** A port of ::1 whose queue is full, so that a connection is neither accepted nor refused. Returns how to end it. */
async function silentPort(port: number): Promise<() => void> {
  const script = `require('node:net').createServer().listen({port: ${port}, host: '::1', backlog: 1}, () => console.log())`;
  const child = spawn(process.execPath, ['-e', script], {stdio: ['ignore', 'pipe', 'inherit']});
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const waiting: net.Socket[] = [];
  for (let isFull = false; !isFull;) {
    const socket = net.connect(port, '::1').on('error', () => {});
    waiting.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), sleep(200, true)]);
  }
  return () => {
    child.kill('SIGKILL');
    for (const socket of waiting) socket.destroy();
  };
}

function request(
  facts: Partial<TransportRequest> = {},
  timeouts: Partial<TransportRequest['timeouts']> = {},
): TransportRequest {
  const method = facts.method ?? 'POST';
  return {
    path: '/api/x',
    headers: {'x-api-key': KEY},
    body: method === 'POST' ? '{"note":"the-body"}' : undefined,
    timeouts: {connectMs: 3_000, headersMs: 3_000, totalMs: 3_000, ...timeouts},
    ...facts,
    method,
  };
}
