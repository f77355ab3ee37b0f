import assert from 'node:assert/strict';
import {dayOf, dayOfIso} from '../../../src/batch/workbook/dates.ts';
import {decimalOf} from '../../../src/batch/workbook/decimal.ts';
import {cellPlace, columnLetters, quotedSheet} from '../../../src/batch/workbook/cell.ts';
import {readFormat} from '../../../src/batch/workbook/number-format.ts';

describe('the format of a cell', () => {
  for (const [code, kind, decimals] of [
    ['General', 'general', 0],
    ['0', 'plain', 0],
    ['0.00', 'plain', 2],
    ['#,##0.00_);[Red](#,##0.00)', 'plain', 2],
    ['_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-', 'plain', 2],
    ['[$$-409]#,##0.00', 'plain', 2],
    ['"US$" 0.0##', 'plain', 3],
    ['_("$"* #,##0.00_)', 'plain', 2],
    ['@', 'text', 0],
    ['yyyy-mm-dd', 'date', 0],
    ['[$-409]d\\-mmm\\-yy;@', 'date', 0],
    ['mmm-yy', 'date', 0],
    ['dd.mm.yyyy hh:mm', 'date-time', 0],
    ['h:mm AM/PM', 'time', 0],
    ['[h]:mm', 'time', 0],
    ['mm:ss', 'time', 0],
    ['0.00E+00', 'scientific', 0],
    ['##0.0E+0', 'scientific', 0],
    ['0%', 'other', 0],
    ['# ?/?', 'other', 0],
    ['#,##0,', 'other', 0],
    ['0.0,,', 'other', 0],
    ['000-00-0000', 'other', 0],
    ['[>100]0;0.00', 'other', 0],
    ['"closed"', 'other', 0],
    ['"1"0.00', 'other', 0],
    ['\\10.00', 'other', 0],
    ['10.00', 'other', 0],
    ['*50.00', 'other', 0],
    ['0.00"5"', 'other', 0],
    ['[$1]0.00', 'other', 0],
    ['"1"General', 'other', 0],
    ['0"."00', 'other', 0],
    ['0\\.00', 'other', 0],
    ['0"x"00', 'other', 0],
    ['"-"0.00', 'other', 0],
    ['-0.00', 'other', 0],
    ['(0.00)', 'other', 0],
    ['0.00"-"', 'other', 0],
    ['0.00"%"', 'other', 0],
    ['0.00" k"', 'other', 0],
    ['0.00 "Mio."', 'other', 0],
    ['0" cents"', 'other', 0],
    ['0.00;[<5]0.00', 'other', 0],
    ['yyyy"1"mm', 'other', 0],
    ['"minus "0.00', 'other', 0],
    ['0.00" CR"', 'other', 0],
    ['"Dr. "0.00', 'other', 0],
    ['"I"0.00', 'other', 0],
    ['"l"0.00', 'other', 0],
    ['0.00"O"', 'other', 0],
    ['"Rs. "0.00', 'plain', 2],
    ['"Rs."0.00', 'plain', 2],
    ['"CHF"0.00', 'plain', 2],
    ['0.00"EUR"', 'plain', 2],
    ['0.00 "per unit"', 'plain', 2],
    ["#\\'##0.00", 'plain', 2],
    ['#" "##0.00', 'plain', 2],
    ['0.00_1', 'plain', 2],
    ['', 'other', 0],
  ] as const)
    it(`${code} is ${kind} with ${decimals} decimals`, () => {
      const format = readFormat(200, code);
      assert.deepEqual([format.kind, format.decimals], [kind, decimals]);
    });

  for (const [code, isChanged] of [
    ['@', false],
    ['General', false],
    ['0.00', false],
    ['_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-', false],
    ['_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', false],
    ['[Red]@', false],
    ['@* ', false],
    ['General;General;General;General', false],
    ['0;-0;0;[Blue]@', false],
    ['yyyy-mm-dd;@', false],
    ['"1"@', true],
    ['@"0"', true],
    ['\\1@', true],
    ['@*.', true],
    ['@@', true],
    ['0.00;"1"@', true],
    ['0;-0;0;"n/a"', true],
    ['0;-0;0;', true],
    [';;;', true],
    ['@" USD"', true],
    ['[$USD]@', true],
    ['"@"', false],
  ] as const)
    it(`${code} ${isChanged ? 'changes' : 'keeps'} a text`, () =>
      assert.equal(readFormat(200, code).changesText, isChanged));

  it('shows a number as something else if it adds to texts', () =>
    assert.equal(readFormat(200, '"INV-"@').kind, 'other'));

  it('without a code is one of those that every program knows', () => {
    assert.equal(readFormat(0, undefined).kind, 'general');
    assert.equal(readFormat(4, undefined).decimals, 2);
    assert.equal(readFormat(14, undefined).kind, 'date');
    assert.equal(readFormat(31, undefined).kind, 'date');
    assert.equal(readFormat(99, undefined).kind, 'other');
  });

  for (const [code, signs] of [
    ['#,##0.00', []],
    ['0.00 "per unit"', []],
    ['"INV-"0000', []],
    ['[$-409]#,##0.00', []],
    ['[Red]0.00', []],
    ['"$"#,##0.00', ['$']],
    ['$#,##0.00;[Red]-$#,##0.00', ['$']],
    ['_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', ['$']],
    ['_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-', ['€']],
    ['[$€-2]\\ #,##0.00', ['€']],
    ['#,##0.00 €', ['€']],
    ['"US$" 0.0##', ['US$']],
    ['[$R$-416] #,##0.00', ['R$']],
    ['[$USD] #,##0.00', ['USD']],
    ['#,##0.00 "EUR"', ['EUR']],
    ['\\U\\S\\D 0.00', ['USD']],
    ['$#,##0.00 "CAD"', ['$', 'CAD']],
    ['#,##0.00\\ "kr."', ['kr.']],
    ['#,##0.00\\ [$zł-415]', ['zł']],
    ['"€/h" 0.00', ['€']],
    ['"¤"0.00', []],
    ['0.00;[$€-407]0.00', []],
    ['General" €"', ['€']],
    ['[$ج.م.\u200f-C01]\\ #,##0.00', ['ج.م.']],
  ] as const)
    it(`${code} shows the currency ${signs.join(' and ') || 'of none'}`, () =>
      assert.deepEqual(readFormat(200, code).signs, signs));

  it('is not read if it is longer than Excel allows: it could take minutes', () => {
    for (const unit of ['[', '[$', '[$€-', '0'])
      assert.deepEqual(
        [readFormat(200, unit.repeat(100_000)).kind, readFormat(200, unit.repeat(100_000)).signs],
        ['other', []],
      );
    assert.equal(readFormat(200, `0${'0'.repeat(254)}`).kind, 'plain');
  });

  it('shows no certain currency where it has no code, because each program has its own', () => {
    for (const id of [5, 7, 42, 44]) assert.deepEqual(readFormat(id, undefined).signs, []);
    assert.deepEqual(readFormat(44, '_-"£"* #,##0.00_-').signs, ['£']);
  });

  it('tells whether it shows nothing but digits', () => {
    for (const code of ['0', '00000', 'General', '0.00']) assert.ok(readFormat(200, code).isBare, code);
    for (const code of ['#,##0', '"INV-"0', '0 ', '$0']) assert.ok(!readFormat(200, code).isBare, code);
    assert.equal(readFormat(200, '00000').digits, 5);
  });
});

