import assert from 'node:assert/strict';
import {NUMBER_NAMES, SECRET_NAMES} from '../../src/sanitize/secret-names.ts';
import {Sanitizer} from '../../src/sanitize/sanitizer.ts';

const sanitizer = new Sanitizer();

/** One name as different services write it. */
const spellings = (name: string): string[] => {
  const words = name.split('_');
  const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
  return [
    name,
    words.join('-'),
    words.join(' '),
    words.join(''),
    words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
    words.map(capital).join(''),
    words.map(capital).join('-'),
    name.toUpperCase(),
  ];
};

/** Names that are also plain words: only what looks like a number or a secret is protected under them. */
const PLAIN_WORDS = ['account', 'bank_account', 'card', 'routing', 'number', 'key'];

describe('a protected name', () => {
  for (const name of SECRET_NAMES)
    it(`${name} hides its value, however it is written`, () => {
      const secret = 'abcdefgh12345678';
      const hidden = name === 'key' ? '…5678' : '…';
      for (const written of spellings(name)) {
        assert.deepEqual(sanitizer.value({[written]: secret}), {[written]: hidden}, written);
        assert.deepEqual(
          sanitizer.value([{a: [{[written]: [secret]}]}]),
          [{a: [{[written]: [hidden]}]}],
          written,
        );
        assert.ok(!sanitizer.line(`{"a":1,"${written}":"${secret}"}`).includes(secret), written);
        assert.ok(!sanitizer.line(`{"${written}": "${secret}`).includes(secret), `${written}, cut`);
      }
    });

  for (const name of NUMBER_NAMES)
    it(`${name} keeps the last four digits at most, however it is written`, () => {
      for (const written of spellings(name))
        for (const number of ['000987654321', '12345', 987_654_321]) {
          const shown = (sanitizer.value({[written]: number}) as Record<string, unknown>)[written];
          assert.equal(shown, String(number).length >= 8 ? '…4321' : '…', written);
          assert.ok(!sanitizer.line(`{"${written}":"${number}"}`).includes(String(number)), written);
          assert.ok(
            !sanitizer.line(`'${written}': ${number}`).includes(String(number)) || typeof number === 'string',
          );
        }
    });

  for (const name of [...SECRET_NAMES, ...NUMBER_NAMES].filter(
    (one) =>
      !PLAIN_WORDS.includes(one) && !['acct', 'aba', 'pan', 'token', 'secret', 'pin', 'cookie'].includes(one),
  ))
    it(`${name} is protected in a query and in a line of a log`, () => {
      for (const written of [name, name.replaceAll('_', '-'), name.replaceAll('_', '')]) {
        assert.equal(sanitizer.line(`/x?${written}=abc12345&b=2`).includes('abc12345'), false, written);
        assert.equal(sanitizer.line(`${written}: abc12345, b`).includes('abc12345'), false, written);
        assert.match(sanitizer.line(`/x?${written}=abc12345&b=2`), /&b=2$/);
      }
    });

  it('with words before it is protected too', () => {
    for (const name of [
      'destination_account_number',
      'newSigningSecret',
      'old-api-key',
      'payeeIBAN',
      'userPassword',
    ])
      assert.notEqual(
        (sanitizer.value({[name]: 'GB82X12345678'}) as Record<string, string>)[name],
        'GB82X12345678',
        name,
      );
    assert.equal(sanitizer.line('/x?payeeAccountNumber=000987654321'), '/x?payeeAccountNumber=…4321');
  });

  it('protects what is nested under it by a name that says nothing', () => {
    assert.deepEqual(sanitizer.value({account_number: {value: '000987654321', type: 'us'}}), {
      account_number: {value: '…4321', type: 'us'},
    });
    assert.deepEqual(sanitizer.value({secret: {current: 'abc', previous: ['def']}}), {
      secret: {current: '…', previous: ['…']},
    });
  });

  it('that is a plain word leaves ids, words and small numbers', () => {
    for (const name of PLAIN_WORDS)
      for (const harmless of [
        '0192a000-0000-7000-8000-000000000041',
        'main',
        '1234',
        7,
        true,
        null,
        {id: 'x'},
      ])
        assert.deepEqual(
          sanitizer.value({[name]: harmless}),
          {[name]: harmless},
          `${name}: ${JSON.stringify(harmless)}`,
        );
  });

  it('is none of those that only resemble one', () => {
    const harmless = {
      account_id: '000987654321',
      trace_number: '021000021234567',
      next_page_token: 'abcdef0123456789',
      reference: '4012888888881881',
      amount_in_minor_units: 12_345_678,
      status: 'settled',
      secretary: 'Ann',
      pinned: 'yes',
      cardinality: '12345678',
      numbers_of_rows: '12345678',
    };
    assert.deepEqual(sanitizer.value(harmless), harmless);
    assert.equal(sanitizer.line('secret: is required'), 'secret: is required');
    assert.equal(sanitizer.line('password: must be set'), 'password: must be set');
  });

  it('leaves what the service has masked itself', () => {
    const masked = {account_number: '****6789', card_number: '•••• 4242', iban: 'XXXX-1234'};
    assert.deepEqual(sanitizer.value(masked), masked);
    assert.deepEqual(sanitizer.value({account_number: '****56789012'}), {account_number: '…9012'});
  });
});
