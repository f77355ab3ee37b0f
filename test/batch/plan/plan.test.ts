import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import fc from 'fast-check';
import {fingerprintOf} from '../../../src/batch/model/identity.ts';
import type {Issue} from '../../../src/batch/model/issue.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {exponentOf} from '../../../src/money/currencies.ts';
import {formatMajor} from '../../../src/money/amount.ts';
import {RemitError, type ErrorCode} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const row = (n: number, amount = '10.00') => `INV-${n},${payeeId(n)},${amount},USD\n`;

describe('the plan of a batch', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  const planText = (text: string | Buffer, options: Partial<PlanRequest> = {}) =>
    bench.plan(bench.file('p.csv', text), options);

  async function refusal(work: Promise<unknown>, code: ErrorCode = 'CSV_INVALID'): Promise<RemitError> {
    const error = await work.then(
      () => assert.fail('it was planned'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RemitError, String(error));
    assert.equal(error.code, code);
    return error;
  }

  const placesOf = (error: RemitError) =>
    (error.details!['errors'] as Issue[]).map(({line, row: n, column, code}) => [line, n, column, code]);

  /** Rows and cells as the journal holds them. */
  async function planned() {
    const batch = await openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1'},
      ...{purpose: 'look', clock: bench.clock},
    });
    const rows = batch.journal.rows.after(0, 10_000);
    const cells = [...batch.journal.report.everything()].map(
      (record) => JSON.parse(record['cells']) as string[],
    );
    await batch.close();
    return {rows, cells, plan: batch.plan};
  }

  it('contains every row, its figures and its origin', async () => {
    const text =
      'reference,payee_id,amount,currency_code,rail,scheduled_date\n' +
      `A,${payeeId(1)},10.50,USD,wire,2026-04-01\n` +
      ',,,,,\n' +
      `B,${payeeId(2)},0.25,USD,,\n` +
      `C,${payeeId(3)},99,JPY,wire,2026-03-05\n`;
    const {plan, fresh, errors} = await planText(text);
    assert.deepEqual([fresh, errors, plan.revision, plan.namespace], [true, [], 1, 'default']);
    assert.deepEqual([plan.emptyRecords, plan.invalidRows, plan.warnings], [1, 0, []]);
    assert.equal(plan.file.bytes, Buffer.byteLength(text));
    const {figures} = plan;
    assert.equal(figures.rows, 3);
    assert.deepEqual(figures.totals, {USD: '10.75', JPY: '99'});
    assert.deepEqual(figures.rails, [
      {rail: null, currency: 'USD', rows: 1, total: '0.25'},
      {rail: 'wire', currency: 'JPY', rows: 1, total: '99'},
      {rail: 'wire', currency: 'USD', rows: 1, total: '10.50'},
    ]);
    assert.deepEqual(figures.maximaMinor, {USD: '1050', JPY: '99'});
    assert.deepEqual([figures.firstScheduled, figures.lastScheduled], ['2026-03-05', '2026-04-01']);
    assert.equal(figures.largest.reference, 'A');
    assert.equal(figures.largest.line, 2);
  });

  it('of a large file has a journal with larger pages', async () => {
    const pageBytes = () =>
      readFileSync(join(bench.stateDir, 'batches', 'payout', 'b1', 'journal.db')).readUInt16BE(16);
    await bench.plan(bench.payouts(3));
    assert.equal(pageBytes(), 4096);
    const {plan} = await bench.plan(bench.payouts(22_000, 'large.csv'));
    assert.ok(plan.file.bytes > 1024 * 1024);
    assert.equal(pageBytes(), 16_384);
    assert.equal(plan.figures.rows, 22_000);
  });

  it('reports every error of the file in one pass, by line, row and column', async () => {
    const error = await refusal(
      planText(
        'Invoice,payee_id,amount,currency_code\n' +
          `A,${payeeId(1)},10.00,USD\n` +
          `,x,10.00,usdd\n` +
          '\n' +
          `B,${payeeId(2)}\n` +
          `A,${payeeId(3)},1.00,USD\n`,
        {mapping: {reference: 'Invoice'}},
      ),
    );
    assert.equal(error.exitCode, 5);
    assert.match(error.message, /p\.csv has 6 errors in 4 rows; nothing was sent/);
    assert.deepEqual(placesOf(error), [
      [2, 1, 'Invoice', 'reference-repeated'],
      [3, 2, 'Invoice', 'reference-missing'],
      [3, 2, 'payee_id', 'uuid'],
      [3, 2, 'currency_code', 'currency'],
      [5, 3, '', 'ragged'],
      [6, 4, 'Invoice', 'reference-repeated'],
    ]);
    assert.equal(error.details!['errors_total'], 6);
    assert.match(error.hint!, /--valid-only/);
  });

  it('leaves nothing behind when it is refused', async () => {
    await refusal(planText('reference\n'));
    assert.deepEqual(readdirSync(join(bench.stateDir, 'batches', 'payout')), []);
  });

  it('of only the valid rows leaves out every copy of a repeated reference', async () => {
    const {plan, errors} = await planText(HEADER + row(1) + row(2) + row(1, '11.00') + 'x,y,z,USD\n', {
      validOnly: true,
    });
    assert.deepEqual([plan.figures.rows, plan.invalidRows, plan.figures.totals], [1, 3, {USD: '10.00'}]);
    assert.deepEqual(
      errors.map(({line, code}) => [line, code]),
      [
        [2, 'reference-repeated'],
        [4, 'reference-repeated'],
        [5, 'uuid'],
        [5, 'amount-not-a-number'],
      ],
    );
    assert.match(errors[0]!.message, /line 4/);
  });

  it('treats NFC-equivalent references as one', async () => {
    const error = await refusal(
      planText(`${HEADER}Zu\u0308,${payeeId(1)},1.00,USD\nZ\u00fc,${payeeId(2)},1.00,USD\n`),
    );
    assert.equal(placesOf(error).length, 2);
  });

  for (const [what, text, message] of [
    ['is empty', '', /p\.csv is empty/],
    ['holds only a mark', '\ufeff', /p\.csv is empty/],
    ['holds only blank lines', '\n \r\n\n', /p\.csv is empty/],
    ['holds only a header', HEADER, /a header and no rows/],
    ['holds a header and blank lines', `${HEADER}\n,,,\n`, /a header and no rows/],
  ] as const) {
    it(`is refused when the file ${what}`, async () => {
      const error = await refusal(planText(text));
      assert.match(error.message, message);
      assert.match(error.hint ?? '', /template/);
    });
  }

  it('is refused when no row is left without errors', async () => {
    const error = await refusal(planText(`${HEADER}A,x,1.00,USD\n`, {validOnly: true}));
    assert.match(error.message, /no row without errors/);
    assert.deepEqual(placesOf(error), [[2, 1, 'payee_id', 'uuid']]);
  });

  it('is made of a file with a byte order mark', async () => {
    const {plan} = await planText(`\ufeff${HEADER}${row(1)}`);
    assert.equal(plan.header[0], 'reference');
  });

  describe('of amounts without a decimal point', () => {
    const bare = HEADER + row(1, '1500') + row(2, '20');

    it('is refused until the unit is given, also with --valid-only', async () => {
      for (const validOnly of [false, true]) {
        const error = await refusal(planText(bare, {validOnly}));
        assert.deepEqual(placesOf(error), [[0, 0, 'amount', 'amount-unit']]);
        assert.match((error.details!['errors'] as Issue[])[0]!.message, /--amount-unit major/);
      }
    });

    for (const [unit, total] of [
      ['major', '1520.00'],
      ['minor', '15.20'],
    ] as const) {
      it(`is made when they are ${unit} units`, async () =>
        assert.deepEqual((await planText(bare, {amountUnit: unit})).plan.figures.totals, {USD: total}));
    }

    it('is made when one row proves the unit', async () =>
      assert.deepEqual((await planText(bare + row(3, '0.50'))).plan.figures.totals, {USD: '1520.50'}));

    it('is refused if only thousands are separated', async () => {
      const text = HEADER.replaceAll(',', ';') + `A;${payeeId(1)};1,500;USD\n`;
      const error = await refusal(planText(text, {numberFormat: '1,234.56'}));
      assert.deepEqual(placesOf(error), [[0, 0, 'amount', 'amount-unit']]);
    });
  });

  describe('from a pipe', () => {
    const fromPipe = (text: string, options: Partial<PlanRequest> = {}) =>
      bench.plan('-', {stdin: Readable.from([Buffer.from(text)]), ...options});

    it('is made like any other', async () => {
      const {plan} = await fromPipe(HEADER + row(1));
      assert.deepEqual([plan.file.name, plan.file.folder, plan.figures.rows], ['stdin', process.cwd(), 1]);
    });

    it('is refused without a final newline, because the pipe may have been cut', async () => {
      const cut = HEADER + row(1) + `INV-2,${payeeId(2)},1`;
      const error = await refusal(fromPipe(cut + '\n'.slice(1), {amountUnit: 'major', currency: 'USD'}));
      assert.match(error.message, /may be truncated/);
    });

    it('is made without one if that is accepted', async () => {
      const {plan} = await fromPipe(HEADER + row(1).trimEnd(), {allowCutInput: true});
      assert.equal(plan.warnings.length, 1);
    });
  });

  it('warns of a file without a final newline', async () => {
    const {plan} = await planText(HEADER + row(1).trimEnd());
    assert.match(plan.warnings[0]!, /does not end with a newline/);
    assert.deepEqual((await planText(HEADER + row(2))).plan.warnings, []);
  });

  it('warns of card and account numbers in references and metadata, and shows their ends only', async () => {
    const head = 'reference,payee_id,amount,currency_code,metadata.note\n';
    const line = (reference: string, note: string) => `${reference},${payeeId(1)},1.50,USD,${note}\n`;
    const warn = async (...lines: string[]) => (await planText(head + lines.join(''))).plan.warnings;
    const [warning, ...others] = await warn(
      line('INV-1', 'rent'),
      line('4111111111111111', 'rent'),
      line('INV-3', 'paid to DE89 3704 0044 0532 0130 00'),
      line('INV-4', 'card 4111 1111 1111 1111'),
    );
    assert.deepEqual(others, []);
    assert.match(warning!, /^3 rows have what looks like .* \(…1111 on line 3\)/);
    assert.doesNotMatch(warning!, /\d{5}/);
    assert.deepEqual(await warn(line('20261122000017', '018f0000-0000-7000-8000-000000000001')), []);
  });

  it('is named by file and content when it gets no name', async () => {
    const {plan} = await planText(HEADER + row(1), {batchId: undefined});
    assert.equal(plan.batchId, `p-${plan.file.sha256.slice(0, 8)}`);
  });

  for (const batchId of ['../x', 'a/b', '.', 'x.lock', ''])
    it(`is refused under the name ${JSON.stringify(batchId)}`, () =>
      refusal(planText(HEADER + row(1), {batchId}), 'USAGE'));

  it('is the same plan when made twice from the same content', async () => {
    const first = await planText(HEADER + row(1));
    const again = await planText(HEADER + row(1));
    assert.deepEqual([first.fresh, again.fresh], [true, false]);
    assert.deepEqual(again.plan, first.plan);
  });

  it('has a hash that changes with every part of every row, and with nothing else', async () => {
    const hashOf = async (text: string, options: Partial<PlanRequest> = {}) =>
      (await planText(text, {batchId: undefined, ...options})).plan.planHash;
    const hash = await hashOf(HEADER + row(1) + row(2));
    assert.equal(await hashOf(`\ufeff${HEADER}${row(1)}${row(2, '"10.00"')}`.replaceAll('\n', '\r\n')), hash);
    for (const other of [
      HEADER + row(2) + row(1),
      HEADER + row(1),
      HEADER + row(1) + row(2, '10.01'),
      HEADER + row(1) + row(2).replace('INV', 'INW'),
      (HEADER + row(1) + row(2)).replaceAll('USD', 'EUR'),
    ])
      assert.notEqual(await hashOf(other), hash);
    assert.notEqual(await hashOf(HEADER + row(1) + row(2), {namespace: 'other'}), hash);
  });

  it('finds rows that look paid twice', async () => {
    const same = (reference: string) => `${reference},${payeeId(7)},5.00,USD\n`;
    const {plan} = await planText(HEADER + same('A') + row(1) + same('B') + same('C') + row(2));
    assert.equal(plan.figures.softDuplicates.count, 2);
    assert.deepEqual(plan.figures.softDuplicates.examples, [
      {references: ['A', 'B', 'C'], party: payeeId(7), currency: 'USD', amount: '5.00'},
    ]);
  });

  it('finds references that differ only in case or spaces', async () => {
    const {plan} = await planText(
      HEADER + ['Inv 1', 'INV1', 'inv-1'].map((name, n) => row(n).replace(`INV-${n}`, name)).join(''),
    );
    assert.deepEqual(plan.figures.similarReferences, {count: 1, examples: [['Inv 1', 'INV1']]});
  });

  it('of a file without references names rows by content and occurrence', async () => {
    const text = `payee_id,amount,currency_code\n${payeeId(1)},5.00,USD\n${payeeId(2)},5.00,USD\n${payeeId(1)},5.00,USD\n`;
    await refusal(planText(text));
    const {plan} = await planText(text, {namespace: 'payroll'});
    assert.equal(plan.hasReferences, false);
    const {rows} = await planned();
    const name = (index: number) => fingerprintOf(rows[index]!);
    assert.deepEqual(
      rows.map(({reference}) => reference),
      [`content:${name(0)}:1`, `content:${name(1)}:1`, `content:${name(0)}:2`],
    );
  });

  it('is stored where other users cannot read it', async () => {
    if (process.platform === 'win32') return;
    await planText(HEADER + row(1));
    const folder = join(bench.stateDir, 'batches', 'payout', 'b1');
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  });

  it('is refused when the state folder is a file', async () => {
    writeFileSync(bench.stateDir, 'x');
    const error = await refusal(planText(HEADER + row(1)), 'STATE');
    assert.equal(error.exitCode, 13);
    assert.match(error.message, new RegExp(bench.stateDir));
    assert.match(error.hint!, /--state-dir/);
  });

  it('is refused when the state folder cannot be written', async () => {
    if (!existsSync('/proc/version')) return; // root writes everywhere but there
    const error = await refusal(planText(HEADER + row(1), {stateDir: '/proc/remit'}), 'STATE');
    assert.match(
      error.message,
      /Could not make the folder \/proc\/remit\/batches\/payout.*: it does not exist/,
    );
  });

  it('contains exactly what a correct writer wrote, and sums it exactly', async () => {
    const amounts = fc
      .constantFrom('USD', 'EUR', 'JPY', 'KWD')
      .chain((currency) =>
        fc.bigInt({min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER)}).map((minor) => ({currency, minor})),
      );
    const rowOf = fc.record({
      amount: amounts,
      party: fc.uuid(),
      rail: fc.constantFrom('', 'wire', 'standard_ach'),
      note: fc.string({unit: 'grapheme', maxLength: 20}).filter((text) => !text.includes('\0')),
      inMajor: fc.boolean(),
    });
    const shape = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      all: fc.boolean(),
      mark: fc.boolean(),
      minor: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, {minLength: 1, maxLength: 10}), shape, async (rows, how) => {
        const quote = (text: string) =>
          how.all || /["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const table = rows.map(({amount, party, rail, note}, n) => [
          `R ${n}`,
          party,
          how.minor ? String(amount.minor) : formatMajor(amount.minor, amount.currency),
          amount.currency,
          rail,
          note,
        ]);
        const header = [
          'reference',
          'payee_id',
          how.minor ? 'amount_in_minor_units' : 'amount',
          'currency_code',
          'rail',
          'metadata.note',
        ];
        const text = [header, ...table]
          .map((cells) => cells.map(quote).join(how.delimiter) + how.end)
          .join('');
        await bench.plan(bench.file('q.csv', (how.mark ? '\ufeff' : '') + text), {
          amountUnit:
            how.minor || rows.some(({amount}) => exponentOf(amount.currency) !== 0) ? undefined : 'major',
          numberFormat: '1234.56',
        });
        const found = await planned();
        assert.deepEqual(found.cells, table);
        assert.deepEqual(
          found.rows.map(({amount, currency, party}) => [BigInt(amount), currency, party]),
          rows.map(({amount, party}) => [amount.minor, amount.currency, party]),
        );
        assert.deepEqual(
          found.rows.map(({metadata}) => metadata),
          rows.map(({note}) => (note.trim() === '' ? null : JSON.stringify({note: note.trim()}))),
        );
        const sums = new Map<string, bigint>();
        for (const {amount} of rows)
          sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor);
        assert.deepEqual(
          found.plan.figures.totals,
          Object.fromEntries([...sums].map(([currency, sum]) => [currency, formatMajor(sum, currency)])),
        );
      }),
      {numRuns: 25},
    );
  });
});
