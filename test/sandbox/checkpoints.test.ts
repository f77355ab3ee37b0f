import assert from 'node:assert/strict';
import {TestSandbox, assertRefused} from './harness.ts';

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

  it('bring records, ledger, timers and the clock back, however often', async () => {
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

  it('leave keys and the control token as they are', async () => {
    await save('early');
    const issued = await at.sandbox.issueKey({mode: 'test', scope: 'full'});
    await restore('early');
    assert.equal((await at.get('/api/payees', {key: issued.key})).status, 200);
    assert.equal((await at.get('/api/payees')).status, 200);
    assert.equal((await at.control('GET', '/sandbox/status')).status, 200);
    await at.reopen();
    assert.equal((await at.get('/api/payees', {key: issued.key})).status, 200);
  });

  it('survive a restart and a reset, and go on with ids that were never given', async () => {
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

  it('bring a clock that stands still, or runs faster, back to its moment', async () => {
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

  it('refuse names that are none, and names that nobody saved', async () => {
    for (const name of ['', 'Payday', '../up', "a'b", '-a', 'a'.repeat(31)])
      assertRefused(await save(name), 400, 'VALIDATION_ERROR', 'name');
    assertRefused(await restore('nothing'), 404, 'NOT_FOUND');
    assertRefused(await at.control('POST', '/sandbox/checkpoints', {}), 400, 'VALIDATION_ERROR');
  });

  it('wait for what is under way, and are whole while others write', async () => {
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
