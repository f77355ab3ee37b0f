import assert from 'node:assert/strict';
import {TestSandbox, assertRefused} from '../harness.ts';

const scenario = (name: string) => ({metadata: {'sandbox.scenario': name}});

for (const kind of ['payout', 'payin'] as const)
  describe(`sandbox: States and transitions of a ${kind}`, () => {
    let at: TestSandbox;
    let party: string;
    const create = (body: object, idempotencyKey?: string) => {
      const options = idempotencyKey === undefined ? {} : {idempotencyKey};
      return kind === 'payout' ? at.payout(party, body, options) : at.payin(party, body, options);
    };
    const act = (id: unknown, verb: string) => at.post(`/api/${kind}s/${String(id)}/${verb}`);
    before(async () => {
      at = await TestSandbox.open();
      party = (await at.ready(kind === 'payout' ? 'payee' : 'payer')).id;
    });
    after(async () => {
      assert.deepEqual((await at.sandbox.audit()).problems, []);
      await at.close();
    });

    it('stays created without auto_approve, also as time passes', async () => {
      for (const body of [{}, {auto_approve: false}]) {
        const created = await create(body);
        assert.deepEqual([created.status, created.body.status], [201, 'created']);
        at.clock.pass(3_600_000);
        assert.equal(await at.statusOf(kind, created.body.id as string), 'created');
      }
    });

    it('walks approved, initiated, debited, settled after a standalone approve', async () => {
      const {body} = await create({});
      const approved = await act(body.id, 'approve');
      assert.deepEqual([approved.status, approved.body.status], [200, 'initiated']);
      const seen = ['initiated'];
      for (let step = 0; step < 40; step += 1) {
        at.clock.pass(100);
        const status = await at.statusOf(kind, body.id as string);
        if (status !== seen.at(-1)) seen.push(status);
      }
      assert.deepEqual(seen, ['initiated', 'debited', 'settled']);
    });

    it('dates each status by when it was due, not by when it was read', async () => {
      const {body} = await create({auto_approve: true});
      at.clock.pass(3_600_000);
      const settled = (await at.get(`/api/${kind}s/${body.id}`)).body;
      assert.equal(settled.status, 'settled');
      assert.equal(Date.parse(settled.updated_at as string) - Date.parse(body.created_at as string), 3000);
    });

    it('answers 207 with a warning when approval fails on create, and stays created', async () => {
      const failed = await create({auto_approve: true, ...scenario('approval_fails_207')}, `${kind}-207`);
      assert.deepEqual([failed.status, failed.body.status], [207, 'created']);
      assert.match(failed.body.warning as string, /approval failed/);
      const shown = await at.get(`/api/${kind}s/${failed.body.id}`);
      assert.equal('warning' in shown.body, false);
      const replayed = await create({auto_approve: true}, `${kind}-207`);
      assert.deepEqual([replayed.status, replayed.body.status], [207, 'created']);
    });

    it('answers 4xx to a standalone approve for the same failure (assumption 3)', async () => {
      const {body} = await create(scenario('approval_fails_207'));
      assertRefused(await act(body.id, 'approve'), 422, 'INVALID_PAYMENT_DETAILS');
      assert.equal(await at.statusOf(kind, body.id as string), 'created');
    });

    it('answers 503 once the record is created and approved; the same create then continues', async () => {
      const body = {auto_approve: true, ...scenario('transient_503')};
      const refused = await create(body, `${kind}-503`);
      assertRefused(refused, 503, 'SERVICE_UNAVAILABLE');
      const {data} = (await at.get(`/api/${kind}s?status=approved`)).body;
      assert.equal(data.length, 1);
      const again = await create(body, `${kind}-503`);
      assert.deepEqual([again.status, again.body.id, again.body.status], [201, data[0].id, 'initiated']);
      assert.equal((await create(body, `${kind}-503`)).status, 200);
    });

    it('recovers by itself if the create is not repeated after a 503', async () => {
      await create({auto_approve: true, ...scenario('transient_503')});
      const {data} = (await at.get(`/api/${kind}s?status=approved`)).body;
      at.clock.pass(33_000);
      assert.equal(await at.statusOf(kind, data[0].id as string), 'settled');
    });

    it('answers 202 while processing continues, and the get shows its end', async () => {
      const accepted = await create({auto_approve: true, ...scenario('async_202')}, `${kind}-202`);
      assert.deepEqual([accepted.status, accepted.body.status], [202, 'approved']);
      assert.equal((await create({auto_approve: true}, `${kind}-202`)).status, 200);
      at.clock.pass(4000);
      assert.equal(await at.statusOf(kind, accepted.body.id as string), 'settled');
      const staged = await create(scenario('async_202'));
      assert.equal((await act(staged.body.id, 'approve')).status, 202);
    });

    it('stays initiated under stuck_initiated, and settles late under settle_slow', async () => {
      const stuck = await create({auto_approve: true, ...scenario('stuck_initiated')});
      const slow = await create({auto_approve: true, ...scenario('settle_slow')});
      at.clock.pass(62_900); // debited after 1.5 s, usually settled after 3 s
      assert.equal(await at.statusOf(kind, slow.body.id as string), 'debited');
      at.clock.pass(100);
      assert.equal(await at.statusOf(kind, slow.body.id as string), 'settled');
      at.clock.pass(86_400_000);
      assert.equal(await at.statusOf(kind, stuck.body.id as string), 'initiated');
    });

    it('cannot be approved twice, nor once it is canceled', async () => {
      const {body} = await create({auto_approve: true});
      assertRefused(await act(body.id, 'approve'), 400, 'VALIDATION_ERROR');
      const second = await create({});
      assert.equal((await act(second.body.id, 'cancel')).body.status, 'canceled');
      assertRefused(await act(second.body.id, 'approve'), 400, 'VALIDATION_ERROR');
    });

    it('can be canceled while created only (assumption 4)', async () => {
      const {body} = await create({});
      const canceled = await act(body.id, 'cancel');
      assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled']);
      assertRefused(await act(body.id, 'cancel'), 400, 'VALIDATION_ERROR');
      const running = await create({auto_approve: true});
      assertRefused(await act(running.body.id, 'cancel'), 400, 'VALIDATION_ERROR');
    });

    it('holds a scheduled one at approved until 09:00 in New York', async () => {
      const scheduled = await create({auto_approve: true, scheduled_date: '2026-04-15'}, `${kind}-scheduled`);
      assert.deepEqual([scheduled.status, scheduled.body.status], [201, 'approved']);
      assert.equal((await create({auto_approve: true}, `${kind}-scheduled`)).status, 200);
      const release = Date.parse('2026-04-15T13:00:00Z');
      at.clock.pass(release - 1 - at.clock.now());
      assert.equal(await at.statusOf(kind, scheduled.body.id as string), 'approved');
      at.clock.pass(1);
      assert.equal(await at.statusOf(kind, scheduled.body.id as string), 'initiated');
      assertRefused(await act(scheduled.body.id, 'cancel'), 400, 'VALIDATION_ERROR');
    });

    it('can be canceled while it is held for its day', async () => {
      const held = await create({auto_approve: true, scheduled_date: '2026-12-24'});
      assert.equal((await act(held.body.id, 'cancel')).body.status, 'canceled');
      at.clock.pass(366 * 86_400_000);
      assert.equal(await at.statusOf(kind, held.body.id as string), 'canceled');
    });

    it('refuses a scheduled day in the past and dates that do not exist (assumption 57)', async () => {
      for (const scheduled_date of [
        '2026-03-01',
        '2026-02-30',
        '2026-3-2',
        'tomorrow',
        '2200-01-01',
        '9999-12-31',
        '2026-03-02T00:00:00Z',
      ])
        assertRefused(await create({scheduled_date}), 400, 'VALIDATION_ERROR', 'scheduled_date');
    });
  });

