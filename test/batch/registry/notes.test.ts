import assert from 'node:assert/strict';
import {cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Notes} from '../../../src/batch/registry/notes.ts';
import {REGISTRY_MIGRATIONS} from '../../../src/batch/registry/schema.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {planBatch} from '../../../src/batch/plan/plan.ts';
import {paymentsIn} from '../../../src/batch/registry/entries.ts';
import {Registry} from '../../../src/batch/registry/registry.ts';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {systemClock as clock} from '../../../src/clock.ts';
import {migrate} from '../../../src/store/port/migrate.ts';
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
    const found = next.entries.find(reference);
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
      const {at, since} = registry.entries.find(reference)!;
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
    assert.equal(registry.entries.find('INV 1')!.since, 20);
    await registry.close();
    registry = await open('one', 'other');
    assert.equal(
      registry.entries.alike(claim('another'), 45)?.batch,
      'batch of j',
      'claimed when it was claimed',
    );
  });

  it('are found by every lookup', () => {
    registry.claim([claim('INV 1')], 5);
    const {reference, journal, generation, fingerprint, paid, id, at} = registry.entries.find('INV 1')!;
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
    assert.equal(next.entries.find('AGAIN')?.fingerprint, 'new');
    assert.equal(next.entries.find('MINE')?.journal, 'j');
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
    new Notes(killed).sortInSome();
    const left = killed.prepare('select count(*) as notes from notes').get()!['notes'];
    killed.close();
    const next = await open('two', 'other');
    const found = (name: string) => numbers.filter((n) => next.entries.find(`${name}-${n}`)?.journal === 'j');
    assert.deepEqual([left, found('INV'), found('FREE')], [14, numbers, []]);
    await next.close();
  });

  it("are not freed by another batch's refusal", async () => {
    registry.claim([claim('INV-1')], 1);
    await registry.close();
    registry = await open('one', 'other');
    registry.free('INV-1');
    registry.flush();
    assert.equal(registry.entries.find('INV-1')?.journal, 'j');
  });

  it('are replaced by the batch that has the record, unless they are paid', async () => {
    registry.claim([claim('STAGED'), claim('PAID')], 1);
    registry.paid('PAID', 'id');
    registry.flush();
    await registry.close();
    registry = await open('one', 'other');
    registry.keep([claim('STAGED'), claim('PAID'), claim('LOST')], 2);
    const claimants = ['STAGED', 'PAID', 'LOST'].map(
      (reference) => registry.entries.find(reference)?.journal,
    );
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
      assert.equal(registry.entries.find(reference)?.reference, reference);
      assert.equal(registry.entries.find(reference)?.fingerprint, `f of ${reference}`);
    }
  });

  it('are seen by queries about other batches', async () => {
    registry.claim([claim('INV-1')], clock.now());
    killedCopy('two');
    killedCopy('three');
    const namesake = await open('two', 'other');
    assert.deepEqual(namesake.entries.similar('inv-1'), ['INV-1']);
    assert.equal(namesake.entries.alike(claim('INV-9'), 0)?.reference, 'INV-1');
    await namesake.close();
    const elsewhere = await open('three', 'other', 'payroll');
    assert.equal(elsewhere.entries.elsewhere('INV-1')[0]?.batch, 'batch of j');
    await elsewhere.close();
  });

  it('are payments of the same service only at its address, even where the key is live', async () => {
    const live = (baseUrl: string, namespace: string) =>
      Registry.open({
        ...{stateDir: join(home, 'live'), scope: {...SCOPE, mode: 'live', baseUrl, namespace}, clock},
        claimant: {profile: 'p', batchId: namespace, journalId: namespace},
      });
    mkdirSync(folder('live'), {recursive: true});
    for (const [baseUrl, namespace, id] of [
      ['https://one.example', 'here', 'p-1'],
      ['https://two.example', 'there', 'p-2'],
    ] as const) {
      const paying = await live(baseUrl, namespace);
      paying.claim([claim('INV-1'), claim('INV-2')], 1);
      paying.paid('INV-1', id);
      paying.flush();
      await paying.close();
    }
    const own = await live('https://one.example', 'default');
    own.claim([claim('INV-3')], 2);
    const {entries} = own;
    assert.deepEqual(
      entries.elsewhere('INV-1').map(({id, isHere}) => [id, isHere]),
      [
        ['p-1', true],
        ['p-2', false],
      ],
    );
    assert.deepEqual(
      paymentsIn(entries.elsewhere('INV-1')).map(({id}) => id),
      ['p-1'],
    );
    assert.deepEqual(paymentsIn(entries.elsewhere('INV-2')), []); // claimed, not paid
    await own.close();
  });

  it('look alike by party, amount and currency, all three', async () => {
    registry.claim([claim('INV-1')], 5);
    await registry.close();
    registry = await open('one', 'other');
    const like = (facts: object) => registry.entries.alike(claim('INV-9', facts), 0)?.reference;
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
    const {before} = await seenBefore(batch, {stateDir, clock, countsAlike: false});
    await batch.close();
    assert.deepEqual(
      before.map(({batch: name, rows}) => [name, rows]),
      [['batch of j', 1]],
    );
  });

  it('of an older registry are sorted in', async () => {
    mkdirSync(folder('two'), {recursive: true});
    const path = join(folder('two'), 'registry.db');
    const old = await openSqlite(path, {durability: 'full'});
    migrate(old, REGISTRY_MIGRATIONS.slice(0, 6));
    old.exec(
      "insert into scopes (mode, base_url, kind, namespace) values ('test', 'http://localhost', 'payout', 'default')",
    );
    old.exec("insert into claimants (profile, batch, journal) values ('p', 'batch of j', 'j')");
    const note = (claims: unknown, way: string | null) =>
      old
        .prepare('insert into noted_claims (scope, claimant, at, way, claims) values (1, 1, 7, ?, ?)')
        .run(way, JSON.stringify(claims));
    note([[PAYEE, 700, 'USD', 'OLD']], null); // among the entries when it was noted
    note(
      [
        [PAYEE, 800, 'USD', 'PAID', 'f', 0, 'paid'],
        [PAYEE, 900, 'USD', 'ENDED', 'f', 0, 'ended'],
      ],
      'claim',
    );
    old.prepare('insert into noted_payments (scope, payments) values (1, ?)').run(
      JSON.stringify([
        ['PAID', 'id-1'],
        ['ENDED', 'id-2', 0],
      ]),
    );
    old.close();
    const next = await open('two', 'other');
    const {entries} = next;
    const {paid, id, journal} = entries.find('PAID')!;
    assert.deepEqual([paid, id, journal], [true, 'id-1', 'j']);
    assert.equal(entries.find('ENDED')?.standing, 'ended');
    assert.equal(entries.find('OLD'), undefined);
    await next.close();
    const db = await openSqlite(path, {durability: 'full'});
    assert.deepEqual(db.prepare('select reference, amount from claims_by_content order by 1').all(), [
      {reference: 'ENDED', amount: 900},
      {reference: 'OLD', amount: 700},
      {reference: 'PAID', amount: 800},
    ]);
    db.close();
  });
});

