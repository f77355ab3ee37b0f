import assert from 'node:assert/strict';
import {Bench, payeeId} from '../harness.ts';
import {isOf, isRelease, isStage, TruthService} from '../truth-service.ts';

const FILE = `reference,payee_id,amount,currency_code
INV-1,${payeeId(1)},10.00,USD
INV-2,${payeeId(1)},10.00,USD
`;

/** Two rows with the same payee and amount, whose answers are told apart by their references alone. */
describe('a batch whose answers are swapped', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
    await bench.plan(bench.file('p.csv', FILE));
  });
  afterEach(() => bench.remove());

  const recordOf = (n: number) =>
    [...service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"INV-${n}"`))!;
  /** Shows the record of the other row. */
  const other = (n: number) => ({
    ...{id: recordOf(n).id, status: recordOf(n).status, payee_id: payeeId(1), amount_in_minor_units: 1000},
    ...{currency_code: 'USD', client_metadata: {remit_reference: `INV-${n}`}},
  });

  it('while staging: the record of another row is a conflict, and nothing is released', async () => {
    let isFirst = true;
    service.distort = (record, request) => {
      if (!isStage(request) || !isOf(request, 2) || !isFirst) return record;
      isFirst = false;
      return {
        ...record,
        id: 'a0000000-0000-4000-8000-000000000009',
        client_metadata: {remit_reference: 'INV-1'},
      };
    };
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual([summary.conflict, summary.accepted, summary.orphans], [1, 0, []]);
    assert.equal(summary.stopped_because?.reason, 'collision');
  });

  it('to the probe: nothing is said to be forgotten, and no record of another row is to be canceled', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, request) => (isStage(request) && isOf(request, 1) ? other(2) : record);
    const summary = await bench.run(service);
    assert.deepEqual([summary.stopped_because?.reason, summary.orphans], ['collision', []]);
    assert.doesNotMatch(summary.stopped_because!.message, /forgotten|second record/);
    assert.equal(summary.staged, 2);
    service.distort = (record) => record;
    assert.equal((await bench.run(service)).accepted, 2);
  });

  it('to the probe, without metadata: the record of another row is recognised by its id', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, request) =>
      isStage(request) && isOf(request, 1) ? {...record, id: recordOf(2).id} : record;
    const summary = await bench.run(service);
    assert.deepEqual([summary.stopped_because?.reason, summary.orphans], ['collision', []]);
  });

  it('to a release: the record of another row is a conflict, and none is said to be left behind', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, request) => (isRelease(request) && isOf(request, 1) ? other(2) : record);
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual(
      [summary.conflict, summary.stopped_because?.reason, summary.orphans],
      [1, 'collision', []],
    );
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.match(String(row.outcome?.message), new RegExp(`record of (the|this) row is ${recordOf(1).id}`));
  });
});
