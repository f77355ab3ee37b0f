import assert from 'node:assert/strict';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {TestSandbox, assertRefused} from '../harness.ts';
import {testStore, type TestStore} from '../test-store.ts';

describe('sandbox checkpoints', () => {
  let at: TestSandbox;
  beforeEach(async () => {
    at = await TestSandbox.open();
  });
  afterEach(() => at.close());

  const save = (name: string) => at.control('POST', '/sandbox/checkpoints', {name});
  const restore = (name: string) => at.control('POST', `/sandbox/checkpoints/${name}/restore`, {});
  const names = async () =>
    ((await at.control('GET', '/sandbox/checkpoints')).body.data as {name: string}[]).map(({name}) => name);
  const truth = async () => {
    const {entities, problems} = await at.sandbox.audit();
    assert.deepEqual(problems, []);
    return entities;
  };

  it('restore records, ledger, timers and the clock, any number of times', async () => {
    const {id} = await at.ready('payee');
    const before = await at.payout(id, {auto_approve: true}, {idempotencyKey: 'first'});
    const saved = await save('before-payday');
    assert.equal(saved.status, 201);
    assert.equal(saved.body.clock_at, new Date(at.clock.now()).toISOString());
    const kept = await truth();

    for (let round = 0; round < 2; round += 1) {
      await at.payout(id, {auto_approve: true}, {idempotencyKey: 'second'});
      await at.control('POST', '/sandbox/advance', {ms: 30 * 86_400_000});
      at.clock.pass(86_400_000);
      assert.equal(await at.statusOf('payout', before.body.id as string), 'settled');
      assert.notDeepEqual(await truth(), kept);

      const restored = await restore('before-payday');
      assert.deepEqual(restored.body, saved.body);
      assert.deepEqual(await truth(), kept);
      assert.equal((await at.sandbox.status()).clock.now, saved.body.clock_at);
      assert.equal(await at.statusOf('payout', before.body.id as string), 'initiated');
      const replayed = await at.payout(id, {auto_approve: true}, {idempotencyKey: 'first'});
      assert.deepEqual([replayed.status, replayed.body.id], [200, before.body.id]);
    }
    const anew = await at.payout(id, {auto_approve: true}, {idempotencyKey: 'second'});
    assert.equal(anew.status, 201);
    await at.control('POST', '/sandbox/advance', {ms: 30 * 86_400_000});
    assert.equal(await at.statusOf('payout', before.body.id as string), 'settled');
    await truth();
  });

  it('do not change keys and the control token', async () => {
    await save('early');
    const issued = await at.sandbox.issueKey({mode: 'test', scope: 'full'});
    await restore('early');
    assert.equal((await at.get('/api/payees', {key: issued.key})).status, 200);
    assert.equal((await at.get('/api/payees')).status, 200);
    assert.equal((await at.control('GET', '/sandbox/status')).status, 200);
    await at.reopen();
    assert.equal((await at.get('/api/payees', {key: issued.key})).status, 200);
  });

  it('survive a restart and a reset, and continue with unused ids', async () => {
    const payee = await at.party('payee');
    await save('one-payee');
    const later = await at.party('payee');
    await at.control('POST', '/sandbox/reset', {});
    await at.reopen();
    assert.deepEqual(await names(), ['one-payee']);
    await restore('one-payee');
    const {body} = await at.get('/api/payees');
    assert.deepEqual(
      (body.data as {id: string}[]).map(({id}) => id),
      [payee],
    );
    assert.ok(![payee, later].includes(await at.party('payee')));
  });

  it('are listed oldest first, and replaced under the same name', async () => {
    await save('one');
    at.clock.pass(1000);
    await save('two');
    at.clock.pass(1000);
    const payee = await at.party('payee');
    await save('one');
    assert.deepEqual(await names(), ['two', 'one']);
    await restore('one');
    assert.equal((await at.get(`/api/payees/${payee}`)).status, 200);
    await restore('two');
    assert.equal((await at.get(`/api/payees/${payee}`)).status, 404);
    assert.deepEqual(await names(), ['two', 'one']);
  });

  it('restore the time of a clock that is frozen or accelerated', async () => {
    for (const mode of [{mode: 'frozen'}, {mode: 'accelerated', speed: 60}]) {
      await at.control('POST', '/sandbox/clock', mode);
      const {body} = await save('clock');
      await at.control('POST', '/sandbox/advance', {ms: 3_600_000});
      at.clock.pass(500_000);
      await at.control('POST', '/sandbox/clock', {mode: 'real'});
      await restore('clock');
      const {clock} = await at.sandbox.status();
      assert.deepEqual([clock.mode, clock.now], [mode.mode, body.clock_at]);
    }
  });

  it('refuse invalid names, and names that were never saved', async () => {
    for (const name of ['', 'Payday', '../up', "a'b", '-a', 'a'.repeat(31)])
      assertRefused(await save(name), 400, 'VALIDATION_ERROR', 'name');
    assertRefused(await restore('nothing'), 404, 'NOT_FOUND');
    assertRefused(await at.control('POST', '/sandbox/checkpoints', {}), 400, 'VALIDATION_ERROR');
  });

  it('wait for work in progress, and are consistent while others write', async () => {
    const {id} = await at.ready('payee');
    await save('start');
    const payouts = Array.from({length: 40}, () => at.payout(id, {auto_approve: true}));
    const [, , ...answers] = await Promise.all([save('middle'), restore('start'), ...payouts]);
    assert.ok(answers.every((answer) => [201, 404, 409].includes(answer.status)));
    await truth();
    await restore('middle');
    await truth();
  });
});

