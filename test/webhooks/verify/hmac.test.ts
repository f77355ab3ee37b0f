import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import fc from 'fast-check';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {webhookDigest} from '../../../src/webhooks/verify/hmac.ts';

const expected = (secret: string | Uint8Array, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('binary');

describe('the digest of a delivery', () => {
  it('is the HMAC of OpenSSL for any key, text or bytes, any timestamp and any body', () => {
    const keys = fc.oneof(
      fc.string({minLength: 1, maxLength: 70, unit: anyCharacter}),
      fc.string({minLength: 15, maxLength: 80, unit: 'grapheme-ascii'}),
      fc.uint8Array({minLength: 1, maxLength: 80}),
    );
    const timestamps = fc.oneof(
      fc.stringMatching(/^\d{10}$/),
      fc.string({maxLength: 70, unit: 'grapheme-ascii'}),
    );
    fc.assert(
      fc.property(keys, timestamps, fc.uint8Array({maxLength: 3000}), (key, timestamp, body) =>
        assert.equal(webhookDigest(key, `${timestamp}.`, body), expected(key, timestamp, body)),
      ),
    );
  });

  for (const bytes of [0, 1, 16_383, 16_384, 16_385, 100_000])
    it(`is right for a body of ${bytes} bytes, before and after other bodies`, () => {
      const body = Buffer.alloc(bytes, 'é');
      for (const other of [body, Buffer.from('{}'), body])
        assert.equal(
          webhookDigest('whsec_1', '1770000000.', other),
          expected('whsec_1', '1770000000', other),
        );
    });

  for (const bytes of [1, 63, 64, 65, 200])
    it(`is right for a key of ${bytes} bytes`, () => {
      const body = Buffer.from('{}');
      for (const key of ['k'.repeat(bytes), Buffer.alloc(bytes, 7), 'k'])
        assert.equal(webhookDigest(key, '1770000000.', body), expected(key, '1770000000', body));
    });
});
