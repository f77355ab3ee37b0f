import assert from 'node:assert/strict';
import {join} from 'node:path';
import {JOURNAL_MIGRATIONS} from '../../../src/batch/journal/schema.ts';
import {openSqlite} from '../../../src/store/sqlite.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('the journal of a batch', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  it('of an older version is opened, and its rows are found by their references', async () => {
    await bench.plan(bench.payouts(5));
    const file = join(bench.stateDir, 'batches', 'payout', 'b1', 'journal.db');
    const db = await openSqlite(file, {durability: 'full'});
    const names = JOURNAL_MIGRATIONS.map(({name}) => name);
    assert.ok(names.includes('0003-row-names'));
    db.exec(`drop table row_names; drop table ended_records; delete from remit_migrations where name >= '0003';
      create index rows_by_reference on rows (reference); create index rows_by_fold on rows (fold)`);
    db.close();
    await bench.inJournal(({journal}) => {
      assert.equal(journal.rows.of('INV-4')?.n, 4);
      assert.equal(journal.rows.of('inv-4'), undefined);
    });
    assert.equal((await bench.run(new TruthService())).accepted, 5);
    await bench.plan(bench.payouts(7)); // a revision looks up every row
    assert.equal((await bench.run(new TruthService())).accepted, 7);
  });

  it('writes down that a record has ended, though its outcome was written before', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(new TruthService());
    await bench.inJournal(({journal}) => {
      const {id} = journal.rows.of('INV-1')!.outcome!;
      journal.noteEnded(1, id!, 'failed');
      journal.flush();
    });
    await bench.inJournal(({journal}) => assert.equal(journal.rows.endedUntold(9).length, 1));
  });

  it('names rows that were only not sent behind those that a person has to look at', async () => {
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

  it('names rows of which a killed run left no word as in doubt', async () => {
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
  }).timeout(30_000);
});
