import assert from 'node:assert/strict';
import type {Standing} from '../../../src/batch/model/tally.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {workOf} from '../../../src/batch/registry/work.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('the state of a batch', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  async function both() {
    const options = {stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test'} as const;
    const batch = await openBatch({...options, clock: bench.clock});
    const {journal, plan} = batch;
    const plain = ({tally, ...rest}: Standing) => ({
      ...rest,
      tally: Object.entries(tally).map(([bucket, {count, totals}]) => [bucket, count, totals.toMajor()]),
    });
    const pair = [plain(journal.standingOf(plan)), plain(journal.standing())] as const;
    await batch.close();
    return pair;
  }

  it('is the same by the plan as by the rows, before anything is sent and after', async () => {
    const lines = ['A-1,1,10.00,USD', 'A-2,2,7,JPY', 'A-3,3,12.5,KWD'].map((line) =>
      line.replace(/,(\d),/, ',018f0000-0000-7000-8000-00000000000$1,'),
    );
    await bench.plan(bench.file('p.csv', `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`));
    const [byPlan, byRows] = await both();
    assert.deepEqual(byPlan, byRows);
    await bench.run(new TruthService());
    const [after, rows] = await both();
    assert.deepEqual(after, rows);
    assert.notDeepEqual(after, byPlan);
  });
});

describe('what a command will do', () => {
  it('counts the rows that another batch has paid as paid before, each once', async () => {
    const bench = new Bench();
    try {
      const rows = (count: number) =>
        Array.from({length: count}, (_, i) => `A-${i},018f0000-0000-7000-8000-00000000000${i},10.00,USD\n`);
      const file = (name: string, count: number) =>
        bench.file(name, `reference,payee_id,amount,currency_code\n${rows(count).join('')}`);
      await bench.plan(file('first.csv', 2), {batchId: 'b0'});
      await bench.run(new TruthService(), {batchId: 'b0'});
      await bench.plan(file('second.csv', 5));
      const {planned, open, paidBefore, left, leftAre, isOver} = await bench.inClaims(
        ({survey}, {journal, plan}) =>
          workOf({
            ...{journal, plan, survey},
            reach: {path: 'direct', acceptDifferences: false, comparesHeld: false, retryUnapproved: false},
          }),
      );
      assert.deepEqual(
        [planned, open.rows, paidBefore.rows, left.rows, leftAre, isOver],
        [5, 3, 2, 0, [], false],
      );
      assert.deepEqual(
        [open, paidBefore].map(({totals}) => totals.toMajor()),
        [{USD: '30.00'}, {USD: '20.00'}],
      );
    } finally {
      bench.remove();
    }
  });
});
