import assert from 'node:assert/strict';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {standingOf} from '../../../src/batch/registry/work.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('where a batch stands', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  async function both() {
    const options = {stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test'} as const;
    const batch = await openBatch({...options, clock: bench.clock});
    const {journal, plan} = batch;
    const plain = ({tally, ...rest}: ReturnType<typeof standingOf>) => ({
      ...rest,
      tally: Object.entries(tally).map(([bucket, {count, totals}]) => [bucket, count, totals.toMajor()]),
    });
    const pair = [plain(standingOf(journal, plan)), plain(journal.standing())] as const;
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
