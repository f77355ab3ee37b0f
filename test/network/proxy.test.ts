import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {isExempt, parseProxy, proxyFor, type Env} from '../../src/network/proxy.ts';

const shown = (url: string, env: Env) => proxyFor(new URL(url), env)?.shown;

describe('the proxy for a URL', () => {
  it('is that of HTTPS_PROXY for https and of HTTP_PROXY for http', () => {
    const env = {HTTPS_PROXY: 'http://secure.test:3128', HTTP_PROXY: 'http://plain.test:3128'};
    assert.equal(shown('https://api.test', env), 'http://secure.test:3128');
    assert.equal(shown('http://api.test', env), 'http://plain.test:3128');
    assert.equal(shown('https://api.test', {HTTP_PROXY: 'http://plain.test:3128'}), undefined);
  });

  it('is named in lower case as well, which comes first; an empty variable is unset', () => {
    assert.equal(shown('https://api.test', {https_proxy: 'a.test:1'}), 'http://a.test:1');
    assert.equal(
      shown('https://api.test', {https_proxy: 'a.test:1', HTTPS_PROXY: 'b.test:1'}),
      'http://a.test:1',
    );
    assert.equal(shown('https://api.test', {https_proxy: '', HTTPS_PROXY: 'b.test:1'}), 'http://b.test:1');
    assert.equal(shown('https://api.test', {HTTPS_PROXY: ''}), undefined);
  });

  it('is never used for this machine', () => {
    const env = {HTTPS_PROXY: 'http://p.test:1', HTTP_PROXY: 'http://p.test:1'};
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.9.9.9',
      '[::1]',
      'app.localhost',
      '[::ffff:127.0.0.1]',
    ])
      for (const protocol of ['http', 'https'])
        assert.equal(shown(`${protocol}://${host}:4510`, env), undefined, `${protocol}://${host}`);
  });

  it('is not used for a host that NO_PROXY names', () => {
    const env = {HTTPS_PROXY: 'http://p.test:1', NO_PROXY: 'api.test'};
    assert.equal(shown('https://api.test', env), undefined);
    assert.equal(shown('https://other.test', env), 'http://p.test:1');
    assert.equal(shown('https://api.test', {...env, no_proxy: 'other.test'}), 'http://p.test:1');
  });
});

describe('a proxy', () => {
  it('has the default port of its protocol', () => {
    assert.deepEqual([parseProxy('p.test', 'X').port, parseProxy('https://p.test', 'X').port], [80, 443]);
    assert.equal(parseProxy('http://[::1]:3128', 'X').host, '::1');
  });

  it('gets its credentials decoded, and shows none of them', () => {
    const proxy = parseProxy('http://jo:p%40ss%3Aword@p.test:3128', 'X');
    assert.equal(proxy.authorization, `Basic ${Buffer.from('jo:p@ss:word').toString('base64')}`);
    assert.equal(proxy.shown, 'http://p.test:3128');
    assert.deepEqual(proxy.secrets, [
      'p%40ss%3Aword',
      'p@ss:word',
      Buffer.from('jo:p@ss:word').toString('base64'),
    ]);
  });

  it('that cannot be used is refused, without its password', () => {
    for (const text of [
      'socks5://jo:secret@p.test:1080',
      'http://jo:secret@',
      'http://jo:se%secret@p.test',
      '://',
    ])
      assert.throws(
        () => parseProxy(text, 'HTTPS_PROXY'),
        (error: Error & {code?: string}) =>
          error.code === 'USAGE' &&
          error.message.startsWith('HTTPS_PROXY ') &&
          !error.message.includes('secret'),
      );
  });
});

describe('NO_PROXY', () => {
  const rows: [string, string, boolean][] = [
    ['*', 'https://api.test', true],
    ['api.test', 'https://api.test', true],
    ['api.test', 'https://API.test.', true],
    ['api.test', 'https://v1.api.test', true],
    ['.api.test', 'https://v1.api.test', true],
    ['.api.test', 'https://api.test', true],
    ['*.api.test', 'https://v1.api.test', true],
    ['api.test', 'https://myapi.test', false],
    ['api.test', 'https://api.test.evil.test', false],
    ['other.test, api.test', 'https://api.test', true],
    ['other.test api.test', 'https://api.test', true],
    ['api.test:443', 'https://api.test', true],
    ['api.test:8443', 'https://api.test', false],
    ['api.test:8443', 'https://api.test:8443', true],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.1.2.3', 'https://10.1.2.30', false],
    ['1.2.3', 'https://0.1.2.3', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://api.test', false],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['2001:db8:0::1', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]', false],
    ['2001:db8::/32', 'https://[2001:db8:1::9]', true],
    ['2001:db8::/32', 'https://[2001:db9::9]', false],
    ['', 'https://api.test', false],
    ['.', 'https://api.test', false],
  ];
  for (const [list, url, expected] of rows)
    it(`${JSON.stringify(list)} ${expected ? 'names' : 'does not name'} ${url}`, () => {
      assert.equal(isExempt(new URL(url), list), expected);
    });
});
