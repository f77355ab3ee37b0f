import assert from 'node:assert/strict';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {check} from '../../../src/contract/schemas/registry.ts';
import {emitCreditReceived} from '../../../src/sandbox/webhooks/events.ts';
import {TestSandbox, UNKNOWN_ID} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';
import {WebhookWorld} from './world.ts';

// Interface document, "Event types" and "Event body".
describe('webhook events', () => {
  let at: WebhookWorld;

  beforeEach(async () => (at = await WebhookWorld.open()));
  afterEach(() => at.close());

  const failing = {metadata: {'sandbox.scenario': 'fails_after_initiated'}};

  it('are sent when a payout is debited and when it settles, signed, with its id', async () => {
    const {signing_secret} = await at.subscribe();
    const payout = await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.types, ['payout.debited', 'payout.settled']);
    for (const body of at.receiver.bodies) {
      assert.deepEqual(body.data, {payout_id: payout});
      assert.ok(check('WebhookEvent', body).ok);
    }
    for (const post of at.receiver.posts)
      assert.deepEqual(at.receiver.verify(post, signing_secret, at.clock.now()), {
        ok: true,
        secret: 0,
        signature: 0,
        ageSeconds: 0,
        leniencies: [],
      });
    assert.equal(new Set(at.receiver.bodies.map(({id}) => id)).size, 2);
  });

  it('are sent when a payout fails, a payin settles and a payin fails; a payin that is debited sends none', async () => {
    await at.subscribe();
    const payout = await at.payout(failing);
    const payin = await at.payin();
    const failed = await at.payin(failing);
    await at.settle();
    const seen = at.receiver.bodies.map(({type, data}) => `${type} ${Object.values(data).join(' ')}`).sort();
    assert.deepEqual(
      seen,
      [`payin.failed ${failed}`, `payin.settled ${payin}`, `payout.failed ${payout}`].sort(),
    );
  });

  it('are not sent for records that were created, approved or canceled', async () => {
    await at.subscribe();
    const {id} = await at.ready('payee');
    const made = await at.sandbox.payout(id);
    assert.equal((await at.sandbox.post(`/api/payouts/${made.body.id}/cancel`)).body.status, 'canceled');
    const held = await at.sandbox.payout(id, {auto_approve: true, scheduled_date: '2026-03-20'});
    assert.equal(held.body.status, 'approved');
    assert.equal((await at.sandbox.post(`/api/payouts/${held.body.id}/cancel`)).body.status, 'canceled');
    await at.settle();
    assert.deepEqual(at.receiver.posts, []);
  });

  it('go to those active endpoints whose allowlist has their type', async () => {
    await at.subscribe(['payout.debited'], 'https://debited.example/');
    await at.subscribe(['payin.settled'], 'https://payins.example/');
    await at.subscribe(EVENT_TYPE_NAMES, 'https://off.example/', {is_active: false});
    await at.subscribe(EVENT_TYPE_NAMES, 'https://all.example/');
    await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.posts.map(({url}) => url).sort(), [
      'https://all.example/',
      'https://all.example/',
      'https://debited.example/',
    ]);
    const ofOne = at.receiver.bodies.filter(({type}) => type === 'payout.debited').map(({id}) => id);
    assert.equal(new Set(ofOne).size, 1, 'one event has one id for every receiver');
  });

  it('are not sent to endpoints that were created later, or to another entity', async () => {
    await at.subscribe(EVENT_TYPE_NAMES, 'https://live.example/', {}, at.sandbox.sandbox.liveKey);
    await at.payout();
    await at.settle();
    await at.subscribe();
    await at.settle();
    assert.deepEqual(at.receiver.posts, []);
    assert.equal((await at.sandbox.sandbox.deliveries.counts()).events, 2);
  });

  it('tell of a credit on a subaccount under both names of its amount', async () => {
    await at.subscribe(['subaccount.credit_received']);
    const context = {...at.context};
    const entityId = at.entityId;
    const credit = {
      entityId,
      subaccountId: UNKNOWN_ID,
      amount: 4200,
      causeId: UNKNOWN_ID,
      atMs: at.clock.now(),
    };
    await context.store.write((queries) => emitCreditReceived(queries, context, credit));
    await at.settle();
    assert.deepEqual(
      at.receiver.bodies.map(({type, data}) => ({type, data})),
      [
        {
          type: 'subaccount.credit_received',
          data: {subaccount_id: UNKNOWN_ID, amount_cents: 4200, amount_in_minor_units: 4200},
        },
      ],
    );
  });

  it('are as many as the steps that they tell of, says the audit', async () => {
    await at.subscribe();
    await at.payout();
    await at.payout(failing);
    await at.payin();
    await at.settle();
    assert.deepEqual((await at.sandbox.sandbox.audit()).problems, []);
    await at.context.store.write((queries) =>
      queries.run(`delete from webhook_events where type = 'payin.settled'`),
    );
    await at.context.store.write((queries) =>
      queries.run(`update transfers set status = 'canceled' where status = 'failed'`),
    );
    const {problems} = await at.sandbox.sandbox.audit();
    assert.ok(problems.includes('test: 1 payins have no event payin.settled'), problems.join('\n'));
    assert.ok(problems.includes('test: 1 events payout.failed tell of no payout that came so far'));
    assert.ok(problems.includes('test: 1 deliveries have no event'));
  });

  it('are the same, byte for byte and id for id, under the same seed and calls', async () => {
    const run = async () => {
      const world = await WebhookWorld.open();
      await world.subscribe();
      await world.payout();
      await world.payin();
      await world.settle();
      await world.close();
      return world.receiver.posts.map(({body}) => body);
    };
    const first = await run();
    assert.equal(first.length, 3);
    assert.deepEqual(await run(), first);
  });

  it('are deleted by a reset, with their endpoints', async () => {
    await at.subscribe();
    at.receiver.always.set('https://receiver.example/hook', {status: 500});
    await at.payout();
    await at.settle();
    await at.sandbox.sandbox.reset();
    const {events, pending} = await at.sandbox.sandbox.deliveries.counts();
    assert.deepEqual({events, pending}, {events: 0, pending: 0});
    assert.deepEqual((await at.sandbox.get('/api/webhooks/endpoints')).body.data, []);
  });

  it('are not sent for a payment method that fails verification', async () => {
    await at.subscribe();
    const id = await at.sandbox.party('payee');
    await at.sandbox.post(`/api/payees/${id}/payment-methods`, bankAccount({holder_name: 'failed'}));
    await at.settle();
    assert.deepEqual(at.receiver.posts, []);
    assert.ok(at.sandbox instanceof TestSandbox);
  });
});
