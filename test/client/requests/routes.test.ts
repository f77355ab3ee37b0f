import assert from 'node:assert/strict';
import fc from 'fast-check';
import {checkRequestPath, fillPath} from '../../../src/client/requests/routes.ts';
import {RemitError} from '../../../src/errors.ts';

const failsWith = (code: string, act: () => unknown, words = /./) =>
  assert.throws(
    act,
    (error) => error instanceof RemitError && error.code === code && words.test(error.message),
  );

describe('a path', () => {
  it('carries any id as one segment, which decodes to the id', () => {
    fc.assert(
      fc.property(fc.string({unit: 'grapheme', minLength: 1}), (id) => {
        fc.pre(id !== '.' && id !== '..');
        const path = fillPath('/api/payouts/{id}/approve', {id});
        assert.equal(path.split('/').length, 5);
        assert.match(path, /^[\u0021-\u007e]+$/);
        const url = new URL(path, 'https://api.example.com');
        assert.equal(url.origin, 'https://api.example.com');
        assert.equal(decodeURIComponent(url.pathname.split('/')[3]!), id);
      }),
    );
  });

  it('encodes what would change the request', () => {
    assert.equal(fillPath('/a/{id}', {id: '../x?y#z%2F'}), '/a/..%2Fx%3Fy%23z%252F');
  });

  for (const id of ['', '.', '..', '\ud800']) {
    it(`takes no id ${JSON.stringify(id)}`, () => failsWith('USAGE', () => fillPath('/a/{id}', {id})));
  }

  it('wants exactly its parameters', () => {
    failsWith('USAGE', () => fillPath('/a/{id}', {}), /id is empty/);
    failsWith('USAGE', () => fillPath('/a/{id}', {id: 'x', other: 'y'}), /other/);
    failsWith('USAGE', () => fillPath('/a/{toString}', {}), /empty/);
  });

  it('typed by a person stays under the base URL', () => {
    for (const path of ['/api/payouts?limit=5&cursor=a%3D', '/', '/a/.b/..c'])
      assert.equal(checkRequestPath(path), path);
    for (const path of [
      '',
      'api',
      '//x',
      'https://x/',
      '/\\x',
      '/a/..',
      '/a/%2e%2e/b',
      '/./a',
      '/a b',
      '/a#b',
      '/ä',
      '/a\r\nb',
      '/api/payouts/ID/approve?_method=POST',
      '/api/payouts/ID/approve?limit=1&%5Fmethod=POST',
      '/a?X-HTTP-Method-Override=POST',
    ]) {
      failsWith('GUARD_TARGET', () => checkRequestPath(path));
    }
  });
});