describe('the number of a cell', () => {
  for (const [stored, decimal] of [
    ['0.30000000000000004', '0.3'],
    ['1.0000000000000001E-2', '0.01'],
    ['1e-7', '0.0000001'],
    ['1.5E-7', '0.00000015'],
    ['-2.50', '-2.5'],
    ['1E14', '100000000000000'],
    ['999999999999999', '999999999999999'],
    ['1234567890.12', '1234567890.12'],
    ['0', '0'],
  ] as const)
    it(`${stored} is ${decimal}`, () => assert.equal(decimalOf(stored), decimal));

  for (const stored of [
    '',
    'x',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1e999',
    '1000000000000000',
    '12345678901234.56',
  ])
    it(`${stored === '' ? 'an empty value' : stored} cannot be trusted`, () =>
      assert.equal(decimalOf(stored), undefined));
});

describe('the day of a cell', () => {
  it('counts from 1900 or 1904', () => {
    assert.equal(dayOf('61', false), '1900-03-01');
    assert.equal(dayOf('46113', false), '2026-04-01');
    assert.equal(dayOf('0', true), '1904-01-01');
    assert.equal(dayOf('44651', true), '2026-04-01');
    assert.equal(dayOf('2958465', false), '9999-12-31');
  });

  it('is refused with a time, before March 1900, or after the last day of Excel', () => {
    for (const stored of ['46113.5', '60', '-1', '2958466', 'x', ''])
      assert.equal(dayOf(stored, false), undefined);
    assert.equal(dayOfIso('2026-04-01T00:00:00'), '2026-04-01');
    assert.equal(dayOfIso('2026-04-01T12:00:00'), undefined);
  });
});

describe('the place of a cell', () => {
  it('has the letters of its column', () => {
    for (const [column, letters] of [
      [0, 'A'],
      [25, 'Z'],
      [26, 'AA'],
      [701, 'ZZ'],
      [702, 'AAA'],
      [16_383, 'XFD'],
    ] as const) {
      assert.equal(columnLetters(column), letters);
      assert.deepEqual(cellPlace(`${letters}7`), {column, row: 7});
    }
    for (const name of ['A0', 'a1', '1A', 'XFE1', 'A1048577', 'AAAA1', ''])
      assert.equal(cellPlace(name), undefined);
  });

  it('has the name of its sheet, quoted where Excel quotes it', () => {
    assert.equal(quotedSheet('Payouts'), 'Payouts');
    assert.equal(quotedSheet("Ann's 2026"), "'Ann''s 2026'");
  });
});
