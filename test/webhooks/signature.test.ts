import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {RemitError} from '../../src/errors.ts';
import {
  signatureHeaders,
  signWebhook,
  verifyWebhook,
  type SignatureFault,
  type VerifyInput,
} from '../../src/webhooks/signature.ts';

// The published test vector: docs/guides/webhooks.md.
const VECTOR = {
  secret: 'whsec_5c7ab2f04d0ab5e3bd3d9a9f6ab6ffb1b8a6bfa4f6d6f5a1fe7c0a3c3d2e1f00',
  timestamp: '1770000000',
  signature: 'fef969632326dcec38e5a2dd27dd3c1a61dfd8d6734c3ddd3968cd3b285e143c',
  body: '{"id":"019b76da-a800-7000-8235-80d251bba0e9","type":"payout.settled","data":{"payout_id":"019b76da-a7ff-7000-9d0c-4f2f6a1b3c5d"}}',
};
const NOW_MS = Number(VECTOR.timestamp) * 1000;
const SIGNATURE = signWebhook(VECTOR.secret, VECTOR.timestamp, VECTOR.body);

const verify = (changes: Partial<VerifyInput> = {}) =>
  verifyWebhook({
    signature: SIGNATURE,
    timestamp: VECTOR.timestamp,
    payload: Buffer.from(VECTOR.body),
    secrets: [VECTOR.secret],
    nowMs: NOW_MS,
    ...changes,
  });
const assertRefused = (fault: SignatureFault, changes: Partial<VerifyInput>) =>
  assert.deepEqual(verify(changes), {ok: false, fault});

describe('webhook signature', () => {
  it('is the HMAC with SHA-256 over timestamp, dot and body, in lower-case hexadecimal', () => {
    const expected = createHmac('sha256', Buffer.from(VECTOR.secret, 'utf8'))
      .update(`${VECTOR.timestamp}.${VECTOR.body}`, 'utf8')
      .digest('hex');
    assert.equal(SIGNATURE, expected);
    assert.equal(SIGNATURE, VECTOR.signature, 'computed by OpenSSL as well');
    const page = readFileSync(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8');
    for (const value of Object.values(VECTOR)) assert.ok(page.includes(`| \`${value}\` |`), value);
    assert.deepEqual(signatureHeaders(VECTOR.secret, VECTOR.body, NOW_MS + 999), {
      'X-Webhook-Timestamp': VECTOR.timestamp,
      'X-Webhook-Signature': expected,
    });
  });

  it('verifies whatever bytes were signed, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string({minLength: 1}),
        fc.nat({max: 4_000_000_000}),
        fc.nat(),
        (payload, secret, extra, at) => {
          const nowMs = (1_000_000_000 + extra) * 1000;
          const timestamp = String(nowMs / 1000);
          const signature = signWebhook(secret, timestamp, payload);
          const given = {signature, timestamp, payload, secrets: [secret], nowMs};
          assert.equal(verifyWebhook(given).ok, true);
          const other = Buffer.concat([payload, Buffer.from('\n')]);
          assert.deepEqual(verifyWebhook({...given, payload: other}), {ok: false, fault: 'mismatch'});
          const flipped = [...signature];
          flipped[at % 64] = flipped[at % 64] === '0' ? '1' : '0';
          assert.deepEqual(verifyWebhook({...given, signature: flipped.join('')}), {
            ok: false,
            fault: 'mismatch',
          });
          assert.equal(verifyWebhook({...given, secrets: [`${secret} `]}).ok, false);
        },
      ),
    );
  });

  it('says why it does not verify, in the order of the checks', () => {
    assertRefused('no_timestamp', {timestamp: undefined, signature: undefined});
    assertRefused('no_signature', {signature: undefined});
    assertRefused('no_signature', {signature: []});
    assertRefused('timestamps_differ', {timestamp: [VECTOR.timestamp, '1770000001']});
    assertRefused('timestamps_differ', {timestamp: `${VECTOR.timestamp}, 1770000001`});
    for (const timestamp of [
      '',
      '177000000',
      '1770000000abc',
      '1770000000000',
      ' 2026-02-02T02:40:00Z',
      '+770000000',
    ])
      assertRefused('timestamp_format', {timestamp});
    for (const signature of [
      '',
      SIGNATURE.toUpperCase(),
      SIGNATURE.slice(1),
      `sha256=${SIGNATURE}`,
      `${SIGNATURE}00`,
    ])
      assertRefused('signature_format', {signature});
    assertRefused('mismatch', {secrets: ['another']});
    assertRefused('mismatch', {timestamp: '1770000001'});
  });

  it('takes timestamps of five minutes ago and ahead, and none beyond', () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      verify({nowMs: NOW_MS + seconds * 1000, ...(toleranceSeconds === undefined ? {} : {toleranceSeconds})});
    assert.deepEqual(at(300), {ok: true, secret: 0, ageSeconds: 300});
    assert.deepEqual(at(-300), {ok: true, secret: 0, ageSeconds: -300});
    assert.deepEqual(at(301), {ok: false, fault: 'too_old'});
    assert.deepEqual(at(-301), {ok: false, fault: 'in_the_future'});
    assert.deepEqual(at(1, 0), {ok: false, fault: 'too_old'});
  });

  it('accepts any of several secrets and signatures, and says which secret it was', () => {
    const other = signWebhook('other', VECTOR.timestamp, VECTOR.body);
    assert.deepEqual(verify({secrets: ['x', 'other', VECTOR.secret], signature: [`${other}`]}), {
      ok: true,
      secret: 1,
      ageSeconds: 0,
    });
    assert.equal(verify({signature: `${'0'.repeat(64)}, ${SIGNATURE}`}).ok, true);
    assert.equal(verify({timestamp: [VECTOR.timestamp, VECTOR.timestamp]}).ok, true);
  });

  it('needs a secret', () => {
    for (const secrets of [[], [''], [VECTOR.secret, '']])
      assert.throws(
        () => verify({secrets}),
        (error) => error instanceof RemitError && error.code === 'LOCAL_VALIDATION',
      );
  });
});
