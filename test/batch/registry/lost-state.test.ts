import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import type {Survey} from '../../../src/batch/registry/survey.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {type Transport, TransportFailure} from '../../../src/client/transport/transport.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';
import type {RunPath} from '../../../src/batch/model/run-path.ts';

const HOUR_MS = 3_600_000;

/** Takes its n-th request, and then the process is gone. */
function dyingAt(service: TruthService, n: number): Transport {
  const inner = service.transport();
  let sent = 0;
  return {
    ...inner,
    send: async (request) => {
      if (++sent > n) throw new Error('killed');
      const answer = await inner.send(request);
      if (sent === n) throw new Error('killed');
      return answer;
    },
  };
}

/** What a run would ask about. */
const surveyOf = (bench: Bench): Promise<Survey> => bench.inClaims(({survey}) => survey);

for (const path of ['direct', 'stage-and-release'] as const satisfies readonly RunPath[]) {
  describe(`a batch whose journal was lost (${path})`, () => {
    let bench: Bench;
    let service: TruthService;
    const loseJournal = () =>
      rmSync(join(bench.stateDir, 'batches', 'payout', 'b1'), {recursive: true, force: true});
    const planAgain = async () => {
      rmSync(join(bench.folder, 'b1.summary.json'), {force: true});
      rmSync(join(bench.folder, 'b1.results.csv'), {force: true});
      await bench.plan(bench.payouts(3));
    };

    beforeEach(async () => {
      bench = new Bench();
      service = new TruthService();
      service.now = () => bench.clock.now();
      service.keyLifeMs = 24 * HOUR_MS;
      await bench.plan(bench.payouts(3));
    });
    afterEach(() => bench.remove());

    const paidOnce = (rows: number) => {
      assert.equal(service.paid.length, rows);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
    };

    it('pays nothing again that the registry lists as paid, even if the service has forgotten all keys', async () => {
      await bench.run(service, {path});
      bench.clock.advance(48 * HOUR_MS);
      loseJournal();
      await planAgain();
      const before = service.posts;
      const summary = await bench.run(service, {path});
      assert.deepEqual([summary.already_paid, service.posts - before], [3, 0]);
      paidOnce(3);
    });

    /** Whom the question of a run names. */
    const paidBy = async (): Promise<string[]> => [...(await surveyOf(bench)).paidBy.keys()];

    it('keeps rows paid that it had as paid, even if the references are claimed after the registry is lost too', async () => {
      await bench.run(service, {path});
      loseJournal();
      await planAgain();
      await bench.run(service, {path});
      bench.loseRegistry();
      bench.clock.advance(1000);
      const rows = [1, 2, 3].map((n) => `INV-${n},${payeeId(n)},99.00,USD\n`);
      const edited = `reference,payee_id,amount,currency_code\n${rows.join('')}`;
      await bench.away(async () => {
        await bench.plan(bench.file('edited.csv', edited), {batchId: 'b2'});
        const other = await bench.run(service, {path, batchId: 'b2', maxInFlight: 1});
        assert.equal(other.stopped_because?.reason, 'collision');
      });
      assert.deepEqual(await paidBy(), [], 'b2 has claimed them and paid nothing');
      const again = await bench.run(service, {path});
      assert.deepEqual([again.already_paid, again.conflict], [3, 0]);
      paidOnce(3);
    });

    it('replays what it had claimed while the service remembers the keys', async () => {
      await assert.rejects(
        bench.run(service, {path, transport: dyingAt(service, 2), maxInFlight: 1}),
        /killed/,
      );
      const records = service.byId.size;
      loseJournal();
      await planAgain();
      const summary = await bench.run(service, {path});
      assert.equal(summary.accepted + summary.already_paid, 3);
      assert.ok(records > 0 && service.byId.size === 3, 'no second record');
      paidOnce(3);
    });

    it('leaves what it had claimed in doubt once the service may have forgotten the keys', async () => {
      await assert.rejects(
        bench.run(service, {path, transport: dyingAt(service, 1), maxInFlight: 1}),
        /killed/,
      );
      const paid = service.paid.length;
      bench.clock.advance(25 * HOUR_MS);
      loseJournal();
      await planAgain();
      assert.equal((await surveyOf(bench)).doubts, 3, 'the confirmation says so');
      const before = service.posts;
      const summary = await bench.run(service, {path, settings: {releaseRest: true}});
      assert.deepEqual([summary.in_doubt, service.posts - before], [3, 0]);
      paidOnce(paid);
    });
  });
}

