import assert from 'node:assert/strict';
import fc from 'fast-check';
import {isSuspect} from '../../src/sanitize/suspect.ts';
import {sensitiveValues} from '../../src/sanitize/protected-values.ts';
import {Sanitizer} from '../../src/sanitize/sanitizer.ts';
import {cleanLine} from '../../src/sanitize/harmful.ts';
import {maskKey} from '../../src/sanitize/secret-shapes.ts';
import {ExactNumber, parseJson, type Printable} from '../../src/narrow.ts';

const KEY = 'test_sk_4eC39HqLyjWDarjtT1zdp7dc';
const ACCOUNT = '000123456789';
const CARD = '4242424242424242';
/** Methods that can be called by themselves. */
const bound = (one: Sanitizer) => ({
  words: (raw: string) => one.words(raw),
  line: (raw: string) => one.line(raw),
  token: (raw: string) => one.token(raw),
  value: (raw: Printable) => one.value(raw),
});

const sanitizer = new Sanitizer({secrets: [KEY, ACCOUNT]});
const text = (raw: string) => sanitizer.line(raw);
const value = (raw: Printable) => sanitizer.value(raw);
const cause = (raw: Printable) => sanitizer.cause(raw);

describe('redaction', () => {
  it('masks the active key everywhere', () => {
    assert.equal(text(`x-api-key: ${KEY}`), 'x-api-key: test_…p7dc');
    assert.equal(text(`a${KEY}b${KEY}`), 'atest_…p7dcbtest_…p7dc');
  });

  it('masks any other key and signing secret by its prefix', () => {
    assert.equal(text('live_abcdefghijkl1234, whsec_0123456789abcdef'), 'live_…1234, whsec_…cdef');
  });

  it('keeps words that only begin like a key', () => {
    for (const words of ['test_', 'a test_mode', 'latest_version_of_it']) assert.equal(text(words), words);
  });

  it('masks numbers and secrets by field name, in complete and in truncated JSON', () => {
    assert.equal(text('{"account_number":"12345678","a":1}'), '{"account_number":"…5678","a":1}');
    assert.equal(text('{"routing_number" : "021000021"}'), '{"routing_number" : "…0021"}');
    assert.equal(text('{"account_number":12345678}'), '{"account_number":"…5678"}');
    assert.equal(text('{"account_number":"1234'), '{"account_number":"…"');
    assert.equal(text('{"signing_secret":"abc\\"def"}'), '{"signing_secret":"…"}');
    assert.equal(text('{"Account_Number":"12345678"}'), '{"Account_Number":"…5678"}');
  });

  it('masks a number whose end looks like the end of a masked one', () => {
    assert.deepEqual(value({account_number: '000123-4567', routing_number: '****0021'}), {
      account_number: '…4567',
      routing_number: '****0021',
    });
  });

  it('masks an IBAN with and without spaces, whatever comes before and after it', () => {
    for (const [number, end] of [
      ['DE89370400440532013000', '3000'],
      ['DE89 3704 0044 0532 0130 00', '3000'],
      ['NO93 8601 1117 947', '7947'],
      ['GB29NWBK60161331926819', '6819'],
      ['MT84MALT011000012345MTLCAST001S', '001S'],
    ] as const)
      for (const [before, after] of [
        ...[
          ['', ''],
          ['SEPA ', ' ACME'],
          ['IBAN ', ' ACME GMBH'],
          ['?30BYLADEM1001?31', '?32ACME'],
          ['a; ', '; B'],
        ],
        ...[
          ['IBAN+', '+BIC+X'],
          ['RE12345 ', ' DE12 3456'],
          ['INV-2026-001 ', ' R03'],
          ['/', '/'],
          ['(', ').'],
        ],
      ] as const)
        assert.equal(text(`${before}${number}${after}`), `${before}…${end}${after}`);
    assert.equal(text('DE89370400440532013000ACME'), '…3000ACME');
    assert.equal(text('DE89370400440532013000 GB29NWBK60161331926819 NO9386011117947'), '…3000 …6819 …7947');
  });

  it('keeps references that begin like an IBAN', () => {
    for (const words of ['DE99370400440532013000', 'RE12345678 INV-2026-001 ACME', 'PO12 3456789012345'])
      assert.equal(text(words), words);
  });

  it('masks the account number in a field of a statement, and keeps other long numbers', () => {
    assert.equal(text('/ACCT/123456789012'), '/ACCT/…9012');
    assert.equal(text('//ACCT/123456789012 //CI/123456789012'), '//ACCT/…9012 //CI/123456789012');
    assert.equal(text('account/12345'), 'account/…');
    assert.equal(text('166?00SEPA?301002 0030?311234567?32ACME'), '166?00SEPA?301002 0030?31…?32ACME');
    assert.equal(text('TRACE 091000019554321 20260302'), 'TRACE 091000019554321 20260302');
  });

  it('masks an IBAN under a plain name even if its check digits are wrong', () => {
    assert.deepEqual(value({account: 'DE00370400440532013000', card: 'of the IBAN DE00370400440532013000'}), {
      account: '…3000',
      card: 'of the IBAN DE00370400440532013000',
    });
  });

  it('masks the same with and without a time next to it', () => {
    const pieces = [
      '2026-11-22T10:15:30Z',
      '2026-11-22T10:15:30.123Z',
      '2026-11-22T10:15:30+02:00',
      KEY,
      CARD,
    ];
    const glue = [
      '4242',
      '12345678901',
      'account',
      'token',
      'iban',
      'DE89',
      'key',
      ' ',
      ' ',
      '-',
      '.',
      ':',
      '=',
      'Z',
    ];
    const suspect = 'q=a; '; // every pattern is tried after it
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...glue), {minLength: 1, maxLength: 8}), (parts) => {
        const said = cleanLine(parts.join(''));
        assert.equal(cleanLine(suspect + text(said)), text(suspect + said));
      }),
      {numRuns: 2_000},
    );
    assert.equal(text(`at 2026-11-22T10:15:30Z token=abcdef12`), 'at 2026-11-22T10:15:30Z token=…');
  });

  it('masks card numbers everywhere, and no other long number', () => {
    assert.equal(text(`card ${CARD} declined`), 'card …4242 declined');
    assert.equal(text('4242 4242 4242 4242'), '…4242');
    for (const harmless of ['4242424242424241', '2026-01-02T03:04:05.000Z', '123456789012'])
      assert.equal(text(harmless), harmless);
  });

  it('masks a number that is right next to something masked', () => {
    assert.equal(text(`${KEY}${CARD}`), 'test_…p7dc…4242');
    assert.equal(text(`${CARD}${KEY}`), '…4242test_…p7dc');
    assert.equal(text(`…abcd${CARD}`), '…abcd…4242');
    assert.equal(text(`…${CARD}`), '……4242');
    assert.equal(text(`${KEY}${CARD}${KEY}`), 'test_…p7dc…4242test_…p7dc');
    assert.equal(sanitizer.words(`${KEY}00098765432`), 'test_…p7dc…5432');
    assert.equal(sanitizer.exact(`${KEY}${CARD}`), 'test_…p7dc…4242');
    assert.equal(text('…1234 and 123456789012'), '…1234 and 123456789012');
  });

  it('keeps ids', () => {
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

  it('masks values of the request that the service repeats in a message', () => {
    const body = {type: 'bank_account', bank_account: {account_number: '55667788', holder_name: 'A'}};
    assert.deepEqual(sensitiveValues(body), ['55667788']);
    const clean = new Sanitizer({secrets: sensitiveValues(body)});
    assert.equal(clean.line('account 55667788 is closed'), 'account …7788 is closed');
  });

  it('keeps bytes in base64 as they are: they are verified or sent again', () => {
    const row = {body_base64: '4111111111111111', card_number: '4111111111111111'};
    assert.deepEqual(new Sanitizer().value(row), {body_base64: '4111111111111111', card_number: '…1111'});
  });

  it('shows at most the last four characters of a key', () => {
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

  it('keeps the message and code of a cause, and none of its other properties', () => {
    const inner = Object.assign(new Error(`bad header ${KEY}`), {code: 'HPE_X', rawPacket: Buffer.from(KEY)});
    const clean = cause(new Error('outer', {cause: inner}));
    assert.equal(clean?.message, 'outer');
    const deep = clean?.cause as Error & {code: string};
    assert.deepEqual([deep.message, deep.code], ['bad header test_…p7dc', 'HPE_X']);
    assert.ok(!('rawPacket' in deep));
    assert.equal(cause(undefined), undefined);
    assert.equal(cause(`text ${KEY}`)?.message, 'text test_…p7dc');
    assert.equal(cause({a: 1})?.message, 'not an error object');
  });
});

describe('a printed command', () => {
  it('keeps a routing number and a sort code, which are public', () => {
    const sanitizer = new Sanitizer();
    for (const line of [
      'remit payment-methods add --routing-number=021000021 --default',
      'remit payment-methods add --routing-number 021000021',
      'remit payment-methods add --field=sort_code=123456 --default',
      'remit payment-methods add --field sort_code=12-34-56',
    ])
      assert.equal(sanitizer.layout(line), line);
  });
});

describe('text of a service', () => {
  const {words} = bound(new Sanitizer());

  for (const [said, shown] of [
    ['account 000123456789 is closed', 'account …6789 is closed'],
    ['payee 12345678 was not found', 'payee …5678 was not found'],
    ['payee 1234567 was not found', 'payee 1234567 was not found'],
    ['acct no. 12345', 'acct no. …'],
    ['Card #4111 1111 1111 1111', 'Card #…1111'],
    ['routing number: 021000021', 'routing number: …0021'],
    ['--account-number=000123456789', '--account-number=…6789'],
    ['--routing-number=000123456789', '--routing-number=…6789'],
    ['--field=sort_code=12345678', '--field=sort_code=…5678'],
    ['the sort_code=123456', 'the sort_code=…'],
    ['GB82 WEST 1234 5698 7654 32', '…5432'],
    ['GB82 WEST 1234 5698 7654 33', 'GB82 WEST 1234 5698 7654 33'.replace('1234 5698 7654 33', '…5433')],
    ['amount_in_minor_units is 1000000000', 'amount_in_minor_units is 1000000000'],
    ['must be at most 9007199254740991', 'must be at most 9007199254740991'],
    ['1500000.75 USD', '1500000.75 USD'],
    ['5,000,000,000', '5,000,000,000'],
    ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z'],
    ['is in the past; today is 2026-11-22 in New York', 'is in the past; today is 2026-11-22 in New York'],
    ['closed on 2026-11-22, 2026-12-01', 'closed on 2026-11-22, 2026-12-01'],
    ['until 2026-11-22 10:00', 'until 2026-11-22 10:00'],
    ['account 2026-11-22', 'account …1122'],
    ['payee 2026-13-22', 'payee …1322'],
    ['payee 2026-11-22 10', 'payee …2210'],
    ['payee 2026-11-22-4567', 'payee …4567'],
    ['payee 20261122', 'payee …1122'],
    ['id 0192a000-0000-7000-8000-000000000041', 'id 0192a000-0000-7000-8000-000000000041'],
    ['x\r\nHint: run evil\u2028Error: b', 'x Hint: run evil Error: b'],
  ] as const)
    it(`"${cleanLine(said)}" is shown as "${shown}"`, () => assert.equal(words(said), shown));

  it('keeps long numbers that are not accounts if it is checked only for shapes', () => {
    const {line} = bound(new Sanitizer());
    assert.equal(line('payee 12345678 was not found'), 'payee 12345678 was not found');
  });
});

describe('a card number', () => {
  const {line} = bound(new Sanitizer());

  for (const number of [
    ...['4242424242424242', '4012888888881881', '5555555555554444', '2223003122003222', '378282246310005'],
    ...['6011111111111117', '30569309025904', '3566002020360505', '4222222222222'],
  ])
    it(`${number} is found, and one with another digit is not`, () => {
      assert.equal(line(`x ${number} y`), `x …${number.slice(-4)} y`);
      for (let at = 1; at < number.length; at++) {
        const digit = (Number(number[at]) + 1) % 10;
        const other = number.slice(0, at) + digit + number.slice(at + 1);
        if (/^(?:[3-6]|2[2-7])/.test(other)) assert.equal(line(`x ${other} y`), `x ${other} y`);
      }
    });

  it('begins with digits of an issuer, unlike times, amounts and trace numbers', () => {
    for (const number of ['1760000000000', '021000021234567', '7000000000000005', '2100000000000003'])
      assert.equal(line(number), number);
  });
});

describe('a token of a service', () => {
  const {token} = bound(new Sanitizer({secrets: [KEY]}));

  it('never becomes a known word', () => {
    assert.equal(token('settled'), 'settled');
    assert.equal(token('set\u200btled'), 'set\ufffdtled');
    assert.equal(token('REGISTRY\n'), 'REGISTRY\ufffd');
    assert.equal(token(KEY), 'test_…p7dc');
    assert.equal(token('12345678901'), '12345678901');
    assert.equal(token('no payee 12345678901'), 'no payee …8901');
  });
});

describe('a record', () => {
  it('hides a name that becomes a secret after it was shown', () => {
    const shows = new Sanitizer();
    for (const form of ['exact', 'line'] as const) {
      const secret = `hunter2-${form}`;
      const record = {[secret]: 1};
      assert.ok(Object.hasOwn(shows.value(record, form) as object, secret));
      shows.conceal(secret);
      assert.ok(!JSON.stringify(shows.value(record, form)).includes(secret));
    }
  });

  it('keeps every name, however many there are, and whatever they are', () => {
    const names = Array.from({length: 1500}, (_, n) => `field_${n}`).concat('x'.repeat(5000), 'constructor');
    const json = `{"__proto__":{"polluted":1},${names.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`;
    for (const form of ['exact', 'line'] as const) {
      const shown = sanitizer.value(parseJson(json), form);
      assert.equal(JSON.stringify(shown), json);
      assert.equal(Object.getPrototypeOf(shown), Object.prototype);
      assert.equal(({} as {polluted?: number}).polluted, undefined);
    }
  });

  it('keeps every character for machines, and fits on one line for people', () => {
    const both = (raw: Printable) =>
      (['exact', 'line'] as const).map((form) => new Sanitizer().value(raw, form));
    const name = 'a\u001b[2J\n\u202eb';
    assert.deepEqual(both({name, [name]: 1}), [
      {name, [name]: 1},
      {name: 'a[2J b', 'a[2J b': 1},
    ]);
  });

  it('hides a secret with invisible characters in it', () => {
    const {value: clean} = bound(new Sanitizer({secrets: [KEY]}));
    const hidden = [...KEY].join('\u200b');
    assert.deepEqual(clean({name: hidden, message: `x ${hidden} 1234\u200b5678`}), {
      name: 'test_…p7dc',
      message: 'x test_…p7dc …5678',
    });
    assert.deepEqual(clean({name: 'a\u200bb', message: 'a\u200bb'}), {name: 'a\u200bb', message: 'a\u200bb'});
  });

  it('masks long numbers in text for people, unless remit made the record', () => {
    const record = {
      message: 'row 20261122001',
      description: 'invoice 20261122001',
      failure_reason: 'no 20261122001',
    };
    const ours = new Sanitizer();
    ours.keepNumbersInMessages();
    assert.deepEqual(ours.value(record), record);
    assert.deepEqual(ours.value(record, 'line'), record);
    const masked = {message: 'row …2001', description: record.description, failure_reason: 'no …2001'};
    assert.deepEqual(
      [new Sanitizer().value(record), new Sanitizer().value(record, 'line')],
      [masked, masked],
    );
  });

  it('keeps an amount in a sentence, and masks another number in the same sentence', () => {
    const {words} = bound(new Sanitizer());
    assert.equal(words('the amount must be below 10000000'), 'the amount must be below 10000000');
    assert.equal(words('over the limit, account 12345678'), 'over the limit, account …5678');
    assert.equal(words('the limit of 20261122 was reached'), 'the limit of 20261122 was reached');
    assert.equal(words('the balance held by 20261122 is low'), 'the balance held by …1122 is low');
  });

  it('keeps ids and references, except for a known secret or a signing secret', () => {
    const ids = {
      id: CARD,
      payee_id: 'test_0123456789abcdef0',
      ids: [CARD],
      reference: CARD,
      next_cursor: CARD,
    };
    const {value: clean} = bound(new Sanitizer({secrets: [KEY]}));
    assert.deepEqual(clean(ids), ids);
    assert.deepEqual(clean({id: `x${KEY}`, payee_id: 'whsec_0123456789ab', reference: `no ${CARD}`}), {
      id: 'xtest_…p7dc',
      payee_id: 'whsec_…89ab',
      reference: 'no …4242',
    });
  });

  it('masks card numbers and known numbers that are JSON numbers', () => {
    const sanitizer = new Sanitizer({secrets: ['55667788']});
    const record = {
      a: Number(CARD),
      b: 55_667_788,
      c: 12_345_678,
      at: 1_760_000_000_000,
      id: Number(CARD),
      d: 5566n,
    };
    const d = new ExactNumber('5566');
    assert.deepEqual(sanitizer.value(record), {...record, a: '…4242', b: '…7788', d});
  });

  it('masks the value of a protected name everywhere else in the same record', () => {
    const sanitizer = new Sanitizer();
    const record = {
      iban: 'XY9912345678',
      name: 'of XY9912345678',
      id: 'XY9912345678',
      n: 5,
      pin: '1',
      token: 'settled',
    };
    sanitizer.learn(record);
    assert.deepEqual(sanitizer.value(record), {
      ...{iban: '…5678', name: 'of …5678', id: 'XY9912345678', n: 5, pin: '…', token: '…'},
    });
    assert.equal(sanitizer.token('settled'), 'settled', 'a service could make a status unreadable otherwise');
    assert.equal(sanitizer.isClean('XY9912345678'), true);
  });

  it('does not remember a plain word under a plain name', () => {
    const sanitizer = new Sanitizer();
    sanitizer.learn({account: 'Main street 1234', number: '987654321'});
    assert.equal(sanitizer.line('Main street 1234, 987654321'), 'Main street 1234, …4321');
  });

  it('remembers JSON numbers, and the numbers of a list', () => {
    const sanitizer = new Sanitizer();
    sanitizer.learn({account_number: [987_654_321, '123454321'], n: 12_345_678});
    assert.equal(sanitizer.line('987654321, 123454321, 12345678'), '…4321, …4321, 12345678');
    assert.deepEqual(sensitiveValues([{card: {number: 4_242_424_242}}]), ['4242424242']);
  });

  it('accepts only whole numbers under a plain name, and only pairs for headers', () => {
    const record = {
      account: '12345 Main street',
      card: 'no 12345',
      headers: [['Authorization', 'a', 'b'], ['x']],
    };
    assert.deepEqual(new Sanitizer().value(record), record);
  });

  it('writes dates as JSON does, and omits what is nested too deeply', () => {
    assert.deepEqual(new Sanitizer().value({at: new Date(0)}), {at: '1970-01-01T00:00:00.000Z'});
    let deep: Printable = 'x';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    assert.equal(JSON.stringify(new Sanitizer().value(deep)), `${'['.repeat(500)}"…"${']'.repeat(500)}`);
    new Sanitizer().learn(deep);
  });

  it('protects headers that are pairs, as they were received', () => {
    const headers = [
      ['Authorization', 'Basic abc'],
      ['X-Trace', 'a\nb'],
    ];
    assert.deepEqual(new Sanitizer().value({headers, rows: headers}, 'line'), {
      headers: [
        ['Authorization', '…'],
        ['X-Trace', 'a b'],
      ],
      rows: [
        ['Authorization', 'Basic abc'],
        ['X-Trace', 'a b'],
      ],
    });
  });

  it('keeps the bytes that a signature covers', () => {
    const body = Buffer.from(`key ${KEY}`).toString('base64');
    const one = new Sanitizer({secrets: [KEY]});
    assert.deepEqual(one.value({body_base64: body, body, a: {body_base64: KEY}}), {
      body_base64: body,
      body: one.line(body),
      a: {body_base64: 'test_…p7dc'},
    });
    assert.match(one.line(body), /test_…/);
  });

  it('shows a single field by its name: hidden if protected, else on one line', () => {
    assert.equal(new Sanitizer().field('Set-Cookie', 'a=b'), '…');
    assert.equal(new Sanitizer().field('x-trace', 'a\nb'), 'a b');
  });
});

describe('what may be shown in full', () => {
  const SECRET = 'whsec_0123456789abcdef';

  it('is the exact value, under the given names and in our own text', () => {
    const sanitizer = new Sanitizer();
    sanitizer.allow(SECRET, 'signing_secret');
    assert.deepEqual(sanitizer.value({signing_secret: SECRET, note: SECRET, secret: SECRET}), {
      ...{signing_secret: SECRET, note: 'whsec_…cdef', secret: '…'},
    });
    assert.equal(sanitizer.layout(`  secret  ${SECRET}\n`), `  secret  ${SECRET}\n`);
    assert.equal(sanitizer.layout('whsec_another0123456'), 'whsec_…3456');
  });
});

describe('text that remit laid out', () => {
  it('keeps its lines and tabs, and colours that remit added', () => {
    const sanitizer = new Sanitizer({secrets: [KEY]});
    assert.equal(sanitizer.layout(`a\tb\n\u001b[1m${KEY}\u202e`), 'a\tb\n[1mtest_…p7dc');
    assert.equal(sanitizer.painted(`a\n\u001b[1m${KEY}`), 'a\n\u001b[1mtest_…p7dc');
  });

  it('finds a signing secret behind words that look like the beginning of a key', () => {
    const shown = new Sanitizer().layout('test_words.whsec_0123456789abcdef');
    assert.ok(!shown.includes('0123456789'), shown);
  });

  // A pattern that reads the rest of the text again at each match would take hours.
  it('reads a long text once', () => {
    const text = 'test_'.repeat(200_000);
    assert.equal(new Sanitizer().layout(text), text);
  });

  // A text that looks harmless is not searched; with `=` at its end, every text is.
  it('is masked the same whether it looks harmless or not', () => {
    const sanitizer = new Sanitizer();
    const pieces = [
      ...['0192a000-1234-7000-8000-00000000abcd', '00000000-0000-4000-8000-000000000048', '100.00 USD'],
      ...['2026-11-22T10:15:30Z', '2026-11-22T10:15:30.123Z', 'settled', 'R03 no account or card'],
      ...[
        '\t',
        '\n',
        ' ',
        '\t',
        '-',
        '.',
        '#',
        CARD,
        '4242',
        '12345',
        '123 4567',
        ' DE89370400440532013000',
        '?31',
      ],
      ...['account', 'acct no.', 'a/c', 'card number', 'routing', 'iban', 'aba', ' is ', ' ending in '],
    ];
    let harmless = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), {minLength: 1, maxLength: 9}), (parts) => {
        const text = parts.join('');
        if (!isSuspect(text)) harmless += 1;
        assert.equal(`${sanitizer.laidOut(text, [])}\n=`, sanitizer.laidOut(`${text}\n=`, []));
      }),
      {numRuns: 5_000},
    );
    assert.ok(harmless > 500, `${harmless} texts look harmless`);
  });

  it('looks harmless with ids in columns, times, and reasons of failures', () => {
    const row = [
      ...['0192a000-1234-7000-8000-00000000abcd', 'failed', '1,500.75 USD'],
      ...['00000000-0000-4000-8000-000000000048', 'R03 no account or unable to locate account'],
      ...['2026-11-22T10:15:30.123Z', 'standard_ach'],
    ].join('\t');
    assert.equal(isSuspect(`${row}\n${row}\n`), false);
    const capitals = '12345678-DE03-7000-8000-123456789012'; // with an IBAN in it
    const spaced = 'DE89 3704 00000000-0000-4000-8000-000000000048'; // an IBAN may go on in an id after a space
    for (const more of ['account 12345', `iban\n${CARD}`, 'a=b', KEY, capitals, spaced, '…'])
      assert.equal(isSuspect(`${row}\t${more}\n`), true, more);
    assert.equal(sanitizer.laidOut(`no account\t${capitals}\n`, []), 'no account\t12345678-…9012\n');
  });

  it('keeps names of batches and files that begin like a key', () => {
    const hint = 'remit payouts batch resume test_november_2026 --out live_2026-11';
    assert.equal(new Sanitizer().layout(hint), hint);
  });
});

describe('an id', () => {
  it('is clean if it can be shown and stored unchanged', () => {
    const sanitizer = new Sanitizer({secrets: [KEY]});
    for (const id of ['0192a000-0000-7000-8000-000000000041', CARD, 'po_1', 'ä'])
      assert.equal(sanitizer.isClean(id), true);
    for (const id of [KEY, `a${KEY.toUpperCase()}b`, 'a\nb', 'a\u200bb', Buffer.from(KEY).toString('base64')])
      assert.equal(sanitizer.isClean(id), false, id);
  });
});

describe('a masked key', () => {
  it('shows its prefix, and its end only if enough stays hidden', () => {
    assert.equal(maskKey('test_abcdefghijkl'), 'test_…ijkl');
    assert.equal(maskKey('live_short'), 'live_…');
    assert.equal(maskKey(''), '…');
    assert.equal(maskKey('xlive_0123456789'), '…6789');
  });
});
