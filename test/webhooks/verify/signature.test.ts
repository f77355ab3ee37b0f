import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {RemitError} from '../../../src/errors.ts';
import {ReplayMemory} from '../../../src/webhooks/verify/replay-memory.ts';
import {
  signatureHeaders,
  signWebhook,
  verifyWebhook,
  type RejectReason,
  type VerifyInput,
} from '../../../src/webhooks/verify/signature.ts';

// The published test vector: docs/guides/webhooks.md.
const VECTOR = {
  secret: 'whsec_5c7ab2f04d0ab5e3bd3d9a9f6ab6ffb1b8a6bfa4f6d6f5a1fe7c0a3c3d2e1f00',
  timestamp: '1770000000',
  signature: 'fef969632326dcec38e5a2dd27dd3c1a61dfd8d6734c3ddd3968cd3b285e143c',
  body: '{"id":"019b76da-a800-7000-8235-80d251bba0e9","type":"payout.settled","data":{"payout_id":"019b76da-a7ff-7000-9d0c-4f2f6a1b3c5d"}}',
};
const NOW_MS = Number(VECTOR.timestamp) * 1000;
const BODY = Buffer.from(VECTOR.body);
const {signature: SIGNATURE, timestamp: TIMESTAMP, secret: SECRET} = VECTOR;

interface Changes extends Partial<VerifyInput> {
  signature?: string | string[] | undefined;
  timestamp?: string | string[] | undefined;
}

