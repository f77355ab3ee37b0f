import assert from 'node:assert/strict';
import {readHeader} from '../../../src/batch/input/columns.ts';
import {KINDS} from '../../../src/batch/model/kinds.ts';
import {columnsOf} from '../../../src/batch/model/row-fields.ts';

type Options = Parameters<typeof readHeader>[2];

const read = (cells: string[], options: Partial<Options> = {}, kind: 'payout' | 'payin' = 'payout') =>
  readHeader(cells, KINDS[kind], {
    mapping: {},
    ignored: [],
    needsReference: true,
    defaultCurrency: false,
    ...options,
  });

const NEEDED = ['reference', 'payee_id', 'amount', 'currency_code'];

describe('the header of a batch file', () => {
  it('may contain every known column, in any order', () => {
    const cells = columnsOf('payout')
      .filter((name) => name !== 'amount_in_minor_units')
      .toReversed();
    const {map, issues} = read(cells);
    assert.deepEqual(issues, []);
    assert.deepEqual(map.at, Object.fromEntries(cells.map((name, index) => [name, index])));
  });

  it('of payins names the payer and the payment method', () => {
    assert.deepEqual(
      read(['reference', 'payer_id', 'payment_method_id', 'amount', 'currency_code'], {}, 'payin').issues,
      [],
    );
    assert.deepEqual(
      read(NEEDED, {}, 'payin').issues.map(({column, code}) => [column, code]),
      [
        ['payee_id', 'unknown-column'],
        ['payer_id', 'missing-column'],
      ],
    );
  });

  it('is matched regardless of case and surrounding spaces, and kept as written', () => {
    const {map, issues} = read([' Reference', 'PAYEE_ID ', '\tAmount', 'Currency_Code']);
    assert.deepEqual(issues, []);
    assert.deepEqual(map.at, {reference: 0, payee_id: 1, amount: 2, currency_code: 3});
    assert.deepEqual(map.headers, [' Reference', 'PAYEE_ID ', '\tAmount', 'Currency_Code']);
  });

  it('is matched regardless of spaces, underscores and hyphens', () => {
    const {map, issues} = read([
      'Reference',
      'Payee ID',
      'Amount in Minor-Units',
      'currencyCode',
      'SUBACCOUNT  ID',
    ]);
    assert.deepEqual(issues, []);
    assert.deepEqual(map.at, {
      reference: 0,
      payee_id: 1,
      amount_in_minor_units: 2,
      currency_code: 3,
      subaccount_id: 4,
    });
  });

  it('is refused when two headers have the same meaning, and names both', () => {
    const {issues} = read([...NEEDED, 'Payee ID']);
    assert.deepEqual(
      issues.map(({column, code}) => [column, code]),
      [['Payee ID', 'duplicate-column']],
    );
    assert.match(issues[0]!.message, /column 2 \(payee_id\).*--ignore-column 'Payee ID'/);
    assert.deepEqual(read([...NEEDED, 'Payee ID'], {ignored: ['Payee ID']}).map.at['payee_id'], 1);
    assert.deepEqual(read([...NEEDED, 'Payee ID'], {ignored: ['payee_id']}).map.at['payee_id'], 4);
    assert.doesNotMatch(read([...NEEDED, 'amount']).issues[0]!.message, /--ignore-column/);
  });

  it('is mapped and ignored by the typed spelling before any other', () => {
    const cells = ['Invoice No', 'invoice_no', 'payee_id', 'amount', 'currency_code'];
    const {map, issues} = read(cells, {mapping: {reference: 'invoice_no'}, ignored: ['Invoice No']});
    assert.deepEqual(issues, []);
    assert.equal(map.at['reference'], 1);
    assert.deepEqual(map.kept, [1, 2, 3, 4]);
    const loose = read(['Invoice No', ...NEEDED.slice(1)], {mapping: {reference: 'INVOICE_NO'}});
    assert.deepEqual(loose.issues, []);
    assert.equal(loose.map.at['reference'], 0);
  });

  it('shows no account number of a file whose first line is data', () => {
    const {issues} = read(['INV-1', '4111111111111111', 'DE12 5001 0517 5407 3249 31', '100.00', 'USD']);
    const text = JSON.stringify(issues);
    assert.doesNotMatch(text, /4111111111111111|0517|12 5001/);
    assert.match(text, /first line of the file must be the header/);
  });

  const wrong: [string, string[], Partial<Options>, [string, string][]][] = [
    ['lacks the reference', NEEDED.slice(1), {}, [['reference', 'missing-column']]],
    ['lacks the payee', ['reference', 'amount', 'currency_code'], {}, [['payee_id', 'missing-column']]],
    ['lacks any amount', ['reference', 'payee_id', 'currency_code'], {}, [['amount', 'missing-column']]],
    ['lacks the currency', NEEDED.slice(0, 3), {}, [['currency_code', 'missing-column']]],
    ['has both amounts', [...NEEDED, 'amount_in_minor_units'], {}, [['amount', 'duplicate-column']]],
    ['names a column twice', [...NEEDED, 'Amount '], {}, [['Amount ', 'duplicate-column']]],
    [
      'names a metadata key twice',
      [...NEEDED, 'metadata.a', 'Metadata.a'],
      {},
      [['Metadata.a', 'duplicate-column']],
    ],
    ['has an unknown column', [...NEEDED, 'Remarks'], {}, [['Remarks', 'unknown-column']]],
    ['has a column without a name', [...NEEDED, ' '], {}, [['', 'unnamed-column']]],
    ['has an empty metadata key', [...NEEDED, 'metadata.'], {}, [['metadata.', 'metadata']]],
    [
      'has a metadata key of 41 characters',
      [...NEEDED, `metadata.${'k'.repeat(41)}`],
      {},
      [[`metadata.${'k'.repeat(41)}`, 'metadata']],
    ],
    [
      'takes the metadata key of the reference',
      [...NEEDED, 'metadata.remit_reference'],
      {},
      [['metadata.remit_reference', 'metadata']],
    ],
    [
      'has more metadata keys than are left to the user',
      [...NEEDED, ...Array.from({length: 50}, (_, n) => `metadata.k${n}`)],
      {},
      [['', 'metadata']],
    ],
    ['lacks a mapped column', NEEDED, {mapping: {rail: 'Way'}}, [['Way', 'missing-column']]],
    [
      'is mapped to a column that does not exist',
      [...NEEDED, 'Way'],
      {mapping: {raill: 'Way'}},
      [
        ['Way', 'unknown-column'],
        ['Way', 'unknown-column'],
      ],
    ],
    ['lacks an ignored column', NEEDED, {ignored: ['Remarks']}, [['Remarks', 'missing-column']]],
    [
      'lacks a column that is ignored although it is needed',
      NEEDED,
      {ignored: ['amount']},
      [['amount', 'missing-column']],
    ],
    [
      'has a column and another one mapped to it',
      [...NEEDED, 'Invoice'],
      {mapping: {reference: 'Invoice'}},
      [['Invoice', 'duplicate-column']],
    ],
    [
      'has a column that is mapped twice',
      [...NEEDED, 'Way'],
      {mapping: {rail: 'Way', 'metadata.way': 'way'}},
      [['way', 'duplicate-column']],
    ],
    [
      'has a column that is mapped and ignored',
      [...NEEDED, 'Way'],
      {mapping: {rail: 'Way'}, ignored: ['way']},
      [['Way', 'duplicate-column']],
    ],
  ];
  for (const [what, cells, options, expected] of wrong) {
    it(`is refused when it ${what}`, () => {
      const {issues} = read(cells, options);
      assert.deepEqual(
        issues.map(({column, code}) => [column, code]),
        expected,
      );
      for (const issue of issues) {
        assert.equal(issue.line, 1);
        assert.ok(issue.message.length > 10);
      }
    });
  }

  it('is read by the names of --map, which take precedence over those of the file', () => {
    const {map, issues} = read(['Invoice', 'reference', 'Payee', 'Sum', 'Cur', 'Note'], {
      mapping: {
        reference: 'invoice',
        payee_id: 'Payee',
        amount: 'Sum',
        currency_code: 'Cur',
        'metadata.Note': 'Note',
      },
      ignored: ['reference'],
    });
    assert.deepEqual(issues, []);
    assert.deepEqual(map.at, {reference: 0, payee_id: 2, amount: 3, currency_code: 4});
    assert.deepEqual(map.metadata, [{key: 'Note', index: 5, header: 'Note'}]);
  });

  it('keeps the case of metadata keys, in which they are sent', () => {
    const {map} = read([...NEEDED, 'METADATA.CostCentre']);
    assert.deepEqual(map.metadata, [{key: 'CostCentre', index: 4, header: 'METADATA.CostCentre'}]);
  });

  it('may leave out the reference under a namespace, and the currency when one is given for all', () => {
    assert.deepEqual(read(['payee_id', 'amount'], {needsReference: false, defaultCurrency: true}).issues, []);
  });

  for (const [typed, meant] of [
    ['payee', 'payee_id'],
    ['refrence', 'reference'],
    ['currency', 'currency_code'],
    ['amount_minor', 'amount_in_minor_units'],
    ['Cents', 'amount_in_minor_units'],
    ['schedule_date', 'scheduled_date'],
  ] as const) {
    it(`asks whether ${typed} means ${meant}`, () =>
      assert.match(read([...NEEDED, typed]).issues[0]!.message, new RegExp(`did you mean ${meant}\\b`)));
  }

  it('shows how to map a column, but never into which unit of amounts', () => {
    assert.match(read([...NEEDED, 'Payee']).issues[0]!.message, /--map payee_id=Payee reads it/);
    assert.match(read([...NEEDED, 'amount_minor']).issues[0]!.message, /--map NAME=amount_minor reads it/);
  });

  it('suggests nothing for a column unlike any other', () =>
    assert.doesNotMatch(read([...NEEDED, 'Bemerkung']).issues[0]!.message, /did you mean/));
});