describe('sandbox: payouts and the money in the main account', () => {
  it('answers 207 on create and 422 on approve when funds are short (assumption 56)', async () => {
    const at = await TestSandbox.open({mainBalanceMinor: 20_000});
    const {id} = await at.ready('payee');
    assert.equal((await at.payout(id, {auto_approve: true})).body.status, 'initiated');
    const short = await at.payout(id, {auto_approve: true}, {idempotencyKey: 'short'});
    assert.deepEqual([short.status, short.body.status], [207, 'created']);
    assert.match(short.body.warning as string, /insufficient funds/);
    assertRefused(await at.post(`/api/payouts/${short.body.id}/approve`), 422, 'INVALID_PAYMENT_DETAILS');
    const {main, reserved, clearing} = (await at.sandbox.audit()).entities[0]!.balances;
    assert.deepEqual({main, reserved, clearing}, {main: '7500', reserved: '12500', clearing: '0'});
    await at.close();
  });

  it('goes through once a payin brought the money', async () => {
    const at = await TestSandbox.open({mainBalanceMinor: 0});
    const [payee, payer] = [await at.ready('payee'), await at.ready('payer')];
    const key = {idempotencyKey: 'later'};
    assert.equal((await at.payout(payee.id, {auto_approve: true}, key)).status, 207);
    await at.payin(payer.id, {auto_approve: true});
    at.clock.pass(3000);
    assert.equal((await at.payout(payee.id, {auto_approve: true}, key)).status, 201);
    await at.close();
  });

  it('gives reserved money back when a payout fails or is canceled', async () => {
    const at = await TestSandbox.open({mainBalanceMinor: 12_500});
    const {id} = await at.ready('payee');
    await at.payout(id, {auto_approve: true, ...scenario('fails_after_initiated')});
    assert.equal((await at.payout(id, {auto_approve: true})).status, 207);
    at.clock.pass(1500);
    const held = await at.payout(id, {auto_approve: true, scheduled_date: '2026-12-24'});
    assert.equal(held.status, 201);
    await at.post(`/api/payouts/${held.body.id}/cancel`);
    assert.equal((await at.payout(id, {auto_approve: true})).status, 201);
    await at.close();
  });

  it('shows transfer_details after processing began, with the failure when it failed (assumption 58)', async () => {
    const at = await TestSandbox.open();
    const {id} = await at.ready('payee');
    const ach = await at.payout(id, {auto_approve: true, ...scenario('fails_after_initiated')});
    assert.match(ach.body.transfer_details.trace_number as string, /^\d{15}$/);
    assert.equal(ach.body.transfer_details.expected_settlement_date, '2026-03-02');
    const wire = await at.payout(id, {auto_approve: true, rail: 'wire'});
    assert.match(wire.body.transfer_details.end_to_end_id as string, /^\d{15}$/);
    at.clock.pass(1500);
    const failed = (await at.get(`/api/payouts/${ach.body.id}`)).body;
    assert.deepEqual(failed.transfer_details.failure, {
      code: 'R03',
      message: 'No account, or unable to locate the account',
    });
    await at.close();
  });
});
