import fc from 'fast-check';
import {TestSandbox} from '../harness.ts';
import {MoneyRun, steps} from './money-model.ts';

const RUNS = Number(process.env['REMIT_TEST_RUNS'] ?? 8);

describe('sandbox: all money of both entities', function () {
  this.timeout(RUNS * 10_000);

  for (const timing of ['fast', 'real'] as const)
    it(`matches the records after concurrent calls, failures, restarts and time steps (${timing})`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const at = await TestSandbox.open({mainBalanceMinor: 100_000, timing});
          try {
            const run = await MoneyRun.open(at);
            for (const step of taken) await run.take(step);
            at.sandbox.faults.clear();
            await at.sandbox.advance({until: 'idle'});
            await run.check();
          } finally {
            await at.close();
          }
        }),
        {numRuns: RUNS},
      );
    });
});
