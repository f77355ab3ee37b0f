import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const line = (n: number, amount = '10.00') => `INV-${n},${payeeId(n)},${amount},USD\n`;

describe('a revision of a batch', () => {
  let bench: Bench;
  let service: TruthService;
  const plan = (...lines: string[]) => bench.plan(bench.file('p.csv', HEADER + lines.join('')));
  const refusesPayee = (n: number) => (body: Record<string, unknown>) =>
    body['payee_id'] === payeeId(n)
      ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no usable method'}
      : undefined;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  it('adds new rows and pays only them', async () => {
    await plan(line(1), line(2));
    await bench.run(service);
    const {plan: next, revision} = await plan(line(3), line(1), line(2));
    assert.equal(next.revision, 2);
    assert.deepEqual(revision, {added: 1, corrected: 0, dropped: []});
    const before = service.posts;
    const summary = await bench.run(service);
    assert.deepEqual([summary.planned, summary.accepted, summary.revision], [3, 3, 2]);
    assert.equal(service.posts - before, 3, 'one create, one probe, one release');
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
  });

  it('sends a corrected row that was refused, with the same key', async () => {
    service.refuse = refusesPayee(2);
    await plan(line(1), line(2));
    assert.equal((await bench.run(service)).rejected, 1);
    const key = service.requests.find(({body}) => body.includes(payeeId(2)))!.key;
    service.refuse = () => undefined;
    assert.equal((await plan(line(1), line(2, '12.00'))).revision?.corrected, 1);
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.totals['USD']!.accepted], [2, '22.00']);
    assert.equal(service.requests.findLast(({body}) => body.includes(payeeId(2)))!.key, key);
  });

  it('refuses to change or to drop a row that was paid, and names it', async () => {
    await plan(line(1), line(2));
    await bench.run(service);
    const isRefusal = (reference: string) => (error: unknown) =>
      error instanceof RemitError && error.code === 'CSV_INVALID' && error.message.includes(reference);
    await assert.rejects(plan(line(1, '11.00'), line(2)), isRefusal('INV-1 was changed'));
    await assert.rejects(plan(line(1)), isRefusal('INV-2 was removed'));
    const again = await bench.run(service);
    assert.deepEqual([again.revision, again.posts], [1, 0], 'the batch is as it was');
  });

  it('refuses to change a row in doubt, even after the run was killed', async () => {
    service.fault = (request) => (request.body.includes(payeeId(2)) ? 'lost-after' : undefined);
    await plan(line(1), line(2));
    const transport = service.transport();
    let sent = 0;
    const killed = {
      ...transport,
      send: async (request: Parameters<typeof transport.send>[0]) => {
        if (++sent > 1) throw new Error('killed');
        return transport.send(request);
      },
    };
    await assert.rejects(bench.run(service, {transport: killed}), /killed/);
    await assert.rejects(plan(line(1), line(2, '11.00')), /INV-2 was changed, but it may have been sent/);
    service.fault = () => undefined;
    assert.equal((await bench.run(service)).accepted, 2);
  });

  it('keeps open rows in doubt when the rows around them change', async () => {
    service.fault = (request) =>
      request.method === 'POST' && request.body.includes(payeeId(2)) ? 'lost-after' : undefined;
    await plan(line(1), line(2));
    assert.equal((await bench.run(service)).in_doubt, 1);
    service.fault = () => undefined;
    await plan(line(9), line(2), line(1));
    const summary = await bench.run(service, {settings: {releaseRest: true}});
    assert.equal(summary.accepted, 3);
    assert.equal(service.byId.size, 3, 'no second record');
  });

  it('remembers since when a key has been in use', async () => {
    service.fault = ({body}) =>
      body.includes(payeeId(2))
        ? {status: 409, body: {error_code: 'DUPLICATE_REQUEST', message: 'in progress'}}
        : undefined;
    await plan(line(1), line(2));
    await bench.run(service, {settings: {releaseRest: true}});
    bench.clock.advance(15 * 60_000);
    const {next} = await bench.run(service, {settings: {releaseRest: true}});
    assert.match(next!, / resolve b1 --from FILE$/);
    await plan(line(2), line(1));
    const counts = await bench.inJournal(({journal}) =>
      journal.left.counts({now: bench.clock.now(), horizonMs: 24 * 3_600_000}),
    );
    assert.equal(counts.stuck, 1);
  });

  it('drops rows that were never sent, and lists them', async () => {
    service.refuse = () => ({status: 404, message: 'no such route'});
    await plan(line(1), line(2), line(3), line(4), line(5));
    assert.equal((await bench.run(service)).state, 'stopped');
    const {revision} = await plan(line(1), line(2));
    assert.deepEqual(revision?.dropped, ['INV-3', 'INV-4', 'INV-5']);
    service.refuse = () => undefined;
    assert.equal((await bench.run(service)).accepted, 2);
    await bench.plan(bench.file('q.csv', HEADER + line(4, '44.00')), {batchId: 'other'});
    assert.equal(
      (await bench.run(service, {batchId: 'other'})).accepted,
      1,
      'a dropped reference is free for others',
    );
  });
});
