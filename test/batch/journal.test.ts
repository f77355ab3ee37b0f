import assert from 'node:assert/strict';
import {type OpenBatch, openBatch} from '../../src/batch/open-batch.ts';
import {Bench} from './harness.ts';

describe('the journal of a batch', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  async function inJournal<T>(look: (batch: OpenBatch) => T): Promise<T> {
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'look', clock});
    try {
      return look(batch);
    } finally {
      await batch.close();
    }
  }

  it('counts and sums every row of a large plan once', async () => {
    const rows = 20_001;
    const {plan} = await bench.plan(bench.payouts(rows));
    await inJournal(({journal}) => {
      for (let n = 1; n <= rows; n += 3)
        journal.record(
          {
            ...{n, state: 'accepted', id: `id-${n}`, status: n % 2 === 0 ? 'settled' : 'approved'},
            ...{stagedAt: null, http: 201, code: null, message: null, requestId: null},
            ...{attempts: 1, orphan: null},
          },
          1,
        );
      journal.flush();
      const {tally, statuses} = journal.standing();
      assert.deepEqual([tally.accepted.count, tally.not_sent.count], [6667, rows - 6667]);
      assert.deepEqual(statuses, {approved: 3334, settled: 3333});
      assert.deepEqual(tally.accepted.totals.merge(tally.not_sent.totals).toMajor(), plan.figures.totals);
    });
  }).timeout(30_000);
});
