import assert from 'node:assert/strict';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {openInput} from '../../../src/batch/input/csv-input.ts';
import {openSource} from '../../../src/batch/input/source.ts';
import {Bench} from '../harness.ts';
import {changed, parts, type Part, workbook, zip} from './xlsx.ts';

const GOOD = parts([{name: 'Payouts', rows: [['reference'], ['INV-1']]}]);
const SHEET = 'xl/worksheets/sheet1.xml';

describe('a workbook that is damaged, hostile or of another kind', () => {
  const bench = new Bench();
  after(() => bench.remove());
  let files = 0;

  /** Opens the file as a plan does, and reads all rows. */
  async function readAll(bytes: Buffer, name = `w${files++}.xlsx`): Promise<number> {
    const input = openInput(bench.file(name, bytes));
    const spool = join(bench.folder, `spool${files++}`);
    const source = await openSource(input, {sheet: undefined, spool, retype: (words) => words.join(' ')});
    try {
      let rows = 0;
      for await (const piece of source.read()) if ('records' in piece) rows += piece.records.length;
      source.end();
      return rows;
    } finally {
      source.close();
    }
  }

  const refused = (bytes: Buffer, message: RegExp, hint?: RegExp) =>
    assert.rejects(readAll(bytes), (error) => {
      assert.ok(error instanceof RemitError, String(error instanceof Error ? error.stack : error));
      assert.deepEqual([error.code, error.exitCode], ['CSV_INVALID', 5], error.message);
      assert.match(error.message, message);
      assert.match(error.hint ?? '', hint ?? /save|read/);
      return true;
    });
  const refusedParts = (all: readonly Part[], message: RegExp, hint?: RegExp) =>
    refused(zip(all), message, hint);

  it('is the control: the good one is read', async () => assert.equal(await readAll(zip(GOOD)), 1));

  it('cut at any byte is refused', async () => {
    const bytes = zip(GOOD);
    for (let length = 4; length < bytes.length; length += 97)
      await refused(
        bytes.subarray(0, length),
        /is not a readable workbook: the archive is damaged or incomplete/,
      );
  });

  it('with a changed byte is refused, or reads the same rows', async () => {
    const bytes = zip(GOOD);
    let refusals = 0;
    for (let at = 4; at < bytes.length; at += 61) {
      const copy = Buffer.from(bytes);
      copy[at] = copy[at]! ^ 0x41;
      await readAll(copy).then(
        (rows) => assert.equal(rows, 1, `byte ${at}`),
        (error: unknown) => {
          assert.ok(
            error instanceof RemitError,
            `byte ${at}: ${error instanceof Error ? error.stack : String(error)}`,
          );
          refusals++;
        },
      );
    }
    assert.ok(refusals > 10);
  });

  it('with a wrong checksum or size is refused', async () => {
    await refusedParts(changed(GOOD, SHEET, {claims: {crc: 1}}), /sheet1\.xml is damaged: its checksum/);
    await refusedParts(changed(GOOD, SHEET, {claims: {size: 10}}), /sheet1\.xml is damaged/);
  });

  it('with two parts of one name is refused', () =>
    refusedParts(
      [...GOOD, {name: SHEET.toUpperCase(), content: '<worksheet/>'}],
      /it contains .*sheet1\.xml twice/,
    ));

  it('that expands to far more than it is, is refused before it is expanded', () => {
    const bomb = Buffer.alloc(80 * 1024 * 1024, ' ');
    return refusedParts(
      changed(GOOD, SHEET, {content: bomb}),
      /expands to 84 MB in xl\/worksheets\/sheet1\.xml/,
      /do not open it/,
    );
  });

  it('whose list of sheets is huge is refused', () =>
    refusedParts(changed(GOOD, 'xl/workbook.xml', {claims: {size: 40_000_000}}), /expands to 40 MB/));

  for (const part of [SHEET, 'xl/workbook.xml', 'xl/sharedStrings.xml', 'xl/styles.xml', '_rels/.rels']) {
    it(`with a DOCTYPE in ${part} is refused`, () =>
      refusedParts(
        changed(GOOD, part, (xml) =>
          xml.replace('?>\n', '?>\n<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>'),
        ),
        /has a DOCTYPE/,
      ));

    it(`with broken XML in ${part} is refused`, () =>
      refusedParts(
        changed(GOOD, part, (xml) => xml.slice(0, -5)),
        /is not well-formed XML/,
      ));
  }

  for (const entity of ['&x;', '&eacute;', '&#0;', '&amp'])
    it(`with the entity ${entity} is refused`, () =>
      refusedParts(
        changed(GOOD, 'xl/sharedStrings.xml', (xml) => xml.replace('INV-1', entity)),
        /is not well-formed XML/,
      ));

  it('with bytes that are not UTF-8 is refused', () =>
    refusedParts(
      changed(GOOD, 'xl/sharedStrings.xml', (xml) => xml).map((part) =>
        part.name === 'xl/sharedStrings.xml'
          ? {...part, content: Buffer.from(String(part.content).replace('INV-1', 'a\u00e9'), 'latin1')}
          : part,
      ),
      /is not UTF-8/,
    ));

  it('with a text that does not end is refused before it fills the memory', () =>
    refusedParts(
      changed(GOOD, SHEET, (xml) => xml.replace('<v>0</v>', `<v>${'0'.repeat(3_000_000)}</v>`)),
      /a text or tag that does not end/,
    ));

  it('with a tag that does not end is refused', async () => {
    const attributes = Array.from({length: 200_000}, (_, n) => `a${n}="x"`).join(' ');
    for (const more of [attributes, `a="${'x'.repeat(3_000_000)}"`])
      await refusedParts(
        changed(GOOD, SHEET, (xml) => xml.replace('<sheetData>', `<sheetData ${more}>`)),
        /a text or tag that does not end/,
      );
  });

  it('with deep nesting is refused', () =>
    refusedParts(
      changed(GOOD, SHEET, (xml) => xml.replace('<sheetData>', '<a>'.repeat(100) + '<sheetData>')),
      /nested too deeply/,
    ));

  for (const [what, from, to, message] of [
    ['rows out of order', '<row r="2">', '<row r="1">', /row 1 follows row 1/],
    ['a row beyond the last', '<row r="2">', '<row r="1048577">', /row 1048577 follows/],
    ['a cell of another row', 'r="A2"', 'r="A3"', /a cell of row 2 is named A3/],
    ['a cell beyond the last column', 'r="A2"', 'r="XFE2"', /a cell of row 2 is named XFE2/],
    ['an unknown type of cell', 't="s"><v>1', 't="z"><v>1', /unknown type z/],
    ['a text that does not exist', '<v>1</v>', '<v>2</v>', /a text that is not in the workbook/],
    ['two values in a cell', '<v>1</v>', '<v>1</v><v>0</v>', /a cell has two values/],
    ['a negative text', '<v>1</v>', '<v>-1</v>', /a text that is not in the workbook/],
  ] as const)
    it(`with ${what} is refused`, () =>
      refusedParts(
        changed(GOOD, SHEET, (xml) => xml.replace(from, to)),
        message,
      ));

  it('without rows, sheets or a list of sheets is refused', async () => {
    await refusedParts(changed(GOOD, SHEET, {content: '<worksheet/>'}), /sheet Payouts has no rows/);
    await refusedParts(
      GOOD.filter(({name}) => name !== 'xl/workbook.xml'),
      /it has no list of sheets/,
    );
    await assert.rejects(readAll(zip(GOOD.filter(({name}) => name !== SHEET))), RemitError);
  });

  it('reads no part of another file', async () => {
    const outside = changed(GOOD, 'xl/_rels/workbook.xml.rels', (xml) =>
      xml.replace('worksheets/sheet1.xml"', 'file:///etc/passwd" TargetMode="External"'),
    );
    await assert.rejects(readAll(zip(outside)), RemitError);
    const above = changed(GOOD, 'xl/_rels/workbook.xml.rels', (xml) =>
      xml.replace('worksheets/sheet1.xml"', '../../../../etc/passwd"'),
    );
    await assert.rejects(readAll(zip(above)), RemitError);
  });

  for (const [what, extra, message, hint] of [
    ['macros', 'xl/vbaProject.bin', /a workbook with macros \(\.xlsm\)/, /Excel Workbook \(\.xlsx\)/],
    ['a binary workbook', 'xl/workbook.bin', /a binary workbook \(\.xlsb\)/, /as \.xlsx, or as CSV/],
    ['a Numbers document', 'Index/Document.iwa', /a Numbers document/, /as \.xlsx, or as CSV/],
    ['a Word document', 'word/document.xml', /a Word document/, /as \.xlsx, or as CSV/],
  ] as const)
    it(`of another kind (${what}) is refused by name`, () =>
      refusedParts([...GOOD, {name: extra, content: 'x'}], message, hint));

  it('of another program is refused by name', async () => {
    const ods = [
      {name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet'},
      {name: 'content.xml', content: '<x/>'},
    ];
    await refusedParts(ods, /an OpenDocument file \(\.ods\)/, /as \.xlsx, or as CSV/);
    await refusedParts([{name: 'a.csv', content: 'a'}], /a ZIP archive, not a workbook/, /unpack it/);
    const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    await refused(
      Buffer.concat([compound, Buffer.alloc(600)]),
      /an Excel workbook \(\.xls\), not a CSV file/,
      /save it as "Excel Workbook/,
    );
    const encrypted = Buffer.concat([
      compound,
      Buffer.alloc(1_048_560),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    await refused(encrypted, /encrypted with a password/, /remove the password/);
    await refused(Buffer.from('<html><table>'), /a web page or XML, not a CSV file/, /Excel Workbook/);
  });

  it('with an encrypted part is refused', () =>
    refusedParts(changed(GOOD, 'xl/workbook.xml', {claims: {flags: 1}}), /encrypted archive|damaged/));

  it('that changed while it was read is refused', async () => {
    const path = bench.file('changes.xlsx', zip(GOOD));
    const source = await openSource(openInput(path), {
      ...{sheet: undefined, spool: join(bench.folder, 'spool-changes')},
      retype: (words) => words.join(' '),
    });
    for await (const _ of source.read()) assert.ok(_);
    bench.file('changes.xlsx', workbook([{name: 'Payouts', rows: [['reference'], ['INV-1'], ['INV-2']]}]));
    assert.throws(() => source.end(), /changed while it was read/);
    source.close();
  });
});
