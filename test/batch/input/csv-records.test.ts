import assert from 'node:assert/strict';
import fc from 'fast-check';
import {CsvRecords} from '../../../src/batch/input/csv-records.ts';
import type {InputRecord} from '../../../src/batch/input/record.ts';
import {RemitError} from '../../../src/errors.ts';
import type {Delimiter} from '../../../src/batch/model/plan-facts.ts';

/** The text in pieces; a decoder never cuts a character. */
async function* chunksOf(text: string, cuts: readonly number[] = []): AsyncGenerator<string> {
  const characters = [...text];
  const at = [...cuts.map((cut) => cut % (characters.length + 1)), characters.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of at) {
    if (to > from) yield characters.slice(from, to).join('');
    from = to;
  }
}

async function read(text: string, options: {cuts?: readonly number[]} = {}) {
  const reader = new CsvRecords({
    path: 'a.csv',
    chunks: chunksOf(text, options.cuts),
  });
  let header: {cells: string[]; delimiter: string} | undefined;
  const records: InputRecord[] = [];
  for await (const piece of reader.read()) {
    if ('header' in piece) ({header} = piece);
    else records.push(...piece.records);
  }
  return {header: header!, records, emptyRecords: reader.emptyRecords};
}

const refused = (text: string, message: RegExp, options: Parameters<typeof read>[1] = {}) =>
  assert.rejects(read(text, options), (error) => {
    assert.ok(error instanceof RemitError, String(error));
    assert.equal(error.code, 'CSV_INVALID');
    assert.match(error.message, message);
    assert.match(error.message, /^a\.csv/);
    return true;
  });

