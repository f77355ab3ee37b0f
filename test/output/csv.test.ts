import assert from 'node:assert/strict';
import {parse} from 'csv-parse/sync';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {csvCell, csvColumns, csvLine, csvRow} from '../../src/output/csv.ts';
import {isFormula} from '../../src/spreadsheet.ts';

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
          cells.map((cell) => (isFormula(cell) ? `'${cell}` : cell)),
        );
      }),
    );
  });

  it('is never a formula', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.doesNotMatch(csvCell(text).replace(/^"/, ''), /^\s*[=+\-@]|^[\t\r\n]/);
      }),
    );
  });
});

describe('the rows of a CSV', () => {
  it('hold what the columns name, and a plain value where the column has no name', () => {
    assert.equal(csvRow({id: 1, m: {a: 2}}, ['m.a', 'id', 'x']), '2,1,\n');
    assert.equal(csvRow('plain', ['']), 'plain\n');
  });
});

describe('the columns of a CSV', () => {
  it('are those of the records among other values', () => {
    assert.deepEqual(csvColumns([null, 'text', {id: 1}, 5]), ['id']);
  });

  it('are every field of the records, objects opened one level', () => {
    assert.deepEqual(
      csvColumns([
        {id: 1, m: {a: 1}},
        {id: 2, m: {b: {c: 1}}, x: [1]},
      ]),
      ['id', 'm.a', 'm.b', 'x'],
    );
  });

  it('lose no field with a dot in its name', () => {
    const records = [
      {'trace.id': 7, m: {'order.id': 'A', b: 1}, 'x.y': {z: 2}},
      {'trace.id': 8, m: {b: 3}, 'x.y': null},
    ];
    const columns = csvColumns(records);
    assert.deepEqual(columns, ['trace.id', 'm', 'x.y', 'm.b']);
    assert.equal(csvRow(records[0], columns), '7,"{""order.id"":""A"",""b"":1}","{""z"":2}",1\n');
    assert.equal(csvRow(records[1], columns), '8,"{""b"":3}",,3\n');
  });
});
