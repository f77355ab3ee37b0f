import assert from 'node:assert/strict';
import fc from 'fast-check';
import {AmountFormats} from '../../../src/batch/input/amount-format.ts';
import type {Issue} from '../../../src/batch/model/issue.ts';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {RemitError} from '../../../src/errors.ts';
import {formatMajor, groupMajor} from '../../../src/money/amount.ts';
import {Bench, payeeId} from '../harness.ts';

describe('amounts of a file with commas', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  const planOf = (amounts: readonly (string | [string, string])[], options: Partial<PlanRequest> = {}) => {
    const rows = amounts.map((given, i) => {
      const [amount, currency] = typeof given === 'string' ? [given, 'USD'] : given;
      return `INV-${i + 1},${payeeId(i + 1)},"${amount}",${currency}\n`;
    });
    return bench.plan(
      bench.file('p.csv', `reference,payee_id,amount,currency_code\n${rows.join('')}`),
      options,
    );
  };

  async function errorsOf(work: Promise<unknown>): Promise<Issue[]> {
    const error = await work.then(
      () => assert.fail('it was planned'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RemitError, String(error));
    return error.details!['errors'] as Issue[];
  }

  const read: [string, readonly (string | [string, string])[], Record<string, string>][] = [
    ['thousands beside decimals', ['1,497.13'], {USD: '1497.13'}],
    ['thousands where the currency has two decimals', ['1,497', '0.50'], {USD: '1497.50'}],
    ['thousands where the currency has none', [['1,497', 'JPY'], '1.00'], {JPY: '1497', USD: '1.00'}],
    ['two groups', ['1,000,000', '0.50'], {USD: '1000000.50'}],
    ['a decimal comma', ['12,50', '3,5'], {USD: '16.00'}],
    ['points between thousands', ['1.497,13', '1.000'], {USD: '2497.13'}],
    [
      'three decimals that another amount proves',
      [
        ['1,497', 'KWD'],
        ['12,5', 'KWD'],
      ],
      {KWD: '13.997'},
    ],
    [
      'thousands that another amount proves',
      [
        ['1,497', 'KWD'],
        ['12.5', 'KWD'],
      ],
      {KWD: '1509.500'},
    ],
    [
      'three decimals after a point',
      [
        ['1.497', 'KWD'],
        ['2,000.5', 'KWD'],
      ],
      {KWD: '2001.997'},
    ],
  ];
  for (const [what, amounts, totals] of read)
    it(`are read with ${what}, and the plan says how`, async () => {
      const {plan} = await planOf(amounts);
      assert.deepEqual(plan.figures.totals, totals);
      assert.equal(plan.warnings.length, 1);
      assert.match(
        plan.warnings[0]!,
        /amounts are read as 1[,.]234[,.]56: .* on line \d+ is [\d.]+ [A-Z]{3}/,
      );
    });

  const refused: [string, readonly (string | [string, string])[], [number, string][]][] = [
    ['may be thousands or decimals', [['1,497', 'KWD']], [[2, 'amount-grouping']]],
    ['may be decimals or thousands', [['1.497', 'KWD']], [[2, 'amount-ambiguous']]],
    ['has a decimal too many', ['1.497', '2.00'], [[2, 'amount-too-many-decimals']]],
    ['has a decimal too many and is alone', ['1.497'], [[2, 'amount-too-many-decimals']]],
    ['is of no format', ['1,49,7.13', '1.00'], [[2, 'amount-grouping']]],
    [
      'is written in another way than the others',
      ['12,50', '7.25', '1,497'],
      [
        [2, 'amount-grouping'],
        [4, 'amount-grouping'],
      ],
    ],
  ];
  for (const [what, amounts, want] of refused)
    it(`are refused when one ${what}`, async () => {
      const errors = await errorsOf(planOf(amounts));
      assert.deepEqual(
        errors.filter(({row}) => row > 0).map(({line, code}) => [line, code]),
        want,
      );
    });

  it('are refused with both readings if amounts contradict each other', async () => {
    const [error] = await errorsOf(planOf(['7.25', '12,50']));
    assert.match(
      error!.message,
      /a decimal point in some amounts \(7\.25 on line 2\) and a decimal comma in others \(12,50 on line 3\).*--number-format/,
    );
    assert.equal(error!.value, '12,50');
    const {plan, errors} = await planOf(['7.25', '12,50'], {validOnly: true});
    assert.deepEqual([plan.figures.totals, errors.length], [{USD: '7.25'}, 1]);
  });

  it('are read despite a contradiction if they are unambiguous by themselves', async () => {
    const amounts: [string, string][] = ['1,497.13', '2,000.00', '12,5', '1,000,000', '1,497'].map((text) => [
      text,
      'USD',
    ]);
    amounts.push(['1.497', 'KWD']);
    const {plan, errors} = await planOf(amounts, {validOnly: true});
    assert.deepEqual(plan.figures.totals, {USD: '1003497.13'});
    assert.deepEqual(
      errors.map(({line, code, value}) => [line, code, value]),
      [
        [4, 'amount-grouping', '12,5'],
        [6, 'amount-grouping', '1,497'],
        [7, 'amount-grouping', '1.497'],
      ],
    );
  });

  it('that may be thousands or decimals are not said to have no decimal point', async () => {
    const errors = await errorsOf(planOf([['1,497', 'KWD']]));
    assert.deepEqual(
      errors.map(({code}) => code),
      ['amount-grouping'],
    );
  });

  it('prove nothing in a row whose currency is unknown', async () => {
    const errors = await errorsOf(
      planOf([
        ['1,497', 'KWD'],
        ['12.50', 'XQX'],
      ]),
    );
    assert.deepEqual(
      errors.map(({code}) => code),
      ['amount-grouping', 'currency'],
    );
  });

  it('are counted in file order for rows without references', async () => {
    const text = `payee_id,amount,currency_code\n${payeeId(1)},"1,000.00",USD\n${payeeId(1)},1000.00,USD\n`;
    const first = await bench.plan(bench.file('p.csv', text), {namespace: 'n'});
    assert.deepEqual([first.plan.figures.rows, first.plan.figures.softDuplicates.count], [2, 1]);
    assert.equal((await bench.plan(bench.file('p.csv', text), {namespace: 'n'})).fresh, false);
  });

  it('are found repeated, whichever way they are written', async () => {
    const rows = ['1,000.00', '1000.00', '1,000'].map((amount, i) => `R${i},${payeeId(1)},"${amount}",USD\n`);
    const text = `reference,payee_id,amount,currency_code\n${rows.join('')}`;
    const {plan} = await bench.plan(bench.file('p.csv', text));
    assert.equal(plan.figures.softDuplicates.count, 2);
  });

  it('of two thousand rows are all read', async () => {
    const amounts = Array.from({length: 2100}, (_, i) => `1,${String(i % 1000).padStart(3, '0')}.50`);
    const {plan} = await planOf(amounts);
    const cents = amounts.reduce((sum, amount) => sum + BigInt(amount.replace(/\D/g, '')), 0n);
    assert.deepEqual([plan.figures.rows, plan.figures.totals], [2100, {USD: formatMajor(cents, 'USD')}]);
  });

  const lone: [string, string, string][] = [
    ['amounts without a decimal point, one in lower case', 'usd', '1.50'],
    ['an unknown currency', 'XQX', '1.50'],
  ];
  it(`are planned with ${lone[0]![0]}`, async () => {
    const {plan} = await planOf([['1.50', 'usd']]);
    assert.deepEqual(plan.figures.totals, {USD: '1.50'});
  });

  it('with an unknown currency are refused for the currency alone', async () => {
    const errors = await errorsOf(
      planOf([
        ['1.50', 'XQX'],
        ['2.25', 'XQX'],
      ]),
    );
    assert.deepEqual(
      errors.map(({line, code}) => [line, code]),
      [
        [2, 'currency'],
        [3, 'currency'],
      ],
    );
  });

  it('need a unit if only rows with errors have a decimal point', async () => {
    for (const validOnly of [false, true]) {
      const errors = await errorsOf(planOf([['1.50', 'XQX'], '20'], {validOnly}));
      assert.deepEqual(
        errors.map(({code}) => code),
        ['amount-unit', 'currency'],
      );
      assert.match(errors[0]!.message, /only rows with errors have an amount with a decimal point/);
    }
  });
});

describe('the format of amounts', () => {
  it('is found from any amount of two decimals that is grouped', () => {
    fc.assert(
      fc.property(fc.bigInt(100_000n, 10n ** 14n), fc.boolean(), (minor, comma) => {
        const grouped = groupMajor(formatMajor(minor, 'USD'));
        const text = comma ? grouped.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.')) : grouped;
        const formats = new AmountFormats();
        formats.note(text, 'USD', 2);
        assert.equal(formats.found().format, comma ? '1.234,56' : '1,234.56');
      }),
    );
  });

  it('is not found from an amount of three digits after one sign in a currency of three decimals', () => {
    fc.assert(
      fc.property(fc.integer({min: 1, max: 999}), fc.integer({min: 0, max: 999}), (whole, rest) => {
        for (const sign of ['.', ',']) {
          const formats = new AmountFormats();
          formats.note(`${whole}${sign}${String(rest).padStart(3, '0')}`, 'KWD', 2);
          assert.deepEqual(formats.found(), {format: undefined, doubt: undefined});
        }
      }),
    );
  });
});
