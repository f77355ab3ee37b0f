import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {postBytes} from '../../src/webhooks/post.ts';

describe('a delivery that is posted', () => {
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
