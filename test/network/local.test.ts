import assert from 'node:assert/strict';
import dns from 'node:dns';
import {createServer} from 'node:http';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {HttpTransport} from '../../src/client/transport/http-transport.ts';
import {PoolTransport} from '../../src/client/transport/pool-transport.ts';
import {DEFAULT_TIMEOUTS} from '../../src/client/transport/transport.ts';
import {portOf} from '../../src/narrow.ts';
import {postBytes} from '../../src/webhooks/delivery/post.ts';

describe('names of this machine', () => {
  const original = dns.lookup;
  const asked: string[] = [];
  const server = createServer((_, response) => response.end('{}'));
  let port: number;
  beforeEach(async () => {
    asked.length = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = portOf(server);
    const refused = (host: string, _: unknown, callback: (error: Error) => void) => {
      asked.push(host);
      callback(Object.assign(new Error('asked'), {code: 'ENOTFOUND'}));
    };
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
    for (const host of ['localhost', 'app.localhost', 'LOCALHOST.']) {
      const posted = await postBytes(new URL(`http://${host}:${port}/`), [], Buffer.from('{}'), {
        timeoutMs: 2000,
      });
      assert.deepEqual([posted.status, posted.error], [200, null], host);
    }
    assert.deepEqual(asked, []);
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
