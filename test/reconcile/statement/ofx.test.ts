import assert from 'node:assert/strict';
import {accountOf, read, refuses} from './statements.ts';

const HEADER = 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n';

/** As most banks write OFX 1: values are not closed. */
const sgml = (transactions: string, currency = '<CURDEF>USD\n') =>
  `${HEADER}<OFX>\n<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS></SONRS></SIGNONMSGSRSV1>\n` +
  `<BANKMSGSRSV1><STMTTRNRS><TRNUID>1\n<STATUS>\n<CODE>0\n<SEVERITY>INFO\n</STATUS>\n<STMTRS>\n${currency}` +
  `<BANKACCTFROM>\n<BANKID>1\n<ACCTID>000111222\n<ACCTTYPE>CHECKING\n</BANKACCTFROM>\n` +
  `<BANKTRANLIST>\n<DTSTART>20260301\n<DTEND>20260331\n${transactions}</BANKTRANLIST>\n` +
  `<LEDGERBAL><BALAMT>5.00<DTASOF>20260331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`;

const transaction = (values: string) => `<STMTTRN>\n<TRNTYPE>DEBIT\n${values}\n</STMTTRN>\n`;
const PLAIN =
  '<DTPOSTED>20260302120000[-5:EST]\n<TRNAMT>-12.50\n<FITID>F1\n<NAME>Smith &amp; Sons\n<MEMO>A & B';

