import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, it} from 'mocha';
import {postBytes} from '../../../src/webhooks/delivery/post.ts';
import {forwardProxy} from '../../network/forward-proxy.ts';

describe('a delivery that is posted', () => {
  it('keeps as much of the answer as requested, and nothing otherwise', async () => {
    const server = createServer((_, response) => {
      response.writeHead(202, {'X-Id': '7'});
      response.write('first ');
      setImmediate(() => response.end('second'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    try {
      for (const [keepBytes, kept] of [
        [undefined, ''],
        [3, 'fir'],
        [9, 'first sec'],
        [100, 'first second'],
      ] as const) {
        const {status, body, error} = await postBytes(url, [], Buffer.from('{}'), {
          timeoutMs: 5000,
          keepBytes,
        });
        assert.deepEqual([status, body.toString(), error], [202, kept, null]);
      }
    } finally {
      server.close();
    }
  });

  it('fails without throwing if one of its headers cannot be sent', async () => {
    for (const [name, value] of [
      ['X-Echo', 'a\nb'],
      ['X-Echo', '\u202e'],
      ['X Echo', 'a'],
    ] as const) {
      const url = new URL('http://127.0.0.1:9/');
      const {status, error} = await postBytes(url, [[name, value]], Buffer.from('{}'), {timeoutMs: 1000});
      assert.equal(status, null);
      assert.match(error!, /header/i);
    }
  });

  describe('to another machine', () => {
    const posted = async (target: string, env: (proxy: string) => Record<string, string>) => {
      const server = createServer((request, response) => request.resume().on('end', () => response.end()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const {port} = server.address() as AddressInfo;
      const proxy = await forwardProxy({credentials: 'jo:pass', hosts: {'hooks.test:443': port}});
      try {
        const url = new URL(target.replace('PORT', String(port)));
        const options = {timeoutMs: 5_000, env: env(proxy.url.replace('://', '://jo:pass@'))};
        return {proxy, answer: await postBytes(url, [['X-A', '1']], Buffer.from('{}'), options)};
      } finally {
        await proxy.close();
        server.closeAllConnections();
        server.close();
      }
    };

    it('goes through the proxy: whole over http, with credentials for the proxy', async () => {
      const {proxy, answer} = await posted('http://hooks.test/in?a=1', (url) => ({HTTP_PROXY: url}));
      assert.deepEqual([answer.status, answer.error], [200, null]);
      const [request] = proxy.requests;
      assert.equal(request?.url, 'http://hooks.test/in?a=1');
      assert.deepEqual([request.headers['host'], request.headers['x-a']], ['hooks.test', '1']);
      const credentials = Buffer.from('jo:pass').toString('base64');
      assert.equal(request.headers['proxy-authorization'], `Basic ${credentials}`);
    });

    it('goes through a tunnel over https', async () => {
      const {proxy, answer} = await posted('https://hooks.test/in', (url) => ({HTTPS_PROXY: url}));
      assert.deepEqual(proxy.connects, ['hooks.test:443']);
      assert.match(String(answer.error), /wrong version number/); // the target speaks plain http
    });

    it('goes directly if NO_PROXY lists the host, and to this machine', async () => {
      const proxies = (url: string) => ({HTTP_PROXY: url, HTTPS_PROXY: url});
      const here = await posted('http://localhost:PORT/', proxies);
      assert.deepEqual([here.answer.status, here.proxy.requests], [200, []]);
      const exempt = await posted('http://hooks.invalid/', (url) => ({
        ...proxies(url),
        NO_PROXY: 'hooks.invalid',
      }));
      assert.deepEqual([exempt.answer.error, exempt.proxy.requests], ['host not found', []]);
    });

    it('fails without throwing if the proxy refuses or cannot be used', async () => {
      const refused = await posted('https://other.test/', (url) => ({HTTPS_PROXY: url}));
      assert.match(
        String(refused.answer.error),
        /^the proxy http:.* refused to connect to other\.test:443 \(502\)$/,
      );
      const unusable = await posted('https://other.test/', () => ({HTTPS_PROXY: 'socks5://p.test'}));
      assert.match(String(unusable.answer.error), /^HTTPS_PROXY names a socks5 proxy/);
    });
  });
});
