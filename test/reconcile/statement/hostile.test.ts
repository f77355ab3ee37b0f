import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {readStatement} from '../../../src/reconcile/statement/read-statement.ts';
import {STATEMENT_FORMATS} from '../../../src/reconcile/statement/file/statement.ts';
import {camtDocument, camtEntry, camtStatement, read, readLines, refuses} from './statements.ts';

const CAMT = camtDocument(
  camtStatement({entries: [camtEntry('1.00', {more: '<AddtlNtryInf>Käse</AddtlNtryInf>'})]}),
);
const bomb = (declared: string) => CAMT.replace('<Document', `<!DOCTYPE Document [${declared}]>\n<Document`);

const MT940 =
  ':20:X\n:25:1\n:28C:1\n:60F:C260301EUR1,00\n:61:260302C1,00NTRFX\n:86:Käse\n:62F:C260302EUR2,00\n-\n';
const CSV = 'booking_date,amount,currency_code,text\n2026-03-02,1.00,EUR,Käse\n';
const OFX =
  '<OFX><STMTRS><CURDEF>EUR</CURDEF><BANKACCTFROM><ACCTID>1</ACCTID></BANKACCTFROM><BANKTRANLIST><STMTTRN>' +
  '<DTPOSTED>20260302</DTPOSTED><TRNAMT>1.00</TRNAMT><NAME>Käse</NAME></STMTTRN></BANKTRANLIST></STMTRS></OFX>';
const BAI2 =
  '01,A,B,260302,0200,1,,,2/\n02,B,A,1,260302,2359,EUR,2/\n03,1,,010,0,,/\n16,165,100,,,,Käse\n49,100,3/\n98,100,1,5/\n99,100,1,7/\n';
const FILES = {camt053: CAMT, mt940: MT940, csv: CSV, ofx: OFX, bai2: BAI2};

const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const word = (lines: readonly {texts: readonly {text: string}[]}[]) =>
  lines.flatMap(({texts}) => texts).find(({text}) => text.startsWith('K'))?.text;