describe('a batch that was staged before its registry was lost', () => {
  it('gets its references back once it releases them, from a batch that claimed them in the meantime', async () => {
    const bench = new Bench();
    const service = new TruthService();
    await bench.plan(bench.payouts(3));
    await bench.run(service, {path: 'stage-only'});
    bench.loseRegistry();
    const rows = [1, 2, 3].map((n) => `INV-${n},${payeeId(n)},99.00,USD\n`);
    const edited = `reference,payee_id,amount,currency_code\n${rows.join('')}`;
    await bench.away(async () => {
      await bench.plan(bench.file('edited.csv', edited), {batchId: 'b2'});
      await assert.rejects(bench.run(service, {batchId: 'b2', transport: dyingAt(service, 1)}), /killed/);
    });
    const released = await bench.run(service, {path: 'release'});
    assert.equal(released.accepted, 3);
    const other = await bench.run(service, {batchId: 'b2', settings: {releaseRest: true}});
    assert.deepEqual([other.already_paid, other.conflict, other.in_doubt, other.posts], [0, 0, 3, 0]);
    bench.remove();
  });
});

describe('a batch whose records are older than the local state shows', () => {
  let bench: Bench;
  let service: TruthService;
  const lose = async (folder: string) => {
    for (const path of [
      folder,
      ...['summary.json', 'results.csv'].map((name) => join(bench.folder, `b1.${name}`)),
    ])
      rmSync(path, {recursive: true, force: true});
    await bench.plan(bench.payouts(3));
  };
  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    await bench.plan(bench.payouts(3));
  });
  afterEach(() => bench.remove());

  it('treats each key as old as its record, even if its journal is lost once more', async () => {
    const ahead = 30 * 24 * HOUR_MS; // the clock of the service: it is compared with itself only
    service.now = () => bench.clock.now() + ahead;
    service.keyLifeMs = 24 * HOUR_MS;
    await bench.run(service, {path: 'stage-only'});
    bench.clock.advance(20 * HOUR_MS);
    await lose(bench.stateDir);
    // Three creates that bring the records, the probe, and a release that is taken and not answered.
    await assert.rejects(bench.run(service, {transport: dyingAt(service, 5), maxInFlight: 1}), /killed/);
    assert.deepEqual([service.byId.size, service.paid.length], [3, 1]);
    bench.clock.advance(5 * HOUR_MS); // the service has forgotten the keys, and the claims are five hours old
    await lose(join(bench.stateDir, 'batches', 'payout'));
    const before = service.posts;
    const summary = await bench.run(service, {settings: {releaseRest: true}});
    assert.deepEqual([summary.in_doubt, service.posts - before], [3, 0]);
    assert.deepEqual([service.byId.size, service.paid.length], [3, 1]);
  });

  it('keeps that in the registry if the run that found out is killed', async () => {
    service.now = () => bench.clock.now();
    service.keyLifeMs = 24 * HOUR_MS;
    await bench.run(service, {path: 'stage-only'});
    bench.clock.advance(20 * HOUR_MS);
    await lose(bench.stateDir);
    const killedAt = bench.clock.now() + 1000; // what was learnt is written down within half a second
    const inner = service.transport();
    const transport: Transport = {
      ...inner,
      send: async (request) => {
        if (bench.clock.now() > killedAt) throw new Error('killed');
        if (request.method === 'GET') return inner.send(request);
        const answer = await inner.send({
          ...request,
          body: request.body!.replace('"auto_approve":true', '"auto_approve":false'),
        });
        return {...answer, status: 202}; // it goes on with it, and will approve it
      },
    };
    await assert.rejects(bench.run(service, {path: 'direct', transport, maxInFlight: 1}), /killed/);
    bench.clock.advance(5 * HOUR_MS);
    assert.equal((await surveyOf(bench)).doubts, 0, 'they are in doubt by us, not by another');
    const summary = await bench.run(service, {path: 'direct', maxInFlight: 1});
    const references = service.paid.map(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'],
    );
    assert.deepEqual([summary.in_doubt, references], [3, []]);
  });

  it('knows when it first sent a row even if only the registry was lost', async () => {
    service.now = () => bench.clock.now();
    service.keyLifeMs = 24 * HOUR_MS;
    const silent = {
      ...service.transport(),
      send: async (request: Parameters<Transport['send']>[0]) => {
        await service.transport().send(request);
        if (service.posts === 3) throw new Error('killed');
        await bench.clock.sleep(1); // taken, and not answered
        throw new TransportFailure('reset', 'no answer', {sent: true});
      },
    };
    await assert.rejects(bench.run(service, {transport: silent}), /killed/);
    rmSync(join(bench.stateDir, 'batches', 'registry.db'));
    bench.clock.advance(20 * HOUR_MS);
    const dying = dyingAt(service, 5); // three creates, the probe, a release
    await assert.rejects(bench.run(service, {transport: dying, maxInFlight: 1}), /killed/);
    assert.deepEqual([service.byId.size, service.paid.length], [3, 1]);
    bench.clock.advance(5 * HOUR_MS);
    await lose(join(bench.stateDir, 'batches', 'payout'));
    const summary = await bench.run(service, {settings: {releaseRest: true}});
    assert.deepEqual([summary.in_doubt, service.byId.size, service.paid.length], [3, 3, 1]);
  });

  it('sends a row once for each declaration that it was not paid, because its key may be as old as before', async () => {
    service.now = () => bench.clock.now();
    await assert.rejects(bench.run(service, {path: 'direct', transport: dyingAt(service, 0)}), /killed/);
    service.fault = () => 'lost-before';
    bench.clock.advance(25 * HOUR_MS);
    assert.equal((await bench.run(service, {path: 'direct'})).posts, 0, 'too old');
    const declareUnpaid = async () => {
      const {stateDir, clock} = bench;
      const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
      await resolveRow({batch, stateDir, reference: 'INV-2', resolution: 'not-paid', clock});
      await batch.close();
    };
    await declareUnpaid();
    const lost = await bench.run(service, {path: 'direct'});
    assert.equal(lost.in_doubt, 3);
    assert.ok(lost.posts > 0);
    service.fault = () => undefined;
    assert.equal((await bench.run(service, {path: 'direct'})).posts, 0);
    await declareUnpaid();
    const {accepted, in_doubt: doubts} = await bench.run(service, {path: 'direct'});
    assert.deepEqual([accepted, doubts], [1, 2]);
  });

  it('stages and releases a row that was declared not paid and now has a new record', async () => {
    service.now = () => bench.clock.now();
    await assert.rejects(bench.run(service, {transport: dyingAt(service, 0)}), /killed/);
    bench.clock.advance(25 * HOUR_MS);
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
    await resolveRow({batch, stateDir, reference: 'INV-2', resolution: 'not-paid', clock});
    await batch.close();
    service.fault = () => undefined;
    const {accepted, in_doubt: doubts} = await bench.run(service, {settings: {releaseRest: true}});
    assert.deepEqual([accepted, doubts], [1, 2]);
  });

  it('does not release by its key a record that another batch staged longer ago than the horizon', async () => {
    service.now = () => bench.clock.now();
    await bench.run(service, {path: 'stage-only'});
    bench.clock.advance(25 * HOUR_MS);
    await lose(bench.stateDir);
    const summary = await bench.run(service);
    assert.deepEqual([summary.state, summary.staged, service.paid.length], ['held', 3, 0]);
    const leave = {approveById: true};
    assert.equal((await bench.run(service, {settings: leave})).accepted, 3);
  });
});