describe('payments that the registry has noted', () => {
  let home: string;
  let registry: Registry;
  const open = (stateDir: string) =>
    Registry.open({
      ...{stateDir, scope: SCOPE, clock},
      claimant: {profile: 'p', batchId: 'b', journalId: 'j'},
    });
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'remit-noted-'));
    registry = await open(join(home, 'one'));
    registry.claim([claim('INV-1'), claim('INV-2')], 1);
    registry.paid('INV-1', 'id-1');
    registry.flush();
  });
  afterEach(async () => {
    await registry.close();
    rmSync(home, {recursive: true});
  });

  it('are seen by every lookup', () => {
    assert.deepEqual(
      [registry.entries.find('INV-1')?.paid, registry.entries.find('INV-1')?.id],
      [true, 'id-1'],
    );
    assert.equal(registry.entries.find('INV-2')?.paid, false);
  });

  it('are known to the next process when this one is killed before they were sorted in', async () => {
    const batches = (name: string) => join(home, name, 'batches');
    mkdirSync(batches('two'), {recursive: true});
    for (const file of ['registry.db', 'registry.db-wal'])
      cpSync(join(batches('one'), file), join(batches('two'), file));
    const next = await open(join(home, 'two'));
    assert.deepEqual([next.entries.find('INV-1')?.paid, next.entries.find('INV-1')?.id], [true, 'id-1']);
    await next.close();
  });

  it('apply to the generation of each claim, even if several arrive together', () => {
    const generations = [0, 0, 2, 1, 1, 0];
    registry.claim(
      generations.map((generation, i) => claim(`MIX-${i}`, {generation})),
      2,
    );
    assert.deepEqual(
      generations.map((_, i) => registry.entries.find(`MIX-${i}`)?.generation),
      generations,
    );
  });

  it('never come after a new generation, which is not paid', () => {
    registry.claim([claim('INV-1', {generation: 1})], 2);
    assert.deepEqual(
      [registry.entries.find('INV-1')?.paid, registry.entries.find('INV-1')?.id],
      [false, null],
    );
  });

  it('are replaced by a later payment of the same reference', () => {
    registry.claim([claim('INV-1', {generation: 1})], 2);
    registry.paid('INV-1', 'id-2');
    registry.flush();
    assert.equal(registry.entries.find('INV-1')?.id, 'id-2');
  });

  it('are not lost to a refusal that comes later, even if both are still noted', () => {
    registry.claim([claim('INV-3')], 2);
    registry.paid('INV-3', 'id-3');
    registry.free('INV-3');
    assert.deepEqual(registry.entries.find('INV-3')?.paid, true);
  });
});
