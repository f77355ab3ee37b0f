import assert from 'node:assert/strict';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import {FORMATS, workbook} from '../../../batch/workbook/xlsx.ts';
import {stateDir} from '../../../../src/profiles/folders.ts';
import {Desk} from './desk.ts';

interface Found {
  equal: boolean;
  batch_id: string;
  rows: {file: number; paid: number; same: number};
  not_paid: {rows: number; listed: {reference: string; state: string | null}[]};
  not_in_file: {rows: number; totals: unknown};
  differ: {rows: number; listed: {reference: string; fields: string[]}[]};
}

describe('payouts batch diff', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
  afterEach(() => desk.close());

  /** Nothing is sent, and no batch is made. */
  async function diff(line: string, exitCode: number) {
    const {posts, requests} = desk.service;
    const before = requests.length;
    const ran = await desk.batch(`diff ${line}`);
    assert.equal(ran.exitCode, exitCode, ran.stderr);
    assert.deepEqual([desk.service.posts, requests.length], [posts, before]);
    const batches = readdirSync(join(stateDir({}, desk.folder), 'batches', 'payout'));
    assert.deepEqual(
      batches.filter((name) => !name.includes('lock')),
      ['b'],
    );
    return ran;
  }

  it('exits 0 if the file is what was paid, also as a workbook', async () => {
    const text = await diff('./p.csv', 0);
    assert.match(text.stdout, /^p\.csv \(2 rows\) and batch b \(2 paid\) are equal\n {2}Same {9}2 rows\n$/);
    const money = (v: string) => ({v, s: FORMATS.money.style});
    const rows = [
      ['reference', 'payee_id', 'amount', 'currency_code'],
      ['A-2', payeeId(2), money('20'), 'USD'],
      ['A-1', payeeId(1), money('10'), 'USD'],
    ];
    writeFileSync(join(desk.folder, 'p.xlsx'), workbook([{name: 'Payouts', rows}]));
    const found = (await diff('./p.xlsx b --json', 0)).json() as Found;
    assert.deepEqual([found.equal, found.batch_id, found.rows], [true, 'b', {file: 2, paid: 2, same: 2}]);
  });

  it('names the right order if the batch comes first', async () => {
    const {stderr} = await diff('b ./p.csv --accept hidden-rows=1', 2);
    const right = /^Hint: remit payouts batch diff (\S*p\.csv) b --accept hidden-rows=1$/m.exec(stderr);
    assert.ok(right, stderr);
    await diff(`${right[1]} b`, 0);
    assert.match((await diff('b ./none.csv', 5)).stderr, /cannot read b: there is no such file/);
  });

  it('exits 8 and lists each difference, for people and scripts', async () => {
    desk.file('p.csv', [
      ['A-2', 2, '21.00'],
      ['A-3', 3, '5.00'],
    ]);
    const text = (await diff('./p.csv b', 8)).stdout;
    assert.match(text, /Not paid {5}1 row, 5\.00 USD\n +A-3, line 3: 5\.00 USD, not in the batch/);
    assert.match(text, /Not in file {2}1 row, 10\.00 USD\n +A-1: 10\.00 USD, [0-9a-f-]{36}/);
    assert.match(
      text,
      /Differs {6}1 row, 21\.00 USD\n +A-2, line 2: 21\.00 USD in the file, 20\.00 USD paid/,
    );
    const found = (await diff('./p.csv b --json', 8)).json() as Found;
    assert.deepEqual(
      [found.equal, found.not_paid.rows, found.not_in_file, found.differ.listed[0]!.fields],
      [false, 1, {...found.not_in_file, rows: 1, totals: {USD: '10.00'}}, ['amount']],
    );
  });

  it('names both payees of a row', async () => {
    desk.file('p.csv', [
      ['A-1', 9, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    const {stdout} = await diff('./p.csv', 8);
    assert.match(
      stdout,
      new RegExp(`10\\.00 USD to ${payeeId(9)} in the file, 10\\.00 USD to ${payeeId(1)} paid`),
    );
  });

  it('finds no batch for a file with other references', async () => {
    desk.file('p.csv', [['Z-1', 1, '10.00']]);
    const ran = await diff('./p.csv', 4);
    assert.match(ran.stderr, /no batch in .* has a reference of .*p\.csv/);
    assert.match(ran.stderr, /remit payouts batch list/);
  });

  it('asks which batch is meant if several have references of the file', async () => {
    desk.file('q.csv', [['A-3', 3, '5.00']]);
    await desk.batch('plan ./q.csv --batch-id c');
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-3', 3, '5.00'],
    ]);
    const ran = await desk.batch('diff ./p.csv');
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /several batches have references of .*: b, c/);
    assert.match(ran.stderr, /remit payouts batch diff \S+p\.csv b/);
  });

  it('refuses a file with errors as a plan does', async () => {
    desk.file('p.csv', [
      ['A-1', 1, 'ten'],
      ['A-2', 2, '20.00'],
    ]);
    const ran = await diff('./p.csv b', 5);
    assert.match(ran.stderr, /line 2, row 1, column amount/);
    assert.match(ran.stderr, /remit payouts batch diff \S+ b --valid-only/);
    const found = (await diff('./p.csv b --valid-only --json', 8)).json() as Found & {left_out: number};
    assert.deepEqual([found.left_out, found.not_in_file.rows], [1, 1]);
  });
});
