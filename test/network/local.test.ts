import assert from 'node:assert/strict';
import dns from 'node:dns';
import {createServer} from 'node:http';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {HttpTransport} from '../../src/client/transport/http-transport.ts';
import {PoolTransport} from '../../src/client/transport/pool-transport.ts';
import {DEFAULT_TIMEOUTS} from '../../src/client/transport/transport.ts';
import {peerCertificate} from '../../src/cli/doctor/machine/certificate.ts';
import {portOf} from '../../src/narrow.ts';
import {parseProxy} from '../../src/network/proxy.ts';
import {openTunnel} from '../../src/network/tunnel.ts';
import {postBytes} from '../../src/webhooks/delivery/post.ts';
import {canConnect} from '../../src/webhooks/listen/health.ts';
import {forwardProxy} from './forward-proxy.ts';

describe('names of this machine', () => {
  const original = dns.lookup;
  const asked: string[] = [];
  const server = createServer((_, response) => response.end('{}'));
  let port: number;
  const refused = (host: string, _: unknown, callback: (error: Error) => void) => {
    asked.push(host);
    callback(Object.assign(new Error('asked'), {code: 'ENOTFOUND'}));
  };
  beforeEach(async () => {
    asked.length = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = portOf(server);
    Object.assign(dns, {lookup: refused});
  });
  afterEach(async () => {
    Object.assign(dns, {lookup: original});
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const request = {
    ...{method: 'GET', path: '/', headers: {}},
    timeouts: DEFAULT_TIMEOUTS,
  } as never;

  it('lead to loopback without DNS: both transports and forwarded deliveries', async () => {
    for (const Transport of [HttpTransport, PoolTransport]) {
      const transport = new Transport({baseUrl: `http://localhost:${port}`, connections: 1});
      assert.equal((await transport.send(request)).status, 200, Transport.name);
      await transport.close();
    }
    for (const host of ['foo.localhost', 'localhost.', '[::ffff:127.0.0.1]']) {
      const transport = new HttpTransport({baseUrl: `http://${host}:${port}`});
      assert.equal((await transport.send(request)).status, 200, host);
      await transport.close();
    }
    for (const host of ['localhost', 'app.localhost', 'LOCALHOST.']) {
      const posted = await postBytes(new URL(`http://${host}:${port}/`), [], Buffer.from('{}'), {
        timeoutMs: 2000,
      });
      assert.deepEqual([posted.status, posted.error], [200, null], host);
    }
    assert.deepEqual(asked, []);
  });

  it('lead to loopback without DNS: the check of a target of deliveries, and that of a certificate', async () => {
    for (const host of ['localhost', 'app.localhost', 'LOCALHOST.', '127.0.0.1']) {
      assert.equal(await canConnect(new URL(`http://${host}:${port}/`)), null, host);
      // The server speaks plain http: the handshake fails, which is after the connection.
      const refused = {code: 'ERR_SSL_WRONG_VERSION_NUMBER'};
      await assert.rejects(peerCertificate(new URL(`https://${host}:${port}`), {}), refused, host);
    }
    assert.deepEqual(asked, []);
    assert.equal(await canConnect(new URL(`http://app.localhost.example:${port}/`)), 'ENOTFOUND');
    assert.deepEqual(asked, ['app.localhost.example']);
  });

  it('lead to loopback without DNS: a proxy', async () => {
    Object.assign(dns, {lookup: original}); // Node asks even for the address that it listens on
    const proxy = await forwardProxy({hosts: {'api.example.com:443': port}});
    Object.assign(dns, {lookup: refused});
    const url = proxy.url.replace('127.0.0.1', 'proxy.localhost');
    assert.notEqual(url, proxy.url);
    const target = {host: 'api.example.com', port: 443, timeoutMs: 2000};
    const socket = await openTunnel({proxy: parseProxy(url, 'HTTPS_PROXY'), ...target});
    socket.destroy();
    await proxy.close();
    assert.deepEqual([proxy.connects, asked], [['api.example.com:443'], []]);
  });

  it('are no other names that contain them', async () => {
    for (const host of ['localhost.example', 'notlocalhost']) {
      const posted = await postBytes(new URL(`http://${host}:${port}/`), [], Buffer.from('{}'), {
        timeoutMs: 2000,
      });
      assert.equal(posted.error, 'host not found');
    }
    assert.deepEqual(asked, ['localhost.example', 'notlocalhost']);
  });
});
