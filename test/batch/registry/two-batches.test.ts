import assert from 'node:assert/strict';
import {synchroniseBatch} from '../../../src/batch/registry/synchronise.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const ROWS = 40;
const TERMINATED = new RemitError('TERMINATED', 'terminated');

describe('one file under two batch ids, both stopped early', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  const run = (batchId: string, settings = {}) => bench.run(service, {batchId, settings});

  /** Ends after this many rows are staged. */
  async function stopEarly(batchId: string, rows: number) {
    const stop = new AbortController();
    const before = service.posts;
    service.fault = () => {
      if (service.posts - before >= rows) stop.abort(TERMINATED);
      return undefined;
    };
    const summary = await bench.run(service, {batchId, maxInFlight: 1, drain: stop.signal});
    service.fault = () => undefined;
    return summary;
  }

  /** What `status` shows. */
  async function status(batchId: string) {
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId, purpose: 'status', clock});
    try {
      await synchroniseBatch(batch, {stateDir, clock});
      return readSummary(batch, clock.now());
    } finally {
      await batch.close();
    }
  }

  beforeEach(async () => {
    const file = bench.payouts(ROWS);
    await bench.plan(file, {batchId: 'b1'});
    await bench.plan(file, {batchId: 'b2'});
    await stopEarly('b1', 5);
    await stopEarly('b2', 5);
  });

  it('are both finished by the commands that each of them prints', async () => {
    const held = await run('b1');
    assert.deepEqual([held.state, held.next], ['held', 'remit payouts batch release b1 --accept rest']);
    const first = await run('b1', {releaseRest: true});
    assert.ok(first.conflict > 0 && first.accepted > 0);
    assert.deepEqual([first.state, first.next], ['incomplete', 'remit payouts batch status b2']);
    assert.equal((await status('b2')).next, 'remit payouts batch resume b2');
    const second = await run('b2');
    assert.deepEqual([second.state, second.accepted + second.already_paid], ['complete', ROWS]);
    const after = await status('b1');
    assert.deepEqual(
      [after.state, after.already_paid, after.conflict, after.next],
      ['complete', first.conflict, 0, null],
    );
    assert.equal(service.paid.length, ROWS);
  });

  it('get back the rows that the other one frees', async () => {
    await run('b1', {releaseRest: true});
    await bench.run(service, {batchId: 'b2', path: 'cancel'});
    const after = await status('b1');
    assert.ok(after.not_sent > 0);
    assert.equal(after.next, 'remit payouts batch resume b1');
    await run('b1');
    assert.equal((await status('b1')).conflict, 0);
  });
});