function verify(changes: Changes = {}) {
  const {signature, timestamp, ...rest} = {signature: SIGNATURE, timestamp: TIMESTAMP, ...changes};
  const headers = {'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp};
  return verifyWebhook({body: BODY, headers, secrets: SECRET, nowMs: NOW_MS, ...rest});
}
const assertRejected = (reason: RejectReason, changes: Changes) =>
  assert.deepEqual(verify(changes), {ok: false, reason}, JSON.stringify(changes));
const VERIFIED = {ok: true, secret: 0, signature: 0, ageSeconds: 0, leniencies: []};

describe('webhook signature', () => {
  it('is the HMAC with SHA-256 over timestamp, dot and body, in lower-case hexadecimal', () => {
    const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8'))
      .update(`${TIMESTAMP}.${VECTOR.body}`, 'utf8')
      .digest('hex');
    assert.equal(signWebhook(SECRET, TIMESTAMP, BODY), expected);
    assert.equal(SIGNATURE, expected, 'computed by OpenSSL as well');
    const page = readFileSync(new URL('../../../docs/guides/webhooks.md', import.meta.url), 'utf8');
    for (const value of Object.values(VECTOR)) assert.ok(page.includes(`| \`${value}\` |`), value);
    assert.deepEqual(signatureHeaders(SECRET, VECTOR.body, NOW_MS + 999), {
      'X-Webhook-Timestamp': TIMESTAMP,
      'X-Webhook-Signature': expected,
    });
  });

  it('verifies the bytes that were signed, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string({minLength: 1}),
        fc.nat({max: 4_000_000_000}),
        fc.nat(),
        (body, secrets, extra, at) => {
          const nowMs = (1_000_000_000 + extra) * 1000;
          const timestamp = String(nowMs / 1000);
          const signature = signWebhook(secrets, timestamp, body);
          const given = {signature, timestamp, body, secrets, nowMs};
          assert.equal(verify(given).ok, true);
          assertRejected('mismatch', {...given, body: Buffer.concat([body, Buffer.from('\n')])});
          const flipped = [...signature];
          flipped[at % 64] = flipped[at % 64] === '0' ? '1' : '0';
          assertRejected('mismatch', {...given, signature: flipped.join('')});
          assertRejected('mismatch', {...given, secrets: `${secrets} `});
        },
      ),
    );
  });

  it('gives one reason, in the order of the checks', () => {
    assertRejected('no_timestamp', {timestamp: undefined, signature: undefined});
    assertRejected('no_signature', {signature: undefined});
    assertRejected('no_signature', {signature: []});
    assertRejected('timestamps_differ', {timestamp: [TIMESTAMP, '1770000001'], signature: 'x'});
    assertRejected('timestamps_differ', {timestamp: `${TIMESTAMP}, 1770000001`});
    assertRejected('timestamp_format', {timestamp: 'x', signature: 'x'});
    assertRejected('timestamp_format', {timestamp: 'Tue, 14 Nov 2023 22:13:19 GMT'});
    assertRejected('signature_format', {signature: 'x', secrets: 'another'});
    assertRejected('mismatch', {secrets: 'another', nowMs: 0});
    assertRejected('mismatch', {timestamp: '1770000001'});
    assertRejected('too_old', {nowMs: NOW_MS + 301_000});
  });

  it('accepts a timestamp only in the given format, character for character', () => {
    for (const timestamp of [
      '',
      '177000000',
      '1770000000abc',
      '1770000000000',
      '+770000000',
      '1.77e9',
      '０１２３４５６７８９',
    ])
      assertRejected('timestamp_format', {timestamp});
    const accepts = (timestampFormat: VerifyInput['timestampFormat'], timestamp: string) =>
      verify({timestampFormat, timestamp, signature: signWebhook(SECRET, timestamp, BODY)});
    assert.deepEqual(accepts('seconds', TIMESTAMP), VERIFIED);
    assert.deepEqual(accepts('milliseconds', `${TIMESTAMP}000`), VERIFIED);
    assert.deepEqual(accepts('iso8601', '2026-02-02T02:40:00Z'), VERIFIED);
    assert.deepEqual(accepts('iso8601', '2026-02-02T03:40:00.000+01:00'), VERIFIED);
    for (const [format, timestamp] of [
      ['seconds', `${TIMESTAMP}000`],
      ['milliseconds', TIMESTAMP],
      ['iso8601', TIMESTAMP],
      ['iso8601', '2026-02-30T02:40:00Z'],
      ['iso8601', '2026-02-02T02:40:00'],
      ['iso8601', '2026-02-02'],
      ['iso8601', '2026-02-02T25:40:00Z'],
    ] as const)
      assert.deepEqual(accepts(format, timestamp), {ok: false, reason: 'timestamp_format'}, timestamp);
  });

  it('accepts exactly 64 lower-case hexadecimal digits', () => {
    const others = [
      '',
      SIGNATURE.toUpperCase(),
      SIGNATURE.slice(1),
      `${SIGNATURE}00`,
      `${SIGNATURE}0`,
      `sha256=${SIGNATURE}`,
      `v1=${SIGNATURE}`,
      `"${SIGNATURE}"`,
      `${SIGNATURE.slice(0, 62)}zz`,
      `${SIGNATURE}\n`,
      Buffer.from(SIGNATURE, 'hex').toString('base64'),
    ];
    for (const signature of others) assertRejected('signature_format', {signature});
  });

  it('accepts upper-case digits and a prefix when lenient, and reports it', () => {
    const leniencies = (signature: string) => {
      const verified = verify({signature, lenient: true});
      return verified.ok ? verified.leniencies : verified.reason;
    };
    assert.deepEqual(leniencies(SIGNATURE), []);
    assert.deepEqual(leniencies(SIGNATURE.toUpperCase()), ['uppercase']);
    assert.deepEqual(leniencies(`v1=${SIGNATURE}`), ['prefix']);
    assert.deepEqual(leniencies(`sha256=${SIGNATURE.toUpperCase()}`), ['prefix', 'uppercase']);
    assert.deepEqual(leniencies(`sha1=${SIGNATURE}`), 'signature_format');
    assert.deepEqual(leniencies(`sha256=${SIGNATURE.slice(2)}`), 'signature_format');
  });

  it('accepts timestamps up to five minutes in the past and future', () => {
    const at = (seconds: number, toleranceSeconds?: VerifyInput['toleranceSeconds']) =>
      verify({nowMs: NOW_MS + seconds * 1000, toleranceSeconds});
    assert.deepEqual(at(300), {...VERIFIED, ageSeconds: 300});
    assert.deepEqual(at(-300), {...VERIFIED, ageSeconds: -300});
    assert.deepEqual(at(301), {ok: false, reason: 'too_old'});
    assert.deepEqual(at(-301), {ok: false, reason: 'in_the_future'});
    assert.deepEqual(at(1, 0), {ok: false, reason: 'too_old'});
    assert.equal(at(900, {past: 900, future: 0}).ok, true);
    assert.deepEqual(at(-1, {past: 900, future: 0}), {ok: false, reason: 'in_the_future'});
  });

  it('accepts any of several secrets and signatures, and reports which', () => {
    const other = signWebhook('other', TIMESTAMP, BODY);
    assert.deepEqual(verify({secrets: ['x', 'other', SECRET], signature: other}), {...VERIFIED, secret: 1});
    const zeros = '0'.repeat(64);
    assert.deepEqual(verify({signature: `${zeros}, ${SIGNATURE}`}), {...VERIFIED, signature: 1});
    assert.deepEqual(verify({signature: ['rubbish', zeros, SIGNATURE]}), {...VERIFIED, signature: 2});
    assert.equal(verify({timestamp: [TIMESTAMP, TIMESTAMP]}).ok, true);
    assert.equal(verify({secrets: Buffer.from(SECRET)}).ok, true, 'a key as bytes');
  });

  it('refuses a second copy of a request while it is fresh', () => {
    const replays = new ReplayMemory();
    const changes = {replays, secrets: [SECRET, 'other']};
    assert.equal(verify(changes).ok, true);
    assertRejected('replayed', changes);
    assertRejected('replayed', {...changes, nowMs: NOW_MS + 300_000});
    assertRejected('too_old', {...changes, nowMs: NOW_MS + 301_000});
    assertRejected('replayed', {...changes, signature: SIGNATURE.toUpperCase(), lenient: true});
    const next = {timestamp: '1770000001', signature: signWebhook(SECRET, '1770000001', BODY)};
    assert.equal(verify({...changes, ...next}).ok, true, 'another attempt of the same event');
    const forged = {timestamp: '1770000002', signature: SIGNATURE};
    assertRejected('mismatch', {...changes, ...forged});
    assert.equal(replays.size, 2, 'keeps only what was verified');
  });

  it('refuses an invalid call', () => {
    const refused = (changes: Record<string, unknown>) =>
      assert.throws(
        () => verify(changes),
        (error) => error instanceof RemitError && error.code === 'LOCAL_VALIDATION',
        JSON.stringify(changes),
      );
    for (const secrets of [undefined, null, [], '', [''], [SECRET, ''], [null], new Uint8Array(0)])
      refused({secrets});
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1, '300']) {
      refused({nowMs: wrong});
      refused({toleranceSeconds: wrong});
      refused({toleranceSeconds: {past: wrong, future: 300}});
      refused({toleranceSeconds: {past: 300, future: wrong}});
    }
    refused({toleranceSeconds: {past: 300}});
    for (const body of [VECTOR.body, JSON.parse(VECTOR.body), undefined, null, new ArrayBuffer(8)])
      refused({body});
  });

  it('reads the wall clock when no time is given', () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const now = {timestamp, signature: signWebhook(SECRET, timestamp, BODY), nowMs: undefined};
    assert.equal(verify(now).ok, true);
    assertRejected('too_old', {nowMs: undefined});
  });
});
