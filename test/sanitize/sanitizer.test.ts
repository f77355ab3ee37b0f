import assert from 'node:assert/strict';
import fc from 'fast-check';
import {Sanitizer, sensitiveValues} from '../../src/sanitize/sanitizer.ts';
import {maskKey} from '../../src/sanitize/secret-shapes.ts';

const KEY = 'test_sk_4eC39HqLyjWDarjtT1zdp7dc';
const ACCOUNT = '000123456789';
const CARD = '4242424242424242';
const sanitizer = new Sanitizer({secrets: [KEY, ACCOUNT]});
const text = (raw: string) => sanitizer.line(raw);
const value = (raw: unknown) => sanitizer.value(raw);
const cause = (raw: unknown) => sanitizer.cause(raw);

describe('redaction', () => {
  it('masks the key in use wherever it stands', () => {
    assert.equal(text(`x-api-key: ${KEY}`), 'x-api-key: test_…p7dc');
    assert.equal(text(`a${KEY}b${KEY}`), 'atest_…p7dcbtest_…p7dc');
  });

  it('masks any other key and signing secret by its prefix', () => {
    assert.equal(text('live_abcdefghijkl1234, whsec_0123456789abcdef'), 'live_…1234, whsec_…cdef');
  });

  it('leaves words that only begin like a key', () => {
    for (const words of ['test_', 'a test_mode', 'latest_version_of_it']) assert.equal(text(words), words);
  });

  it('masks numbers and secrets by field name, in whole and in cut JSON', () => {
    assert.equal(text('{"account_number":"12345678","a":1}'), '{"account_number":"…5678","a":1}');
    assert.equal(text('{"routing_number" : "021000021"}'), '{"routing_number" : "…0021"}');
    assert.equal(text('{"account_number":12345678}'), '{"account_number":"…5678"}');
    assert.equal(text('{"account_number":"1234'), '{"account_number":"…"');
    assert.equal(text('{"signing_secret":"abc\\"def"}'), '{"signing_secret":"…"}');
    assert.equal(text('{"Account_Number":"12345678"}'), '{"Account_Number":"…5678"}');
  });

  it('masks card numbers wherever they stand, and no other long number', () => {
    assert.equal(text(`card ${CARD} declined`), 'card …4242 declined');
    assert.equal(text('4242 4242 4242 4242'), '…4242');
    for (const harmless of ['4242424242424241', '2026-01-02T03:04:05.000Z', '123456789012'])
      assert.equal(text(harmless), harmless);
  });

  it('leaves ids alone', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => assert.equal(text(`GET /api/payouts/${id}`), `GET /api/payouts/${id}`)),
    );
  });

  it('masks JSON values at any depth and keeps their shape', () => {
    const record = {
      id: 'p',
      amount_in_minor_units: 12500,
      bank: [{account_number: '12345678', routing_number: 21000021}],
      card: {number: CARD, exp_month: 1},
      signing_secret: 'whatever',
      note: `key ${KEY}`,
      empty: null,
    };
    assert.deepEqual(value(record), {
      id: 'p',
      amount_in_minor_units: 12500,
      bank: [{account_number: '…5678', routing_number: '…0021'}],
      card: {number: '…4242', exp_month: 1},
      signing_secret: '…',
      note: 'key test_…p7dc',
      empty: null,
    });
  });

  it('knows the names that a profile gives to number fields', () => {
    assert.equal(new Sanitizer({fields: ['konto']}).line('{"konto":"12345678"}'), '{"konto":"…5678"}');
  });

  it('masks what the request carried when the service repeats it in words', () => {
    const body = {type: 'bank_account', bank_account: {account_number: '55667788', holder_name: 'A'}};
    assert.deepEqual(sensitiveValues(body), ['55667788']);
    const clean = new Sanitizer({secrets: sensitiveValues(body)});
    assert.equal(clean.line('account 55667788 is closed'), 'account …7788 is closed');
  });

  it('lets nothing of a key through but its last four characters', () => {
    const keys = fc
      .tuple(fc.constantFrom('test_', 'live_'), fc.stringMatching(/^[A-Za-z0-9]{4,40}$/))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(keys, fc.string(), fc.string(), (key, before, after) => {
        const clean = new Sanitizer({secrets: [key]}).line(`${before} ${key} ${after}`);
        assert.ok(
          !clean.includes(key.slice(0, 9)) ||
            before.includes(key.slice(0, 9)) ||
            after.includes(key.slice(0, 9)),
        );
      }),
    );
  });

  it('keeps the message and code of a cause, and nothing that hangs on it', () => {
    const inner = Object.assign(new Error(`bad header ${KEY}`), {code: 'HPE_X', rawPacket: Buffer.from(KEY)});
    const clean = cause(new Error('outer', {cause: inner}));
    assert.equal(clean?.message, 'outer');
    const deep = clean?.cause as Error & {code: string};
    assert.deepEqual([deep.message, deep.code], ['bad header test_…p7dc', 'HPE_X']);
    assert.ok(!('rawPacket' in deep));
    assert.equal(cause(undefined), undefined);
  });
});

describe('a masked key', () => {
  it('shows its kind, and its end only when enough stays hidden', () => {
    assert.equal(maskKey('test_abcdefghijkl'), 'test_…ijkl');
    assert.equal(maskKey('live_short'), 'live_…');
    assert.equal(maskKey(''), '…');
  });
});
