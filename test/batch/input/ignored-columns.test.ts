import assert from 'node:assert/strict';
import {readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {reportBatch} from '../../../src/batch/overview/report.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const ACCOUNT = '9876543210123';
const CARD = '4929123456789012';
const HEADER = `Account,reference,payee_id,Card No,amount,currency_code,metadata.note\n`;
const IGNORED = ['Account', 'card_no'];
const row = (n: number, reference = `INV-${n}`) =>
  `${ACCOUNT},${reference},${payeeId(n)},${CARD},10.0${n},USD,note ${n}\n`;

describe('ignored columns of the input', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  /** Every file of the state folder and beside the input, however deep. */
  const files = (folder = bench.folder): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });

  function assertClean(): void {
    const all = files();
    assert.ok(all.some((path) => path.endsWith('journal.db')));
    for (const path of all) {
      const bytes = readFileSync(path).toString('latin1');
      for (const canary of [ACCOUNT, CARD]) assert.ok(!bytes.includes(canary), `${path} has ${canary}`);
    }
  }

  async function plan(text: string, options: Partial<PlanRequest> = {}) {
    const file = bench.file('p.csv', text);
    try {
      return await bench.plan(file, {ignored: IGNORED, validOnly: true, ...options});
    } finally {
      rmSync(file);
    }
  }

  it('are in no file of a batch that was planned, run and reported', async () => {
    const service = new TruthService();
    service.refuse = (body) =>
      body['payee_id'] === payeeId(2) ? {status: 422, error_code: 'NO'} : undefined;
    const broken = `${ACCOUNT},INV-9,not-a-uuid,${CARD},1,USD,\n`;
    const shifted = `x,${ACCOUNT},INV-8,${payeeId(8)},${CARD},10.00,USD,note\n`;
    const short = `${CARD},${ACCOUNT}\n`;
    const {errors} = await plan(HEADER + row(1) + row(2) + broken + shifted + short);
    assert.doesNotMatch(JSON.stringify(errors), new RegExp(`${ACCOUNT}|${CARD}`));
    await bench.run(service);
    const {stateDir, clock} = bench;
    const wanted = {
      kind: 'payout',
      batchId: 'b1',
      stateDir,
      clock,
      folder: bench.folder,
      html: 'beside',
    } as const;
    await reportBatch(wanted);
    assertClean();
  });

  it('are in no file of a new revision', async () => {
    await plan(HEADER + row(1));
    await bench.run(new TruthService());
    const {plan: revised} = await plan(HEADER + row(1) + row(2));
    assert.equal(revised.revision, 2);
    assertClean();
  });

  it('are in no file when the plan is refused', async () => {
    await plan(HEADER + row(1));
    await assert.rejects(plan(`${HEADER}${row(2)}x,y\n`, {validOnly: false, batchId: 'b2'}), (error) => {
      assert.ok(error instanceof RemitError);
      assert.doesNotMatch(JSON.stringify(error.details), new RegExp(`${ACCOUNT}|${CARD}`));
      return true;
    });
    assertClean();
  });

  it('are left out of the results, whose other columns are unchanged', async () => {
    const service = new TruthService();
    service.refuse = (body) =>
      body['payee_id'] === payeeId(2) ? {status: 422, error_code: 'NO'} : undefined;
    await plan(HEADER + row(1) + row(2));
    await bench.run(service);
    const results = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8').split('\r\n');
    assert.match(
      results[0]!,
      /^"reference","payee_id","amount","currency_code","metadata\.note","remit_row"/,
    );
    assert.match(
      results[1]!,
      new RegExp(`^"INV-1","${payeeId(1)}","10.01","USD","note 1","1","INV-1","accepted"`),
    );
  });

  it('are hidden in a row with the wrong number of cells, which the results still list', async () => {
    const {errors} = await plan(`${HEADER}${row(1)}${row(2, 'INV, 2')}`);
    assert.match(errors[0]!.message, /8 cells, but the header has 7.*The results do not repeat the row/);
    await bench.run(new TruthService());
    const results = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8').split('\r\n');
    assert.match(results[2]!, /^"","","","","","2","","invalid".*has 8 cells/);
  });

  it('keep a row with the wrong number of cells whole if none is ignored', async () => {
    const header = 'reference,payee_id,amount,currency_code\n';
    const file = bench.file('p.csv', `${header}A,${payeeId(1)},1.00,USD\nB, Inc,${payeeId(2)},1.00,USD\n`);
    await bench.plan(file, {validOnly: true});
    await bench.run(new TruthService());
    assert.match(readFileSync(join(bench.folder, 'b1.failed.csv'), 'utf8'), /"B"," Inc"/);
  });
});
