import assert from 'node:assert/strict';
import {cpSync, existsSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {claimBatch} from '../../../src/batch/registry/batch-claims.ts';
import {type Resolving, resolveRow} from '../../../src/batch/repair/resolve.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {isStage, TruthService} from '../truth-service.ts';

const HOUR_MS = 3_600_000;

describe('a registry that lacks what the journals of its folder have', () => {
  let bench: Bench;
  let service: TruthService;
  const file = (name: string) => join(bench.stateDir, 'batches', name);
  const lose = () => {
    for (const name of ['registry.db', 'registry.db-wal']) rmSync(file(name), {force: true});
  };
  const forgetKeys = () => bench.clock.advance(48 * HOUR_MS);

  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
    service.keyLifeMs = 24 * HOUR_MS;
  });
  afterEach(() => bench.remove());

  /** Opens a batch as a command does, and returns what it says. */
  async function open(batchId: string, lostJournals: readonly string[] = []) {
    const said: string[] = [];
    const batch = await bench.open({batchId});
    const {stateDir, clock} = bench;
    try {
      const {registry, survey} = await claimBatch({
        ...{batch, stateDir, clock, lostJournals, mode: 'test', baseUrl: 'https://api.test', profile: 'acme'},
        breakLock: false,
        tell: (text) => said.push(text),
      });
      const entries = new Map(
        ['INV-1', 'INV-2', 'INV-3'].map((reference) => [reference, registry.entries.find(reference)]),
      );
      await registry.close();
      return {said, survey, entries};
    } finally {
      await batch.close();
    }
  }

  for (const [how, damage] of Object.entries({
    'was deleted': () => lose(),
    'was emptied': () => truncateSync(file('registry.db'), 0),
    'was restored from a copy of before the run': () => {
      lose();
      cpSync(file('registry.old'), file('registry.db'));
    },
  }))
    it(`and ${how} is read from them before anything is sent`, async () => {
      await bench.plan(bench.payouts(1, 'first.csv'), {batchId: 'b0', namespace: 'first'});
      await bench.run(service, {batchId: 'b0'});
      cpSync(file('registry.db'), file('registry.old'));
      await bench.plan(bench.payouts(5), {batchId: 'b1'});
      await bench.run(service, {batchId: 'b1'});
      damage();
      forgetKeys();
      await bench.plan(bench.payouts(5), {batchId: 'b2'});
      const second = await bench.run(service, {batchId: 'b2'});
      assert.deepEqual([second.already_paid, second.posts, service.paid.length], [5, 0, 6]);
    });

  it('names the batches, and says that those without journals cannot be restored; only once', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    lose();
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    const {said} = await open('b2');
    assert.equal(said.length, 1);
    assert.match(said[0]!, /lacked 3 references of 1 batch \(b1\).*journals are gone cannot be restored/);
    assert.deepEqual((await open('b2')).said, []);
  });

  it('is not asked for in a new folder, nor by batches that were only planned', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    assert.deepEqual((await open('b1')).said, []);
    assert.deepEqual((await open('b2')).said, []);
  });

  it('does not open a journal that has not changed since it was compared', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    for (const waited of [1, 2]) {
      await new Promise((done) => setTimeout(done, 20 * waited)); // the clock of the file system
      await open('b2');
    }
    rmSync(file('payout/b1.lock'), {recursive: true, force: true});
    writeFileSync(file('payout/b1.lock'), 'another program has it');
    assert.deepEqual((await open('b2')).said, []);
  });

  it('takes over what failed: the next claim has the next generation', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    for (const record of service.byId.values())
      if (JSON.stringify(record.body).includes('"INV-2"')) record.status = 'failed';
    assert.deepEqual((await bench.prepareRetry(service, {named: ['INV-2']})).raised, ['INV-2']);
    lose();
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    const {entries} = await open('b2');
    const standings = [...entries.values()].map((entry) => [entry?.generation, entry?.standing, entry?.paid]);
    assert.deepEqual(standings, [
      [0, null, true],
      [1, 'freed', false],
      [0, null, true],
    ]);
  });

  it('leaves the reference of a rejected row free', async () => {
    await bench.plan(bench.payouts(2), {batchId: 'b1'});
    service.refuse = (body) =>
      JSON.stringify(body).includes('"INV-2"')
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    assert.equal((await bench.run(service, {batchId: 'b1'})).rejected, 1);
    service.refuse = () => undefined;
    lose();
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    const {already_paid: before, accepted, conflict} = await bench.run(service, {batchId: 'b2'});
    assert.deepEqual([before, accepted, conflict], [1, 1, 0]);
  });

  it('has the ages of keys, and rows in doubt stay claimed', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    const staged = bench.clock.now();
    await bench.run(service, {batchId: 'b1', path: 'stage-only'});
    bench.clock.advance(5 * HOUR_MS);
    lose();
    await bench.plan(bench.payouts(3), {batchId: 'b2'});
    const {entries, survey} = await open('b2');
    assert.equal(survey.conflicts, 3, 'b1 has to be finished first');
    for (const entry of entries.values()) assert.ok(entry!.since! - staged < HOUR_MS);
  });

  it('still has the payments of a batch whose journal is gone too, if another batch found them paid', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    await bench.plan(bench.payouts(3), {batchId: 'b2'});
    await bench.run(service, {batchId: 'b2'});
    lose();
    rmSync(file('payout/b1'), {recursive: true});
    forgetKeys();
    await bench.plan(bench.payouts(3), {batchId: 'b3'});
    const third = await bench.run(service, {batchId: 'b3'});
    assert.deepEqual([third.already_paid, service.paid.length], [3, 3]);
    assert.equal((await open('b3')).entries.get('INV-1')!.batch, 'b1');
  });

  for (const [payer, order] of [
    ['b1', 'first'],
    ['b9', 'last'],
  ] as const)
    it(`still has a payment whose answer its own journal has not, if another batch found it paid (${order})`, async () => {
      await bench.plan(bench.payouts(3), {batchId: payer});
      await bench.run(service, {batchId: payer, path: 'stage-only'});
      cpSync(file(`payout/${payer}`), file('copy'), {recursive: true});
      await bench.run(service, {batchId: payer});
      rmSync(file(`payout/${payer}`), {recursive: true});
      cpSync(file('copy'), file(`payout/${payer}`), {recursive: true});
      rmSync(file('copy'), {recursive: true});
      await bench.plan(bench.payouts(3), {batchId: 'b2'});
      assert.equal((await bench.run(service, {batchId: 'b2'})).already_paid, 3);
      lose();
      forgetKeys();
      const {entries, survey} = await open('b2');
      assert.deepEqual(
        [...entries.values()].map((entry) => [entry!.batch, entry!.paid, entry!.standing]),
        Array.from({length: 3}, () => [payer, true, null]),
      );
      assert.equal(survey.conflicts, 0);
      assert.equal((await bench.run(service, {batchId: 'b2'})).already_paid, 3);
    });

  for (const other of ['b0', 'b5'])
    it(`does not take a statement for a payment that was withdrawn, although ${other} has found it paid`, async () => {
      await bench.plan(bench.payouts(1), {batchId: 'b1'});
      service.fault = (request) => (isStage(request) ? 'lost-before' : undefined);
      await bench.run(service);
      service.fault = () => undefined;
      const say = async (resolution: Resolving['resolution']) => {
        const batch = await bench.open();
        const {stateDir, clock} = bench;
        await resolveRow({batch, stateDir, clock, reference: 'INV-1', resolution});
        await batch.close();
      };
      await say({paid: payeeId(99)});
      await bench.plan(bench.payouts(1), {batchId: other});
      assert.equal((await bench.run(service, {batchId: other})).already_paid, 1);
      await say('not-paid');
      lose();
      const summary = await bench.run(service);
      assert.deepEqual([summary.state, service.paid.length], ['complete', 1]);
    });

  for (const other of ['b0', 'b5'])
    for (const first of ['b1', other])
      it(`knows that a record has failed which ${other} had found paid, whatever is read first (${first})`, async () => {
        await bench.plan(bench.payouts(1), {batchId: 'b1'});
        await bench.run(service);
        await bench.plan(bench.payouts(1), {batchId: other});
        assert.equal((await bench.run(service, {batchId: other})).already_paid, 1);
        for (const record of service.byId.values()) record.status = 'failed';
        await bench.prepareRetry(service, {named: ['INV-1']});
        lose();
        await bench.run(service, {batchId: first});
        const own = await bench.run(service);
        assert.deepEqual([own.state, own.accepted, service.byId.size], ['complete', 1, 2]);
      });

  it('is compared by a plan too', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    lose();
    await bench.plan(
      bench.file('x.csv', `reference,payee_id,amount,currency_code\nX-1,${payeeId(1)},100.01,USD\n`),
      {batchId: 'b2', namespace: 'dec'},
    );
    const batch = await bench.open({batchId: 'b2'});
    const {stateDir, clock} = bench;
    const said: string[] = [];
    const {alike} = await seenBefore(batch, {
      ...{stateDir, clock, countsAlike: true},
      tell: (text) => said.push(text),
    });
    await batch.close();
    assert.deepEqual([alike[0]?.alike, said.length], [1, 1]);
  });

  it('refuses a journal that cannot be read until it is accepted as lost, once', async () => {
    await bench.plan(bench.payouts(3), {batchId: 'b1'});
    await bench.run(service, {batchId: 'b1'});
    lose();
    writeFileSync(file('payout/b1/journal.db'), 'not a database'.repeat(500));
    await bench.plan(bench.payouts(2), {batchId: 'b2'});
    const isRefused = (error: unknown) =>
      error instanceof RemitError &&
      error.exitCode === 13 &&
      /the journal of batch b1 cannot be read.*nothing was sent/.test(error.message) &&
      JSON.stringify(error.openHint).includes('lost-journal=b1');
    await assert.rejects(open('b2'), isRefused);
    await assert.rejects(open('b2', ['b3']), isRefused);
    await open('b2', ['b1']);
    assert.deepEqual((await open('b2')).said, []);
    assert.ok(existsSync(file('payout/b1/journal.db')));
  });
});
