import assert from 'node:assert/strict';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';

describe('look-alikes of other batches', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  const plan = (batchId: string, ...rows: [reference: string, payee: number, amount: string][]) =>
    bench.plan(
      bench.file(
        `${batchId}.csv`,
        HEADER + rows.map(([name, payee, amount]) => `${name},${payeeId(payee)},${amount},USD\n`).join(''),
      ),
      {batchId},
    );

  /** What the plan says, and what a run at the same service counts. */
  async function compare(batchId: string) {
    const batch = await bench.open({batchId});
    const {stateDir, clock} = bench;
    const {alike: seen} = await seenBefore(batch, {stateDir, clock, countsAlike: true});
    await batch.close();
    const count = await bench.inClaims(
      ({survey: {alike, similar}}) => ({alike: alike.count, similar: similar.count}),
      {batchId},
    );
    return {seen, survey: count};
  }

  it('are counted by the plan as the run counts them, for each service', async () => {
    await plan('b1', ['A', 1, '10.00'], ['B', 2, '20.00'], ['C', 3, '30.00']);
    await bench.run(new TruthService());
    await plan(
      'b2',
      ['A', 1, '10.00'], // paid by the other batch
      ['X', 2, '20.00'], // alike
      ['b', 9, '1.00'], // similar
      ['c', 3, '30.00'], // both
      ['D', 4, '40.00'],
    );
    const {seen, survey} = await compare('b2');
    assert.deepEqual(survey, {alike: 2, similar: 2});
    assert.deepEqual(seen, [{mode: 'test', base_url: 'https://api.test', ...survey}]);
  });

  it('are not reported after thirty days, or for a file of other payments', async () => {
    await plan('b1', ['A', 1, '10.00']);
    await bench.run(new TruthService());
    await plan('b2', ['X', 1, '10.00'], ['Y', 1, '10.01']);
    assert.equal((await compare('b2')).seen[0]!.alike, 1);
    await bench.clock.sleep(31 * 24 * 3_600_000);
    const {seen, survey} = await compare('b2');
    assert.deepEqual([seen, survey], [[], {alike: 0, similar: 0}]);
  });

  it('are counted on every page of a long plan', async () => {
    const rows = Array.from({length: 2100}, (_, i): [string, number, string] => [`R${i}`, i, '5.00']);
    await plan('b1', ...rows);
    await bench.run(new TruthService());
    await plan(
      'b2',
      ...rows.map(([name, payee, amount]): [string, number, string] => [`S${name}`, payee, amount]),
    );
    const {seen, survey} = await compare('b2');
    assert.deepEqual([survey.alike, seen[0]!.alike], [2100, 2100]);
  });
});
