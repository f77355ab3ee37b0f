import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {checkExtraHeaders, checkKey, requestHeaders} from '../../../src/client/requests/headers.ts';
import {checkIdempotencyKey, newIdempotencyKey} from '../../../src/client/requests/idempotency.ts';
import {VERSION} from '../../../src/client/requests/version.ts';
import {RemitError} from '../../../src/errors.ts';

describe('request headers', () => {
  it('carry the key, who asks, and JSON', () => {
    assert.deepEqual(requestHeaders({key: 'test_k', hasBody: true, idempotencyKey: 'i'}), {
      'x-api-key': 'test_k',
      'user-agent': `remit/${VERSION}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': 'i',
    });
  });

  it('leave out what does not apply', () => {
    assert.deepEqual(Object.keys(requestHeaders({key: 'test_k', hasBody: false})), [
      'x-api-key',
      'user-agent',
      'accept',
    ]);
  });

  it('name the version of the package (change src/client/requests/version.ts with package.json)', () => {
    const {version} = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal(VERSION, version);
  });
});

describe('a header of the caller', () => {
  it('is refused if it could be another idempotency key or an approval', () => {
    for (const name of ['X-Idempotency-Key', 'x_idempotent', 'X-Auto-Approve', 'approval'])
      assert.throws(() => checkExtraHeaders({[name]: 'x'}, undefined), {code: 'USAGE'});
    assert.deepEqual(checkExtraHeaders({'X-Provider': 'x'}, undefined), {'x-provider': 'x'});
  });
});

describe('an API key', () => {
  it('is taken in either mode', () => {
    for (const key of ['test_a', 'live_sandbox_x.y-z']) assert.equal(checkKey(key), key);
  });

  for (const key of ['', 'test_', 'sk_live_a', 'TEST_a', 'test_a b', 'test_a\n', 'test_ä']) {
    it(`is refused as ${JSON.stringify(key)}, without being repeated`, () => {
      assert.throws(
        () => checkKey(key),
        (error) =>
          error instanceof RemitError &&
          error.code === 'BAD_KEY' &&
          (key.length < 6 || !error.message.includes(key)),
      );
    });
  }
});

describe('an idempotency key', () => {
  it('is made as a UUID, a new one each time', () => {
    const [one, two] = [newIdempotencyKey(), newIdempotencyKey()];
    assert.match(one, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(one, two);
  });

  it('is 1 to 255 visible ASCII characters', () => {
    for (const key of ['a', '~'.repeat(255)]) assert.equal(checkIdempotencyKey(key), key);
    for (const key of ['', ' ', 'a b', 'ä', 'a\n', 'x'.repeat(256)]) {
      assert.throws(
        () => checkIdempotencyKey(key),
        (error) => error instanceof RemitError && error.code === 'USAGE',
      );
    }
  });
});
