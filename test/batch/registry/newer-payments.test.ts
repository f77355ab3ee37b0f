import assert from 'node:assert/strict';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('payments that another batch made since a run was killed', () => {
  const bench = new Bench();
  after(() => bench.remove());

  it('are counted for the rows that this run may have sent, which have no outcome', async () => {
    await bench.plan(bench.payouts(2));
    await bench.inClaims(({registry}, {journal}) => {
      const rows = [...journal.rows.after(0, 10)];
      registry.claim(rows, bench.clock.now());
      journal.openWindow({phase: 'stage', first: 1, last: 2, takes: ['new'], at: bench.clock.now()});
    });
    const alike = () => bench.inClaims(({survey}) => survey.alike.count);
    assert.equal(await alike(), 0);

    const line = `OTHER-1,${payeeId(1)},100.01,USD\n`;
    const file = bench.file('other.csv', `reference,payee_id,amount,currency_code\n${line}`);
    await bench.plan(file, {batchId: 'b2', namespace: 'other'});
    await bench.run(new TruthService(), {batchId: 'b2'});
    assert.equal(await alike(), 1);
  });
});
