import assert from 'node:assert/strict';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';

describe('look-alikes of other batches', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  type Rows = [reference: string, payee: number, amount: string][];
  const planIn = (namespace: string, batchId: string, ...rows: Rows) =>
    bench.plan(
      bench.file(
        `${batchId}.csv`,
        HEADER + rows.map(([name, payee, amount]) => `${name},${payeeId(payee)},${amount},USD\n`).join(''),
      ),
      {batchId, namespace},
    );
  const plan = (batchId: string, ...rows: Rows) => planIn('default', batchId, ...rows);

  /** What the plan says, and what a run at the same service counts. */
  async function compare(batchId: string) {
    const batch = await bench.open({batchId});
    const {stateDir, clock} = bench;
    const {alike} = await seenBefore(batch, {stateDir, clock, countsAlike: true});
    await batch.close();
    const seen = alike.map(({mode, base_url, alike: rows, similar}) => ({
      mode,
      base_url,
      alike: rows,
      similar,
    }));
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

  it('are found in every namespace of the service, and named with batch, namespace, reference, record and date', async () => {
    await planIn('nov', 'b1', ['A', 1, '10.00'], ['B', 2, '20.00']);
    await bench.run(new TruthService());
    await planIn('dec', 'b2', ['X', 1, '10.00'], ['B', 2, '20.00'], ['Y', 1, '10.01']);
    const {seen, survey} = await compare('b2');
    assert.deepEqual(survey, {alike: 2, similar: 0});
    assert.deepEqual(seen, [{mode: 'test', base_url: 'https://api.test', ...survey}]);
    const [first] = await bench.inClaims(({survey: {alike}}) => alike.examples, {batchId: 'b2'});
    const {id, at, ...earlier} = first!.earlier;
    assert.deepEqual([first!.reference, earlier], ['X', {batch: 'b1', namespace: 'nov', reference: 'A'}]);
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.match(at, /^\d{4}-\d\d-\d\dT/);
  });

  it('are not looked for at another address, or in the other mode', async () => {
    await planIn('nov', 'b1', ['A', 1, '10.00']);
    await bench.run(new TruthService());
    await planIn('dec', 'b2', ['X', 1, '10.00']);
    const alikeAt = (place: object) =>
      bench.inClaims(({survey: {alike}}) => alike.count, {batchId: 'b2', ...place});
    assert.equal(await alikeAt({}), 1);
    assert.equal(await alikeAt({baseUrl: 'https://other.test'}), 0);
    assert.equal(await alikeAt({mode: 'live'}), 0);
  });

  it('are not the rows of a record that has failed, and its new reference is free', async () => {
    await planIn('nov', 'b1', ['A', 1, '10.00']);
    await bench.run(new TruthService());
    await bench.inClaims(({registry}) => {
      const {id} = registry.entries.find('A')!;
      registry.ended('A', id!, 0);
      registry.flush();
    });
    await planIn('dec', 'b2', ['A', 1, '10.00'], ['X', 1, '10.00']);
    assert.deepEqual((await compare('b2')).survey, {alike: 0, similar: 0});
  });

  it('are found for rows without references', async () => {
    const content = (batchId: string, namespace: string, extra: string) =>
      bench.plan(
        bench.file(
          `${batchId}.csv`,
          `payee_id,amount,currency_code,metadata.note\n${payeeId(1)},10.00,USD,${extra}\n`,
        ),
        {batchId, namespace},
      );
    await content('b1', 'nov', 'one');
    await bench.run(new TruthService());
    await content('b2', 'dec', 'two');
    assert.deepEqual((await compare('b2')).survey, {alike: 1, similar: 0});
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
