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

  it('while staging: a paid record with the reference of another batch does not pay the row', async () => {
    let isFirst = true;
    service.distort = (record, request) => {
      if (!isStage(request) || !isOf(request, 1) || !isFirst) return record;
      isFirst = false;
      const foreign = {id: 'a0000000-0000-4000-8000-000000000009', status: 'settled'};
      return {...record, ...foreign, client_metadata: {remit_reference: 'MARCH-1'}};
    };
    const summary = await bench.run(service, {maxInFlight: 1, path: 'stage-only'});
    assert.deepEqual([summary.accepted, summary.conflict], [0, 1]);
    assert.equal(summary.stopped_because?.reason, 'collision');
    await bench.prepareRetry(service, {named: ['INV-1']});
    assert.equal((await bench.run(service, {path: 'stage-and-release'})).accepted, 2);
    assert.ok(service.byId.size === 2 && service.paid.every(({approvals}) => approvals === 1));
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

  it('to a release: the record of the row shows that it is paid, and none is said to be left behind', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, request) => (isRelease(request) && isOf(request, 1) ? other(2) : record);
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual(
      [summary.accepted, summary.conflict, summary.stopped_because?.reason, summary.orphans],
      [1, 0, 'collision', []],
    );
    const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
    assert.equal(row.outcome?.id, recordOf(1).id);
    service.distort = (record) => record;
    const rest = await bench.run(service);
    assert.deepEqual([rest.accepted, rest.state, rest.next], [2, 'complete', null]);
  });

  it('to both releases at once: both rows are paid, and the batch is complete', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.distort = (record, request) => (isRelease(request) ? other(isOf(request, 1) ? 2 : 1) : record);
    await bench.run(service, {maxInFlight: 2});
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.state, summary.next], [2, 'complete', null]);
    assert.deepEqual(summary.orphans, []);
  });

  for (const [what, shown] of [
    ['is not answered', () => 'lost-before' as const],
    ['shows the other row as well', () => ({status: 200, body: {...other(2), id: recordOf(1).id}})],
  ] as const)
    it(`to a release whose record then ${what}: the row stays in doubt with its own record, and is paid once`, async () => {
      await bench.run(service, {path: 'stage-only'});
      service.distort = (record, request) => (isRelease(request) && isOf(request, 1) ? other(2) : record);
      service.fault = ({method, path}) =>
        method === 'GET' && path.includes(recordOf(1).id) ? shown() : undefined;
      const summary = await bench.run(service, {maxInFlight: 1});
      assert.deepEqual(
        [summary.in_doubt, summary.conflict, summary.orphans, summary.stopped_because?.reason],
        [1, 0, [], 'collision'],
      );
      assert.equal(summary.next, 'remit payouts batch resume b1');
      const row = await bench.inJournal(({journal}) => journal.rows.of('INV-1')!);
      assert.equal(row.outcome?.id, recordOf(1).id);
      service.fault = () => undefined;
      service.distort = (record) => record;
      const rest = await bench.run(service);
      assert.deepEqual([rest.accepted, rest.state, rest.next], [2, 'complete', null]);
      assert.ok(service.byId.size === 2 && service.paid.every(({approvals}) => approvals === 1));
    });

  it('to a release that did not happen: the row is released again', async () => {
    await bench.run(service, {path: 'stage-only'});
    service.fault = (request) =>
      isRelease(request) && isOf(request, 1) ? {status: 200, body: other(2)} : undefined;
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual([summary.in_doubt, summary.conflict, summary.orphans], [1, 0, []]);
    service.fault = () => undefined;
    assert.equal((await bench.run(service)).accepted, 2);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('to a release: the record of the row is left behind only if it is still created', async () => {
    await bench.run(service, {path: 'stage-only'});
    const foreign = {id: 'a0000000-0000-4000-8000-000000000009', payee_id: payeeId(9), status: 'approved'};
    service.fault = (request) =>
      isRelease(request) && isOf(request, 1)
        ? {status: 200, body: {...foreign, amount_in_minor_units: 1000, currency_code: 'USD'}}
        : undefined;
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual(
      [summary.conflict, summary.stopped_because?.reason, summary.orphans],
      [1, 'collision', [{reference: 'INV-1', id: recordOf(1).id}]],
    );
    service.fault = () => undefined;
    await bench.prepareRetry(service, {named: ['INV-1']});
    const rest = await bench.run(service);
    assert.deepEqual([rest.accepted, rest.orphans], [2, []], 'it was the record of the row');
  });

  /** Both creates were answered with the record of the other row, once. */
  async function swapCreates() {
    const seen = new Map<number, Record<string, unknown>>();
    const ids = ['a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002'];
    let made = 0;
    service.newId = () => ids[made++] ?? `b0000000-0000-4000-8000-00000000000${made}`;
    service.distort = (record, request) => {
      if (!isStage(request)) return record;
      const n = isOf(request, 1) ? 1 : 2;
      seen.set(n, record);
      return {...record, id: ids[2 - n]!, client_metadata: {remit_reference: `INV-${3 - n}`}};
    };
    await bench.run(service, {maxInFlight: 1});
    await bench.run(service, {maxInFlight: 1, path: 'stage-only'});
    service.distort = (record) => record;
  }

  it('while staging, for both rows: retry sends the same requests, as the next command says', async () => {
    await swapCreates();
    const summary = await bench.run(service);
    assert.deepEqual([summary.conflict, summary.next], [2, 'remit payouts batch retry b1 --row INV-1']);
    for (const name of ['INV-1', 'INV-2']) {
      assert.deepEqual((await bench.prepareRetry(service, {named: [name]})).raised, []);
      await bench.run(service);
    }
    const done = await bench.run(service, {path: 'release'});
    assert.deepEqual([done.accepted, done.state, done.next], [2, 'complete', null]);
    assert.equal(service.byId.size, 2, 'no second record');
  });

  it('while staging, past the horizon: cancel gives neither row the record of the other', async () => {
    await swapCreates();
    bench.clock.advance(25 * 3600_000);
    const summary = await bench.run(service, {path: 'cancel'});
    assert.deepEqual([summary.in_doubt, summary.accepted, summary.canceled], [2, 0, 0]);
    assert.equal(summary.next, 'remit payouts batch resolve b1 --from FILE');
    const ids = await bench.inJournal(({journal}) =>
      [1, 2].map((n) => journal.rows.of(`INV-${n}`)?.outcome?.id),
    );
    assert.deepEqual(ids, [null, null]);
  });

  it('while staging, for both rows: cancel finds and cancels both records, and frees their references', async () => {
    await swapCreates();
    const summary = await bench.run(service, {path: 'cancel'});
    assert.deepEqual([summary.state, summary.canceled], ['canceled', 2]);
    assert.deepEqual(
      [...service.byId.values()].map(({status}) => status),
      ['canceled', 'canceled'],
    );
    await bench.plan(bench.file('p.csv', FILE), {batchId: 'b2'});
    assert.equal((await bench.run(service, {batchId: 'b2'})).accepted, 2);
  });
});
