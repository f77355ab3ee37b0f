import assert from 'node:assert/strict';
import fc from 'fast-check';
import {KnownSecrets} from '../../src/sanitize/known-secrets.ts';

const KEY = 'live_9aZ+/=4eC39HqLyjWDarjtT1zdp7dc';

function knowing(...secrets: string[]): KnownSecrets {
  const known = new KnownSecrets();
  known.add(secrets);
  return known;
}

describe('a known secret', () => {
  for (const [how, form] of Object.entries({
    'as it is': KEY,
    'in capitals': KEY.toUpperCase(),
    'percent-encoded': encodeURIComponent(KEY),
    'in hexadecimal': Buffer.from(KEY).toString('hex'),
    'in hexadecimal capitals': Buffer.from(KEY).toString('hex').toUpperCase(),
    'in base64': Buffer.from(KEY).toString('base64'),
    'in base64 for URLs': Buffer.from(KEY).toString('base64url'),
  }))
    it(`is found ${how}`, () => {
      const known = knowing(KEY);
      assert.equal(known.isIn(`x ${form} y`), true);
      assert.match(known.mask(`x ${form} y`), /^x live_….{0,4}[A-Za-z0-9]?=* y$/);
    });

  it('is found in base64 wherever it is in what was encoded', () => {
    fc.assert(
      fc.property(
        fc.string({unit: 'binary-ascii', maxLength: 7}),
        fc.string({unit: 'binary-ascii', maxLength: 7}),
        (a, b) => {
          const masked = knowing(KEY).mask(Buffer.from(a + KEY + b).toString('base64'));
          assert.match(masked, /live_…/);
          assert.ok(!Buffer.from(masked.replace('…', ''), 'base64').toString().includes(KEY.slice(6)));
        },
      ),
    );
  });

  it('is found in base64 when it is as short as a secret may be', () => {
    assert.equal(knowing('s3cr3t').mask('Basic czNjcjN0'), 'Basic …');
  });

  it('is found in both alphabets of base64', () => {
    const secret = 'whsec_~~~???>>>ÿÿÿ';
    for (const encoding of ['base64', 'base64url'] as const)
      assert.equal(knowing(secret).isIn(Buffer.from(secret).toString(encoding)), true, encoding);
    assert.match(Buffer.from(secret).toString('base64'), /\+.*\/|\/.*\+/);
  });

  it('keeps its prefix only if it begins with one', () => {
    assert.equal(knowing('xtest_0123456789').mask('xtest_0123456789'), '…6789');
  });

  it('that is a number is found in groups, and not within a longer number or an id', () => {
    const known = knowing('55667788');
    for (const form of ['55667788', '5566 7788', '55-66-77-88', '5566.7788', '5566\u00a07788'])
      assert.equal(known.mask(`account ${form}!`), 'account …7788!', form);
    for (const harmless of ['155667788', '556677889', '00000000-0000-4000-8000-000055667788'])
      assert.deepEqual([known.mask(harmless), known.isIn(harmless)], [harmless, false]);
  });

  it('is not found in a text without it, at the first and at later calls', () => {
    for (const known of [knowing('55667788'), knowing(KEY), knowing('55667788', KEY), knowing()])
      assert.deepEqual(
        [known.isIn('nothing'), known.isIn('nothing'), known.mask('nothing')],
        [false, false, 'nothing'],
      );
  });

  it('that contains another one is masked completely', () => {
    assert.equal(
      knowing('secret-one', 'secret-one-and-more-of-it').mask('secret-one-and-more-of-it'),
      '…f-it',
    );
  });

  it('that is short is not looked for: it would blot out harmless text', () => {
    const known = knowing('abc12', '');
    assert.deepEqual([known.mask('abc123'), known.isIn('abc12')], ['abc123', false]);
    assert.equal(knowing('abc123').mask('abc123'), '…');
  });

  it('is forgotten once many newer ones have come', () => {
    const known = knowing('first-secret-of-all');
    known.add(Array.from({length: 500}, (_, n) => `another-secret-${n}`));
    assert.equal(known.isIn('first-secret-of-all'), false);
    assert.equal(known.isIn('another-secret-0'), true);
    assert.equal(known.isIn('another-secret-499'), true);
  });

  it('may be added after others were looked for', () => {
    const known = knowing('secret-one');
    assert.equal(known.mask('secret-two'), 'secret-two');
    known.add(['secret-two']);
    assert.equal(known.mask('secret-one secret-two'), '…-one …-two');
  });

  it('masks numbers in groups as far as the groups go', () => {
    const known = knowing('55667788', '5566778899');
    for (const [text, shown] of [
      ['12 55667788 34', '12 …7788 34'],
      ['12 5566-7788.99', '12 …8899'],
      ['1 2 5566 77 88', '1 2 …7788'],
      ['155667788', '155667788'],
      ['1234 556677889', '1234 556677889'],
    ] as const)
      assert.equal(known.mask(text), shown, text);
  });

  it('is found in many repetitions, with other secrets around it', () => {
    const known = knowing('secret-one', 'secret-one-and-two', '12345678');
    assert.equal(known.mask('secret-one secret-one-and-two 1234 5678'), '…-one …-two …5678');
  });

  it('from a service may be any text, and is ignored if it is longer than any number', () => {
    const learned = new KnownSecrets('service');
    for (const value of ['1234\ud800567', '\udc001234567', '1'.repeat(100_000), '1 '.repeat(50_000)])
      learned.add([value]);
    assert.equal(learned.mask('1'.repeat(100_000)), '1'.repeat(100_000));
    assert.equal(learned.isIn('1234\ud800567'), true);
    fc.assert(
      fc.property(fc.string({unit: 'binary', maxLength: 80}), fc.string({unit: 'binary'}), (value, text) => {
        const one = new KnownSecrets('service');
        one.add([value]);
        assert.equal(typeof one.mask(text + value), 'string');
      }),
    );
  });
});