describe('the records of a CSV', () => {
  it('begin behind the header, with their number and the line on which they begin', async () => {
    const {header, records} = await read('a,b\n1,2\n"x\ny",3\n4,5\n');
    assert.deepEqual(header, {cells: ['a', 'b'], delimiter: ','});
    assert.deepEqual(records, [
      {row: 1, line: 2, cells: ['1', '2']},
      {row: 2, line: 3, cells: ['x\ny', '3']},
      {row: 3, line: 5, cells: ['4', '5']},
    ]);
  });

  for (const [line, delimiter] of [
    ['sep=;', ';'],
    ['"sep=;"', ';'],
    ['SEP=\t', '\t'],
    ['sep=,', ','],
  ] as const)
    for (const end of ['\n', '\r\n', '\r'])
      it(`are split as Excel's line ${JSON.stringify(line + end)} says, however it arrives`, async () => {
        const text = [line, `a${delimiter}"b${end}c"`, `1${delimiter}2`, ''].join(end);
        for (let cut = 0; cut <= text.length; cut++) {
          const {header, records, emptyRecords} = await read(text, {cuts: [cut]});
          assert.deepEqual(header, {cells: ['a', `b${end}c`], delimiter});
          assert.deepEqual(records, [{row: 1, line: 4, cells: ['1', '2']}]);
          assert.equal(emptyRecords, 0);
        }
      });

  it('are refused when the line sep= names another delimiter', () =>
    refused('sep=|\na|b\n', /its first line declares the delimiter "\|"/));

  it('are refused when nothing follows the line sep=', () => refused('sep=;\n', /is empty/));

  it('may have a first column that begins with sep', async () => {
    assert.deepEqual((await read('sep=;;\n')).header.cells, ['sep=', '', '']);
    assert.deepEqual((await read('september,b\n')).header.cells, ['september', 'b']);
  });

  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    it(`may end in ${name}, the last one in nothing`, async () => {
      const lines = ['a,b', '1,2', '3,4'];
      const want = [
        {row: 1, line: 2, cells: ['1', '2']},
        {row: 2, line: 3, cells: ['3', '4']},
      ];
      assert.deepEqual((await read(lines.join(end))).records, want);
      assert.deepEqual((await read(lines.join(end) + end)).records, want);
    });
  }

  it('with only empty cells are skipped and counted', async () => {
    const {records, emptyRecords} = await read('\n \na,b\n\n1,2\n,\n , \n"",""\n3,4\n\n');
    assert.deepEqual(records, [
      {row: 1, line: 5, cells: ['1', '2']},
      {row: 2, line: 9, cells: ['3', '4']},
    ]);
    assert.equal(emptyRecords, 5);
  });

  it('may be ragged; later checks decide about that', async () => {
    const {records} = await read('a,b\n1\n1,2,3\n');
    assert.deepEqual(
      records.map(({cells}) => cells),
      [['1'], ['1', '2', '3']],
    );
  });

  for (const [what, delimiter, text] of [
    ['a comma', ',', 'a,b\n'],
    ['a semicolon', ';', 'a;b\n'],
    ['a tab', '\t', 'a\tb\n'],
    ['a semicolon behind a quoted comma', ';', '"a,x";b\n'],
    ['a comma where there is one column', ',', 'a\n'],
  ] as const) {
    it(`split at ${what} when the header leaves no doubt`, async () =>
      assert.equal((await read(text)).header.delimiter, delimiter));
  }

  it('split at the declared delimiter, whatever the header contains', async () => {
    const {header} = await read('sep=;\na,b;c\n');
    assert.deepEqual(header.cells, ['a,b', 'c']);
  });

  const wrong: [string, string, RegExp][] = [
    ['empty', '', /is empty/],
    ['of blank lines only', '\n\r\n \n\t\n', /is empty/],
    ['of empty cells only', ',,\n,,\n', /is empty/],
    ['with a header that splits in two ways', 'a,b;c\n1,2;3\n', /several candidates/],
    [
      'with a quote that is never closed',
      'a,b\n1,2\n"3,4\n5,6\n',
      /begins on line 3 has a quote that is never closed/,
    ],
    ['cut inside a quoted cell', 'a,b\n1,"x\ny', /begins on line 2 has a quote that is never closed/],
    ['with a quote inside a bare cell', 'a,b\n1,2\n3,4"5\n', /begins on line 3 has a " in the middle/],
    ['with text after a closing quote', 'a,b\n1,2\n"3"x,4\n', /begins on line 3 has text after a closing "/],
    [
      'with a record above a megabyte',
      `a,b\n1,2\n"${'x'.repeat(1_100_000)}`,
      /begins on line 3 is longer than 1 MiB/,
    ],
    // If it is searched for again after each character, the end of such a line takes hours.
    ['with a header that never ends', 'x'.repeat(1_100_000), /begins on line 1 is longer than 1 MiB/],
  ];
  for (const [what, text, message] of wrong) {
    it(`are refused ${what}`, () => refused(text, message));
  }

  it('before a broken quote are still delivered, so that their errors are shown too', async () => {
    const seen: InputRecord[] = [];
    const reader = new CsvRecords({path: 'a.csv', chunks: chunksOf('a,b\n1,2\n"3\n')});
    await assert.rejects(async () => {
      for await (const piece of reader.read()) if ('records' in piece) seen.push(...piece.records);
    });
    assert.deepEqual(
      seen.map(({cells}) => cells),
      [['1', '2']],
    );
  });

  it('pass on the error of the byte reader', async () => {
    const mine = new RemitError('CSV_INVALID', 'not UTF-8');
    async function* chunks() {
      yield 'a,b\n1,2\n';
      await Promise.resolve();
      throw mine;
    }
    const reader = new CsvRecords({path: 'a.csv', chunks: chunks()});
    await assert.rejects(
      async () => {
        for await (const piece of reader.read()) assert.ok(piece);
      },
      (error) => error === mine,
    );
  });

  it('are read back as they were written, with their lines, however the text arrives', async () => {
    const cell = fc.oneof(
      fc.string({unit: 'grapheme', maxLength: 8}),
      fc.stringMatching(/^[",;\t\r\n' a0]{0,6}$/),
    );
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({min: 1, max: 4})
          .chain((width) =>
            fc.array(fc.array(cell, {minLength: width, maxLength: width}), {minLength: 1, maxLength: 12}),
          ),
        fc.constantFrom<Delimiter>(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.array(fc.nat(400), {maxLength: 8}),
        async (table, delimiter, end, all, cuts) => {
          const written = table.map((cells) =>
            cells.map((text) => quote(text, delimiter, all)).join(delimiter),
          );
          const text = [`sep=${delimiter}`, ...written, ''].join(end);
          const want: {line: number; cells: string[]}[] = [];
          let line = 2;
          for (const [index, cells] of table.entries()) {
            if (cells.some((one) => one.trim() !== '')) want.push({line, cells});
            line += 1 + countLineEnds(written[index]!);
          }
          fc.pre(want.length > 0);
          const {header, records} = await read(text, {cuts});
          assert.deepEqual(header.cells, want[0]!.cells);
          assert.deepEqual(
            records.map(({cells}) => cells),
            want.slice(1).map(({cells}) => cells),
          );
          assert.deepEqual(
            records.map((record) => record.line),
            want.slice(1).map((record) => record.line),
          );
        },
      ),
      {numRuns: 300},
    );
  });
});

const quote = (text: string, delimiter: string, all: boolean): string =>
  all || /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;

const countLineEnds = (text: string): number => (text.match(/\r\n|\r|\n/g) ?? []).length;