describe('sandbox checkpoints and the clock', () => {
  let at: TestSandbox;
  let place: TestStore;
  /** What happens while a copy is made, before or after its moment. */
  let meanwhile: {before?: () => Promise<unknown>; after?: () => Promise<unknown>} = {};
  let restoreFails = false;
  let writeFails = false;
  const START = Date.parse('2026-05-05T12:00:00Z');
  const HOUR = 3_600_000;
  const iso = (ms: number) => new Date(ms).toISOString();
  const now = async () => (await at.sandbox.clock()).now;
  const disk = () => Promise.reject(new Error('the disk is full'));

  beforeEach(async () => {
    meanwhile = {};
    [restoreFails, writeFails] = [false, false];
    place = await testStore();
    const inner = await openSandboxStore(place.place);
    const store: Store = {
      dialect: inner.dialect,
      read: (work) => inner.read(work),
      glance: (sql, params) => inner.glance(sql, params),
      write: (work, options) =>
        inner.write(async (queries) => {
          const result = await work(queries);
          return writeFails ? disk() : result;
        }, options),
      saveCopy: async (name) => {
        await meanwhile.before?.();
        await inner.saveCopy(name);
        await meanwhile.after?.();
      },
      writeFromCopy: (name, work) =>
        inner.writeFromCopy(name, async (queries, copy) => {
          const result = await work(queries, copy);
          return restoreFails ? disk() : result;
        }),
      close: () => inner.close(),
    };
    at = await TestSandbox.open({store, frozenAtMs: START});
  });
  afterEach(async () => {
    await at.close();
    await place.drop();
  });

  it('record the time of the copy, even if the clock is moved before and after', async () => {
    meanwhile = {
      before: () => at.sandbox.advance({ms: HOUR}),
      after: () => at.sandbox.advance({ms: 5 * HOUR}),
    };
    const saved = await at.sandbox.checkpoints.save('moved');
    assert.equal(saved.clock_at, iso(START + HOUR));
    assert.equal(await now(), iso(START + 6 * HOUR));
    await at.sandbox.checkpoints.restore('moved');
    assert.equal(await now(), saved.clock_at);
  });

  it('are never older than a record that they hold, while time runs', async () => {
    await at.sandbox.setClock({mode: 'accelerated', speed: 60});
    let made = '';
    meanwhile = {
      before: async () => {
        at.clock.pass(1000);
        made = await at.party('payee');
      },
    };
    const saved = await at.sandbox.checkpoints.save('running');
    await at.sandbox.checkpoints.restore('running');
    const {body} = await at.get(`/api/payees/${made}`);
    assert.equal(body.created_at, iso(START + 60_000));
    assert.ok(saved.clock_at >= body.created_at, `${saved.clock_at} is before ${body.created_at}`);
    assert.equal(await now(), saved.clock_at);
  });

  it('do not change the time if a restore fails', async () => {
    await at.sandbox.checkpoints.save('early');
    await at.sandbox.advance({ms: HOUR});
    restoreFails = true;
    await assert.rejects(at.sandbox.checkpoints.restore('early'), /disk is full/);
    assert.equal(await now(), iso(START + HOUR));
    restoreFails = false;
    await at.sandbox.checkpoints.restore('early');
    assert.equal(await now(), iso(START));
  });

  it('leave the clock unchanged if moving it failed', async () => {
    writeFails = true;
    await assert.rejects(at.sandbox.advance({ms: HOUR}), /disk is full/);
    await assert.rejects(at.sandbox.setClock({mode: 'accelerated', speed: 60}), /disk is full/);
    writeFails = false;
    assert.deepEqual(await at.sandbox.clock(), {mode: 'frozen', now: iso(START), timing: 'fast'});
  });

  for (const [when, what, listed] of [
    ['after the copy', 'writeFromCopy', []],
    ['before it', 'saveCopy', ['twice']],
  ] as const)
    it(`never restore a new copy to the time of the old one if saving was interrupted ${when}`, async () => {
      const place = await testStore();
      const store = await openSandboxStore(place.place);
      const one = await TestSandbox.open({store});
      await one.sandbox.setClock({mode: 'frozen'});
      const first = await one.sandbox.checkpoints.save('twice');
      await one.sandbox.advance({ms: 60_000});
      const whole = store[what].bind(store);
      store[what] = () => Promise.reject(new Error('broken off'));
      await assert.rejects(one.sandbox.checkpoints.save('twice'), /broken off/);
      Object.assign(store, {[what]: whole});
      const found = await one.sandbox.checkpoints.list();
      assert.deepEqual(
        found.map(({name}) => name),
        listed,
      );
      if (found.length > 0) assert.deepEqual(await one.sandbox.checkpoints.restore('twice'), first);
      const again = await one.sandbox.checkpoints.save('twice');
      assert.deepEqual(await one.sandbox.checkpoints.restore('twice'), again);
      await one.close();
      await place.drop();
    });

  it('are restored as last saved, even if another process saves under that name at the same time', async () => {
    await at.sandbox.checkpoints.save('twice');
    await at.sandbox.advance({ms: HOUR});
    const [, restored] = await Promise.all([
      at.sandbox.checkpoints.save('twice'),
      at.sandbox.checkpoints.restore('twice'),
    ]);
    assert.deepEqual([restored.clock_at, await now()], [iso(START + HOUR), iso(START + HOUR)]);
  });
});
