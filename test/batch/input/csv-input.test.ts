import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import fc from 'fast-check';
import {openInput, TextInput} from '../../../src/batch/input/csv-input.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench} from '../harness.ts';

const input = (chunks: Iterable<string | Buffer>) =>
  new TextInput(openInput('-', Readable.from(chunks, {objectMode: true})));

async function textOf(text: TextInput): Promise<string> {
  let all = '';
  for await (const piece of text.chunks()) all += piece;
  return all;
}

const refused = async (work: () => unknown, message: RegExp, hint?: RegExp) => {
  await assert.rejects(
    async () => work(),
    (error) => {
      assert.ok(error instanceof RemitError, String(error));
      assert.equal(error.code, 'CSV_INVALID');
      assert.equal(error.exitCode, 5);
      assert.match(error.message, message);
      if (hint) assert.match(error.hint ?? '', hint);
      return true;
    },
  );
};

/** `bytes` cut into pieces at the given offsets. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

describe('the input of a batch', () => {
  const bench = new Bench();
  after(() => bench.remove());

  it('is refused by name when the file is missing', () =>
    refused(
      () => openInput(join(bench.folder, 'no.csv'), undefined, ['payouts', 'batch', 'template']),
      /no\.csv: there is no such file/,
      /; remit payouts batch template prints one/,
    ));

  it('is reported as a damaged workbook if it is named like one', () =>
    refused(
      () => textOf(new TextInput(openInput(bench.file('pay.xlsx', 'PX\0\0')))),
      /pay\.xlsx is not an Excel workbook, or it is damaged$/,
      /open it in Excel/,
    ));

  it('is refused when it is a directory, with a path to try', () => {
    mkdirSync(join(bench.folder, 'dir'));
    return refused(
      () => openInput(join(bench.folder, 'dir/')),
      /dir\/ is a directory/,
      /name a file in it; .*ls .*dir\//,
    );
  });

  it('is refused when a part of its path is a file', () => {
    bench.file('plain', 'x');
    return refused(() => openInput(join(bench.folder, 'plain', 'a.csv')), /cannot read .*a\.csv/);
  });

  it('is refused when it cannot be read', () => {
    // Root can read files without permissions, so this is one that even root cannot read.
    const path = '/proc/self/mem';
    if (process.platform !== 'linux') return;
    return refused(() => textOf(new TextInput(openInput(path))), /reading \/proc\/self\/mem failed/);
  });

  it('distinguishes a pipe from a file', async () => {
    assert.equal(openInput('-', Readable.from([])).isPipe, true);
    assert.equal(openInput('-', Readable.from([])).name, 'stdin');
    const file = openInput(bench.file('a.csv', 'x'));
    assert.equal(file.isPipe, false);
    assert.equal(file.name, 'a.csv');
    assert.equal(await textOf(new TextInput(file)), 'x');
  });

  it('is read from a named pipe', async () => {
    if (process.platform === 'win32') return;
    const path = join(bench.folder, 'fifo');
    execFileSync('mkfifo', [path]);
    const writer = spawn('sh', ['-c', 'printf "a,b\\n1,2\\n" > "$0"', path]);
    const opened = openInput(path);
    assert.equal(opened.isPipe, true);
    assert.equal(await textOf(new TextInput(opened)), 'a,b\n1,2\n');
    writer.kill();
  });

  it('is decoded alike however it arrives, and hashed byte for byte', async () => {
    const line = fc.string({unit: 'grapheme-composite', maxLength: 30});
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(200)), fc.boolean(), async (lines, cuts, mark) => {
        const text = lines.join('\n').replaceAll(/[\0\ufeff]/g, '');
        const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`);
        const reader = input(pieces(bytes, cuts));
        assert.equal(await textOf(reader), text);
        const facts = reader.facts();
        assert.equal(facts.bytes, bytes.length);
        assert.equal(facts.sha256, createHash('sha256').update(bytes).digest('hex'));
        assert.equal(facts.endsWithNewline, /[\r\n]$/.test(text));
      }),
    );
  });

  const rows = 'reference,payee\nINV-1,Zürich\nINV-2,Genève\n';
  const foreign: [string, Buffer, RegExp][] = [
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${rows}`, 'utf16le'), /UTF-16/],
    ['UTF-16 BE with a mark', Buffer.from(`\ufeff${rows}`, 'utf16le').swap16(), /UTF-16/],
    ['UTF-16 LE without a mark', Buffer.from(rows, 'utf16le'), /UTF-16/],
    ['UTF-16 BE without a mark', Buffer.from(rows, 'utf16le').swap16(), /UTF-16/],
    ['Windows-1252', Buffer.from(rows, 'latin1'), /line 2 is not UTF-8.*Windows-1252/],
    ['Windows-1252 with ÿ first', Buffer.from(`ÿ${rows}`, 'latin1'), /line 1 is not UTF-8.*Windows-1252/],
    ['Windows-1252 with ÿ second', Buffer.from(`aÿ${rows}`, 'latin1'), /line 1 is not UTF-8.*Windows-1252/],
    ['UTF-16 LE without any NUL byte', Buffer.from('\ufeff參照番号', 'utf16le'), /UTF-16/],
    ['UTF-16 BE without any NUL byte', Buffer.from('\ufeff參照番号', 'utf16le').swap16(), /UTF-16/],
    [
      'UTF-8 that ends inside a character',
      Buffer.from('reference\nZ\u00fc').subarray(0, -1),
      /line 2 is not UTF-8/,
    ],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 0, 8, 0]), /not text/],
  ];
  for (const [what, bytes, message] of foreign) {
    it(`is refused in ${what}, with the fix`, () =>
      refused(
        () => textOf(input([bytes])),
        message,
        /CSV UTF-8" and use that file, or convert it: iconv -f \S+ -t UTF-8 old\.csv > new\.csv$/,
      ));

    it(`is refused in ${what}, also a byte at a time`, () =>
      refused(() => textOf(input([...bytes].map((byte) => Buffer.from([byte])))), message, /iconv/));
  }

  const zip = (name: string) =>
    Buffer.concat([
      Buffer.from('504b0304140006000800000021', 'hex'),
      Buffer.alloc(17),
      Buffer.from(name),
      Buffer.alloc(300),
    ]);
  const workbooks: [string, Buffer, RegExp, RegExp][] = [
    [
      'an Excel workbook from a pipe',
      zip('[Content_Types].xml'),
      /is an Excel workbook \(\.xlsx\) or another ZIP file that arrives through a pipe/,
      /save it as a file, and name that file; unpack it first/,
    ],
    [
      'an old Excel workbook',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(500)]),
      /is an Excel workbook \(\.xls\)/,
      /save it as "Excel Workbook \(\.xlsx\)" or as "CSV UTF-8"/,
    ],
    ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n'), /is a PDF, not a CSV/, /export the payments as CSV/],
    ['a web page', Buffer.from('<!DOCTYPE html>\n<table>'), /is a web page or XML/, /save it as "Excel/],
    ['a gzip file', Buffer.from('1f8b0800000000000003', 'hex'), /compressed with gzip/, /gunzip/],
  ];
  for (const [what, bytes, message, hint] of workbooks) {
    it(`is refused when it is ${what}`, () => refused(() => textOf(input([bytes])), message, hint));

    it(`is refused when it is ${what}, also a byte at a time`, () =>
      refused(() => textOf(input([...bytes].map((byte) => Buffer.from([byte])))), message, hint));
  }

  it('may begin with the letters of a ZIP file', async () => {
    for (const text of ['PK,a\n1,2\n', 'P', 'PK', ''])
      assert.equal(await textOf(input([Buffer.from(text)])), text);
  });

  it('names the line of the first wrong byte, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(50), fc.array(fc.nat(2000)), async (before, cuts) => {
        const bytes = Buffer.concat([
          Buffer.from('Zürich;€\n'.repeat(before)),
          Buffer.from('x\xe9y\n', 'latin1'),
          Buffer.from('ü\n'.repeat(5)),
        ]);
        await refused(
          () => textOf(input(pieces(bytes, cuts))),
          new RegExp(`line ${before + 1} is not UTF-8`),
        );
      }),
    );
  });

  it('that ends early is an error of the input, not a bug', async () => {
    const broken = new Readable({
      read() {
        this.push('reference\n');
        this.destroy(new Error('EIO: the disk is gone'));
      },
    });
    await refused(() => textOf(new TextInput(openInput('-', broken))), /reading - failed: EIO/);
  });
});
