import assert from 'node:assert/strict';
import {readHeader} from '../../../src/batch/input/columns.ts';
import {KINDS} from '../../../src/batch/model/kinds.ts';
import type {Decimals} from '../../../src/batch/input/amounts.ts';
import {readRow, type RowRules, scheduleDay} from '../../../src/batch/input/rows.ts';
import {payeeId} from '../harness.ts';

const RULES: RowRules = {
  kind: KINDS.payout,
  amountUnit: undefined,
  numberFormat: undefined,
  currency: undefined,
  today: '2026-03-02',
};
const GOOD = {
  reference: 'INV-1',
  payee_id: payeeId(1),
  amount: '1500.75',
  currency_code: 'USD',
  rail: 'standard_ach',
  override_default_payment_method_id: payeeId(2),
  subaccount_id: payeeId(3),
  scheduled_date: '2026-03-02',
  'metadata.note': 'November',
  'metadata.a': 'b',
};

/** Reads one record whose cells are those of GOOD with some changed; undefined takes a column out. */
function read(changes: Record<string, string | undefined> = {}, rules: Partial<RowRules> = {}) {
  const cells = Object.entries({...GOOD, ...changes}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const {map, issues} = readHeader(
    cells.map(([name]) => name),
    KINDS.payout,
    {mapping: {}, ignored: [], needsReference: false, defaultCurrency: true},
  );
  assert.deepEqual(issues, []);
  return readRow({row: 7, line: 9, cells: cells.map(([, text]) => text)}, map, {...RULES, ...rules});
}

describe('a row of a batch', () => {
  it('has ids that are not UUIDs if the service has them: as typed, and UUIDs in lower case', () => {
    const {row, issues} = read(
      {
        payee_id: 'usr_Ab.1',
        subaccount_id: payeeId(3).toUpperCase(),
        override_default_payment_method_id: 'PM-1',
      },
      {ids: 'any'},
    );
    assert.deepEqual(issues, []);
    assert.deepEqual([row?.party, row?.subaccount, row?.method], ['usr_Ab.1', payeeId(3), 'PM-1']);
    for (const bad of ['a b', '=A1', '-1', 'a"b', '1.8E+31', 'x'.repeat(145), 'ü'])
      assert.deepEqual(
        read({payee_id: bad}, {ids: 'any'}).issues.map(({code}) => code),
        ['uuid'],
        bad,
      );
    const same = (ids?: 'any') => read({}, {ids}).row?.fingerprint;
    assert.equal(same('any'), same());
  });

  it('is read with ids in lower case, amounts in minor units, metadata in one order', () => {
    const {row, issues} = read({payee_id: ` ${payeeId(1).toUpperCase()} `, reference: ' Zu\u0308rich '});
    assert.deepEqual(issues, []);
    const {fingerprint, ...rest} = row!;
    assert.match(fingerprint, /^[\w-]{22}$/);
    assert.deepEqual(rest, {
      row: 7,
      line: 9,
      reference: 'Z\u00fcrich',
      fold: 'z\u00fcrich',
      party: payeeId(1),
      amount: 150075,
      currency: 'USD',
      rail: 'standard_ach',
      method: payeeId(2),
      subaccount: payeeId(3),
      scheduled: '2026-03-02',
      metadata: '{"a":"b","note":"November"}',
    });
  });

  it('leaves out what is empty', () => {
    const {row} = read({
      rail: '',
      override_default_payment_method_id: ' ',
      subaccount_id: '',
      scheduled_date: '',
      'metadata.note': '',
      'metadata.a': ' ',
    });
    assert.deepEqual(
      [row!.rail, row!.method, row!.subaccount, row!.scheduled, row!.metadata],
      [null, null, null, null, null],
    );
  });

  it('has the fingerprint of its content, regardless of its reference and position', () => {
    assert.equal(read({reference: 'X'}).row!.fingerprint, read({reference: 'Y'}).row!.fingerprint);
    assert.notEqual(read({amount: '1500.76'}).row!.fingerprint, read().row!.fingerprint);
    assert.notEqual(read({'metadata.a': 'c'}).row!.fingerprint, read().row!.fingerprint);
  });

  const wrong: [string, Record<string, string | undefined>, [string, string], Partial<RowRules>?][] = [
    ['an empty reference', {reference: ' '}, ['reference', 'reference-missing']],
    ['a formula for a reference', {reference: '=A1'}, ['reference', 'reference-formula']],
    [
      'a reference that a spreadsheet damaged',
      {reference: '1.91431E+18'},
      ['reference', 'reference-excel-damaged'],
    ],
    ['an empty payee', {payee_id: ''}, ['payee_id', 'missing']],
    ['a payee that is no UUID', {payee_id: 'acme'}, ['payee_id', 'uuid']],
    ['a payee that a spreadsheet damaged', {payee_id: '1.8E+31'}, ['payee_id', 'uuid']],
    [
      'a payment method that is no UUID',
      {override_default_payment_method_id: 'x'},
      ['override_default_payment_method_id', 'uuid'],
    ],
    ['a subaccount that is no UUID', {subaccount_id: 'x'}, ['subaccount_id', 'uuid']],
    ['an unknown rail', {rail: 'ach'}, ['rail', 'rail']],
    ['a rail in capitals', {rail: 'WIRE'}, ['rail', 'rail']],
    ['no currency', {currency_code: ''}, ['currency_code', 'missing']],
    ['a currency that is none', {currency_code: 'XYZ'}, ['currency_code', 'currency']],
    ['a currency without minor unit', {currency_code: 'XAU'}, ['currency_code', 'currency']],
    ['no amount', {amount: ''}, ['amount', 'amount-empty']],
    ['an amount of spaces', {amount: '  '}, ['amount', 'amount-empty']],
    ['an amount with a no-break space', {amount: '12.00\u00a0'}, ['amount', 'amount-not-ascii']],
    ['a negative amount', {amount: '-12.00'}, ['amount', 'amount-sign']],
    ['an amount with a plus', {amount: '+12.00'}, ['amount', 'amount-sign']],
    ['an amount in parentheses', {amount: '(12.00)'}, ['amount', 'amount-sign']],
    ['an amount with a currency sign', {amount: '$12.00'}, ['amount', 'amount-currency-sign']],
    ['an amount with the sign of another currency', {amount: '€12.00'}, ['amount', 'currency-sign']],
    ['an amount with the code of another currency', {amount: '12.00 eur'}, ['amount', 'currency-sign']],
    ['an amount with a currency', {amount: '12.00 USD'}, ['amount', 'amount-currency-sign']],
    ['a grouped amount', {amount: '1,200.00'}, ['amount', 'amount-grouping']],
    ['an amount with a decimal comma', {amount: '12,00'}, ['amount', 'amount-grouping']],
    [
      'an amount that may mean thousands',
      {amount: '1.234', currency_code: 'KWD'},
      ['amount', 'amount-ambiguous'],
    ],
    ['too many decimals', {amount: '12.345678'}, ['amount', 'amount-too-many-decimals']],
    [
      'decimals of a currency without any',
      {amount: '12.5', currency_code: 'JPY'},
      ['amount', 'amount-too-many-decimals'],
    ],
    ['an exponent', {amount: '1.2E3'}, ['amount', 'amount-exponent']],
    ['hexadecimal digits', {amount: '0x10'}, ['amount', 'amount-hex']],
    ['full-width digits', {amount: '１２.00'}, ['amount', 'amount-not-ascii']],
    ['a hard space', {amount: '1\u00a0200.00'}, ['amount', 'amount-not-ascii']],
    ['an unended decimal', {amount: '12.'}, ['amount', 'amount-incomplete']],
    ['two decimal points', {amount: '12.0.0'}, ['amount', 'amount-grouping']],
    ['words', {amount: 'twelve'}, ['amount', 'amount-not-a-number']],
    ['nothing to pay', {amount: '0.00'}, ['amount', 'amount-zero']],
    ['more than JSON can hold', {amount: '90071992547409.92'}, ['amount', 'amount-too-large']],
    [
      'a decimal in minor units',
      {amount: undefined, amount_in_minor_units: '12.00'},
      ['amount_in_minor_units', 'amount-not-digits'],
    ],
    [
      'a decimal in an amount that was said to be in minor units',
      {amount: '12.00'},
      ['amount', 'amount-not-digits'],
      {amountUnit: 'minor'},
    ],
    ['a day in another form', {scheduled_date: '03/02/2026'}, ['scheduled_date', 'date']],
    ['a day without zeros', {scheduled_date: '2026-3-2'}, ['scheduled_date', 'date']],
    ['a day that does not exist', {scheduled_date: '2026-02-31'}, ['scheduled_date', 'date']],
    ['a day with a time', {scheduled_date: '2026-03-02T10:00'}, ['scheduled_date', 'date']],
    ['a day in the past', {scheduled_date: '2026-03-01'}, ['scheduled_date', 'date']],
    ['metadata of 501 characters', {'metadata.note': 'x'.repeat(501)}, ['metadata.note', 'metadata']],
  ];
  for (const [what, changes, [column, code], rules] of wrong) {
    it(`is refused with ${what}, by row and column`, () => {
      const {row, issues} = read(changes, rules);
      assert.equal(row, undefined);
      assert.deepEqual(
        issues.map((issue) => [issue.row, issue.line, issue.column, issue.code]),
        [[7, 9, column, code]],
      );
      assert.ok(issues[0]!.message.length > 5, issues[0]!.message);
    });
  }

  it('reports all of its errors at once', () => {
    const {issues} = read({reference: '', payee_id: 'x', amount: '', rail: 'x', scheduled_date: 'x'});
    assert.deepEqual(
      issues.map(({column}) => column),
      ['reference', 'payee_id', 'amount', 'rail', 'scheduled_date'],
    );
  });

  it('has as many cells as the header, or is ragged', () => {
    const {map} = readHeader(['reference', 'payee_id', 'amount', 'currency_code'], KINDS.payout, {
      ...{mapping: {}, ignored: [], needsReference: true, defaultCurrency: false},
    });
    for (const cells of [['A'], ['A', payeeId(1), '1', '200.00', 'USD']]) {
      const {row, issues} = readRow({row: 1, line: 2, cells}, map, RULES);
      assert.equal(row, undefined);
      assert.deepEqual(
        issues.map(({code, line}) => [code, line]),
        [['ragged', 2]],
      );
      assert.match(issues[0]!.message, new RegExp(`${cells.length} cells, but the header has 4`));
    }
  });

  it('counts all of its metadata, the reference included', () => {
    const many = Object.fromEntries(Array.from({length: 32}, (_, n) => [`metadata.k${n}`, '€'.repeat(170)]));
    const {issues} = read(many);
    assert.deepEqual(
      issues.map(({code}) => code),
      ['metadata'],
    );
    assert.match(issues[0]!.message, /larger than 16384 bytes/);
  });

  it('accepts 500 characters of metadata, counted as code points', () =>
    assert.deepEqual(read({'metadata.note': '\u{1f4b6}'.repeat(500)}).issues, []));

  it('never shows a long number in full, whatever its column', () => {
    const number = '4111111111111111';
    for (const column of ['reference', 'payee_id', 'amount', 'currency_code', 'rail', 'scheduled_date']) {
      const {issues} = read({[column]: `x${number}`});
      const text = JSON.stringify(issues);
      assert.ok(!text.includes(number), text);
    }
  });

  it('uses its own currency, otherwise that for rows without one', () => {
    assert.equal(read({currency_code: ''}, {currency: 'EUR'}).row!.currency, 'EUR');
    assert.equal(read({currency_code: undefined}, {currency: 'EUR'}).row!.currency, 'EUR');
    assert.equal(read({}, {currency: 'EUR'}).row!.currency, 'USD');
  });

  const units: [string, string, Partial<RowRules>, string, number, Decimals][] = [
    ['major units', '1500', {}, 'USD', 150000, 'none'],
    ['major units with decimals', '1500.5', {}, 'USD', 150050, 'proven'],
    ['major units as said', '1500', {amountUnit: 'major'}, 'USD', 150000, 'none'],
    ['minor units as said', '1500', {amountUnit: 'minor'}, 'USD', 1500, 'none'],
    ['a declared format', '1.500,5', {numberFormat: '1.234,56'}, 'EUR', 150050, 'proven'],
    ['groups of a declared format', '1,500', {numberFormat: '1,234.56'}, 'USD', 150000, 'none'],
    ['groups with dots', '1.500', {numberFormat: '1.234,56'}, 'EUR', 150000, 'none'],
    ['a currency without decimals', '1500', {}, 'JPY', 1500, 'none'],
    ['a currency with three decimals', '1.5', {}, 'KWD', 1500, 'proven'],
  ];
  for (const [what, amount, rules, currency, minor, decimals] of units) {
    it(`reads ${amount} as ${what}: ${minor} minor units${decimals === 'proven' ? ', which its decimals prove' : ''}`, () => {
      const read1 = read({amount, currency_code: currency}, rules);
      assert.equal(read1.row!.amount, minor);
      assert.equal(read1.decimals, decimals);
    });
  }

  it('proves no unit by an amount that is wrong itself', () =>
    assert.notEqual(read({amount: '12.3.4'}).decimals, 'proven'));

  it('only sees the decimals of an amount whose currency is unknown', () =>
    assert.equal(read({amount: '1.50', currency_code: 'XQX'}).decimals, 'seen'));

  it('may have its currency in lower case', () => {
    const {fingerprint} = read({}).row!;
    assert.equal(read({currency_code: 'usd'}).row!.currency, 'USD');
    assert.equal(read({currency_code: ' Usd '}).row!.fingerprint, fingerprint);
    assert.equal(read({currency_code: ''}, {currency: 'usd'}).row!.fingerprint, fingerprint);
  });
});

describe('the day of a schedule', () => {
  for (const [at, day] of [
    ['2026-03-02T04:59:59Z', '2026-03-01'],
    ['2026-03-02T05:00:00Z', '2026-03-02'],
    ['2026-07-01T03:59:59Z', '2026-06-30'],
    ['2026-07-01T04:00:00Z', '2026-07-01'],
  ] as const) {
    it(`is ${day} at ${at}, for it is kept in New York`, () =>
      assert.equal(scheduleDay(Date.parse(at)), day));
  }
});
