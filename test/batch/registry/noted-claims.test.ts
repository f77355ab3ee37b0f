import assert from 'node:assert/strict';
import {cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {NotedClaims} from '../../../src/batch/registry/noted-claims.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {planBatch} from '../../../src/batch/plan/plan.ts';
import {Registry} from '../../../src/batch/registry/registry.ts';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {systemClock as clock} from '../../../src/clock.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';

const SCOPE = {mode: 'test', baseUrl: 'http://localhost', kind: 'payout', namespace: 'default'} as const;
const PAYEE = '0190a1b2-0000-7000-8000-000000000001';
const claim = (reference: string, facts: object = {}) => ({
  ...{reference, generation: 0, fingerprint: `f of ${reference}`, party: PAYEE, amount: 100, currency: 'USD'},
  ...facts,
});

describe('claims that the registry has noted', () => {
  let home: string;
  let registry: Registry;
  const folder = (name: string) => join(home, name, 'batches');
  const open = (name: string, journalId = 'j', namespace = 'default') =>
    Registry.open({
      ...{stateDir: join(home, name), scope: {...SCOPE, namespace}, clock},
      claimant: {profile: 'p', batchId: `batch of ${journalId}`, journalId},
    });
  /** What a kill would leave: nothing of it was sorted in. */
  const killedCopy = (name: string) => {
    mkdirSync(folder(name), {recursive: true});
    for (const file of ['registry.db', 'registry.db-wal'])
      cpSync(join(folder('one'), file), join(folder(name), file));
  };
  /** What the next process has of a reference. */
  const afterKill = async (reference: string, journalId = 'other') => {
    killedCopy('two');
    const next = await open('two', journalId);
    const found = next.find(reference);
    await next.close();
    return found;
  };
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'remit-noted-'));
    registry = await open('one');
  });
  afterEach(async () => {
    await registry.close();
    rmSync(home, {recursive: true});
  });

  it('know since when their key may be known, and when they were made', () => {
    registry.claim([claim('NEW'), claim('SENT', {outcome: {stagedAt: 3}})], 5);
    registry.keep([claim('LOST', {outcome: {stagedAt: 2}})], 6);
    registry.keep([claim('NEW', {outcome: {stagedAt: 1}})], 6); // it is there, so it was not lost
    const timesOf = (reference: string) => {
      const {at, since} = registry.find(reference)!;
      return [at, since];
    };
    assert.deepEqual(['NEW', 'SENT', 'LOST'].map(timesOf), [
      [5, null],
      [5, 3],
      [6, 2],
    ]);
  });

  it('become older by what the service reports, and never younger', async () => {
    registry.claim([claim('INV 1'), claim('inv-2'), claim('INV-3')], 50);
    registry.older(claim('INV 1'), 20);
    registry.older(claim('inv-2'), 30);
    registry.flush();
    registry.paid('inv-2', 'p-2');
    registry.claim([claim('INV 1')], 60);
    const times = [];
    for (const reference of ['INV 1', 'inv-2', 'INV-3']) {
      const {at, since, paid} = (await afterKill(reference))!;
      times.push([at, since, paid]);
    }
    assert.deepEqual(times, [
      [50, 20, false],
      [50, 30, true],
      [50, null, false],
    ]);
    registry.older(claim('INV 1'), 40);
    assert.equal(registry.find('INV 1')!.since, 20);
    await registry.close();
    registry = await open('one', 'other');
    assert.equal(registry.alike(claim('another'), 45)?.batch, 'batch of j', 'claimed when it was claimed');
  });

  it('are found by every lookup', () => {
    registry.claim([claim('INV 1')], 5);
    const {reference, journal, generation, fingerprint, paid, id, at} = registry.find('INV 1')!;
    assert.deepEqual(
      {reference, journal, generation, fingerprint, paid, id, at},
      {
        reference: 'INV 1',
        journal: 'j',
        generation: 0,
        fingerprint: 'f of INV 1',
        paid: false,
        id: null,
        at: 5,
      },
    );
  });

  it('are those of a process that was killed', async () => {
    registry.claim([claim('INV-1')], 1);
    registry.claim([claim('INV-2')], 2);
    registry.paid('INV-1', 'id-1');
    registry.flush();
    const paid = await afterKill('INV-1');
    assert.deepEqual([paid?.journal, paid?.paid, paid?.id], ['j', true, 'id-1']);
    rmSync(folder('two'), {recursive: true});
    const unpaid = await afterKill('INV-2');
    assert.deepEqual([unpaid?.journal, unpaid?.paid], ['j', false]);
  });

  it('are free again when that was noted after them, and claimed when it was noted before', async () => {
    registry.claim([claim('FREE'), claim('AGAIN'), claim('MINE')], 1);
    registry.free('FREE');
    registry.free('AGAIN'); // both are noted with the next claim
    registry.claim([claim('AGAIN', {fingerprint: 'new'})], 2);
    killedCopy('three');
    assert.equal(await afterKill('FREE'), undefined);
    const next = await open('three', 'other');
    assert.equal(next.find('AGAIN')?.fingerprint, 'new');
    assert.equal(next.find('MINE')?.journal, 'j');
    await next.close();
  });

  it('are all sorted in, even if a process is killed in between', async () => {
    const numbers = Array.from({length: 11}, (_, n) => n);
    for (const n of numbers) {
      registry.claim([claim(`INV-${n}`), claim(`FREE-${n}`)], n);
      registry.free(`FREE-${n}`);
    }
    registry.flush();
    killedCopy('two');
    const path = join(folder('two'), 'registry.db');
    const killed = await openSqlite(path, {durability: 'full'});
    new NotedClaims(killed).sortInSome();
    const left = killed.prepare('select count(*) as notes from noted_claims').get()!['notes'];
    killed.close();
    const next = await open('two', 'other');
    const found = (name: string) => numbers.filter((n) => next.find(`${name}-${n}`)?.journal === 'j');
    assert.deepEqual([left, found('INV'), found('FREE')], [18, numbers, []]);
    await next.close();
  });

  it("are not freed by another batch's refusal", async () => {
    registry.claim([claim('INV-1')], 1);
    await registry.close();
    registry = await open('one', 'other');
    registry.free('INV-1');
    registry.flush();
    assert.equal(registry.find('INV-1')?.journal, 'j');
  });

  it('yield to the batch that has the record, unless they are paid', async () => {
    registry.claim([claim('STAGED'), claim('PAID')], 1);
    registry.paid('PAID', 'id');
    registry.flush();
    await registry.close();
    registry = await open('one', 'other');
    registry.keep([claim('STAGED'), claim('PAID'), claim('LOST')], 2);
    const claimants = ['STAGED', 'PAID', 'LOST'].map((reference) => registry.find(reference)?.journal);
    assert.deepEqual(claimants, ['other', 'j', 'other']);
  });

  it('are found with any reference', () => {
    const references = [
      '007',
      '1e5',
      `a "b" \\ 'c'`,
      'Ünï cödé',
      '𝒳 🏦',
      'İSTANBUL',
      '[1,2]',
      'null',
      'x'.repeat(128),
    ];
    registry.claim(
      references.map((reference) => claim(reference)),
      1,
    );
    for (const reference of references) {
      assert.equal(registry.find(reference)?.reference, reference);
      assert.equal(registry.find(reference)?.fingerprint, `f of ${reference}`);
    }
  });

  it('are seen by queries about other batches', async () => {
    registry.claim([claim('INV-1')], clock.now());
    killedCopy('two');
    killedCopy('three');
    const namesake = await open('two', 'other');
    assert.deepEqual(namesake.similar('inv-1'), ['INV-1']);
    assert.equal(namesake.alike(claim('INV-9'), 0)?.reference, 'INV-1');
    await namesake.close();
    const elsewhere = await open('three', 'other', 'payroll');
    assert.equal(elsewhere.elsewhere('INV-1')[0]?.batch, 'batch of j');
    await elsewhere.close();
  });

  it('look alike by party, amount and currency, all three', async () => {
    registry.claim([claim('INV-1')], 5);
    await registry.close();
    registry = await open('one', 'other');
    const like = (facts: object) => registry.alike(claim('INV-9', facts), 0)?.reference;
    assert.equal(like({}), 'INV-1');
    const others = [{party: PAYEE.replace(/1$/, '2')}, {amount: 101}, {currency: 'EUR'}];
    assert.deepEqual(others.map(like), [undefined, undefined, undefined]);
  });

  it('are seen by a plan if the process that noted them was killed', async () => {
    registry.claim([claim('INV-1')], 1);
    killedCopy('two');
    const stateDir = join(home, 'two');
    const file = join(home, 'a.csv');
    writeFileSync(file, `reference,payee_id,amount,currency_code\nINV-1,${PAYEE},1.00,USD\n`);
    await planBatch({kind: 'payout', file, stateDir, batchId: 'next', clock});
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'next', purpose: 'a test', clock});
    const seen = await seenBefore(batch, {stateDir, clock});
    await batch.close();
    assert.deepEqual(
      seen.map(({batch: name, rows}) => [name, rows]),
      [['batch of j', 1]],
    );
  });

  it('of an older registry, which are among the entries, go into the other index only', async () => {
    const path = join(folder('one'), 'registry.db');
    await registry.close();
    const old = await openSqlite(path, {durability: 'full'});
    old
      .prepare('insert into noted_claims (scope, at, claims) values (1, 1, ?)')
      .run(JSON.stringify([[PAYEE, 700, 'USD', 'OLD']]));
    old.close();
    registry = await open('one', 'other');
    assert.equal(registry.find('OLD'), undefined);
    await registry.close();
    const db = await openSqlite(path, {durability: 'full'});
    assert.deepEqual(db.prepare('select reference, amount from claims_by_content').all(), [
      {reference: 'OLD', amount: 700},
    ]);
    db.close();
    registry = await open('one');
  });
});
