import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import {FORMATS, type Sheet, workbook} from '../../../batch/workbook/xlsx.ts';
import {Desk} from './desk.ts';

const HEADER = ['reference', 'payee_id', 'amount', 'currency_code'];
const money = (v: string) => ({v, s: FORMATS.money.style});
const PAYOUTS: Sheet = {
  name: 'Payouts',
  rows: [HEADER, ['A-1', payeeId(1), money('10'), 'USD'], ['A-2', payeeId(2), money('20.5'), 'EUR']],
};

describe('a batch from a workbook', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.close());

  const write = (sheets: readonly Sheet[], name = 'bills.xlsx') =>
    writeFileSync(join(desk.folder, name), workbook(sheets));

  it('is planned, run and resumed; a CSV with the same rows has nothing left to pay', async () => {
    write([PAYOUTS]);
    const planned = await desk.batch('plan ./bills.xlsx --batch-id b --json');
    assert.equal(planned.exitCode, 0, planned.stderr);
    const plan = planned.json() as {sheet: string; totals: unknown};
    assert.deepEqual([plan.sheet, plan.totals], ['Payouts', {EUR: '20.50', USD: '10.00'}]);
    const ran = await desk.batch('run b --yes --stage-only --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const resumed = await desk.batch('run ./bills.xlsx --batch-id b --yes --json');
    assert.equal(resumed.exitCode, 0, resumed.stderr);
    assert.equal((resumed.json() as {accepted: number}).accepted, 2);
    const results = readFileSync(join(desk.folder, 'b.results.csv'), 'utf8');
    assert.match(
      results,
      /"A-2","018f0000-0000-7000-8000-000000000002","20.5","EUR","2","A-2","accepted","20.50 EUR"/,
    );
    const csv = HEADER.join(',') + `\nA-1,${payeeId(1)},10.00,USD\nA-2,${payeeId(2)},20.50,EUR\n`;
    writeFileSync(join(desk.folder, 'bills.csv'), csv);
    const again = await desk.batch('run ./bills.csv --yes --json');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.deepEqual((again.json() as {already_paid: number; posts: number}).already_paid, 2);
    assert.equal(desk.service.byId.size, 2);
  });

  it('names the sheet and the cell of each error, for people and scripts', async () => {
    write([
      {...PAYOUTS, rows: [...PAYOUTS.rows, [{v: '1234567890123450'}, payeeId(3), money('1.005'), 'USD']]},
    ]);
    const text = await desk.batch('plan ./bills.xlsx');
    assert.equal(text.exitCode, 5);
    assert.match(text.stderr, /Payouts!A4, row 3, column reference: is a number of more than 15 digits/);
    assert.match(
      text.stderr,
      /Payouts!C4, row 3, column amount: contains 1\.005, but is shown with 2 decimals/,
    );
    const json = await desk.batch('plan ./bills.xlsx --json');
    const issues = json.error().details!['errors'] as {cell: string}[];
    assert.deepEqual(
      issues.map(({cell}) => cell),
      ['Payouts!A4', 'Payouts!C4'],
    );
    assert.equal(desk.service.requests.length, 0);
  });

  it('does not put a damaged value into failed.csv', async () => {
    write([
      {
        ...PAYOUTS,
        rows: [...PAYOUTS.rows, [{v: '46082', s: FORMATS.day.style}, payeeId(3), money('1'), 'USD']],
      },
    ]);
    const ran = await desk.batch('run ./bills.xlsx --batch-id b --valid-only --yes --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const failed = readFileSync(join(desk.folder, 'b.failed.csv'), 'utf8').split('\r\n');
    assert.equal(failed[1], `"","${payeeId(3)}","1","USD"`);
  });

  it('with several sheets prints a command for one of them that works', async () => {
    write([PAYOUTS, {...PAYOUTS, name: 'Nov 2026', state: 'hidden'}, {name: 'Notes', rows: [['x']]}]);
    const refused = await desk.batch('plan ./bills.xlsx');
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /bills\.xlsx has 3 sheets: "Payouts", "Notes"/);
    assert.match(refused.stderr, /remit payouts batch plan \S+bills\.xlsx --sheet Payouts/);
    assert.equal((await desk.batch('plan ./bills.xlsx --sheet Payouts')).exitCode, 0);
  });

  it('replaces a mistyped --sheet in the command that it prints', async () => {
    write([{name: 'Notes', rows: [['x']]}, PAYOUTS]);
    for (const command of ['plan ./bills.xlsx', 'run ./bills.xlsx --batch-id b --yes', 'diff ./bills.xlsx']) {
      const refused = await desk.batch(`${command} --sheet Payuots --json`);
      assert.equal(refused.exitCode, 2);
      assert.match(refused.error().hint!, /^name the sheet to read: (?!.*Payuots).* --sheet Payouts\b/);
    }
  });

  it('with hidden rows prints the command that includes them, also for a run', async () => {
    write([{...PAYOUTS, hidden: [3]}]);
    const refused = await desk.batch('run ./bills.xlsx --batch-id b --yes');
    assert.equal(refused.exitCode, 5);
    assert.match(refused.stderr, /1 row that is hidden, filtered out or struck through \(3\)/);
    assert.match(refused.stderr, /run \S+bills\.xlsx --batch-id b --yes --accept hidden-rows=1/);
    assert.equal(desk.service.posts, 0);
    const ran = await desk.batch('run ./bills.xlsx --batch-id b --yes --accept hidden-rows=1');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /1 row of the sheet is hidden, filtered out or struck through, and included/);
  });

  it('that has changed since it was planned is noticed', async () => {
    write([PAYOUTS]);
    await desk.batch('plan ./bills.xlsx --batch-id b');
    write([{...PAYOUTS, rows: PAYOUTS.rows.slice(0, 2)}]);
    const ran = await desk.batch('run b --yes');
    assert.match(ran.stderr, /bills\.xlsx has changed since batch b was planned/);
  });
});
