import assert from 'node:assert/strict';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('the journal of a batch', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  it('records that a record has ended although its outcome was written before', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(new TruthService());
    await bench.inJournal(({journal}) => {
      const {id} = journal.rows.of('INV-1')!.outcome!;
      journal.noteEnded(1, id!, 'failed');
      journal.flush();
    });
    await bench.inJournal(({journal}) => assert.equal(journal.rows.endedUntold(9).length, 1));
  });

  it('lists rows that were only not sent after those that need attention', async () => {
    await bench.plan(bench.payouts(30));
    await bench.inJournal(({journal}) => {
      for (let n = 1; n <= 30; n++)
        journal.record(
          {
            ...{
              n,
              state: n === 30 ? 'in_doubt' : 'not_sent',
              id: null,
              status: null,
              stagedAt: null,
              http: null,
            },
            ...{code: null, message: null, requestId: null, attempts: 1, orphan: null},
          },
          1,
        );
      journal.flush();
      const named = journal.needingAttention(3, 1).map(({reference}) => reference);
      assert.deepEqual(named, ['INV-30', 'INV-1', 'INV-2']);
    });
  });

  it('lists rows without an outcome after a killed run as in doubt', async () => {
    await bench.plan(bench.payouts(3));
    await bench.inJournal(({journal}) => {
      journal.openWindow({phase: 'stage', first: 1, last: 2, at: 1, takes: ['new']});
      const named = journal.needingAttention(5, 2);
      assert.deepEqual(
        named.map(({reference, state}) => [reference, state]),
        [
          ['INV-1', 'in_doubt'],
          ['INV-2', 'in_doubt'],
        ],
      );
    });
  });

  it('counts and sums every row of a large plan once', async () => {
    const rows = 20_001;
    const {plan} = await bench.plan(bench.payouts(rows));
    await bench.inJournal(({journal}) => {
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
  });
});
