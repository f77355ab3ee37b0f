import assert from 'node:assert/strict';
import {checkBaseUrl, normaliseBaseUrl} from '../../../src/client/transport/base-url.ts';
import {RemitError} from '../../../src/errors.ts';

describe('a base URL', () => {
  const same: [string, string][] = [
    ['https://API.Example.com', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/v1///', 'https://api.example.com/v1'],
    ['https://api.example.com/a/../b/', 'https://api.example.com/b'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.9.8.7', 'http://127.9.8.7'],
    ['http://localhost:80/', 'http://localhost'],
    ['http://[::1]:9/x', 'http://[::1]:9/x'],
    ['http://Foo.localhost:9', 'http://foo.localhost:9'],
    ['http://localhost.:9', 'http://localhost.:9'],
    ['http://[::ffff:127.0.0.1]:9', 'http://[::ffff:7f00:1]:9'],
  ];
  for (const [text, normal] of same) {
    it(`${text} is written ${normal}`, () => {
      assert.equal(normaliseBaseUrl(text), normal);
      assert.equal(normaliseBaseUrl(normal), normal);
    });
  }

  const refused: [string, string][] = [
    ['http://api.example.com', 'GUARD_TARGET'],
    ['http://localhost.example.com', 'GUARD_TARGET'],
    ['http://127.0.0.1.example.com', 'GUARD_TARGET'],
    ['http://notlocalhost', 'GUARD_TARGET'],
    ['http://foo.localhost.example', 'GUARD_TARGET'],
    ['http://0.0.0.0', 'GUARD_TARGET'],
    ['http://10.0.0.1', 'GUARD_TARGET'],
    ['http://[::ffff:10.0.0.1]', 'GUARD_TARGET'],
    ['ftp://127.0.0.1', 'USAGE'],
    ['file:///etc/passwd', 'USAGE'],
    ['javascript:alert(1)', 'USAGE'],
    ['https://user:hunter22@api.example.com', 'USAGE'],
    ['https://hunter22@api.example.com', 'USAGE'],
    ['https://api.example.com?x=1', 'USAGE'],
    ['https://api.example.com/?', 'USAGE'],
    ['https://api.example.com/#', 'USAGE'],
    ['https://api.example.com\\@evil.example', 'USAGE'],
    ['https://api.exa\nmple.com', 'USAGE'],
    [' https://api.example.com', 'USAGE'],
    ['api.example.com', 'USAGE'],
    ['', 'USAGE'],
  ];
  for (const [text, code] of refused) {
    it(`${JSON.stringify(text)} is refused with ${code}`, () => {
      assert.throws(
        () => checkBaseUrl(text),
        (error) => error instanceof RemitError && error.code === code && !error.message.includes('hunter22'),
      );
    });
  }
});
