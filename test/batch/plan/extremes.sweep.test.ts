import assert from 'node:assert/strict';
import type {Issue} from '../../../src/batch/model/issue.ts';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {RemitError} from '../../../src/errors.ts';
import {formatMajor} from '../../../src/money/amount.ts';
import {Bench, payeeId} from '../harness.ts';

describe('a plan of unusual files', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  const plan = (text: string, options: Partial<PlanRequest> = {}) =>
    bench.plan(bench.file('p.csv', text), options);
  const errorsOf = async (text: string): Promise<Issue[]> => {
    const error = await plan(text).then(
      () => assert.fail('it was planned'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RemitError, String(error));
    assert.equal(error.code, 'CSV_INVALID');
    return (error.details?.['errors'] ?? []) as Issue[];
  };

  for (const rows of [1, 2, 999, 1000, 1001, 2500])
    for (const [name, end] of [
      ['LF', '\n'],
      ['CRLF', '\r\n'],
      ['CR', '\r'],
    ] as const)
      it(`has ${rows} rows that end in ${name}, with a byte order mark, quoted line ends and mixed amounts`, async () => {
        const cents = (i: number) => 100_000n + BigInt(i) * 101n;
        const amount = (i: number) => {
          const plain = formatMajor(cents(i), 'USD');
          return i % 2 === 0 ? plain : plain.replace(/^(\d+)(\d{3}\.)/, '$1,$2');
        };
        const lines = Array.from({length: rows}, (_, i) => {
          const note = i % 3 === 0 ? `"a""b,${end}c"` : '';
          return `R-${i},${payeeId(i)},"${amount(i)}",${i % 5 === 0 ? 'usd' : 'USD'},${note},secret`;
        });
        const header = 'Reference,Payee ID,Amount,Currency Code,metadata.note,Account';
        const text = `\ufeff${[header, ...lines].join(end)}${end}`;
        const {plan: planned} = await plan(text, {ignored: ['account']});
        const total = Array.from({length: rows}, (_, i) => cents(i)).reduce((sum, one) => sum + one, 0n);
        assert.deepEqual(
          [planned.figures.rows, planned.figures.totals],
          [rows, {USD: formatMajor(total, 'USD')}],
        );
        assert.equal((await plan(text, {ignored: ['account']})).fresh, false);
      });

  it('has no rows, or nothing at all', async () => {
    assert.deepEqual(await errorsOf('reference,payee_id,amount,currency_code\n'), []);
    assert.deepEqual(await errorsOf('reference,payee_id,amount,currency_code\r\n,,,\r\n\r\n'), []);
    for (const text of ['', '\n', '\ufeff', ' \r\n\t', 'sep=;', 'sep=,\r\n\r\n']) await errorsOf(text);
  });

  const digits = '7'.repeat(1_000_000);
  const long: [string, string][] = [
    ['amount', digits],
    ['amount', `${digits}.50`],
    ['amount', `"${'1,'.repeat(400_000)}000"`],
    ['amount', '1.'.repeat(500_000)],
    ['reference', digits],
    ['payee_id', digits],
    ['currency_code', digits],
  ];
  for (const [column, text] of long)
    it(`refuses ${column} of ${text.length} characters, ${text.slice(0, 4)}…, in short words`, async () => {
      const cells: Record<string, string> = {
        reference: 'A',
        payee_id: payeeId(1),
        amount: '1.00',
        currency_code: 'USD',
      };
      cells[column] = text;
      const began = performance.now();
      const errors = await errorsOf(`${Object.keys(cells).join(',')}\n${Object.values(cells).join(',')}\n`);
      assert.ok(performance.now() - began < 5000);
      assert.ok(errors.some((issue) => issue.column === column));
      for (const {message, value} of errors)
        assert.ok(message.length + value.length < 300, message.slice(0, 400));
      assert.ok(!JSON.stringify(errors).includes('77777777'));
    });

  it('refuses a header of a million digits, and of a hundred thousand columns, in short words', async () => {
    const [error] = await errorsOf(`${digits}\n1\n`);
    assert.ok(JSON.stringify(error).length < 500);
    const wide = await errorsOf(`${'x,'.repeat(100_000)}x\n1\n`);
    assert.ok(wide.length > 100_000);
  });
});
