import assert from 'node:assert/strict';
import {timestampOf} from './receiver.ts';
import {HOOK, WebhookWorld} from './world.ts';
import type {FaultRuleInput} from '../outcomes/fault-rule.ts';

describe('sandbox fault rules about deliveries', () => {
  let at: WebhookWorld;
  let secret: string;

  const add = async (rule: FaultRuleInput) => {
    const {status, body} = await at.sandbox.control('POST', '/sandbox/faults', rule);
    assert.equal(status, 201, JSON.stringify(body));
  };
  const verify = (index: number) => at.receiver.verify(at.receiver.posts[index]!, secret, at.clock.now());
  const states = async () => (await at.deliveries()).map(({state}) => state).reverse();

  beforeEach(async () => {
    at = await WebhookWorld.open();
    secret = (await at.subscribe(['payout.debited', 'payout.settled'])).signing_secret;
  });
  afterEach(() => at.close());

  it('drop: it is never sent and not retried, except by redeliver', async () => {
    await add({match: {event: 'payout.debited'}, effect: {kind: 'drop'}});
    await at.payout();
    await at.settle(3_600_000);
    assert.deepEqual(at.receiver.types, ['payout.settled']);
    assert.deepEqual(await states(), ['dropped', 'delivered']);
    const dropped = (await at.deliveries('?state=dropped'))[0]!;
    const {sent, attempts, last_status, last_error, next_attempt_at} = await at.delivery(dropped.id);
    assert.deepEqual([sent, attempts, last_status, last_error, next_attempt_at], [0, [], null, null, null]);
    const {state, status, attempt, fault} = at.log[0]!;
    assert.deepEqual([state, status, attempt, fault], ['dropped', null, 0, 'drop']);
    await at.sandbox.control('POST', `/sandbox/deliveries/${dropped.id}/redeliver`, {});
    assert.deepEqual(at.receiver.types, ['payout.settled', 'payout.debited']);
    const {attempts: sentByHand} = await at.delivery(dropped.id);
    assert.deepEqual(
      sentByHand.map(({by_hand, fault: by}) => [by_hand, by]),
      [[true, null]],
    );
  });

  it('duplicate: it is sent twice, with the same event and bytes', async () => {
    await add({effect: {kind: 'duplicate'}, times: 1});
    await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.types, ['payout.debited', 'payout.debited', 'payout.settled']);
    assert.equal(at.receiver.posts[0]!.body, at.receiver.posts[1]!.body);
    assert.deepEqual(await states(), ['delivered', 'delivered']);
    assert.equal((await at.deliveries())[1]!.sent, 2);
  });

  it('reorder: it comes after the next one', async () => {
    await add({effect: {kind: 'reorder'}, times: 1});
    await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.types, ['payout.settled', 'payout.debited']);
    assert.deepEqual(
      at.log.map(({fault}) => fault),
      [undefined, 'reorder'],
    );
  });

  it('reorder: it comes after a while if nothing follows', async () => {
    await add({match: {event: 'payout.settled'}, effect: {kind: 'reorder', ms: 2000}});
    await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.types, ['payout.debited', 'payout.settled']);
  });

  it("delay: it comes later by the given time, on the sandbox's clock", async () => {
    await add({match: {event: 'payout.debited'}, effect: {kind: 'delay', ms: 60_000, jitter_ms: 1000}});
    await at.payout();
    await at.settle();
    assert.deepEqual(at.receiver.types, ['payout.settled']);
    await at.settle(60_000);
    assert.deepEqual(at.receiver.types, ['payout.settled', 'payout.debited']);
    assert.equal((await at.deliveries())[1]!.sent, 1);
  });

  it('bad_signature: the receiver refuses it, and the next attempt is good', async () => {
    await add({effect: {kind: 'bad_signature'}, times: 1});
    at.receiver.answers.push({status: 401});
    await at.payout();
    await at.settle(20_000);
    assert.deepEqual(verify(0), {ok: false, reason: 'mismatch'});
    assert.ok(verify(1).ok && verify(2).ok);
    assert.deepEqual(await states(), ['delivered', 'delivered']);
  });

  it('stale_timestamp: its signature is valid, but an hour old', async () => {
    await add({effect: {kind: 'stale_timestamp'}, times: 1});
    await at.payout();
    await at.settle();
    assert.deepEqual(verify(0), {ok: false, reason: 'too_old'});
    const ageSeconds = Math.floor(at.clock.now() / 1000) - Number(timestampOf(at.receiver.posts[0]!));
    assert.equal(ageSeconds, 3600);
    assert.ok(verify(1).ok);
  });

  it('match by endpoint, mode and number, and count their hits', async () => {
    const other = await at.subscribe(['payout.debited'], 'https://other.example/');
    await add({match: {mode: 'live'}, effect: {kind: 'drop'}});
    await add({match: {endpoint: other.id, nth: 2}, effect: {kind: 'drop'}});
    for (let n = 0; n < 3; n += 1) await at.payout();
    await at.settle();
    const to = (url: string) => at.receiver.posts.filter((post) => post.url === url).length;
    assert.deepEqual([to('https://other.example/'), to('https://receiver.example/hook')], [2, 6]);
    const {body} = await at.sandbox.control('GET', '/sandbox/faults');
    assert.deepEqual(
      (body.data as {seen: number; hits: number}[]).map(({seen, hits}) => [seen, hits]),
      [
        [0, 0],
        [3, 1],
      ],
    );
  });

  it('do not affect requests, and rules about requests do not affect deliveries', async () => {
    await add({effect: {kind: 'drop'}});
    await add({match: {operation: 'payouts.create'}, effect: {kind: 'status', status: 500}, times: 1});
    const {id} = await at.ready('payee');
    assert.equal((await at.sandbox.payout(id)).status, 500);
    assert.equal((await at.sandbox.payout(id)).status, 201);
  });

  it('are refused if they mix requests and deliveries', async () => {
    for (const rule of [
      {match: {operation: 'payouts.create'}, effect: {kind: 'drop'}},
      {match: {method: 'POST'}, effect: {kind: 'delay', ms: 1}},
      {match: {event: 'payout.settled'}, effect: {kind: 'cut'}},
      {effect: {kind: 'delay'}},
      {effect: {kind: 'drop', ms: 1}},
    ])
      assert.equal((await at.sandbox.control('POST', '/sandbox/faults', rule)).status, 400);
  });

  it('apply to what was due before they were removed, however short they existed, if the clock is frozen', async () => {
    const slow = await WebhookWorld.open({background: true});
    await slow.subscribe(['payout.debited', 'payout.settled']);
    const {payees} = await slow.sandbox.sandbox.seed({payees: 1, payers: 0});
    await slow.sandbox.sandbox.setClock({mode: 'frozen'});
    const rule = {match: {event: 'payout.settled'}, effect: {kind: 'drop'}};
    assert.equal((await slow.sandbox.control('POST', '/sandbox/faults', rule)).status, 201);
    let answer = () => {};
    slow.receiver.hold.set(HOOK, new Promise((resolve) => (answer = () => resolve({status: 200}))));
    const {id} = (await slow.sandbox.payout(payees[0]!.id, {auto_approve: true})).body as {id: string};
    const settled = await slow.sandbox.control('POST', '/sandbox/simulate', {
      kind: 'payout',
      id,
      outcome: 'settle',
    });
    assert.equal(settled.status, 200, JSON.stringify(settled.body));
    const removed = slow.sandbox.control('DELETE', '/sandbox/faults');
    setImmediate(answer);
    assert.equal((await removed).status, 204);
    assert.deepEqual((await slow.deliveries()).map(({state}) => state).sort(), ['delivered', 'dropped']);
    await slow.close();
  });
});
