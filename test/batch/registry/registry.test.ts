import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {noteConfirmation} from '../../../src/batch/journal/confirmations.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {Registry} from '../../../src/batch/registry/registry.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const line = (n: number, amount = '10.00', reference = `INV-${n}`) =>
  `${reference},${payeeId(n)},${amount},USD\n`;

describe('the registry', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  it('skips what another batch has paid, and reports it', async () => {
    await bench.plan(bench.file('a.csv', HEADER + line(1) + line(2)), {batchId: 'first'});
    await bench.run(service, {batchId: 'first'});
    await bench.plan(bench.file('b.csv', HEADER + line(2) + line(3)), {batchId: 'second'});
    const summary = await bench.run(service, {batchId: 'second'});
    assert.deepEqual([summary.accepted, summary.already_paid, summary.state], [1, 1, 'complete']);
    assert.equal(service.paid.length, 3);
  });

  it('never sends a reference that was given to another payment', async () => {
    await bench.plan(bench.file('a.csv', HEADER + line(1)), {batchId: 'first'});
    await bench.run(service, {batchId: 'first'});
    await bench.plan(bench.file('b.csv', HEADER + line(1, '99.00')), {batchId: 'second'});
    const before = service.posts;
    const summary = await bench.run(service, {batchId: 'second'});
    assert.equal(summary.conflict, 1);
    assert.equal(service.posts, before);
    const {id} = service.paid[0]!;
    assert.equal(summary.next, `remit payouts batch resolve second INV-1 --paid ${id}`);
    // As its message says: with a reference of its own the payment is made.
    await bench.plan(bench.file('b.csv', HEADER + line(4, '99.00')), {batchId: 'second'});
    const {state, accepted} = await bench.run(service, {batchId: 'second'});
    assert.deepEqual([state, accepted, service.paid.length], ['complete', 1, 2]);
  });

  it('frees a reference after a definite refusal', async () => {
    service.refuse = (body) =>
      body['payee_id'] === payeeId(2)
        ? {status: 404, error_code: 'NOT_FOUND', message: 'no such payee'}
        : undefined;
    await bench.plan(bench.file('a.csv', HEADER + line(1) + line(2)), {batchId: 'first'});
    assert.equal((await bench.run(service, {batchId: 'first'})).rejected, 1);
    service.refuse = () => undefined;
    await bench.plan(bench.file('b.csv', HEADER + line(2, '11.00')), {batchId: 'second'});
    assert.equal((await bench.run(service, {batchId: 'second'})).accepted, 1);
  });

  it('leaves a row to the batch that has started it, as long as that batch exists', async () => {
    service.fault = (request) => (request.method === 'POST' && request.n > 1 ? 'lost-before' : undefined);
    await bench.plan(bench.file('a.csv', HEADER + line(1) + line(2)), {batchId: 'first'});
    assert.equal((await bench.run(service, {batchId: 'first'})).in_doubt, 1);
    service.fault = () => undefined;
    await bench.plan(bench.file('b.csv', HEADER + line(2)), {batchId: 'second'});
    assert.equal((await bench.run(service, {batchId: 'second'})).conflict, 1);
    rmSync(join(bench.stateDir, 'batches', 'payout', 'first'), {recursive: true});
    const summary = await bench.run(service, {batchId: 'second'});
    assert.deepEqual(
      [summary.conflict, summary.accepted],
      [0, 1],
      'sent with the same key once nobody else can finish it',
    );
    assert.equal(service.paid.filter((record) => record.body['payee_id'] === payeeId(2)).length, 1);
  });

  const openRegistry = () =>
    Registry.open({
      ...{stateDir: bench.stateDir, clock: bench.clock},
      scope: {mode: 'test', baseUrl: 'https://api.test', kind: 'payout', namespace: 'default'},
      claimant: {profile: 'acme', batchId: 'b1', journalId: 'of a look'},
    });

  for (const path of ['stage-only', 'direct', 'release'] as const)
    it(`has the claims of a window before the window is committed (${path})`, async () => {
      await bench.plan(bench.payouts(2));
      if (path === 'release') {
        await bench.run(service, {path: 'stage-only'});
        rmSync(join(bench.stateDir, 'batches', 'registry.db')); // so that the release claims
      }
      const records = service.byId.size;
      await bench.inDatabase((db) =>
        db.exec(`create trigger closed before insert on windows begin select raise(abort, 'no window'); end`),
      );
      await assert.rejects(bench.run(service, {path}), /no window/);
      const phase = path === 'stage-only' ? 'stage' : path;
      assert.deepEqual(await bench.inJournal(({journal}) => journal.windows([phase])), []);
      const registry = await openRegistry();
      assert.deepEqual(
        ['INV-1', 'INV-2'].map((reference) => registry.entries.find(reference)?.batch),
        ['b1', 'b1'],
      );
      await registry.close();
      assert.deepEqual([service.byId.size, service.paid.length], [records, 0]);
    });

  describe('of a row in doubt', () => {
    beforeEach(async () => {
      service.fault = ({method}) => (method === 'POST' ? 'lost-before' : undefined);
      await bench.plan(bench.file('a.csv', HEADER + line(1)));
      assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
      service.fault = () => undefined;
    });

    it('has priority when it lists a row as paid by this batch, whatever the journal contains', async () => {
      const registry = await openRegistry();
      registry.paid('INV-1', 'the-record');
      registry.flush();
      await registry.close();
      bench.clock.advance(48 * 3_600_000); // the key may be forgotten
      const {accepted, posts} = await bench.run(service, {path: 'direct'});
      assert.deepEqual([accepted, posts], [1, 0]);
    });

    async function declarePaid() {
      const {stateDir, clock} = bench;
      const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
      await resolveRow({batch, stateDir, reference: 'INV-1', resolution: {paid: 'the-record'}, clock});
      await batch.close();
      const registry = await openRegistry();
      const {profile, paid, id} = registry.entries.find('INV-1')!;
      await registry.close();
      assert.deepEqual([profile, paid, id], ['acme', true, 'the-record']);
    }

    it('keeps the profile that claimed it when it is declared paid', () => declarePaid());

    it('lists it again, with the profile that confirmed the batch, if it was lost before the declaration', async () => {
      await bench.inJournal(({journal, plan}) =>
        noteConfirmation(journal, {
          ...{planHash: plan.planHash, revision: 1, doing: 'pay', asked: true, at: 1, by: null},
          profile: 'acme',
        }),
      );
      rmSync(join(bench.stateDir, 'batches', 'registry.db'));
      await declarePaid();
    });
  });

  it('keeps the scopes apart: a rehearsal with a test key does not count as paid', async () => {
    await bench.plan(bench.file('a.csv', HEADER + line(1)), {batchId: 'rehearsal'});
    await bench.run(service, {batchId: 'rehearsal'});
    await bench.plan(bench.file('a.csv', HEADER + line(1)), {batchId: 'real'});
    const summary = await bench.run(new TruthService(), {batchId: 'real', mode: 'live', key: 'live_key'});
    assert.equal(summary.accepted, 1);
  });
});
