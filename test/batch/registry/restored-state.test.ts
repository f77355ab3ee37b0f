import assert from 'node:assert/strict';
import {cpSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const line = (n: number, amount = '10.00') => `INV-${n},${payeeId(n)},${amount},USD\n`;
const HOUR = 3_600_000;

describe('incomplete state', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());
  const losing = (reference: string) => (request: {method: string; body: string}) =>
    request.method === 'POST' && request.body.includes(`"${reference}"`)
      ? ('lost-after' as const)
      : undefined;

  for (const path of ['direct', 'stage-and-release'] as const)
    it(`pays nothing twice when a journal is restored from a backup, ${path}, though the service forgot the keys`, async () => {
      await bench.plan(bench.payouts(2));
      const live = join(bench.stateDir, 'batches', 'payout', 'b1');
      cpSync(live, `${live}.backup`, {recursive: true});
      await bench.run(service, {path});
      bench.clock.advance(48 * HOUR);
      service.forgetKeys();
      rmSync(live, {recursive: true});
      cpSync(`${live}.backup`, live, {recursive: true});
      rmSync(`${live}.backup`, {recursive: true});
      const summary = await bench.run(service, {path, out: bench.stateDir});
      assert.deepEqual([summary.accepted, summary.already_paid, summary.posts], [2, 0, 0]);
      assert.deepEqual([summary.state, summary.next], ['complete', null]);
      const followed = await bench.inJournal(({journal}) => journal.rows.following(['settled'], 0, 10));
      assert.deepEqual(
        followed.map(({outcome}) => outcome.id).sort(),
        [...service.byId.keys()].sort(),
        'a refresh reads their records',
      );
      assert.equal(service.paid.length, 2);
    });

  it('refuses the same batch in another namespace, which would have other keys', async () => {
    service.fault = losing('INV-2');
    const file = bench.payouts(2);
    await bench.plan(file, {namespace: 'payroll'});
    await bench.run(service, {path: 'direct'});
    await assert.rejects(bench.plan(file), /was run in the namespace payroll/);
  });

  it('keeps a row in doubt if another run is refused: it may be another entity, or another day', async () => {
    service.fault = losing('INV-2');
    await bench.plan(bench.payouts(2));
    assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
    service.fault = ({body}) =>
      body.includes('"INV-2"')
        ? {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'date in the past'}}
        : undefined;
    const summary = await bench.run(service, {path: 'direct'});
    assert.deepEqual([summary.rejected, summary.in_doubt, summary.failed_file], [0, 1, null]);
  });

  it('refuses to edit a row that was only declared not paid', async () => {
    service.fault = losing('INV-2');
    await bench.plan(bench.file('p.csv', HEADER + line(1) + line(2)));
    await bench.run(service, {path: 'direct'});
    const batch = await openBatch({
      stateDir: bench.stateDir,
      kind: 'payout',
      batchId: 'b1',
      purpose: 'test',
      clock: bench.clock,
    });
    await resolveRow({
      batch,
      stateDir: bench.stateDir,
      reference: 'INV-2',
      resolution: 'not-paid',
      clock: bench.clock,
    });
    await batch.close();
    await assert.rejects(
      bench.plan(bench.file('p.csv', HEADER + line(1) + line(2, '11.00'))),
      /INV-2 was changed, but it may have been sent/,
    );
  });

  it('does not release automatically what was not completely staged', async () => {
    await bench.plan(bench.payouts(300));
    const inner = service.transport();
    let sent = 0;
    const dying = {
      ...inner,
      send: async (request: Parameters<typeof inner.send>[0]) => {
        if (++sent > 290) throw new Error('killed');
        return inner.send(request);
      },
    };
    await assert.rejects(
      bench.run(service, {path: 'stage-only', transport: dying, maxInFlight: 1}),
      /killed/,
    );
    const held = await bench.run(service, {path: 'release'});
    assert.deepEqual([held.accepted, held.state, service.paid.length], [0, 'held', 0]);
  });

  it('finishes in direct mode what was staged before', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    const summary = await bench.run(service, {path: 'direct'});
    assert.deepEqual([summary.accepted, summary.state], [2, 'complete']);
    assert.equal(service.byId.size, 2);
  });

  it('detects a row past the horizon that was approved by its id', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(service, {path: 'stage-only'});
    bench.clock.advance(25 * HOUR);
    service.forgetKeys();
    const held = await bench.run(service);
    assert.deepEqual(
      [held.state, held.next],
      ['held', 'remit profiles set acme --approve-by-id && remit payouts batch release b1'],
    );
    for (const record of service.byId.values()) record.status = 'approved';
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.staged, summary.posts], [1, 0, 0]);
  });
});