describe('statement files that are hostile or damaged', () => {
  for (const [what, declared] of [
    ['entities that multiply', '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'],
    ['a file of this machine', '<!ENTITY x SYSTEM "file:///etc/passwd">'],
    ['an address', '<!ENTITY x SYSTEM "http://127.0.0.1:1/x">'],
    ['parameter entities', '<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;'],
    ['an external subset', ''],
  ] as const)
    it(`are refused before an entity is read: ${what}`, async () => {
      await refuses(bomb(declared).replace('Käse', '&b;'), /DOCTYPE/);
    });

  for (const [format, file, amount] of [
    ['camt053', CAMT.replace('"EUR">1.00', '"EUR">99999999999999999.99'), 'entry 1'],
    ['mt940', MT940.replace('C1,00N', 'C99999999999999999,99N'), 'line 5'],
    ['csv', CSV.replace('1.00', '99999999999999999.99'), 'line 2'],
    ['ofx', OFX.replace('1.00', '99999999999999999.99'), ''],
    ['bai2', BAI2.replace('16,165,100', '16,165,9999999999999999999'), 'line 4'],
  ] as const)
    it(`are refused with an amount beyond 64 bits: ${format}`, async () => {
      await refuses(file, new RegExp(`${amount}.*too large`));
    });

  it('is recognised by its first line, and refused if that is of no known format', async () => {
    for (const text of ['{"amount": 1, "day": "2026-03-02"}\n', ':x, y\n1,2\n', 'one word\na,b\n'])
      await refuses(text, /is in no known format$/);
  });

  it('are refused with an entity that nothing declares', async () => {
    await refuses(CAMT.replace('Käse', '&b;'), /Stmt\/Ntry\/AddtlNtryInf \(entry 1\).*not well-formed/);
    await refuses(CAMT.replace('Käse', '&nbsp;'), /not well-formed/);
  });

  it('are refused with elements that are nested too deeply', async () => {
    await refuses(CAMT.replace('Käse', '<a>'.repeat(100_000)), /nested too deeply/);
    await refuses(OFX.replace('<BANKTRANLIST>', '<A>'.repeat(100_000)), /nested too deeply/);
  });

  it('are refused with one element of 100 MB, in little memory', async () => {
    const [before = '', after = ''] = CAMT.split('Käse');
    const huge = Buffer.alloc(100 * 1024 * 1024, 'x');
    const large = huge.subarray(0, 4 * 1024 * 1024);
    const around = (inner: string, text: Buffer) =>
      Buffer.concat([Buffer.from(before + inner), text, Buffer.from(after)]);
    await refuses(
      around('', huge),
      /Stmt\/Ntry\/AddtlNtryInf \(entry 1\): (?:the text is too long|has a text or tag)/,
    );
    for (const inner of ['<!--', '<![CDATA[', '<b c="', '<', '&'])
      await refuses(around(inner, large), /too long|does not end|well-formed/);
    await refuses(Buffer.concat([Buffer.from(OFX.replace('Käse', '')), large]), /does not end/);
    await refuses(Buffer.concat([Buffer.from('01,'), large]), /line 1: the line does not end/);
    await refuses(Buffer.concat([Buffer.from(':20:'), large]), /line 1: the line does not end/);
    await refuses(Buffer.concat([Buffer.from('booking_date,amount\n"'), large]), /longer than 1 MiB/);
  });

  it('are refused with continuations without an end', async () => {
    const continued = (count: number) =>
      read(
        BAI2.replace('Käse', `Käse${'\n88,x'.repeat(count)}`)
          .replace('49,100,3', `49,100,${count + 3}`)
          .replace('98,100,1,5', `98,100,1,${count + 5}`)
          .replace('99,100,1,7', `99,100,1,${count + 7}`),
      );
    assert.equal((await continued(9_999)).lines.length, 1);
    await assert.rejects(continued(10_000), /line 10004: a record with too many continuations/);
    await refuses(MT940.replace('Käse', `Käse${'\nx'.repeat(20_000)}`), /too many lines/);
  });

  for (const format of STATEMENT_FORMATS) {
    const text = FILES[format];
    it(`are not blamed for an error of what takes their lines: ${format}`, async () => {
      const take = () => {
        throw new RemitError('STATE', 'the disk is full');
      };
      await assert.rejects(readStatement(Buffer.from(text), {account: 'A'}, take), {code: 'STATE'});
    });

    it(`are read in every encoding that they declare: ${format}`, async () => {
      assert.equal(word((await read(text)).lines), 'Käse');
      assert.equal(word((await read(`\ufeff${text}`)).lines), 'Käse');
      assert.equal(word((await readLines(utf16(text, 'le'))).lines), 'Käse');
      assert.equal(word((await readLines(utf16(text, 'be'))).lines), 'Käse');
      const latin1 = Buffer.from(text.replace('encoding="UTF-8"', ''), 'latin1');
      assert.equal(word((await readLines(latin1, {encoding: 'windows-1252'})).lines), 'Käse');
    });

    it(`are refused in another encoding, with the line: ${format}`, async () => {
      await refuses(
        Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text, 'latin1')]),
        /line \d+: is not UTF-8/,
        {
          encoding: 'windows-1252', // the mark of the file is stronger
        },
      );
      const {message} = await refuses(Buffer.from(text, 'latin1'), /line \d+: is not UTF-8/);
      const line = text.slice(0, text.indexOf('Käse')).split('\n').length;
      assert.match(message, new RegExp(`line ${line}:`));
      await refuses(Buffer.from(text, 'utf16le'), /NUL|not UTF-8/, {format});
      await refuses(text.replace('Käse', 'K\0'), /NUL/);
    });

    it(`are refused if they end early, wherever that is: ${format}`, async () => {
      const bytes = Buffer.from(text.trimEnd());
      if (format === 'csv' || format === 'mt940') return; // a CSV has no end; the last line of MT940 is optional
      // The last sign of BAI2 and XML may be missing without a loss: a slash, or nothing after the last tag.
      for (let length = 0; length < bytes.length - 1; length += 1)
        await refuses(bytes.subarray(0, length), /./, {format});
    });

    it(`are read with CRLF, and in pieces of any size: ${format}`, async () => {
      const crlf = text.replaceAll('\n', '\r\n');
      assert.deepEqual((await read(crlf)).lines, (await read(text)).lines);
      const padded = text.replace('Käse', `Käse ${'ä'.repeat(30_000)}`);
      const folder = mkdtempSync(join(tmpdir(), 'remit-statement-'));
      try {
        for (const shift of [0, 1, 2, 3]) {
          const path = join(folder, 'file');
          writeFileSync(path, padded.replace('Käse', `Käse${'.'.repeat(shift)}`));
          const {lines} = await readLines(path);
          assert.equal(lines.length, 1);
          assert.ok(!JSON.stringify(lines[0]?.texts).includes('\ufffd'));
        }
      } finally {
        rmSync(folder, {recursive: true});
      }
    });
  }

  it('are refused with the line of a bad byte in any piece of a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-statement-'));
    const path = join(folder, 'file');
    for (const [sign, words] of [
      ['\xe4', /line 40002: is not UTF-8/],
      ['\0', /line 40002: has a NUL/],
    ] as const) {
      const rows = '2026-03-02,1.00,EUR,x\n'.repeat(40_000);
      writeFileSync(path, Buffer.from(CSV.replace('\n', `\n${rows}`).replace('Käse', sign), 'latin1'));
      await assert.rejects(readLines(path), words);
    }
    rmSync(folder, {recursive: true});
  });

  it('are refused if they declare an encoding that is not known', async () => {
    await refuses(CAMT.replace('UTF-8', 'EBCDIC'), /declares the encoding ebcdic/);
    await refuses(`OFXHEADER:100\nENCODING:USASCII\nCHARSET:9999\n\n${OFX}`, /declares the encoding 9999/);
  });

  it('are read in each encoding that a bank may declare', async () => {
    const xml = (name: string, byte: number) =>
      readLines(Buffer.from(CAMT.replace('UTF-8', name).replace('ä', String.fromCharCode(byte)), 'latin1'));
    const ofx = (header: string, byte: number) =>
      readLines(
        Buffer.from(`OFXHEADER:100\n${header}\n\n${OFX.replace('ä', String.fromCharCode(byte))}`, 'latin1'),
      );
    for (const [lines, text] of [
      [xml('ISO-8859-1', 0xe4), 'Käse'],
      [xml('iso-8859-15', 0xa4), 'K€se'],
      [xml('windows-1252', 0x80), 'K€se'],
      [xml('US-ASCII', 0x61), 'Kase'],
      [ofx('ENCODING:USASCII\nCHARSET:8859-1', 0xe4), 'Käse'],
      [ofx('ENCODING: USASCII\nCHARSET: 1252', 0x80), 'K€se'],
      [ofx('ENCODING:USASCII', 0x61), 'Kase'],
      [ofx('ENCODING:UNICODE\nCHARSET:NONE', 0x61), 'Kase'],
    ] as const)
      assert.equal(word((await lines).lines), text);
    await assert.rejects(ofx('ENCODING:USASCII\nCHARSET:NONE', 0xe4), /is not UTF-8/);
    await assert.rejects(ofx('ENCODING:UTF-8\nCHARSET:1252', 0xe4), /is not UTF-8/);
  });

  it('are read as their header declares', async () => {
    const latin1 = CAMT.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"');
    assert.equal(word((await readLines(Buffer.from(latin1, 'latin1'))).lines), 'Käse');
    const ofx = `OFXHEADER:100\nENCODING:USASCII\nCHARSET:1252\n\n${OFX}`;
    assert.equal(word((await readLines(Buffer.from(ofx, 'latin1'))).lines), 'Käse');
  });
});

