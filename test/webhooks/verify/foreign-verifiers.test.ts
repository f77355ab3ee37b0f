import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {Webhook} from 'standardwebhooks';
import Stripe from 'stripe';
import {RemitError} from '../../../src/errors.ts';
import {
  signatureHeaders,
  signWebhook,
  verifyWebhook,
  type Verification,
} from '../../../src/webhooks/verify/signature.ts';
import {writeTimestamp} from '../../../src/webhooks/verify/timestamp.ts';

// standardwebhooks reads the wall clock itself, so the moment is taken when a test begins, not when the file is loaded.
let nowMs: number;
let ts: string;
const takeTime = (): void => {
  nowMs = Date.now();
  ts = writeTimestamp(nowMs);
};
const {webhooks} = new Stripe('sk_test_unused');

const ours = (secret: string, body: string | Buffer, signature: string, timestamp = ts): Verification =>
  verifyWebhook({
    body: Buffer.from(body as string),
    headers: [
      ['X-Webhook-Timestamp', timestamp],
      ['X-Webhook-Signature', signature],
    ],
    secrets: secret,
    nowMs,
  });

/** `t=…,v1=…` of the same text, digest and secret as ours. */
const stripeSigns = (secret: string, body: string, timestamp = ts): string =>
  /v1=([0-9a-f]+)/.exec(
    webhooks.generateTestHeaderString({payload: body, secret, timestamp: Number(timestamp)}),
  )![1]!;
const stripeVerifies = (
  secret: string,
  body: string | Buffer,
  signature: string,
  timestamp = ts,
  tolerance?: number,
): unknown =>
  webhooks.constructEvent(body, `t=${timestamp},v1=${signature}`, secret, tolerance, undefined, nowMs / 1000);

/** It signs `id.timestamp.body` in base64: with our timestamp as its id, our body is its timestamp, a dot and its body. */
const standardSigns = (secret: string, body: string): {body: string; signature: string} => {
  const [, base64] = standard(secret)
    .sign(ts, new Date(Number(ts) * 1000), body)
    .split(',');
  return {body: `${ts}.${body}`, signature: Buffer.from(base64!, 'base64').toString('hex')};
};
const standard = (secret: string) => new Webhook(Buffer.from(secret), {format: 'raw'});
const standardVerifies = (secret: string, body: string, signature: string): unknown =>
  standard(secret).verify(body, {
    'webhook-id': ts,
    'webhook-timestamp': ts,
    'webhook-signature': `v1,${Buffer.from(signature, 'hex').toString('base64')}`,
  });

/** Text that both can carry: JSON in well-formed Unicode. */
const bodies = fc.json();
const secrets = fc.string({unit: 'grapheme'}).map((text) => `whsec_${text}`); // stripe refuses a blank one
const runs = {numRuns: 300};

describe('the verifier and foreign ones', () => {
  beforeEach(takeTime);
  it('accept what stripe signs, and sign what stripe accepts', () => {
    fc.assert(
      fc.property(secrets, bodies, fc.nat({max: 300}), (secret, body, age) => {
        const timestamp = writeTimestamp(nowMs - age * 1000);
        const signature = stripeSigns(secret, body, timestamp);
        assert.equal(signature, signWebhook(secret, timestamp, body));
        assert.equal(ours(secret, body, signature, timestamp).ok, true);
        stripeVerifies(secret, body, signature, timestamp);
        assert.throws(() => stripeVerifies(secret, `${body} `, signature, timestamp));
        assert.deepEqual(ours(secret, `${body} `, signature, timestamp), {ok: false, reason: 'mismatch'});
      }),
      runs,
    );
  });

  it('accept what standardwebhooks signs, and sign what standardwebhooks accepts', () => {
    fc.assert(
      fc.property(secrets, bodies, (secret, text) => {
        const {body, signature} = standardSigns(secret, text);
        assert.equal(ours(secret, body, signature).ok, true);
        standardVerifies(secret, text, signWebhook(secret, ts, body));
        assert.throws(() => standardVerifies(secret, `${text} `, signature));
        assert.equal(ours(secret, `${body} `, signature).ok, false);
      }),
      runs,
    );
  });

  it('agree with the openssl command on generated cases', () => {
    const lines = readFileSync(new URL('openssl-vectors.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    assert.equal(lines.length, 60);
    for (const line of lines) {
      const [secret, timestamp, body, signature] = line.split(' ') as [string, string, string, string];
      const bytes = Buffer.from(body === '-' ? '' : body, 'hex');
      assert.equal(signWebhook(Buffer.from(secret, 'hex'), timestamp, bytes), signature, line);
    }
  });
});

// The table "What other verifiers do otherwise" of docs/guides/verify-webhooks.md.
describe('the verifier differs on purpose', () => {
  beforeEach(takeTime);
  const SECRET = 'whsec_c2VjcmV0';

  it('from both: it verifies bytes, they decode them first', () => {
    for (const body of [Buffer.from('\ufeff{}'), Buffer.from([0x22, 0xff, 0x22])]) {
      const signature = signWebhook(SECRET, ts, body);
      assert.equal(ours(SECRET, body, signature).ok, true);
      assert.throws(() => stripeVerifies(SECRET, body, signature));
    }
    const invalid = Buffer.concat([Buffer.from(`${ts}.`), Buffer.from([0x22, 0xff, 0x22])]);
    const signature = signWebhook(SECRET, ts, invalid);
    assert.equal(ours(SECRET, invalid, signature).ok, true);
    assert.throws(() =>
      standardVerifies(SECRET, invalid.subarray(ts.length + 1) as unknown as string, signature),
    );
  });

  it('from stripe: it refuses the future, and a tolerance of 0 is not "any age"', () => {
    const ahead = writeTimestamp(nowMs + 3_600_000);
    const signature = signWebhook(SECRET, ahead, '{}');
    stripeVerifies(SECRET, '{}', signature, ahead);
    assert.deepEqual(ours(SECRET, '{}', signature, ahead), {ok: false, reason: 'in_the_future'});
    const old = writeTimestamp(nowMs - 86_400_000);
    stripeVerifies(SECRET, '{}', signWebhook(SECRET, old, '{}'), old, 0);
    const headers = signatureHeaders(SECRET, '{}', nowMs - 2000);
    const none = verifyWebhook({
      body: Buffer.from('{}'),
      headers,
      secrets: SECRET,
      nowMs,
      toleranceSeconds: 0,
    });
    assert.deepEqual(none, {ok: false, reason: 'too_old'});
  });

  it('from both: it does not accept a number within other text as a timestamp', () => {
    const odd = `${ts}abc`;
    stripeVerifies(SECRET, '{}', signWebhook(SECRET, ts, '{}'), odd);
    assert.deepEqual(ours(SECRET, '{}', signWebhook(SECRET, odd, '{}'), odd), {
      ok: false,
      reason: 'timestamp_format',
    });
    const {signature} = standardSigns(SECRET, '{}');
    standard(SECRET).verify('{}', {
      'webhook-id': ts,
      'webhook-timestamp': odd,
      'webhook-signature': `v1,${Buffer.from(signature, 'hex').toString('base64')}`,
    });
  });

  it('from stripe: nothing is signed with an empty secret', () => {
    const signature = stripeSigns('', '{}');
    assert.match(signature, /^[0-9a-f]{64}$/);
    assert.throws(() => stripeVerifies('', '{}', signature), /secret/);
    assert.throws(() => new Webhook('', {format: 'raw'}), /empty/);
    assert.throws(() => ours('', '{}', signature), RemitError);
    assert.throws(() => signWebhook('', ts, '{}'), RemitError);
  });
});
