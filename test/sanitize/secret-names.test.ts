import assert from 'node:assert/strict';
import {factsOf, NUMBER_NAMES, SECRET_NAMES} from '../../src/sanitize/secret-names.ts';
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

/** Written out: a name that is lost from the source must be missed here. */
const SECRETS =
  'signing_secret client_secret webhook_secret shared_secret secret secret_key private_key signing_key shared_key webhook_key hmac_key key api_key x_api_key api_token authorization proxy_authorization cookie set_cookie password passwd passphrase token access_token auth_token bearer_token refresh_token cvc cvv cvc2 cvv2 csc security_code pin';
const NUMBERS =
  'account_number account_no account_num acct_number acct_no acct_num acct account bank_account routing_number routing_no routing aba_number aba sort_code card_number card_no card_num card primary_account_number pan iban bban clabe number';

describe('a protected name', () => {
  it('is one of these', () => {
    assert.deepEqual(
      [[...SECRET_NAMES].sort(), [...NUMBER_NAMES].sort()],
      [SECRETS.split(' ').sort(), NUMBERS.split(' ').sort()],
    );
  });

  it('is recognized however many names a service invents, and however long they are', () => {
    const invented = Object.fromEntries(Array.from({length: 5000}, (_, n) => [`field_${n}`, 'plain']));
    const long = `${'x'.repeat(200)}_account_number`;
    for (let round = 0; round < 2; round += 1) {
      const shown = sanitizer.value({...invented, account_number: '000123456789', [long]: '000123456789'});
      assert.deepEqual(shown, {...invented, account_number: '…6789', [long]: '…6789'});
    }
  });

  it('is not that of a message, in which long numbers are masked anyway', () => {
    const words =
      'message warning detail reason error errors issue failure_reason failureMessage status_reason';
    for (const name of words.split(' '))
      assert.deepEqual(new Sanitizer().value({[name]: 'no 12345678'}), {[name]: 'no …5678'}, name);
    assert.equal(factsOf('description').isProse, false);
  });

  it('protects what is nested under it, by each name that says nothing', () => {
    for (const name of 'value raw text plain plaintext full current previous old new'.split(' '))
      assert.deepEqual(new Sanitizer().value({secret: {[name]: 'abc'}}), {secret: {[name]: '…'}}, name);
  });

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

  for (const [name, shown] of [
    ['destination_account_number', '…5678'],
    ['payeeAcctNumber', '…5678'],
    ['new_card_number', '…5678'],
    ['payeeIBAN', '…5678'],
    ['destinationRoutingNumber', '…5678'],
    ['main-account-no', '…5678'],
    ['newSigningSecret', '…'],
    ['my_secret_key', '…'],
    ['our-private-key', '…'],
    ['old-api-key', '…'],
    ['userPassword', '…'],
    ['oauth_access_token', '…'],
    ['oauth_refresh_token', '…'],
    ['my_auth_token', '…'],
  ] as const)
    it(`with words before it is protected too: ${name}`, () => {
      assert.deepEqual(sanitizer.value({[name]: 'GB82X12345678'}), {[name]: shown});
    });

  it('with words before it is protected in a query', () => {
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

  it('that is a plain word is a field in a query, and a word in a sentence', () => {
    const words = 'account bank_account acct card routing number aba pan token secret pin cookie key'.split(
      ' ',
    );
    for (const word of words) {
      const value = word === 'key' ? 'abcdefgh12345678' : '987654321';
      assert.ok(!sanitizer.line(`/x?${word}=${value}&a=1`).includes(value), word);
      assert.equal(
        sanitizer.line(`${word.replace('_', ' ')}: 12 rows`),
        `${word.replace('_', ' ')}: 12 rows`,
      );
    }
    assert.equal(sanitizer.line('/x?monkey=abcdefgh12345678'), '/x?monkey=abcdefgh12345678');
  });

  it('shows the prefix of a key only where the value begins with it', () => {
    assert.deepEqual(sanitizer.value({api_key: 'live_0123456789abcdef'}), {api_key: 'live_…cdef'});
    assert.deepEqual(sanitizer.value({api_key: 'xlive_0123456789abcdef'}), {api_key: '…'});
  });

  it('is not one that only resembles it', () => {
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
