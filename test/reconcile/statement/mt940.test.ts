import assert from 'node:assert/strict';
import {accountOf, read, refuses} from './statements.ts';

const statement = (transactions: readonly string[], {number = '51230800/0000007055', end = '-'} = {}) =>
  [
    ':20:STARTUMS',
    `:25:${number}`,
    ':28C:00027/001',
    ':60F:C260301EUR100,',
    ...transactions,
    ':62F:C260302EUR100,00',
    ':64:C260302EUR100,00',
    end,
    '',
  ].join('\r\n');

describe('MT940', () => {
  it('gives a transaction with its days, references and texts', async () => {
    const text = statement([
      ':61:2603030302D12,5NTRFMYREF//BANKREF-1',
      'EXTRA',
      ':86:166?00TRANSFER?20EREF+1',
    ]);
    const {format, lines, balances} = await read(text);
    assert.deepEqual([format, await accountOf(text)], ['mt940', '…7055']);
    assert.deepEqual(lines, [
      {
        key: 'statement/A/BANKREF-1/2026-03-02/-1250',
        source: 'statement',
        account: 'A',
        id: 'BANKREF-1',
        amount: -1250n,
        currency: 'EUR',
        bookingDay: '2026-03-02',
        valueDay: '2026-03-03',
        state: 'posted',
        returnCode: undefined,
        texts: [
          {path: ':61:/type', text: 'NTRF'},
          {path: ':61:/reference', text: 'MYREF'},
          {path: ':61:/bank_reference', text: 'BANKREF-1'},
          {path: ':61:/details', text: 'EXTRA'},
          {path: ':86:', text: '166?00TRANSFER?20EREF+1'},
          {path: ':86:/purpose', text: 'EREF+1'},
        ],
      },
    ]);
    const expected = {account: 'A', currency: 'EUR', opening: 10_000n, closing: 10_000n};
    assert.deepEqual(balances, [{...expected, from: '2026-03-02', to: '2026-03-02'}]);
  });

  it('knows credits, debits and their reversals, with and without a letter of the currency', async () => {
    for (const [mark, amount] of [
      ['C', 100n],
      ['D', -100n],
      ['RC', -100n],
      ['RD', 100n],
      ['CR', 100n],
      ['DR', -100n],
      ['RCR', -100n],
    ] as const) {
      const {lines} = await read(statement([`:61:2603020302${mark}1,00NTRFNONREF`]));
      assert.equal(lines[0]?.amount, amount, mark);
    }
  });

  it('reads amounts of any number of decimals that the currency has', async () => {
    for (const [amount, currency, minor] of [
      ['3236,28', 'EUR', 323_628n],
      ['8,8', 'EUR', 880n],
      ['9,', 'EUR', 900n],
      ['000012,00', 'EUR', 1200n],
      ['1500,', 'JPY', 1500n],
      ['90071992547409,93', 'EUR', 9_007_199_254_740_993n],
    ] as const) {
      const text = statement([`:61:260302C${amount}NTRFNONREF`]).replaceAll('EUR', currency);
      const whole = currency === 'JPY' ? text.replaceAll('100,00', '100,') : text;
      assert.equal((await read(whole)).lines[0]?.amount, minor, amount);
    }
  });

  it('takes the year of an entry from the value date', async () => {
    for (const [days, booking, value] of [
      ['2512310102', '2026-01-02', '2025-12-31'],
      ['2601021231', '2025-12-31', '2026-01-02'],
      ['260302', '2026-03-02', '2026-03-02'],
      ['260302    ', '2026-03-02', '2026-03-02'], // as some banks write it
      ['2602300227', '2026-02-27', undefined],
      ['2602290228', '2026-02-28', undefined],
      ['2802290229', '2028-02-29', '2028-02-29'],
      ['2807020101', '2028-01-01', '2028-07-02'], // as close to 1 January of the next year
    ] as const) {
      const {lines} = await read(statement([`:61:${days}C1,00NTRFNONREF`]));
      assert.deepEqual([lines[0]?.bookingDay, lines[0]?.valueDay], [booking, value], days);
    }
  });

  it('joins a text that was cut after 65 characters, and parts of 27', async () => {
    const id = '019caf10-3950-7000-8adf-7597f9557fa0';
    const first = `PAYOUT ${'X'.repeat(65 - 27)} ${id}`.slice(0, 65);
    const rest = id.slice(65 - 46);
    const cut = await read(statement([':61:260302C1,00NTRFNONREF', `:86:${first}`, `${rest} END`]));
    const uncut = cut.lines[0]?.texts.find(({path}) => path === ':86:/uncut')?.text ?? '';
    assert.ok(uncut.includes(`${id} END`), uncut);
    const parts = await read(
      statement([
        ':61:260302C1,00NTRFNONREF',
        `:86:166?20EREF+${id.slice(0, 22)}?21${id.slice(22)}?22SVWZ+X`,
      ]),
    );
    const purpose = parts.lines[0]?.texts.find(({path}) => path === ':86:/purpose')?.text;
    assert.equal(purpose, `EREF+${id}\nSVWZ+X`);
  });

  it('joins a first line that is full with its tag, and no other line of that length', async () => {
    const [tagged, other] = ['A'.repeat(61), 'B'.repeat(61)];
    const {lines} = await read(statement([':61:260302C1,00NTRFNONREF', `:86:${tagged}`, other, 'END']));
    const uncut = lines[0]?.texts.find(({path}) => path === ':86:/uncut')?.text;
    assert.equal(uncut, `${tagged}${other}\nEND`);
  });

  it('has texts of at most 1000 lines', async () => {
    const text = (count: number) =>
      statement([':61:260302C1,00NTRFNONREF', ':86:1', ...Array<string>(count - 1).fill('x')]);
    assert.equal((await read(text(1000))).lines.length, 1);
    await refuses(text(1001), /line \d+: a field with too many lines$/);
  });

  it('keeps text that looks like a tag, and ignores text after the balance', async () => {
    const text = statement([':61:260302C1,00NTRFNONREF', ':86:A 12-09-2014T16', ':26:37 B', ':12:11']);
    const {lines} = await read(text.replace('-\r\n', ':86:OF THE STATEMENT\r\n-\r\n'));
    assert.equal(
      lines[0]?.texts.find(({path}) => path === ':86:')?.text,
      'A 12-09-2014T16\n:26:37 B\n:12:11',
    );
  });

  it('reads several statements, an envelope, lines before them, and pages of one statement', async () => {
    const envelope = `{1:F01BANKDEFFXXXX0000000000}{2:O9400000N}{4:\r\n${statement([], {end: '-}'})}`;
    assert.match(await accountOf(envelope), /^….{4}$/);
    assert.equal((await read(`ABNANL2A\r\n940\r\nABNANL2A\r\n${statement([])}`)).balances.length, 1);
    const pages = [
      statement([':61:260302C1,00NTRFNONREF']).replace(':62F:C260302EUR100,00', ':62M:C260302EUR101,00'),
      statement([':61:260302C2,00NTRFNONREF'])
        .replace(':60F:C260301EUR100,', ':60M:C260302EUR101,')
        .replace(':62F:C260302EUR100,00', ':62F:C260302EUR103,00'),
    ];
    const {balances, lines} = await read(pages.join(''));
    assert.deepEqual(
      [lines.length, balances.map(({opening, closing}) => [opening, closing])],
      [2, [[10_000n, 10_300n]]],
    );
  });

  it('gives each statement the days of its own lines and balances', async () => {
    const next = [
      ':20:X',
      ':25:51230800/0000007055',
      ':28C:2',
      ':60F:C260302EUR5,',
      ':62F:C260304EUR5,',
      '-',
      '',
    ];
    const text = statement([':61:260228C1,00NTRFX']) + next.join('\r\n');
    const {balances} = await read(text);
    assert.deepEqual(
      balances.map(({from, to}) => [from, to]),
      [
        ['2026-02-28', '2026-03-02'],
        ['2026-03-03', '2026-03-04'],
      ],
    );
  });

  it('reads statements that no line separates, each with its account', async () => {
    const open = (number: string) =>
      `:20:X\n:25:${number}\n:28C:1\n:60F:C260301EUR1,00\n:62F:C260302EUR1,00\n`;
    await refuses(open('1111') + open('2222'), /statements of 2 accounts: …1111, …2222$/);
  });

  it('counts a line once whose CR and LF are in different pieces of the file', async () => {
    const head = ':20:X\r\n:25:1\r\n:28C:1\r\n:60F:C260301EUR1,00\r\n:61:260302C1,00NTRFX\r\n:86:';
    const rest = 'y\r\n'.repeat(3);
    for (const size of [16 * 1024 - 2, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1]) {
      const filler = 'x'.repeat(size - head.length);
      await refuses(`${head}${filler}\r\n${rest}:61:HELLO\r\n`, /line 10: "HELLO" is not a transaction$/);
    }
  });

  it('reads balances of overdrawn accounts, and no currency behind the number', async () => {
    const text = statement([], {number: '9223382012EUR'}).replace(':60F:C', ':60F:D');
    const {balances} = await read(text);
    assert.deepEqual([balances[0]?.opening, await accountOf(text)], [-10_000n, '…2012']);
    const iban = 'GB29NWBK60161331926819';
    assert.equal((await read(statement([], {number: iban}), {number: iban})).number, iban);
  });

  it('has no reference of the bank that is empty or NONREF, and reads the account and balances of every tag', async () => {
    for (const [references, id] of [
      ['X//B1', 'B1'],
      ['X//NONREF', undefined],
      ['X// ', undefined],
      ['X', undefined],
    ] as const)
      assert.equal(
        (await read(statement([`:61:260302C1,00NTRF${references}`]))).lines[0]?.id,
        id,
        references,
      );
    const other = statement([]).replace(':25:', ':25P:').replace(':60F:', ':60M:').replace(':62F:', ':62M:');
    const {number, balances} = await read(other);
    assert.deepEqual([number, balances.length], ['51230800/0000007055', 1]);
    const empty = `:20:X\n:25:1234\n:60F:C260301EUR1,00\n:62F:C260301EUR1,00\n:20:Y\n:25:5678\n:60F:C260301EUR1,00\n:62F:C260301EUR1,00\n`;
    await refuses(empty, /statements of 2 accounts: …1234, …5678$/);
  });

  it('keeps a text that has a tag, a brace or a dash within, and ends it with NS', async () => {
    const text = async (...rest: readonly string[]) =>
      (await read(statement([':61:260302C1,00NTRFX', ':86:A', ...rest]))).lines[0]?.texts.find(
        ({path}) => path === ':86:',
      )?.text;
    for (const word of ['x:61:260302C1,00NTRFX', 'x-', '-x', 'x{', '{x', 'a -}', 'a\u2028b'])
      assert.equal(await text(word), `A\n${word}`);
    assert.equal(await text(':NS:22', 'more'), 'A');
    const {lines} = await read(statement([':61:260302C1,00NTRFX', ':NS:22', ':86:A\u2028B']));
    assert.equal(lines[0]?.texts.at(-1)?.text, 'A\u2028B'); // not a line of the field before
  });

  describe('refuses', () => {
    for (const [what, text, words] of [
      ['a transaction that is none', statement([':61:HELLO']), /line 5: "HELLO" is not a transaction/],
      [
        'an amount without a comma sign',
        statement([':61:260302C1.00NTRFNONREF']),
        /line 5: "260302C1.00NTRFNONREF" is not a transaction$/,
      ],
      [
        'a sign before a transaction',
        statement([':61:x260302C1,00NTRFX']),
        /line 5: "x260302C1,00NTRFX" is not/,
      ],
      [
        'references that are too long',
        statement([`:61:260302C1,00NTRF${'x'.repeat(81)}`]),
        /line 5: .* is not a transaction$/,
      ],
      [
        'a sign before a balance',
        statement([]).replace('F:C260301', 'F:xC260301'),
        /line 4: .* is not a balance/,
      ],
      [
        'a sign after a balance',
        statement([]).replace('EUR100,\r', 'EUR100,x\r'),
        /line 4: .* is not a balance/,
      ],
      ['too many decimals', statement([':61:260302C1,005NTRFNONREF']), /line 5: .*more decimals/],
      [
        'two spaces for an entry day',
        statement([':61:260302  C1,00NTRFNONREF']),
        /line 5: .*not a transaction/,
      ],
      ['a day that does not exist', statement([':61:261302C1,00NTRFNONREF']), /line 5: .*not a day/],
      [
        'an entry day that does not exist',
        statement([':61:2603021302C1,00NTRFNONREF']),
        /line 5: .*not a day/,
      ],
      ['30 February without an entry day', statement([':61:260230C1,00NTRFNONREF']), /line 5: .*not a day/],
      [
        'a balance without a sign',
        statement([]).replace(':60F:C', ':60F:'),
        /line 4: "260301EUR100," is not a balance such as C260331USD1234,56$/,
      ],
      ['an unknown currency', statement([]).replaceAll('EUR', 'DEM'), /line 4: "DEM"/],
      [
        'balances of two currencies',
        statement([]).replace('62F:C260302EUR', '62F:C260302USD'),
        /line \d+: the closing balance is in USD, the opening balance in EUR$/,
      ],
      [
        'no closing balance',
        statement([]).replace(/:62F:.*\r\n:64:.*\r\n-\r\n/, ''),
        /: is truncated: the closing balance \(:62F:\) is missing$/,
      ],
      [
        'a message without a closing balance',
        statement([]).replace(/:62F:.*\r\n:64:.*\r\n/, ''),
        /line 5: the statement ends without a closing balance \(:62F:\)$/,
      ],
      [
        'a statement within another',
        statement([]).replace(/:62F:[^]*/, statement([])),
        /line 5: the statement ends without a closing balance \(:62F:\)$/,
      ],
      [
        'a transaction before the balance',
        statement([]).replace(':60F:', ':61:260302C1,00NTRFX\r\n:60F:'),
        /line 4: a transaction outside of a statement$/,
      ],
      [
        'a closing balance alone',
        ':20:X\r\n:62F:C260302EUR1,00\r\n-\r\n',
        /line 2: a closing balance without an opening balance$/,
      ],
      [
        'the end of a page alone',
        ':20:X\r\n:62M:C260302EUR1,00\r\n-\r\n',
        /line 2: a closing balance without an opening balance$/,
      ],
      [
        'an interim report',
        statement([]).replace(/:60F:.*/, ':34F:EUR0,'),
        /line 4: is an interim report \(MT942\), not a statement$/,
      ],
      ['no statement', ':20:X\r\n:25:1\r\n', /: has no statement: no opening balance \(:60F:\)$/],
    ] as const)
      it(what, async () => {
        await refuses(text, words);
      });
  });
});