const xml = (transactions: string, after = '') =>
  '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n<OFX><BANKMSGSRSV1><STMTTRNRS>' +
  '<STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM><ACCTID>000111222</ACCTID></BANKACCTFROM>' +
  `<BANKTRANLIST>${transactions}</BANKTRANLIST>${after}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;

describe('OFX', () => {
  it('reads OFX 1, whose values are not closed', async () => {
    const text = sgml(transaction(PLAIN));
    const {format, lines, balances} = await read(text);
    assert.deepEqual([format, await accountOf(text), balances], ['ofx', '…1222', []]);
    assert.deepEqual(lines, [
      {
        key: 'statement/A/F1/2026-03-02/-1250',
        source: 'statement',
        account: 'A',
        id: 'F1',
        amount: -1250n,
        currency: 'USD',
        bookingDay: '2026-03-02',
        valueDay: undefined,
        state: 'posted',
        returnCode: undefined,
        texts: [
          {path: 'TRNTYPE', text: 'DEBIT'},
          {path: 'FITID', text: 'F1'},
          {path: 'NAME', text: 'Smith & Sons'},
          {path: 'MEMO', text: 'A & B'},
        ],
      },
    ]);
  });

  it('knows the references to all characters, and to nothing else', async () => {
    const memo = (reference: string) =>
      xml(`<STMTTRN><DTPOSTED>20260302</DTPOSTED><TRNAMT>1</TRNAMT><MEMO>${reference}</MEMO></STMTTRN>`);
    for (const [reference, text] of [
      ['&#1;', '\u0001'],
      ['&#xD7FF;', '\ud7ff'],
      ['&#57344;', '\ue000'],
      ['&#x10FFFF;', '\u{10ffff}'],
      ['&#X41;', 'A'],
      ['&AMP;&lt;&gt;&quot;&apos;', '&<>"\''],
      ['x &', 'x &'],
      ['a & b; c', 'a & b; c'],
    ] as const)
      assert.equal((await read(memo(reference))).lines[0]?.texts[0]?.text, text, reference);
    for (const reference of ['&#0;', '&#xD800;', '&#xDFFF;', '&#x110000;', '&eacute;', '&x1;'])
      await refuses(memo(reference), /line 3: "&[^"]+;" is not a character$/);
  });

  it('reads OFX 2, with CDATA, character references, and an account of another party', async () => {
    const {lines} = await read(
      xml(
        '<STMTTRN><DTPOSTED>20260302</DTPOSTED><DTAVAIL>20260303</DTAVAIL><TRNAMT>+7,00</TRNAMT>' +
          '<NAME><![CDATA[A & B <C> &amp; ]]></NAME><MEMO>&#65;&#x42;&nbsp;&lt;</MEMO><PAYEE><NAME>Inner</NAME></PAYEE>' +
          '<BANKACCTTO><ACCTID>999888777</ACCTID></BANKACCTTO></STMTTRN>',
      ),
    );
    const [line] = lines;
    assert.deepEqual([line?.amount, line?.valueDay, line?.id], [700n, '2026-03-03', undefined]);
    assert.deepEqual(line?.texts, [
      {path: 'NAME', text: 'A & B <C> &amp;'},
      {path: 'MEMO', text: 'AB <'},
      {path: 'PAYEE/NAME', text: 'Inner'},
      {path: 'BANKACCTTO/ACCTID', text: '…8777'},
    ]);
  });

  it('has pending transactions', async () => {
    const pending =
      '<BANKTRANLISTP><STMTTRNP><DTTRAN>20260305</DTTRAN><DTUSER>20260304</DTUSER><TRNAMT>-1.00</TRNAMT><NAME>P</NAME></STMTTRNP></BANKTRANLISTP>';
    const {lines} = await read(xml('', pending));
    assert.deepEqual(
      lines.map(({state, bookingDay, amount, texts}) => [state, bookingDay, amount, texts]),
      [['pending', '2026-03-05', -100n, [{path: 'NAME', text: 'P'}]]],
    );
  });

  it('reads the statement of a credit card, and the number of an account without transactions', async () => {
    const card = xml('<STMTTRN><DTPOSTED>20260302</DTPOSTED><TRNAMT>1</TRNAMT></STMTTRN>')
      .replaceAll('STMTRS>', 'CCSTMTRS>')
      .replaceAll('BANKACCTFROM>', 'CCACCTFROM>');
    assert.deepEqual([(await read(card)).lines.length, await accountOf(card)], [1, '…1222']);
    assert.equal((await read(xml(''))).number, '000111222');
  });

  it('is nested up to 32 tags, and has values up to 64 KiB', async () => {
    const nested = (depth: number) => {
      const names = Array.from({length: depth - 3}, (_, n) => `X${n}`);
      const tags = [names.map((name) => `<${name}>`), names.toReversed().map((name) => `</${name}>`)];
      return xml('').replace('<STMTRS>', `${tags.flat().join('')}<STMTRS>`);
    };
    assert.equal((await read(nested(32))).lines.length, 0);
    await refuses(nested(33), /is nested too deeply$/);
    const memo = (length: number) => {
      const text = `<MEMO><![CDATA[${'x'.repeat(length)}]]></MEMO>`;
      return xml(`<STMTTRN><DTPOSTED>20260302</DTPOSTED><TRNAMT>1</TRNAMT>${text}</STMTTRN>`);
    };
    assert.equal((await read(memo(60_000))).lines.length, 1);
    await refuses(memo(70_000), /has a text (?:or tag )?that does not end$/);
  });

  it('ignores empty values, whether closed or not', async () => {
    const {lines} = await read(
      sgml(transaction('<DTPOSTED>20260302<TRNAMT>1.00<FITID></FITID><NAME>\n<MEMO></MEMO><CHECKNUM>')),
    );
    assert.deepEqual([lines[0]?.id, lines[0]?.texts], [undefined, [{path: 'TRNTYPE', text: 'DEBIT'}]]);
  });

  it('takes the currency of the transaction, of the statement, or the default', async () => {
    const own = '<CURRENCY><CURRATE>1.0<CURSYM>CAD</CURRENCY>';
    const currency = async (text: string, currencyDefault?: string) =>
      (await read(text, {currencyDefault})).lines[0]?.currency;
    assert.equal(await currency(sgml(transaction(`${PLAIN}${own}`))), 'CAD');
    assert.equal(await currency(sgml(transaction(PLAIN), '<CURDEF>\n'), 'CHF'), 'CHF');
  });

  describe('refuses', () => {
    const without = (tag: string) => sgml(transaction(PLAIN.replace(new RegExp(`<${tag}>[^<]*`), '')));
    const change = (from: string, to: string) => sgml(transaction(PLAIN.replace(from, to)));
    for (const [what, text, words] of [
      ['a transaction without an amount', without('TRNAMT'), /line 24: a transaction without <TRNAMT>$/],
      ['a transaction without a day', without('DTPOSTED'), /line 24: a transaction without <DTPOSTED>$/],
      ['a day that does not exist', change('20260302', '20260230'), /line 24: .*not a day/],
      [
        'a day without a month',
        change('20260302120000', '2026'),
        /"2026\[-5:EST\]" is not a date such as 20260331$/,
      ],
      ['an amount with a currency sign', change('-12.50', '$12'), /"\$12" is not an amount/],
      ['too many decimals', change('-12.50', '-12.505'), /more decimals/],
      ['an amount with groups', change('-12.50', '-1,212.50'), /not an amount/],
      [
        'two amounts',
        change('-12.50', '-12.50<TRNAMT>1.00'),
        /line \d+: a second <TRNAMT> in one transaction$/,
      ],
      ['an unknown currency', sgml(transaction(PLAIN), '<CURDEF>ABC\n'), /"ABC"/],
      [
        'a currency that is missing',
        sgml(transaction(PLAIN), ''),
        /line 24: the currency is missing \(<CURDEF>\)$|line \d+: the currency is missing \(<CURDEF>\)$/,
      ],
      [
        'an error of the bank',
        sgml('').replace('INFO</STATUS></SONRS>', 'ERROR</STATUS></SONRS>'),
        /line \d+: the bank answered with an error instead of a statement$/,
      ],
      [
        'a file that ends early',
        sgml(transaction(PLAIN)).replace('</BANKMSGSRSV1></OFX>', ''),
        /: is truncated: <BANKMSGSRSV1> is not closed$/,
      ],
      ['a tag that does not end', `${sgml('').trim()}<X`, /does not end/],
      ['tags that cross', sgml('<STMTTRN></BANKTRANLIST>'), /line \d+: <\/BANKTRANLIST> closes <STMTTRN>$/],
      ['a character that does not exist', change('Smith', '&#55296;'), /not a character/],
      ['an unknown entity', change('Smith', '&smith;'), /not a character/],
      ['no statement', `${HEADER}<OFX></OFX>`, /: has no bank statement \(STMTRS or CCSTMTRS\)$/],
      ['another document', `${HEADER}<HTML></HTML>`, /line \d+: begins with <HTML>, not <OFX>$/],
      [
        'transactions of an investment account',
        `${HEADER}<OFX><INVSTMTRS>${transaction(PLAIN)}</INVSTMTRS></OFX>`,
        /line \d+: a transaction outside of a bank statement: it is of an investment account$/,
      ],
      [
        'text behind a tag',
        sgml('').replace('</STATUS></SONRS>', '</STATUS>x</SONRS>'),
        /line \d+: has text after <\/STATUS>$/,
      ],
      [
        'a declaration',
        sgml('').replace('<OFX>', '<!ENTITY x "y"><OFX>'),
        /line \d+: has a declaration or comment, which OFX files never have$/,
      ],
      ['a day after other digits', change('20260302120000', 'x20260302'), /line 24: "x\S+" is not a date/],
      [
        'a day before other signs',
        change('20260302120000[-5:EST]', '20260302 x'),
        /line 24: "\S+ x" is not a date/,
      ],
      [
        'a tag with another sign',
        sgml('').replace('<SONRS>', '<SON!RS>'),
        /line \d+: "<SON!RS>" is not a tag$/,
      ],
      [
        'a slash within a tag',
        sgml('').replace('<SONRS>', '<SON/RS>'),
        /line \d+: "<SON\/RS>" is not a tag$/,
      ],
      [
        'a file whose last tag is not closed',
        sgml('')
          .trim()
          .replace(/<\/OFX>$/, ''),
        /: is truncated: <OFX> is not closed$/,
      ],
      [
        'CDATA that does not end',
        xml('').replace('</CURDEF>', '<![CDATA[x</CURDEF>'),
        /is truncated: a text does not end$/,
      ],
      ['a tag that is none', sgml('').replace('<SONRS>', '<9SONRS>'), /line \d+: "<9SONRS>" is not a tag$/],
      ['a tag of others in the outermost one', '<OFX></STMTRS></OFX>', /line \d+: <\/STMTRS> closes <OFX>$/],
      ['a closing tag too much', `${sgml('')}</OFX>`, /line \d+: <\/OFX> closes nothing$/],
      ['a header alone', HEADER, /: has no element <OFX>$/],
    ] as const)
      it(what, async () => {
        await refuses(text, words);
      });
  });
});
