import assert from 'node:assert/strict';
import {accountOf, camtBalance, camtDocument, camtEntry, camtStatement, read, refuses} from './statements.ts';

const details = (amount: string, reference: string, more = '', currency = 'EUR') =>
  `<TxDtls><Refs><AcctSvcrRef>${reference}</AcctSvcrRef><EndToEndId>E2E-${reference}</EndToEndId></Refs>` +
  `<AmtDtls><TxAmt><Amt Ccy="${currency}">${amount}</Amt></TxAmt></AmtDtls>${more}</TxDtls>`;

describe('camt.053', () => {
  it('gives an entry with its amount, days, texts and reference', async () => {
    const more =
      '<ValDt><Dt>2026-03-03</Dt></ValDt><AcctSvcrRef>REF-1</AcctSvcrRef>' +
      '<NtryDtls><TxDtls><Refs><EndToEndId>019caf1039507000</EndToEndId></Refs>' +
      '<RltdPties><CdtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></CdtrAcct></RltdPties>' +
      '<RmtInf><Ustrd>Smith &amp; Sons</Ustrd></RmtInf></TxDtls></NtryDtls>';
    const text = camtDocument(camtStatement({entries: [camtEntry('12.50', {more})]}));
    const {format, lines} = await read(text);
    assert.deepEqual([format, await accountOf(text)], ['camt053', '…0101']);
    assert.deepEqual(lines, [
      {
        key: 'statement/A/REF-1/2026-03-02/-1250',
        source: 'statement',
        account: 'A',
        id: 'REF-1',
        amount: -1250n,
        currency: 'EUR',
        bookingDay: '2026-03-02',
        valueDay: '2026-03-03',
        state: 'posted',
        returnCode: undefined,
        texts: [
          {path: 'Ntry/AcctSvcrRef', text: 'REF-1'},
          {path: 'Ntry/NtryDtls/TxDtls/Refs/EndToEndId', text: '019caf1039507000'},
          {path: 'Ntry/NtryDtls/TxDtls/RltdPties/CdtrAcct/Id/IBAN', text: '…0189'},
          {path: 'Ntry/NtryDtls/TxDtls/RmtInf/Ustrd', text: 'Smith & Sons'},
        ],
      },
    ]);
  });

  it('reads the currency of the amount: minor units, zeros behind them, and large sums', async () => {
    const amounts = [
      ['1500', 'JPY', 1500n],
      ['1500.00', 'JPY', 1500n],
      ['1.234', 'KWD', 1234n],
      ['0.5', 'EUR', 50n],
      ['100.00000', 'EUR', 10_000n],
      ['90071992547409.93', 'EUR', 9_007_199_254_740_993n],
    ] as const;
    for (const [amount, currency, minor] of amounts) {
      const {lines} = await read(
        camtDocument(camtStatement({entries: [camtEntry(amount, {currency, sign: 'CRDT'})]})),
      );
      assert.equal(lines[0]?.amount, minor, `${amount} ${currency}`);
    }
  });

  it('gives a reversal the direction of the entry, not of what it reverses', async () => {
    const entry = camtEntry('5.00', {sign: 'CRDT', more: '<RvslInd>true</RvslInd>'});
    const {lines} = await read(camtDocument(camtStatement({entries: [entry]})));
    assert.equal(lines[0]?.amount, 500n);
  });

  it('makes a line of each transaction of an entry, if their amounts add up to it', async () => {
    const batch = `<NtryDtls>${details('10.00', 'R1')}${details('2.50', 'R2')}</NtryDtls>`;
    const {lines} = await read(
      camtDocument(
        camtStatement({
          statement:
            '<TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries><Sum>12.50</Sum></TtlNtries></TxsSummry>',
          entries: [camtEntry('12.50', {more: batch})],
        }),
      ),
    );
    assert.deepEqual(
      lines.map(({id, amount, texts}) => [
        ...[id, amount],
        texts.find(({path}) => path.endsWith('EndToEndId'))?.text,
      ]),
      [
        ['R1', -1000n, 'E2E-R1'],
        ['R2', -250n, 'E2E-R2'],
      ],
    );
  });

  for (const [why, batch] of [
    ['other sums', `${details('10.00', 'R1')}${details('2.00', 'R2')}`],
    ['another currency', `${details('10.00', 'R1', '', 'USD')}${details('2.50', 'R2')}`],
    [
      'an amount missing',
      `${details('10.00', 'R1')}<TxDtls><Refs><EndToEndId>E2E-R2</EndToEndId></Refs></TxDtls>`,
    ],
  ] as const)
    it(`keeps an entry of several transactions as one line: ${why}`, async () => {
      const entry = camtEntry('12.50', {more: `<NtryDtls>${batch}</NtryDtls>`});
      const {lines} = await read(camtDocument(camtStatement({entries: [entry]})));
      assert.deepEqual(
        lines.map(({amount}) => amount),
        [-1250n],
      );
      const ids = lines[0]?.texts.filter(({path}) => path.endsWith('EndToEndId')).map(({text}) => text);
      assert.deepEqual(ids, ['E2E-R1', 'E2E-R2']);
    });

  it('takes the reference of the only transaction if the entry has none', async () => {
    const idOf = async (more: string) =>
      (await read(camtDocument(camtStatement({entries: [camtEntry('10.00', {more})]})))).lines[0]?.id;
    assert.equal(await idOf(`<NtryDtls>${details('10.00', 'R1')}</NtryDtls>`), 'R1');
    assert.equal(
      await idOf(`<AcctSvcrRef>E</AcctSvcrRef><NtryDtls>${details('10.00', 'R1')}</NtryDtls>`),
      'E',
    );
    assert.equal(
      await idOf(`<NtryDtls>${details('1.00', 'R1')}${details('2.00', 'R2')}</NtryDtls>`),
      undefined,
    );
  });

  it('follows the direction of each transaction, if the bank states it', async () => {
    const way = (indicator: string) => `<CdtDbtInd>${indicator}</CdtDbtInd>`;
    const batch = `<NtryDtls>${details('10.00', 'R1', way('DBIT'))}${details('2.50', 'R2', way('CRDT'))}</NtryDtls>`;
    for (const [sum, sign, expected] of [
      ['7.50', 'DBIT', [-1000n, 250n]],
      ['7.50', 'CRDT', [750n]],
      ['12.50', 'DBIT', [-1250n]],
    ] as const) {
      const {lines} = await read(
        camtDocument(camtStatement({entries: [camtEntry(sum, {sign, more: batch})]})),
      );
      assert.deepEqual(
        lines.map(({amount}) => amount),
        expected,
      );
    }
    const credit = `<NtryDtls>${details('10.00', 'R1')}${details('2.50', 'R2')}</NtryDtls>`;
    const {lines} = await read(
      camtDocument(camtStatement({entries: [camtEntry('12.50', {sign: 'CRDT', more: credit})]})),
    );
    assert.deepEqual(
      lines.map(({amount}) => amount),
      [1000n, 250n],
    );
  });

  it('has balances over the days of posted lines, not of pending ones', async () => {
    const day = '2026-02-20';
    const entries = [camtEntry('1.00'), camtEntry('2.00', {status: 'PDNG', day})];
    const {balances, days} = await read(camtDocument(camtStatement({entries})));
    assert.deepEqual(
      [balances[0]?.from, balances[0]?.to, days],
      ['2026-03-02', '2026-03-02', {from: day, to: '2026-03-02'}],
    );
    const early = await read(
      camtDocument(
        camtStatement({entries: [camtEntry('1.00', {day}), camtEntry('1.00', {day: '2026-03-05'})]}),
      ),
    );
    assert.deepEqual([early.balances[0]?.from, early.balances[0]?.to], [day, '2026-03-05']);
    // Each statement of a file has its own days, also if it does not name its account.
    const second = camtStatement({
      opening: camtBalance('OPBD', '7.00', '2026-04-01'),
      closing: camtBalance('CLBD', '8.00', '2026-04-02'),
    });
    const two = await read(camtDocument(camtStatement({entries}), second));
    assert.deepEqual(
      two.balances.map(({from, to}) => [from, to]),
      [
        ['2026-03-02', '2026-03-02'],
        ['2026-04-02', '2026-04-02'],
      ],
    );
  });

  it('joins only statements without a gap, in their order, of one currency', async () => {
    const balancesOf = async (
      ...statements: readonly (readonly [
        from: string,
        opening: string,
        to: string,
        closing: string,
        currency?: string,
      ])[]
    ) =>
      (
        await read(
          camtDocument(
            ...statements.map(([from, opening, to, closing, currency = 'EUR']) =>
              camtStatement({
                opening: camtBalance('OPBD', opening, from, 'CRDT', currency),
                closing: camtBalance('CLBD', closing, to, 'CRDT', currency),
              }),
            ),
          ),
        )
      ).balances.map(({from, to, currency}) => `${currency} ${from.slice(5)} ${to.slice(5)}`);
    const first = ['2026-03-01', '1.00', '2026-03-02', '3.00'] as const;
    assert.deepEqual(await balancesOf(first, ['2026-03-02', '3.00', '2026-03-05', '4.00']), [
      'EUR 03-02 03-05',
    ]);
    assert.deepEqual(await balancesOf(first, ['2026-03-03', '3.00', '2026-03-05', '4.00']), [
      'EUR 03-02 03-02',
      'EUR 03-04 03-05',
    ]);
    assert.deepEqual(await balancesOf(first, ['2026-03-02', '3.01', '2026-03-05', '4.00']), [
      'EUR 03-02 03-02',
      'EUR 03-03 03-05',
    ]);
    assert.deepEqual(await balancesOf(first, ['2026-03-01', '3.00', '2026-03-01', '4.00']), [
      'EUR 03-02 03-02',
      'EUR 03-01 03-01',
    ]);
    assert.deepEqual(
      await balancesOf(
        first,
        ['2026-03-01', '3.00', '2026-03-02', '3.00', 'USD'],
        ['2026-03-02', '3.00', '2026-03-03', '5.00'],
      ),
      ['EUR 03-02 03-03', 'USD 03-02 03-02'],
    );
  });

  it('has the reason of a return', async () => {
    for (const reason of ['<Cd>AC04</Cd>', '<Prtry>R02</Prtry>']) {
      const more = `<NtryDtls><TxDtls><RtrInf><Rsn>${reason}</Rsn></RtrInf></TxDtls></NtryDtls>`;
      const {lines} = await read(camtDocument(camtStatement({entries: [camtEntry('1.00', {more})]})));
      assert.equal(lines[0]?.returnCode, reason.replaceAll(/<[^>]+>/g, ''));
    }
    const more = ['AC04', 'AC01'].map(
      (code) => `<TxDtls><RtrInf><Rsn><Cd>${code}</Cd></Rsn></RtrInf></TxDtls>`,
    );
    const several = camtEntry('1.00', {more: `<NtryDtls>${more.join('')}</NtryDtls>`});
    const {lines} = await read(camtDocument(camtStatement({entries: [several]})));
    assert.deepEqual(
      lines.map(({returnCode}) => returnCode),
      [undefined],
    );
  });

  it('tells posted entries from pending ones, of old and new versions, and leaves informational ones out', async () => {
    const entries = [
      camtEntry('1.00'),
      camtEntry('2.00', {status: '<Cd>BOOK</Cd>'}),
      camtEntry('3.00', {status: '<Cd>PDNG</Cd>', day: '', more: '<ValDt><Dt>2026-03-04</Dt></ValDt>'}),
      camtEntry('4.00', {status: 'INFO'}),
      camtEntry('5.00', {status: '<Cd>FUTR</Cd>', day: '2026-03-09'}),
    ];
    const {lines} = await read(camtDocument(camtStatement({entries})));
    assert.deepEqual(
      lines.map(({amount, state, bookingDay}) => [amount, state, bookingDay]),
      [
        [-100n, 'posted', '2026-03-02'],
        [-200n, 'posted', '2026-03-02'],
        [-300n, 'pending', '2026-03-04'],
        [-500n, 'pending', '2026-03-09'],
      ],
    );
  });

  it('states balances with their signs, and the period', async () => {
    const {balances} = await read(
      camtDocument(
        camtStatement({
          statement:
            '<FrToDt><FrDtTm>2026-02-28T00:00:00+01:00</FrDtTm><ToDtTm>2026-03-02T23:59:59</ToDtTm></FrToDt>',
          opening: camtBalance('OPBD', '100.00', '2026-02-28', 'DBIT'),
          closing: camtBalance('CLBD', '0.00', '2026-03-02') + camtBalance('CLAV', '7.00', '2026-03-02'),
        }),
      ),
    );
    const expected = {account: 'A', currency: 'EUR', from: '2026-02-28', to: '2026-03-02'};
    assert.deepEqual(balances, [{...expected, opening: -10_000n, closing: 0n}]);
  });

  it('begins a period after the day of the opening balance, unless that day has lines', async () => {
    const opening = camtBalance('OPBD', '100.00', '2026-03-01');
    const [after, on] = await Promise.all(
      ['2026-03-02', '2026-03-01'].map((day) =>
        read(camtDocument(camtStatement({opening, entries: [camtEntry('1.00', {day})]}))),
      ),
    );
    assert.deepEqual([after?.balances[0]?.from, on?.balances[0]?.from], ['2026-03-02', '2026-03-01']);
  });

  it('joins statements that continue one another', async () => {
    const page = (opening: string, closing: string, amount: string) =>
      camtStatement({
        opening: camtBalance('OPBD', opening, '2026-03-02'),
        closing: camtBalance('CLBD', closing, '2026-03-02'),
        entries: [camtEntry(amount, {sign: 'CRDT'})],
      });
    const {balances} = await read(camtDocument(page('1.00', '3.00', '2.00'), page('3.00', '6.00', '3.00')));
    assert.deepEqual(
      balances.map(({opening, closing}) => [opening, closing]),
      [[100n, 600n]],
    );
  });

  describe('refuses', () => {
    const entry = (text: string) => camtDocument(camtStatement({entries: [camtEntry('1.00'), text]}));
    for (const [what, text, words] of [
      [
        'an entry without a booking date',
        entry(camtEntry('1.00', {day: ''})),
        /Stmt\/Ntry \(entry 2\).*BookgDt/,
      ],
      ['a day that does not exist', entry(camtEntry('1.00', {day: '2026-02-30'})), /not a day/],
      [
        'a time on a day that does not exist',
        entry(camtEntry('1.00', {day: '2026-02-31T00:00:00Z'})),
        /not a day/,
      ],
      [
        'decimals that the currency does not have',
        entry(camtEntry('1.005')),
        /1\.005.*more decimals than EUR/,
      ],
      ['a decimal comma', entry(camtEntry('1,00')), /not an amount/],
      ['an exponent', entry(camtEntry('1e3')), /not an amount/],
      ['an unknown currency', entry(camtEntry('1.00', {currency: 'DEM'})), /DEM/],
      [
        'a currency without minor units',
        entry(camtEntry('1.00', {currency: 'XAU'})),
        /XAU has no minor unit/,
      ],
      ['an unknown direction', entry(camtEntry('1.00', {sign: 'OUT'})), /CdtDbtInd is "OUT"/],
      ['an unknown status', entry(camtEntry('1.00', {status: 'GONE'})), /Sts.*"GONE"/],
      ['an amount that is missing', entry('<Ntry><Sts>BOOK</Sts></Ntry>'), /Ntry\/Amt@Ccy is missing/],
      [
        'a second closing balance',
        camtDocument(camtStatement({closing: camtBalance('CLBD', '1.00', '2026-03-02').repeat(2)})),
        /second balance CLBD/,
      ],
      [
        'balances of two currencies',
        camtDocument(camtStatement({closing: camtBalance('CLBD', '1.00', '2026-03-02', 'CRDT', 'USD')})),
        /opens in EUR and closes in USD/,
      ],
      ['a file that ends early', entry(camtEntry('2.00')).slice(0, -90), /not well-formed XML/],
      ['another message', '<Document><BkToCstmrDbtCdtNtfctn/></Document>', /camt\.054/],
      ['another document', '<html><body/></html>', /"html"/],
      ['no statement', camtDocument(), /no statement/],
    ] as const)
      it(what, async () => {
        await refuses(text, words);
      });

    for (const [what, summary, words] of [
      ['number', '<TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries>', /TtlNtries states 2 entries, which/],
      ['sum', '<TtlNtries><Sum>1.01</Sum></TtlNtries>', /TtlNtries states some entries of 1\.01, which/],
      [
        'number of debits',
        '<TtlDbtNtries><NbOfNtries>0</NbOfNtries></TtlDbtNtries>',
        /TtlDbtNtries states 0/,
      ],
      ['sum of credits', '<TtlCdtNtries><Sum>1.00</Sum></TtlCdtNtries>', /TtlCdtNtries states some/],
    ] as const)
      it(`a summary with another ${what}`, async () => {
        const statement = `<TxsSummry>${summary}</TxsSummry>`;
        await refuses(camtDocument(camtStatement({statement, entries: [camtEntry('1.00')]})), words);
      });
  });

  it('reads the account, the period, days and balances of every form', async () => {
    const other = camtStatement({}).replace(
      '<IBAN>DE02100100100006820101</IBAN>',
      '<Othr><Id>12 34567</Id></Othr>',
    );
    assert.equal((await read(camtDocument(other))).number, '1234567');
    const none = other.replace(/<Acct>.*<\/Acct>/, '').replace(/<Bal>.*<\/Bal>/, '');
    assert.equal((await read(camtDocument(none))).number, undefined);
    assert.equal((await read(camtDocument(other.replace(/<Bal>.*<\/Bal>/, '')))).number, '1234567');
    const balancesOf = async (parts: Parameters<typeof camtStatement>[0]) =>
      (await read(camtDocument(camtStatement(parts)))).balances.map(({from, to}) => [from, to]);
    const prior = camtBalance('PRCD', '100.00', '2026-03-01');
    assert.deepEqual(await balancesOf({opening: prior}), [['2026-03-02', '2026-03-02']]);
    assert.deepEqual(await balancesOf({opening: prior, entries: [camtEntry('0.00', {day: '2026-03-01'})]}), [
      ['2026-03-01', '2026-03-02'],
    ]);
    const time = camtBalance('OPBD', '100.00', '2026-03-01T08:00:00')
      .replaceAll('Dt>2', 'DtTm>2')
      .replace('</Dt><', '</DtTm><');
    assert.deepEqual(await balancesOf({opening: time}), [['2026-03-02', '2026-03-02']]);
    for (const period of ['<FrDt>2026-02-27</FrDt>', '<FrDtTm>2026-02-27T00:00:00</FrDtTm>'])
      assert.deepEqual(await balancesOf({statement: `<FrToDt>${period}</FrToDt>`}), [
        ['2026-02-27', '2026-03-02'],
      ]);
    assert.deepEqual(await balancesOf({statement: '<FrToDt><ToDt>2026-03-02</ToDt></FrToDt>'}), [
      ['2026-03-02', '2026-03-02'],
    ]);
    for (const lacking of [{opening: ''}, {closing: ''}]) assert.deepEqual(await balancesOf(lacking), []);
    const odd = '<Bal><Tp><CdOrPrtry><Cd>ITAV</Cd></CdOrPrtry></Tp></Bal><Bal/>';
    assert.equal((await balancesOf({statement: odd})).length, 1);
    const undated = camtBalance('OPBD', '1.00', '').replace('<Dt><Dt></Dt></Dt>', '');
    await refuses(camtDocument(camtStatement({opening: undated})), /the balance OPBD has no date \(Dt\)$/);
  });

  it('reads the days of an entry in every form, and needs the first one if it is booked', async () => {
    const days = async (more: string, status = 'BOOK') => {
      const entry = camtEntry('1.00', {day: '', more, status});
      const [line] = (await read(camtDocument(camtStatement({entries: [entry]})))).lines;
      return [line?.bookingDay, line?.valueDay];
    };
    const value = '<ValDt><DtTm>2026-03-04T10:00:00</DtTm></ValDt>';
    const booked = `<BookgDt><DtTm>2026-03-03T10:00:00</DtTm></BookgDt>${value}`;
    assert.deepEqual(await days(booked), ['2026-03-03', '2026-03-04']);
    assert.deepEqual(await days(value, 'PDNG'), ['2026-03-04', '2026-03-04']);
    await assert.rejects(days(value), /the booking date \(BookgDt\) is missing$/);
    const amounts = '<AmtDtls><InstdAmt><Amt Ccy="USD">1.10</Amt></InstdAmt></AmtDtls>';
    const more = `<BookgDt><Dt>2026-03-03</Dt></BookgDt>${amounts}`;
    const {lines} = await read(camtDocument(camtStatement({entries: [camtEntry('1.00', {day: '', more})]})));
    assert.deepEqual(lines[0]?.texts, [{path: 'Ntry/AmtDtls/InstdAmt/Amt', text: '1.10'}]);
    const stateless = camtEntry('1.00').replace('<Sts>BOOK</Sts>', '');
    await refuses(camtDocument(camtStatement({entries: [stateless]})), /the status \(Sts\) "" is not BOOK/);
  });

  it('gives each line of an entry what follows its transactions, and refuses other messages', async () => {
    const details = ['0.40', '0.60'].map((sum) => `<TxDtls><Amt Ccy="EUR">${sum}</Amt></TxDtls>`).join('');
    const more = `<NtryDtls>${details}</NtryDtls><AddtlNtryInf>of both</AddtlNtryInf>`;
    const {lines} = await read(camtDocument(camtStatement({entries: [camtEntry('1.00', {more})]})));
    assert.deepEqual(
      lines.map(({amount, texts}) => [amount, ...texts.map(({text}) => text)]),
      [
        [-40n, 'of both', '0.40'],
        [-60n, 'of both', '0.60'],
      ],
    );
    const mixed = camtEntry('1.00', {more: '<NtryRef>R</NtryRef>between'});
    const [line] = (await read(camtDocument(camtStatement({entries: [mixed]})))).lines;
    assert.deepEqual(line?.texts, [{path: 'Ntry/NtryRef', text: 'R'}]);
    const other = camtDocument(camtStatement({})).replaceAll('BkToCstmrStmt', 'Other');
    await refuses(other, /Other: is the message "Other", not a camt\.053 statement$/);
  });

  it('compares a summary with entries of nothing, of credits, of no and of two currencies', async () => {
    const summary = (text: string, ...entries: readonly string[]) =>
      camtDocument(camtStatement({statement: `<TxsSummry>${text}</TxsSummry>`, entries}));
    const none = (kind: string) => `<${kind}><NbOfNtries>0</NbOfNtries><Sum>0</Sum></${kind}>`;
    const credit = camtEntry('1.00', {sign: 'CRDT'});
    for (const file of [
      summary(none('TtlCdtNtries') + none('TtlDbtNtries'), camtEntry('0.00')),
      summary(none('TtlNtries')),
      summary('<TtlCdtNtries><Sum>1.00</Sum></TtlCdtNtries>', credit),
      summary('<TtlNtries><Sum>9.00</Sum></TtlNtries>', credit, camtEntry('1.00', {currency: 'USD'})),
    ])
      await read(file);
    for (const number of ['x1', '1x'])
      await refuses(
        summary(`<TtlNtries><NbOfNtries>${number}</NbOfNtries></TtlNtries>`, credit),
        new RegExp(`TtlNtries states ${number} entries, which`),
      );
  });

  it('accepts a summary of all entries, or of the booked ones', async () => {
    const entries = [camtEntry('1.00'), camtEntry('2.00', {status: 'PDNG'})];
    for (const [count, sum] of [
      [2, '3.00'],
      [1, '1.00'],
    ] as const) {
      const statement = `<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum></TtlNtries></TxsSummry>`;
      assert.equal((await read(camtDocument(camtStatement({statement, entries})))).lines.length, 2);
    }
  });
});
