import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, it} from 'mocha';
import {postBytes} from '../../src/webhooks/post.ts';

describe('a delivery that is posted', () => {
  it('keeps as much of the answer as it is asked to, and nothing otherwise', async () => {
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

  it('fails, and throws nothing, when one of its headers cannot be sent', async () => {
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
});
