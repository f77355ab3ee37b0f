import assert from 'node:assert/strict';
import {type CrashRun, runWithKills} from './batch-crash.ts';

// `npm run crash:batch` kills fifty times; the suite kills less often, for time.
const KILLS = Number(process.env['REMIT_CRASH_KILLS'] ?? 8);
const ROWS = Number(process.env['REMIT_CRASH_ROWS'] ?? (KILLS > 8 ? 1000 : 200));
const SEED = Number(process.env['REMIT_CRASH_SEED'] ?? Date.now() % 1_000_000);

describe(`a batch killed at ${KILLS} random instants (seed ${SEED})`, () => {
  for (const direct of [false, true]) {
    it(`pays and reports every row once${direct ? ', in direct mode' : ''}`, async function () {
      this.timeout(KILLS * 3000 + 60_000);
      const run = await runWithKills({rows: ROWS, kills: KILLS, seed: SEED + Number(direct), direct});
      checkTruth(run);
      console.log(
        `      ${run.kills} kills, ${run.starts} starts, ${run.service.posts} POSTs for ${ROWS} rows`,
      );
    });
  }
});

function checkTruth({summary, service, postsAfter, results, plannedTotal, kills}: CrashRun): void {
  assert.ok(kills > 0, 'no process was killed: the run proves nothing');
  const paid = service.paid;
  assert.equal(paid.length, ROWS, 'as many records approved as rows');
  assert.ok(
    paid.every((record) => record.approvals === 1),
    'none approved twice',
  );
  const references = new Set(
    paid.map((record) => (record.body['metadata'] as Record<string, string>)['remit_reference']),
  );
  assert.equal(references.size, ROWS, 'each reference paid by one record');
  const cents = paid.reduce((sum, record) => sum + (record.body['amount_in_minor_units'] as number), 0);
  assert.equal((cents / 100).toFixed(2), plannedTotal, 'the money that moved is the planned sum');
  assert.equal(summary.accepted, ROWS);
  assert.equal(summary.totals['USD']!.accepted, plannedTotal);
  assert.equal(results.length, ROWS, 'each row reported once');
  assert.equal(results.filter((line) => line.includes('"accepted"')).length, ROWS);
  const ids = new Set(paid.map((record) => record.id));
  assert.ok(
    results.every((line) => [...ids].some((id) => line.includes(id))),
    'each row reported with the record that paid it',
  );
  assert.equal(postsAfter, 0, 'no POST after completion');
}
