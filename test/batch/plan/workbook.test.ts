import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import type {Issue} from '../../../src/batch/model/issue.ts';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {RemitError, type ErrorCode} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {type Cell, changed, FORMATS, parts, type Sheet, STRUCK, workbook, zip} from '../workbook/xlsx.ts';

const HEADER = ['reference', 'payee_id', 'amount', 'currency_code'];
const row = (n: number, amount: Cell = '10.00'): Cell[] => [`INV-${n}`, payeeId(n), amount, 'USD'];
const money = (v: string): Cell => ({v, s: FORMATS.money.style});
const sheetOf = (rows: readonly (readonly Cell[])[], more: Partial<Sheet> = {}): Sheet => ({
  name: 'Payouts',
  rows: [HEADER, ...rows],
  ...more,
});

describe('the plan of a workbook', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  const planBytes = (bytes: Buffer, options: Partial<PlanRequest> = {}) =>
    bench.plan(bench.file('p.xlsx', bytes), options);
  const planSheet = (sheet: Sheet, options: Partial<PlanRequest> = {}) =>
    planBytes(workbook([sheet]), options);

  async function refusal(work: Promise<unknown>, code: ErrorCode = 'CSV_INVALID'): Promise<RemitError> {
    const error = await work.then(
      () => assert.fail('it was planned'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RemitError, String(error instanceof Error ? error.stack : error));
    assert.equal(error.code, code);
    assert.deepEqual(readdirSync(join(bench.stateDir, 'batches', 'payout')), [], 'nothing is left behind');
    return error;
  }

  async function planned() {
    const batch = await openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1'},
      ...{purpose: 'look', clock: bench.clock},
    });
    const rows = batch.journal.rows.after(0, 10_000);
    await batch.close();
    return {rows, plan: batch.plan};
  }

  /** The one error of one row whose cell in this column is this. */
  async function issueOf(column: string, cell: Cell, options: Partial<PlanRequest> = {}): Promise<Issue> {
    const header = HEADER.includes(column) ? HEADER : [...HEADER, column];
    const cells = [...row(1), ...(HEADER.includes(column) ? [] : [null])];
    cells[header.indexOf(column)] = cell;
    const error = await refusal(
      planBytes(workbook([{name: 'Payouts', rows: [header, row(7), cells]}]), options),
    );
    const issues = error.details!['errors'] as Issue[];
    assert.equal(issues.length, 1, JSON.stringify(issues));
    return issues[0]!;
  }

  /** What a cell of this column is read as. */
  async function read(column: string, cell: Cell, options: Parameters<typeof workbook>[1] = {}) {
    const header = HEADER.includes(column) ? HEADER : [...HEADER, column];
    const cells = [...row(1), ...(HEADER.includes(column) ? [] : [null])];
    cells[header.indexOf(column)] = cell;
    const {plan} = await planBytes(workbook([{name: 'Payouts', rows: [header, cells, row(7)]}], options));
    const {rows} = await planned();
    return {row: rows[0]!, warnings: plan.warnings};
  }

  for (const inline of [false, true])
    it(`is that of the CSV with the same rows, with ${inline ? 'inline' : 'shared'} texts`, async () => {
      const csv = `${HEADER.join(',')}\nINV-1,${payeeId(1)},10.50,USD\nINV-2,${payeeId(2)},3,USD\n`;
      const {plan} = await bench.plan(bench.file('p.csv', csv), {batchId: 'csv'});
      const bytes = workbook([sheetOf([row(1, money('10.5')), row(2, 3)])], {inline});
      const {plan: same} = await planBytes(bytes);
      assert.equal(same.planHash, plan.planHash);
      assert.deepEqual(same.figures, plan.figures);
      assert.deepEqual([same.sheet, same.file.bytes], ['Payouts', bytes.length]);
    });

  it('keeps the shared texts out of the state folder', async () => {
    await planSheet(sheetOf([row(1)]));
    assert.deepEqual(readdirSync(join(bench.stateDir, 'batches', 'payout')), ['b1']);
    assert.ok(!existsSync(join(bench.stateDir, 'batches', 'payout', 'b1', 'texts')));
  });

  it('names the cell of each error', async () => {
    const error = await refusal(planSheet(sheetOf([row(1), row(2, 'ten'), ['INV-3', 'x', '1.00', 'USD']])));
    const issues = error.details!['errors'] as Issue[];
    assert.deepEqual(
      issues.map(({cell, line, row: n, column}) => [cell, line, n, column]),
      [
        ['Payouts!C3', 3, 2, 'amount'],
        ['Payouts!B4', 4, 3, 'payee_id'],
      ],
    );
  });

  it('counts empty rows, and reads a table that does not begin in A1', async () => {
    const shift = (cells: readonly Cell[]): Cell[] => [null, ...cells];
    const rows = [[], HEADER, row(1), [], ['  '], row(2, 'x')].map(shift);
    const error = await refusal(planBytes(workbook([{name: 'Nov 2026', rows}])));
    assert.equal((error.details!['errors'] as Issue[])[0]!.cell, "'Nov 2026'!D6");
    const good = [[], HEADER, row(1), [], ['  '], row(2), []].map(shift);
    const {plan} = await planBytes(workbook([{name: 'Nov 2026', rows: good}]));
    assert.deepEqual([plan.figures.rows, plan.emptyRecords], [2, 3]);
    assert.equal(plan.figures.largest.line, 3);
  });

  it('refuses a value in a column without a header', async () => {
    const error = await refusal(planSheet(sheetOf([row(1), [...row(2), null, 'note']])));
    const [issue] = error.details!['errors'] as Issue[];
    assert.deepEqual([issue!.code, issue!.cell, issue!.value], ['outside-table', 'Payouts!3:3', '']);
    assert.match(issue!.message, /cell F3 has a value/);
  });

  describe('amounts', () => {
    for (const [stored, minor] of [
      ['0.30000000000000004', 30],
      ['1234.5599999999999', 123_456],
      ['1E2', 10_000],
      ['2.0E-2', 2],
      ['99999999999.99', 9_999_999_999_999],
    ] as const)
      it(`reads the number ${stored} as Excel shows it`, async () =>
        assert.equal((await read('amount', {v: stored, s: FORMATS.money.style})).row.amount, minor));

    it('are refused if they are shown in another currency than that of the row', async () => {
      const issue = await issueOf('amount', {v: '10', s: FORMATS.euro.style});
      assert.deepEqual([issue.code, issue.cell, issue.value], ['currency-sign', 'Payouts!C3', '10']);
      assert.match(issue.message, /^is shown with €, but the currency of the row is USD; correct the one/);
    });

    it('are grouped by their sign', async () => {
      const rows = [
        row(1, {v: '10', s: FORMATS.euro.style}),
        row(2, {v: '11', s: FORMATS.euro.style}),
        [...row(3, {v: '12', s: FORMATS.dollar.style}).slice(0, 3), 'EUR'],
      ];
      const error = await refusal(planSheet(sheetOf(rows)));
      const groups = error.details!['error_groups'] as {count: number; examples: Issue[]}[];
      assert.deepEqual(
        groups.map(({count, examples}) => [count, /with (\S+), but/u.exec(examples[0]!.message)![1]]),
        [
          [2, '€'],
          [1, '$'],
        ],
      );
    });

    it('are refused if they are shown in another currency than that of all rows', async () => {
      const rows = [HEADER.slice(0, 3), ['INV-1', payeeId(1), {v: '10', s: FORMATS.dollar.style}]];
      const error = await refusal(planBytes(workbook([{name: 'Payouts', rows}]), {currency: 'eur'}));
      const [issue] = error.details!['errors'] as Issue[];
      assert.match(issue!.message, /^is shown with \$, but the currency of the row is EUR/);
    });

    it('are refused in minor units as well', async () => {
      const header = ['reference', 'payee_id', 'amount_in_minor_units', 'currency_code'];
      const cells = ['INV-1', payeeId(1), {v: '10', s: FORMATS.wholeDollar.style}, 'EUR'];
      const error = await refusal(planBytes(workbook([{name: 'Payouts', rows: [header, cells]}])));
      assert.equal((error.details!['errors'] as Issue[])[0]!.code, 'currency-sign');
    });

    it('are empty in the stored row if they are refused, since a CSV would not show the sign', async () => {
      await planSheet(sheetOf([row(1), row(2, {v: '10', s: FORMATS.euro.style})]), {validOnly: true});
      const cells = await bench.inDatabase((db) =>
        db.prepare<{cells: string}>('select cells from cells where n = 2').one(),
      );
      assert.deepEqual(JSON.parse(cells.cells), ['INV-2', payeeId(2), '', 'USD']);
    });

    it('are read if their sign is used for the currency of the row', async () => {
      for (const [style, code] of [
        [FORMATS.dollar.style, 'USD'],
        [FORMATS.dollar.style, 'AUD'],
        [FORMATS.code.style, 'usd'],
        [FORMATS.euro.style, 'EUR'],
        [FORMATS.money.style, 'EUR'],
      ] as const) {
        const cells = ['INV-1', payeeId(1), {v: '10.5', s: style}, code];
        const {plan} = await planSheet(sheetOf([cells]), {batchId: `b-${style}-${code.toLowerCase()}`});
        assert.deepEqual(plan.figures.totals, {[code.toUpperCase()]: '10.50'});
      }
    });

    it('that are texts do not show the sign of their format', async () => {
      const {row: read1} = await read('amount', {v: '10.00', s: FORMATS.euro.style, t: 'str'});
      assert.equal(read1.amount, 1000);
    });

    it('of numbers have one reading whatever the number format of texts', async () => {
      const {plan} = await planSheet(sheetOf([row(1, money('1234.5')), row(2, '1.234,50')]), {
        numberFormat: '1.234,56',
      });
      assert.deepEqual(plan.figures.totals, {USD: '2469.00'});
    });

    it('of three decimals are read in a currency that has them', async () => {
      const cells = ['INV-1', payeeId(1), 1.497, 'KWD'];
      const {plan} = await planSheet(sheetOf([cells]));
      assert.deepEqual(plan.figures.totals, {KWD: '1.497'});
    });

    it('in whole numbers need a unit, unless they are shown with decimals', async () => {
      const error = await refusal(planSheet(sheetOf([row(1, 1500), row(2, 20)])));
      assert.equal((error.details!['errors'] as Issue[])[0]!.code, 'amount-unit');
      const {plan} = await planSheet(sheetOf([row(1, money('1500')), row(2, 20)]));
      assert.deepEqual(plan.figures.totals, {USD: '1520.00'});
    });

    for (const [what, cell, code] of [
      ['more decimals than it shows', {v: '10.255', s: FORMATS.money.style}, 'hidden-decimals'],
      ['decimals that it hides', {v: '10.5', s: FORMATS.whole.style}, 'hidden-decimals'],
      ['more decimals than the currency', 10.255, 'amount-too-many-decimals'],
      ['more than 15 digits', {v: '12345678901234.56'}, 'excel-damaged'],
      ['a date', {v: '46000', s: FORMATS.day.style}, 'cell-date'],
      ['a digit of their format', {v: '10.5', s: FORMATS.digit.style}, 'cell-format'],
      [
        'a text with a digit of its format before it',
        {v: '10.50', s: FORMATS.digitBefore.style, t: 'str'},
        'cell-format',
      ],
      [
        'a text with a digit of its format after it',
        {v: '10.50', s: FORMATS.digitAfter.style, t: 'str'},
        'cell-format',
      ],
      ['a percentage', {v: '0.5', s: FORMATS.percent.style}, 'cell-format'],
      ['scientific notation', {v: '1000', s: FORMATS.scientific.style}, 'cell-format'],
      ['TRUE', {v: '1', t: 'b'}, 'cell-boolean'],
      ['#N/A', {v: '#N/A', t: 'e'}, 'cell-error'],
      ['no saved result', {v: '', f: 'SUM(A1:A2)'}, 'no-result'],
      ['a negative number', -5, 'amount-sign'],
    ] as const)
      it(`that contain ${what} are refused`, async () => {
        const issue = await issueOf('amount', cell);
        assert.deepEqual([issue.code, issue.cell], [code, 'Payouts!C3'], issue.message);
      });

    it('in minor units may not be shown with decimals', async () => {
      const header = ['reference', 'payee_id', 'amount_in_minor_units', 'currency_code'];
      const bytes = (cell: Cell) => workbook([{name: 'S', rows: [header, row(1, cell)]}]);
      const error = await refusal(planBytes(bytes(money('1500'))));
      assert.equal((error.details!['errors'] as Issue[])[0]!.code, 'amount-minor');
      assert.deepEqual((await planBytes(bytes(1500))).plan.figures.totals, {USD: '15.00'});
    });

    it('of formulas are their saved results, which the plan reports', async () => {
      const {row: first, warnings} = await read('amount', {v: '12.5', f: 'A1*2'});
      assert.equal(first.amount, 1250);
      assert.match(warnings.join('\n'), /1 cell is a formula \(Payouts!C2\)/);
    });
  });

  describe('references', () => {
    it('that are numbers keep their digits, and the plan warns', async () => {
      const {row: first, warnings} = await read('reference', 1001);
      assert.equal(first.reference, '1001');
      assert.match(
        warnings.join('\n'),
        /1 cell of the column reference is a number \(Payouts!A2\): zeros at their beginning/,
      );
    });

    it('that are shown with leading zeros keep them', async () => {
      const {row: first, warnings} = await read('reference', {v: '123', s: FORMATS.padded.style});
      assert.deepEqual([first.reference, warnings], ['00123', []]);
    });

    it('of several runs of text are joined, without phonetic text', async () => {
      const all = changed(parts([sheetOf([row(1)])]), 'xl/sharedStrings.xml', (xml) =>
        xml.replace(
          '<si><t xml:space="preserve">INV-1</t></si>',
          '<si><r><rPr><b/></rPr><t>INV</t></r><r><t>-_x0031_</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si>',
        ),
      );
      await planBytes(zip(all));
      assert.equal((await planned()).rows[0]!.reference, 'INV-1');
    });

    for (const [what, cell, code] of [
      ['more than 15 digits', {v: '1234567890123450'}, 'excel-damaged'],
      ['a long number in scientific notation', {v: '1.2345678901234E+17'}, 'excel-damaged'],
      ['a number shown in scientific notation', {v: '123456', s: FORMATS.scientific.style}, 'excel-damaged'],
      ['a number with decimals', 1.1, 'excel-damaged'],
      ['a date', {v: '46082', s: FORMATS.day.style}, 'cell-date'],
      ['an ISO date', {v: '2026-03-01', t: 'd'}, 'cell-date'],
      [
        'a text with a digit of its format',
        {v: 'INV-2', s: FORMATS.digitAfter.style, t: 'str'},
        'cell-format',
      ],
      ['a number with text of its format', {v: '7', s: FORMATS.labelled.style}, 'cell-format'],
      ['a number shown with decimals', {v: '7', s: FORMATS.money.style}, 'cell-format'],
      ['FALSE', {v: '0', t: 'b'}, 'cell-boolean'],
      ['#REF!', {v: '#REF!', t: 'e'}, 'cell-error'],
    ] as const)
      it(`that contain ${what} are refused`, async () => {
        const issue = await issueOf('reference', cell);
        assert.deepEqual([issue.code, issue.cell], [code, 'Payouts!A3'], issue.message);
      });
  });

  describe('dates', () => {
    it('are days of the date system of the workbook', async () => {
      const cell = {v: '46113', s: FORMATS.day.style};
      assert.equal((await read('scheduled_date', cell)).row.scheduled, '2026-04-01');
      const since1904 = {v: String(46_113 - 1462), s: FORMATS.day.style};
      assert.equal((await read('scheduled_date', since1904, {is1904: true})).row.scheduled, '2026-04-01');
      assert.equal(
        (await read('scheduled_date', {v: '2026-04-01T00:00:00', t: 'd'})).row.scheduled,
        '2026-04-01',
      );
      assert.equal((await read('scheduled_date', '2026-04-01')).row.scheduled, '2026-04-01');
      assert.equal((await read('metadata.due', cell)).row.metadata, '{"due":"2026-04-01"}');
    });

    for (const [what, cell] of [
      ['a time of day', {v: '46113.5', s: FORMATS.time.style}],
      ['a number', 46_113],
      ['a day before Excel counts right', {v: '60', s: FORMATS.day.style}],
    ] as const)
      it(`that contain ${what} are refused`, async () => {
        const issue = await issueOf('scheduled_date', cell);
        assert.deepEqual([issue.code, issue.cell], ['date', 'Payouts!E3'], issue.message);
      });
  });

  it('writes metadata as it is shown', async () => {
    assert.equal((await issueOf('metadata.note', {v: '0.5', s: FORMATS.percent.style})).code, 'cell-format');
    for (const [cell, text] of [
      [12.5, '12.5'],
      [{v: '7', s: FORMATS.money.style}, '7.00'],
      [{v: '7', s: FORMATS.padded.style}, '00007'],
      [{v: '1', t: 'b'}, 'TRUE'],
      [{v: 'a_x000A_b', t: 'str', f: 'B1'}, 'a\nb'],
    ] as const)
      assert.equal((await read('metadata.note', cell)).row.metadata, JSON.stringify({note: text}));
  });

  describe('hidden rows', () => {
    const sheet = sheetOf([row(1), row(2), [], row(3)], {hidden: [3, 4, 5]});

    it('are refused, with the command that includes them', async () => {
      const error = await refusal(planSheet(sheet, {retype: (words) => `again ${words.join(' ')}`}));
      assert.match(
        error.message,
        /sheet Payouts has 2 rows that are hidden, filtered out or struck through \(3, 5\)/,
      );
      assert.match(error.hint!, /again --accept hidden-rows=2/);
    });

    it('are included if their number is stated, and the plan says so', async () => {
      await refusal(planSheet(sheet, {allowHiddenRows: 3}));
      await refusal(planSheet(sheetOf([row(1)]), {allowHiddenRows: 1}));
      const {plan} = await planSheet(sheet, {allowHiddenRows: 2});
      assert.equal(plan.figures.rows, 3);
      assert.match(
        plan.warnings.join('\n'),
        /2 rows of the sheet are hidden, filtered out or struck through, and included/,
      );
    });

    it('are also those with a cell that is struck through, in its style or in a part of its text', async () => {
      const [first, second, third] = [row(1), row(2), row(3)];
      const styled = sheetOf([first, [...second.slice(0, 2), {v: '10.00', s: STRUCK}, ...second.slice(3)]]);
      const error = await refusal(planSheet(styled));
      assert.match(error.message, /has 1 row that is hidden, filtered out or struck through \(3\)/);
      const rich = changed(parts([sheetOf([first, third])]), 'xl/sharedStrings.xml', (xml) =>
        xml.replace(
          /<si><t xml:space="preserve">INV-3<\/t><\/si>/,
          '<si><r><t>IN</t></r><r><rPr><strike/><sz val="11"/></rPr><t>V-3</t></r></si>',
        ),
      );
      const partly = await refusal(planBytes(zip(rich)));
      assert.match(partly.message, /has 1 row that is hidden, filtered out or struck through \(3\)/);
      const inline = changed(
        parts([sheetOf([first, third])], {inline: true}),
        'xl/worksheets/sheet1.xml',
        (xml) =>
          xml.replace(
            '<is><t xml:space="preserve">INV-3</t></is>',
            '<is><r><rPr><strike/></rPr><t>INV-3</t></r></is>',
          ),
      );
      await refusal(planBytes(zip(inline)));
      const plain = changed(rich, 'xl/sharedStrings.xml', (xml) =>
        xml.replace('<strike/>', '<strike val="0"/>'),
      );
      assert.equal((await planBytes(zip(plain))).plan.figures.rows, 2);
    });
  });

  describe('a rule of conditional formatting', () => {
    const ruled = (sqref: string, dxf: string) => {
      const styled = changed(parts([sheetOf([row(1), row(2)])]), 'xl/styles.xml', (xml) =>
        xml.replace(/<dxfs>.*<\/dxfs>/, `<dxfs count="1"><dxf>${dxf}</dxf></dxfs>`),
      );
      const rule = `<conditionalFormatting sqref="${sqref}"><cfRule type="expression" dxfId="0" priority="1"><formula>$E2="paid"</formula></cfRule></conditionalFormatting>`;
      return zip(
        changed(styled, 'xl/worksheets/sheet1.xml', (xml) =>
          xml.replace('</worksheet>', `${rule}</worksheet>`),
        ),
      );
    };

    for (const dxf of ['<font><strike/></font>', '<numFmt numFmtId="200" formatCode="&quot;paid&quot;"/>'])
      it(`on rows of the table is refused with its range: ${dxf}`, async () => {
        const error = await refusal(planBytes(ruled('H9 A2:D9', dxf)));
        assert.match(error.message, /conditional formatting in the table that strikes .*: Payouts!A2:D9$/);
      });

    it('that only colours cells, or is elsewhere, is ignored', async () => {
      for (const bytes of [
        ruled('A2:D9', '<font><strike val="0"/></font><fill/>'),
        ruled('A1:D1 H1:I9', '<font><strike/></font>'),
      ])
        assert.equal((await planBytes(bytes)).plan.figures.rows, 2);
    });
  });

  it('warns about hidden columns that are used', async () => {
    const {plan} = await planSheet(sheetOf([row(1)], {hiddenColumns: [2, 9]}));
    assert.deepEqual(plan.warnings, ['the column amount (Payouts!C) is hidden in the sheet, and is used']);
  });

  it('refuses merged cells in the table, and ignores others', async () => {
    const error = await refusal(planSheet(sheetOf([row(1), row(2)], {merged: ['A2:A3', 'H1:I4']})));
    assert.match(error.message, /merged cells in the table: Payouts!A2:A3$/);
    const {plan} = await planSheet(sheetOf([row(1)], {merged: ['H1:I4', 'A9:D9']}));
    assert.equal(plan.figures.rows, 1);
  });

  describe('sheets', () => {
    const [first, second] = [sheetOf([row(1)]), sheetOf([row(2)], {name: 'Bonus'})];

    it('are chosen by name, and each is a separate batch', async () => {
      const error = await refusal(
        planBytes(workbook([first, second]), {retype: (words) => words.join(' ')}),
        'USAGE',
      );
      assert.match(error.message, /has 2 sheets: "Payouts", "Bonus"/);
      assert.match(error.hint!, /--sheet Payouts/);
      await refusal(planBytes(workbook([first, second]), {sheet: 'Bonuses'}), 'USAGE');
      const ids = [];
      for (const sheet of ['bonus', 'Payouts']) {
        const {plan} = await planBytes(workbook([first, second]), {sheet, batchId: undefined});
        ids.push(plan.batchId);
      }
      assert.match(ids[0]!, /^p-Bonus-[0-9a-f]{8}$/);
      assert.match(ids[1]!, /^p-Payouts-[0-9a-f]{8}$/);
    });

    it('that are hidden are read only by name', async () => {
      const bytes = workbook([first, {...second, state: 'veryHidden'}]);
      assert.equal((await planBytes(bytes)).plan.sheet, 'Payouts');
      assert.equal((await planBytes(bytes, {sheet: 'Bonus'})).plan.sheet, 'Bonus');
    });

    it('cannot be named for a CSV', async () => {
      const file = bench.payouts(1);
      await refusal(bench.plan(file, {sheet: 'Payouts'}), 'USAGE');
    });

    it('without rows are refused', async () => {
      const error = await refusal(planBytes(workbook([{name: 'Payouts', rows: []}])));
      assert.match(error.message, /sheet Payouts is empty: it has no header/);
    });
  });
});