describe('statement files', () => {
  it('are named in errors; a missing one and a folder are refused', async () => {
    for (const [path, words] of [
      ['/nowhere/statement.xml', /^\/nowhere\/statement\.xml: there is no such file$/],
      [tmpdir(), /: is not a regular file$/],
    ] as const)
      await assert.rejects(readLines(path), (error: Error) => words.test(error.message));
  });

  it('are refused if their format is not known', async () => {
    await refuses('', /is empty/);
    await refuses('hello', /no known format/);
    await refuses('%PDF-1.4\n1 0 obj', /no known format/);
  });

  it('of another format than stated are refused', async () => {
    for (const format of STATEMENT_FORMATS)
      for (const [other, text] of Object.entries(FILES))
        if (other !== format) await refuses(text, /./, {format});
  });

  it('of several accounts give the one that is asked for', async () => {
    const ibans = ['DE02100100100006820101', 'DE02300209000106531065'];
    const statements = ibans.map((iban, index) =>
      camtStatement({iban, entries: [camtEntry(`${index + 1}.00`)]}),
    );
    const text = camtDocument(...statements);
    await refuses(text, /statements of 2 accounts: …0101, …1065$/);
    for (const number of ['1065', '6531065', ibans[1], 'DE02 3002 0900 0106 5310 65']) {
      const {lines, balances, days} = await read(text, {number});
      assert.deepEqual(
        [lines.map(({account, amount}) => [account, amount]), balances.length],
        [[['A', -200n]], 1],
      );
      assert.ok(!JSON.stringify(lines.map(({key}) => key)).includes(ibans[1] ?? ''));
      assert.deepEqual(days, {from: '2026-03-02', to: '2026-03-02'});
    }
    await refuses(text, /no statement of the account …9999; it has …0101, …1065$/, {number: '9999'});
    await refuses(text, /no statement of the account …065; it has/, {number: '065'});
    const [first = '', ...others] = Array.from({length: 11}, (_, n) =>
      camtStatement({iban: `DE000000${n}1065`}),
    );
    await refuses(
      camtDocument(first, ...others),
      /several accounts that end with …1065; it has (?:…1065, ){10}…$/,
      {
        number: '1065',
      },
    );
    await refuses('booking_date,amount,currency_code\n', /it has none$/, {number: '1065'});
  });

  it('of more than a thousand accounts are refused: the column of the account is another one', async () => {
    const rows = Array.from({length: 1001}, (_, n) => `2026-03-02,${n}.00,EUR,N${n}`);
    const text = (count: number) =>
      ['booking_date,amount,currency_code,account', ...rows.slice(0, count)].join('\n');
    await refuses(text(1001), /has lines of more than 1000 accounts/);
    assert.equal((await read(text(1000), {number: 'N999'})).lines.length, 1);
  });

  it('of 20,000 lines are read to the end', async () => {
    const rows = Array.from({length: 20_000}, (_, index) => `2026-03-02,${index}.01,EUR,text ${index}`);
    const {lines} = await read(['booking_date,amount,currency_code,text', ...rows].join('\n'));
    assert.equal(
      lines.reduce((sum, {amount}) => sum + amount, 0n),
      BigInt(rows.length * (rows.length - 1) * 50 + rows.length),
    );
  });
});
