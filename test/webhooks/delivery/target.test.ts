import assert from 'node:assert/strict';
import {isLocal} from '../../../src/network/local.ts';
import {parseTarget} from '../../../src/webhooks/delivery/target.ts';

describe('targets', () => {
  it('may be a port, a path, a host or a URL', () => {
    for (const [text, url] of [
      ['3000', 'http://localhost:3000/'],
      ['3000/hook?a=1', 'http://localhost:3000/hook?a=1'],
      ['/hook', 'http://localhost/hook'],
      ['localhost:3000', 'http://localhost:3000/'],
      ['app.localhost/hook', 'http://app.localhost/hook'],
      ['https://127.0.0.1:8443/a#b', 'https://127.0.0.1:8443/a'],
      ['[::1]:3000', 'http://[::1]:3000/'],
    ] as const)
      assert.equal(parseTarget(text).href, url);
    for (const text of ['', 'ftp://localhost', 'http://', 'a b', '99999', 'http://user:pass@localhost/'])
      assert.throws(() => parseTarget(text), /address/, text);
  });

  it('are local by name only', () => {
    const local = (host: string) => isLocal(new URL(`http://${host}/`));
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'a.localhost',
      '127.0.0.1',
      '127.9.9.9',
      '[::1]',
      '2130706433',
      '[::ffff:127.0.0.1]',
    ])
      assert.equal(local(host), true, host);
    for (const host of [
      'example.com',
      'localhost.example.com',
      'xlocalhost',
      '10.0.0.1',
      '0.0.0.0',
      '[::]',
      '169.254.169.254',
      '[::ffff:10.0.0.1]',
    ])
      assert.equal(local(host), false, host);
  });
});
