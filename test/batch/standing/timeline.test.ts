import assert from 'node:assert/strict';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import type {Journal} from '../../../src/batch/journal/journal.ts';
import {readTimeline, TimelineWriter} from '../../../src/batch/standing/timeline.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('the timeline of a batch', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.remove());

  const withJournal = async <T>(work: (journal: Journal) => T): Promise<T> => {
    const batch = await openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock},
    });
    try {
      return work(batch.journal);
    } finally {
      await batch.close();
    }
  };
  const counted = (accepted: number) => ({accepted, not_sent: 1000 - accepted}) as unknown as Summary; // what is read of it

  it('shows the course of a run, from its first state to its last', async () => {
    await bench.plan(bench.payouts(20));
    const service = new TruthService();
    const slow = {
      send: async (request: Parameters<ReturnType<TruthService['transport']>['send']>[0]) => {
        await bench.clock.sleep(400);
        return service.transport().send(request);
      },
      close: async () => undefined,
    };
    await bench.run(service, {transport: slow, maxInFlight: 4});
    const points = await withJournal(readTimeline);
    assert.deepEqual([...new Set(points.map(({phase}) => phase))], ['staging', 'releasing']);
    assert.equal(points[0]!.counts.not_sent, 20);
    assert.deepEqual([points.at(-1)!.counts.accepted, points.at(-1)!.counts.not_sent], [20, 0]);
    for (const {counts} of points) {
      const {accepted, staged, not_sent: unsent, in_doubt: doubt} = counts;
      assert.equal(accepted + staged + unsent + doubt, 20);
    }
    assert.ok(
      points.some(({counts}) => counts.staged > 0 && counts.staged < 20),
      'something between',
    );
  });

  it('numbers each run', async () => {
    await bench.plan(bench.payouts(2));
    const service = new TruthService();
    await bench.run(service, {path: 'stage-only'});
    await bench.run(service, {path: 'release'});
    const points = await withJournal(readTimeline);
    assert.deepEqual([...new Set(points.map(({run}) => run))], [1, 2]);
  });

  it('keeps its size however long a run takes, and its shape from beginning to end', async () => {
    await bench.plan(bench.payouts(1));
    const points = await withJournal((journal) => {
      const writer = new TimelineWriter(journal, 64);
      for (let second = 0; second <= 20_000; second++)
        writer.note('releasing', counted(Math.floor(second / 20)), second * 1000);
      writer.note('releasing', counted(1000), 20_001_000, {force: true});
      return readTimeline(journal);
    });
    assert.ok(points.length <= 64 && points.length >= 24, String(points.length));
    assert.deepEqual([points[0]!.at, points.at(-1)!.at], [0, 20_001_000]);
    const gaps = points.slice(1).map(({at}, i) => at - points[i]!.at);
    assert.ok(Math.max(...gaps) < 20_001_000 / 10, 'no part of it is bare');
    for (const {at, counts} of points.slice(0, -1)) assert.equal(counts.accepted, Math.floor(at / 20_000));
  });

  it('keeps the end of each run when it is thinned', async () => {
    await bench.plan(bench.payouts(1));
    const points = await withJournal((journal) => {
      for (let run = 0; run < 6; run++) {
        const writer = new TimelineWriter(journal, 32);
        for (let second = 0; second < 40; second++)
          writer.note('staging', counted(run * 40 + second), run * 1_000_000 + second * 1000);
        writer.note('staging', counted(run * 40 + 40), run * 1_000_000 + 40_000, {force: true});
      }
      return readTimeline(journal);
    });
    assert.ok(points.length <= 32);
    for (let run = 1; run <= 6; run++)
      assert.equal(points.findLast((point) => point.run === run)?.counts.accepted, run * 40, `run ${run}`);
  });

  it('keeps its size also when there are more runs than room', async () => {
    await bench.plan(bench.payouts(1));
    const count = await withJournal((journal) => {
      for (let run = 0; run < 100; run++) {
        const writer = new TimelineWriter(journal, 16);
        writer.note('staging', counted(run), run * 1000);
        writer.note('staging', counted(run), run * 1000 + 1, {force: true});
      }
      return readTimeline(journal).length;
    });
    assert.ok(count <= 17, String(count));
  });

  it('writes nothing while nothing changes', async () => {
    await bench.plan(bench.payouts(1));
    const count = await withJournal((journal) => {
      const writer = new TimelineWriter(journal);
      for (let second = 0; second < 5000; second++) writer.note('settling', counted(5), second * 1000);
      return readTimeline(journal).length;
    });
    assert.equal(count, 1);
  });

  it('is kept in a revision', async () => {
    const header = 'reference,payee_id,amount,currency_code\n';
    const row = (n: number) => `INV-${n},${payeeId(n)},10.00,USD\n`;
    await bench.plan(bench.file('p.csv', header + row(1)));
    await bench.run(new TruthService());
    const before = await withJournal(readTimeline);
    await bench.plan(bench.file('p.csv', header + row(1) + row(2)));
    assert.ok(before.length > 0);
    assert.deepEqual(await withJournal(readTimeline), before);
  });
});
