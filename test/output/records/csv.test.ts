import assert from 'node:assert/strict';
import {parse} from 'csv-parse/sync';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {csvCell, csvColumns, csvLine, csvRows, declaredColumns} from '../../../src/output/records/csv.ts';
import {isFormula} from '../../../src/spreadsheet.ts';
import {makeOutput} from '../make-output.ts';
import type {Json} from '../../../src/narrow.ts';

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

  it('is read back unchanged, except for the apostrophe before a formula', () => {
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
  it('contain what the columns name, and a plain value if the column has no name', () => {
    assert.equal(csvRows(['m.a', 'id', 'x'])({id: 1, m: {a: 2}}), '2,1,\n');
    assert.equal(csvRows([''])('plain'), 'plain\n');
  });
});

describe('the columns of a CSV', () => {
  it('are those of the records among other values', () => {
    assert.deepEqual(csvColumns([null, 'text', {id: 1}, 5]), ['id']);
  });

  it('are every field of the records, nested ones with dots, lists whole', () => {
    assert.deepEqual(
      csvColumns([
        {id: 1, m: {a: 1}, n: null, e: {}, d: null},
        {id: 2, m: {b: {c: 1}}, n: {z: 1}, e: {}, x: [1]},
      ]),
      ['id', 'm.a', 'm.b.c', 'n.z', 'e', 'd', 'x'],
    );
  });

  it('have each amount in minor and in major units', () => {
    const account = {balance_in_minor_units: -5, currency_code: 'USD'};
    const records = [
      {amount_in_minor_units: 12_500, currency_code: 'JPY', account},
      {amount_in_minor_units: 'many', currency_code: 'XXX', account: {...account, currency_code: null}},
    ];
    const columns = csvColumns(records);
    assert.deepEqual(columns, [
      ...['amount_in_minor_units', 'amount', 'currency_code'],
      ...['account.balance_in_minor_units', 'account.balance', 'account.currency_code'],
    ]);
    assert.equal(csvRows(columns)(records[0]), '12500,12500,JPY,-5,-0.05,USD\n');
    assert.equal(csvRows(columns)(records[1]), 'many,,XXX,-5,,\n');
  });

  it('calculate no amount that the record has itself, or without a currency', () => {
    const own = {amount_in_minor_units: 1, amount: '9', currency_code: 'USD'};
    assert.deepEqual(csvColumns([own]), ['amount_in_minor_units', 'amount', 'currency_code']);
    assert.equal(csvRows(csvColumns([own]))(own), '1,9,USD\n');
    assert.deepEqual(csvColumns([{amount_in_minor_units: 1}]), ['amount_in_minor_units']);
  });

  it('open no more than ten levels', () => {
    let deep: Json = 1;
    for (let level = 0; level < 10_000; level += 1) deep = {a: deep};
    assert.deepEqual(csvColumns([deep]), ['a.a.a.a.a.a.a.a.a.a']);
  });

  it('lose no field with a dot in its name', () => {
    const records = [
      {'trace.id': 7, m: {'order.id': 'A', b: 1}, 'x.y': {z: 2}},
      {'trace.id': 8, m: {b: 3}, 'x.y': null},
    ];
    const columns = csvColumns(records);
    assert.deepEqual(columns, ['trace.id', 'm', 'm.b', 'x.y']);
    assert.equal(csvRows(columns)(records[0]), '7,"{""order.id"":""A"",""b"":1}",1,"{""z"":2}"\n');
    assert.equal(csvRows(columns)(records[1]), '8,"{""b"":3}",3,\n');
  });
});

describe('declared columns', () => {
  it('are the fields in their order, amounts also in major units, and free names as one column', () => {
    assert.deepEqual(
      declaredColumns([
        ...['id', 'metadata', 'metadata.*', 'amount_in_minor_units', 'account', 'account.currency_code'],
        ...['account.balance_in_minor_units', 'currency_code', 'account.tags.*', 'created_at'],
      ]),
      [
        ...['id', 'metadata', 'amount_in_minor_units', 'amount', 'account.currency_code'],
        ...[
          'account.balance_in_minor_units',
          'account.balance',
          'account.tags',
          'currency_code',
          'created_at',
        ],
      ],
    );
  });

  it('stay the same whatever the records have, and a note names what has none, once', async () => {
    const rows = [
      [],
      [{id: 1, b: 2}],
      [{id: 1, c: {d: 2}, more: 'x'}],
      [...Array(201).keys()].map((id) => ({id, e: 5})),
    ];
    for (const records of rows) {
      const {out, stdout, stderr} = makeOutput({format: 'csv'});
      await out.list(records, undefined, async () => ['id', 'c', 'f']);
      assert.match(stdout.text, /^id,c,f\n/);
      assert.equal(stdout.text.split('\n').length, records.length + 2);
      const [first] = records;
      const named = first === undefined ? '' : 'b' in first ? 'b' : 'more' in first ? 'more' : 'e';
      const note =
        named === ''
          ? ''
          : `The service also sends ${named}: name the columns with --fields, or use -o ndjson.\n`;
      assert.equal(stderr.text, note);
    }
  });

  it('give way to --fields', async () => {
    const {out, stdout, stderr} = makeOutput({format: 'csv', fields: ['b']});
    await out.list([{id: 1, b: 2}], undefined, async () => ['id']);
    assert.deepEqual([stdout.text, stderr.text], ['b\n2\n', '']);
  });
});

describe('a long CSV', () => {
  it('warns of fields that only later records have', async () => {
    const list = (last: object) => [...Array.from({length: 200}, (_, id) => ({id, m: {}})), last];
    for (const [last, warning] of [
      [{id: 1, more: {b: 2}, a: 1}, /^Warning: .* have no column: more\.b, a/],
      [{id: 1, m: {a: {b: 1}}}, /^$/],
    ] as const) {
      const {out, stdout, stderr} = makeOutput({format: 'csv'});
      await out.list(list(last), undefined);
      assert.match(stdout.text, /^id,m\n0,\n/);
      assert.match(stderr.text, warning);
    }
  });
});
