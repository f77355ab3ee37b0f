import assert from 'node:assert/strict';
import {listBatches} from '../../../src/batch/overview/list.ts';
import {reportBatch} from '../../../src/batch/overview/report.ts';
import {statusOfBatch} from '../../../src/batch/overview/status.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('a run that starts during a status or report of its batch', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    await bench.plan(bench.payouts(3));
  });
  afterEach(() => bench.remove());

  const looks = {
    status: () =>
      statusOfBatch({kind: 'payout', batchId: 'b1', stateDir: bench.stateDir, clock: bench.clock}),
    list: () => listBatches({kind: 'payout', stateDir: bench.stateDir, clock: bench.clock}),
    report: () =>
      reportBatch({
        ...{
          kind: 'payout',
          batchId: 'b1',
          stateDir: bench.stateDir,
          clock: bench.clock,
          folder: bench.folder,
        },
      }),
  };
  for (const [name, look] of Object.entries(looks))
    it(`waits for a ${name}, and is not refused`, async () => {
      const looking = look(); // has the lock before the run asks for it
      const [summary] = await Promise.all([bench.run(new TruthService()), looking]);
      assert.deepEqual([summary.accepted, summary.state], [3, 'complete']);
    });
});
