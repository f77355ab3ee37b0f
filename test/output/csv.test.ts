import assert from 'node:assert/strict';
import {parse} from 'csv-parse/sync';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {csvCell, csvColumns, csvLine} from '../../src/output/csv.ts';

describe('a CSV cell', () => {
  for (const [value, cell] of [
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' padded', '" padded"'],
    ['=1+1', "'=1+1"],
    ['@cmd', "'@cmd"],
    ['-5', "'-5"],
    ['+1,2', `"'+1,2"`],
    ['\tx', "'\tx"],
    [-5, '-5'],
    [12_500, '12500'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
    [{a: 1}, '"{""a"":1}"'],
  ] as const) {
    it(`writes ${JSON.stringify(value) ?? 'undefined'} as ${JSON.stringify(cell)}`, () =>
      assert.equal(csvCell(value), cell));
  }

  it('is read back as it was, but for the apostrophe before a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), {minLength: 2, maxLength: 5}), (cells) => {
        const [row] = parse(csvLine(cells), {relax_column_count: true, record_delimiter: '\n'});
        assert.deepEqual(
          row,
          cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)),
        );
      }),
    );
  });

  it('is never a formula', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.doesNotMatch(csvCell(text).replace(/^"/, ''), /^[=+\-@\t\r]/);
      }),
    );
  });
});

describe('the columns of a CSV', () => {
  it('are every field of the records, objects opened one level', () => {
    assert.deepEqual(
      csvColumns([
        {id: 1, m: {a: 1}},
        {id: 2, m: {b: {c: 1}}, x: [1]},
      ]),
      ['id', 'm.a', 'm.b', 'x'],
    );
  });
});
