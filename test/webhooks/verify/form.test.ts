import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import type {SignatureForm} from '../../../src/contract/signature-form.ts';
import {RemitError} from '../../../src/errors.ts';
import {diagnose} from '../../../src/webhooks/verify/diagnosis.ts';
import {ReplayMemory} from '../../../src/webhooks/verify/replay-memory.ts';
import {signatureHeaders, verifyWebhook, type VerifyInput} from '../../../src/webhooks/verify/signature.ts';
import {STANDARD} from './standard-webhooks.ts';

const SECRET = 'whsec_0123456789abcdef';
const BODY = Buffer.from('{"id":"e1","type":"payout.settled","data":{"payout_id":"p1"}}');
const NOW = 1_770_000_000_000;
const STAMP = '1770000000';

/** Written out by hand, from the words of each service. */
const hmac = (text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', SECRET).update(text).update(BODY).digest(encoding);

const FORMS: readonly (readonly [string, SignatureForm, Record<string, string>])[] = [
  [
    'other headers',
    {signatureHeader: 'X-Acme-Signature', timestampHeader: 'X-Acme-Time'},
    {'X-Acme-Time': STAMP, 'X-Acme-Signature': hmac(`${STAMP}.`)},
  ],
  [
    't=…,v1=… in one header, as Stripe does',
    {signatureHeader: 'Stripe-Signature', timestampPart: 't', signaturePrefix: 'v1='},
    {'Stripe-Signature': `t=${STAMP},v1=${hmac(`${STAMP}.`)}`},
  ],
  [
    'v0:{timestamp}:{payload} with a prefix, as Slack does',
    {
      ...{signatureHeader: 'X-Slack-Signature', timestampHeader: 'X-Slack-Request-Timestamp'},
      ...{signaturePrefix: 'v0=', signed: 'v0:{timestamp}:{payload}'},
    },
    {'X-Slack-Request-Timestamp': STAMP, 'X-Slack-Signature': `v0=${hmac(`v0:${STAMP}:`)}`},
  ],
  [
    'the body alone with a prefix, as GitHub does',
    {
      signatureHeader: 'X-Hub-Signature-256',
      timestamp: 'none',
      signaturePrefix: 'sha256=',
      signed: '{payload}',
    },
    {'X-Hub-Signature-256': `sha256=${hmac('')}`},
  ],
  [
    'base64',
    {signatureEncoding: 'base64'},
    {'X-Webhook-Timestamp': STAMP, 'X-Webhook-Signature': hmac(`${STAMP}.`, 'base64')},
  ],
  [
    'milliseconds without separator',
    {timestamp: 'milliseconds', signed: '{timestamp}{payload}'},
    {'X-Webhook-Timestamp': String(NOW), 'X-Webhook-Signature': hmac(String(NOW))},
  ],
  [
    'ISO 8601',
    {timestamp: 'iso8601'},
    {
      'X-Webhook-Timestamp': '2026-02-02T02:40:00.000Z',
      'X-Webhook-Signature': hmac('2026-02-02T02:40:00.000Z.'),
    },
  ],
];

const verify = (form: SignatureForm, headers: Record<string, string>, more: Partial<VerifyInput> = {}) =>
  verifyWebhook({body: BODY, headers, secrets: SECRET, nowMs: NOW + 1000, form, ...more});

describe('a form of signature', () => {
  for (const [title, form, headers] of FORMS)
    it(`is signed and verified: ${title}`, () => {
      assert.deepEqual(signatureHeaders(SECRET, BODY, NOW, form), headers);
      const age = form.timestamp === 'none' ? 0 : 1;
      const lowered = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      for (const given of [headers, lowered])
        assert.deepEqual(verify(form, given), {
          ok: true,
          secret: 0,
          signature: 0,
          ageSeconds: age,
          leniencies: [],
        });
      assert.equal(verify(form, headers, {body: Buffer.concat([BODY, BODY])}).ok, false);
      assert.equal(verify(form, headers, {secrets: 'other'}).ok, false);
      assert.equal(verify({}, headers).ok, false);
      if (form.timestamp !== 'none')
        assert.deepEqual(verify(form, headers, {nowMs: NOW + 301_000}), {ok: false, reason: 'too_old'});
    });

  it('takes several signatures in one header, while a secret is replaced', () => {
    const form: SignatureForm = {signatureHeader: 'sig', timestampPart: 't', signaturePrefix: 'v1='};
    const header = (timestamp: string) => ({
      sig: `v0=${'0'.repeat(64)}, v1=${'0'.repeat(64)}, t=${timestamp}, v1=${hmac(`${STAMP}.`)}`,
    });
    assert.deepEqual(verify(form, header(STAMP)), {
      ...{ok: true, secret: 0, signature: 1, ageSeconds: 1, leniencies: []},
    });
    assert.deepEqual(verify(form, header(`${STAMP},t=1770000001`)), {ok: false, reason: 'timestamps_differ'});
    assert.deepEqual(verify(form, {sig: `v1=${hmac(`${STAMP}.`)}`}), {ok: false, reason: 'no_timestamp'});
    assert.deepEqual(verify(form, {sig: `t=${STAMP},v0=x`}), {ok: false, reason: 'signature_format'});
  });

  describe('Standard Webhooks', () => {
    /** The example of its specification. */
    const EXAMPLE = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      body: Buffer.from('{"test": 2432232314}'),
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      stamp: '1614265330',
      signature: 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const headersOf = (signature: string, id: string | readonly string[] = EXAMPLE.id) => ({
      ...{'webhook-id': id, 'webhook-timestamp': EXAMPLE.stamp, 'webhook-signature': signature},
    });
    const without = <T extends object>(all: T, name: keyof T): Partial<T> => ({...all, [name]: undefined});
    const right = `v1,${EXAMPLE.signature}`;
    const read = (headers: VerifyInput['headers'], more: Partial<VerifyInput> = {}) =>
      verifyWebhook({
        ...{body: EXAMPLE.body, secrets: EXAMPLE.secret, nowMs: 1_614_265_331_000, form: STANDARD},
        ...{headers, ...more},
      });

    it('is signed and verified as its example', () => {
      const signed = signatureHeaders(EXAMPLE.secret, EXAMPLE.body, 1_614_265_330_000, STANDARD, EXAMPLE.id);
      assert.deepEqual(signed, headersOf(right));
      const verified = {ok: true, secret: 0, signature: 0, ageSeconds: 1, leniencies: []};
      assert.deepEqual(read(signed), verified);
      const bytes = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
      for (const secret of ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', bytes])
        assert.deepEqual(read(signed, {secrets: secret}), verified);
    });

    it('takes several signatures, separated by blanks or in headers that were joined', () => {
      const other = `v1,${Buffer.alloc(32).toString('base64')}`;
      for (const [text, signature] of [
        [`${other} ${right}`, 1],
        [`v1a,abc ${right} ${other}`, 0],
        [`${other}, ${right}`, 1],
        [`${right}, ${other}`, 0],
      ] as const)
        assert.deepEqual(
          read(headersOf(text)),
          {ok: true, secret: 0, signature, ageSeconds: 1, leniencies: []},
          text,
        );
      assert.deepEqual(read(headersOf(EXAMPLE.signature)), {ok: false, reason: 'signature_format'});
    });

    it('signs the id', () => {
      assert.deepEqual(read(headersOf(right, 'msg_other')), {ok: false, reason: 'mismatch'});
      for (const id of ['', 'a b', [EXAMPLE.id, 'msg_other'], 'm\u00e9'])
        assert.deepEqual(read(headersOf(right, id)), {ok: false, reason: 'no_id'});
      assert.deepEqual(read(without(headersOf(right), 'webhook-id')), {ok: false, reason: 'no_id'});
      assert.deepEqual(read(headersOf(right, [EXAMPLE.id, EXAMPLE.id])).ok, true);
    });

    it('takes the id of the event for what is signed here, or one that follows from the body', () => {
      const idIn = (body: string) => signatureHeaders(EXAMPLE.secret, body, 0, STANDARD)['webhook-id'];
      assert.equal(idIn('{"id":"e1","type":"a","data":{}}'), 'e1');
      assert.match(idIn('{"id":"e 1","type":"a","data":{}}')!, /^msg_[0-9a-f]{24}$/);
      assert.match(idIn('no JSON')!, /^msg_[0-9a-f]{24}$/);
      assert.equal(idIn('x'), idIn('x'));
      assert.notEqual(idIn('x'), idIn('y'));
    });

    it('refuses a secret that is not base64, and does not repeat it', () => {
      for (const secret of ['whsec_', 'whsec_not base64!', 'whsec_MfKQ9'])
        assert.throws(
          () => read(headersOf(right), {secrets: secret}),
          (error: unknown) =>
            error instanceof RemitError &&
            /is not base64/.test(error.message) &&
            !error.message.includes('MfKQ9'),
        );
    });

    it('finds the common mistakes', () => {
      const found = (headers: VerifyInput['headers'], secrets = EXAMPLE.secret, form = STANDARD) =>
        diagnose({body: EXAMPLE.body, headers, secrets, form}).map(({code}) => code);
      const asText = without(STANDARD, 'secretEncoding');
      assert.deepEqual(found(headersOf(right), EXAMPLE.secret, asText), ['secret.base64']);
      const before = `${EXAMPLE.id}.${EXAMPLE.stamp}.`;
      const byText = createHmac('sha256', EXAMPLE.secret)
        .update(before)
        .update(EXAMPLE.body)
        .digest('base64');
      assert.deepEqual(found(headersOf(`v1,${byText}`)), ['secret.text']);
    });

    it('needs {id} and idHeader together', () => {
      for (const form of [without(STANDARD, 'idHeader'), {...STANDARD, signed: '{timestamp}.{payload}'}])
        assert.throws(
          () => read(headersOf(right), {form}),
          /idHeader and \{id\} within signed need each other/,
        );
    });
  });

  it('accepts base64 only as encoders write it', () => {
    const form: SignatureForm = {signatureEncoding: 'base64'};
    const right = hmac(`${STAMP}.`, 'base64');
    const reads = (signature: string) =>
      verify(form, {'X-Webhook-Timestamp': STAMP, 'X-Webhook-Signature': signature}).ok;
    assert.equal(reads(right), true);
    for (const wrong of [
      right.slice(0, -1),
      `${right}=`,
      ` ${right.slice(0, 10)} ${right.slice(10)}`,
      hmac(`${STAMP}.`),
    ])
      assert.equal(reads(wrong), false, wrong);
  });

  it('without a timestamp has no replays, since a delivery is signed alike each time', () => {
    const form: SignatureForm = {timestamp: 'none', signed: '{payload}'};
    const headers = signatureHeaders(SECRET, BODY, NOW, form);
    const replays = new ReplayMemory();
    for (let n = 0; n < 2; n++) assert.equal(verify(form, headers, {replays}).ok, true);
  });

  it('is refused if the signed text does not end with the payload', () => {
    assert.throws(
      () => verify({signed: '{payload}.{timestamp}'}, {}),
      (error) => error instanceof RemitError && error.code === 'LOCAL_VALIDATION',
    );
  });

  it('is explained: the documented text, another encoding', () => {
    const why = (form: SignatureForm, headers: Record<string, string>) =>
      diagnose({body: BODY, headers, secrets: SECRET, form}).map(({code}) => code);
    const documented = {'X-Webhook-Timestamp': STAMP, 'X-Webhook-Signature': hmac(`${STAMP}.`)};
    assert.deepEqual(why({signed: 'v0:{timestamp}:{payload}'}, documented), ['text.documented']);
    assert.deepEqual(why({signatureEncoding: 'base64'}, documented), ['signature.hex']);
    assert.deepEqual(why({}, {...documented, 'X-Webhook-Signature': hmac(`${STAMP}.`, 'base64')}), [
      'signature.base64',
    ]);
  });
});
