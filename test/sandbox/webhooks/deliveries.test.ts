import assert from 'node:assert/strict';
import {WebhookWorld, HOOK} from './world.ts';
import {timestampOf} from './receiver.ts';
import type {DeliveryRecord} from '../../../src/sandbox/base/shown-records.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const SLOW = 'https://slow.example/hook';

// Interface document, "Delivery"; assumption 37.
describe('webhook deliveries', () => {
  let at: WebhookWorld;

  beforeEach(async () => (at = await WebhookWorld.open()));
  afterEach(() => at.close());

  const only = async () => {
    const [delivery] = await at.deliveries();
    return at.delivery(delivery!.id);
  };

  it('are retried with the same bytes, id and URL, and a new timestamp, until a 2XX', async () => {
    const {signing_secret} = await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500}, {status: 302}, {status: 404}, {status: 204});
    await at.payout();
    await at.settle(HOUR);
    assert.equal(at.receiver.posts.length, 4);
    assert.equal(new Set(at.receiver.posts.map(({body}) => body)).size, 1);
    const delivery = await only();
    assert.deepEqual(
      [delivery.state, delivery.sent, delivery.last_status, delivery.next_attempt_at],
      ['delivered', 4, 204, null],
    );
    assert.equal(delivery.payload, at.receiver.posts[0]!.body);
    for (const post of at.receiver.posts)
      assert.equal(at.receiver.verify(post, signing_secret, at.clock.now()).ok, true);
  });

  it("have a timestamp of the wall clock, whatever the sandbox's clock shows", async () => {
    await at.subscribe(['payout.settled']);
    await at.settle(40 * 24 * HOUR);
    await at.payout();
    await at.settle();
    assert.equal(timestampOf(at.receiver.posts[0]!), String(Math.floor(at.clock.now() / 1000)));
  });

  it('follow the schedule on the clock of the sandbox, eight times in all', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.always.set(HOOK, {status: 500, response: 'oh no'});
    await at.payout();
    await at.settle(48 * HOUR);
    const {attempts, state, next_attempt_at} = await only();
    assert.deepEqual([state, next_attempt_at, attempts.length], ['failed', null, 8]);
    const times = attempts.map((attempt) => Date.parse(attempt.at));
    const planned = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * SECOND);
    planned.forEach((plan, index) => {
      const ratio = (times[index + 1]! - times[index]!) / plan;
      assert.ok(ratio >= 0.8 && ratio <= 1.2, `attempt ${index + 2} came after ${ratio} of the plan`);
    });
    assert.ok(new Set(planned.map((plan, index) => (times[index + 1]! - times[index]!) / plan)).size > 2);
    assert.deepEqual(
      attempts.map(({n, status, response, error}) => [n, status, response, error]),
      planned.concat(0).map((_, index) => [index + 1, 500, 'oh no', null]),
    );
  });

  it('are recorded whatever bytes the receiver answers', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500, response: 'a\0b'}, {status: 200, response: '\0'});
    await at.payout();
    await at.settle(HOUR);
    const {attempts, state} = await only();
    assert.equal(state, 'delivered');
    assert.deepEqual(
      attempts.map(({status, response}) => [status, response]),
      [
        [500, 'a\ufffdb'],
        [200, '\ufffd'],
      ],
    );
  });

  it('wait for the clock, and show when the next attempt is', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 503, retryAfter: '9'});
    await at.payout();
    await at.settle();
    const {next_attempt_at, state} = await only();
    assert.equal(state, 'pending');
    await at.settle(0);
    assert.equal(at.receiver.posts.length, 1);
    const {clock} = await at.sandbox.sandbox.status();
    at.clock.pass(Date.parse(next_attempt_at!) - Date.parse(clock.now));
    await at.sandbox.get('/api/payouts');
    assert.equal((await only()).state, 'delivered');
  });

  it('record why there was no answer', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({
      status: null,
      elapsedMs: 10_000,
      error: {code: 'timeout', message: 'no answer within 10 s'},
    });
    await at.payout();
    await at.settle();
    const {attempts, last_error, next_attempt_at, created_at} = await only();
    const [attempt] = attempts;
    assert.deepEqual(
      [attempt!.status, attempt!.error_code, attempt!.elapsed_ms, last_error],
      [null, 'timeout', 10_000, 'no answer within 10 s'],
    );
    assert.equal(attempt!.at, created_at); // that of its beginning
    assert.equal(Date.parse(next_attempt_at!) - Date.parse(attempt!.at), 60 * SECOND);
  });

  it('of one endpoint are made in order, and none of them waits for another endpoint', async () => {
    await at.subscribe(['payout.debited'], SLOW);
    await at.subscribe(['payout.debited']);
    let answer = () => {};
    at.receiver.hold.set(SLOW, new Promise((resolve) => (answer = () => resolve({status: 200}))));
    const payouts = [await at.payout(), await at.payout(), await at.payout()];
    const done = at.settle();
    while (at.receiver.posts.length < 4) await new Promise((resolve) => setImmediate(resolve));
    const to = (url: string) =>
      at.receiver.posts
        .filter((post) => post.url === url)
        .map(({body}) => (JSON.parse(body) as {data: {payout_id: string}}).data.payout_id);
    assert.deepEqual(to(HOOK), payouts);
    assert.deepEqual(to(SLOW), payouts.slice(0, 1));
    answer();
    await done;
    assert.deepEqual(to(SLOW), payouts);
  });

  it('go to any number of endpoints at once without a warning of Node', async () => {
    const warnings: string[] = [];
    const heard = (warning: Error) => warnings.push(warning.name);
    process.on('warning', heard);
    const waiting: (() => void)[] = [];
    const many = await WebhookWorld.open({
      // As node:https does: a listener for as long as the request is under way.
      post: async (_post, signal) => {
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
          if (waiting.push(resolve) === 12) for (const go of waiting) go();
        });
        return {elapsedMs: 0, status: 200, response: ''};
      },
    });
    for (let n = 0; n < 12; n += 1) await many.subscribe(['payout.settled'], `${HOOK}/${n}`);
    await many.payout();
    await many.settle();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', heard);
    assert.deepEqual([(await many.deliveries('?state=delivered')).length, warnings], [12, []]);
    await many.close();
  });

  it('are waited for only for a limited time, however time is advanced; the answer counts them', async () => {
    const slow = await WebhookWorld.open({background: true, receiverPatienceMs: 40});
    const frozen = await slow.sandbox.sandbox.setClock({mode: 'frozen'});
    await slow.subscribe(['payout.debited']);
    slow.receiver.answers.push({status: 200});
    let answer = () => {};
    slow.receiver.hold.set(HOOK, new Promise((resolve) => (answer = () => resolve({status: 200}))));
    const {payees} = await slow.sandbox.sandbox.seed({payees: 1, payers: 0});
    for (let n = 0; n < 3; n += 1) await slow.sandbox.payout(payees[0]!.id, {auto_approve: true});
    const {now, ...until} = await slow.sandbox.sandbox.advance({until: 'idle'});
    assert.ok(now > frozen.now);
    assert.deepEqual(until, {fired: 6, attempts: 0, deliveries: 0, idle: false, deliveries_under_way: 3});
    const again = await slow.sandbox.sandbox.advance({ms: 0});
    assert.deepEqual(again, {now, fired: 0, attempts: 0, deliveries: 0, deliveries_under_way: 3});
    answer();
    slow.receiver.hold.delete(HOOK);
    while ((await slow.deliveries('?state=delivered')).length < 3)
      await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await slow.sandbox.sandbox.advance({until: 'idle'}), {
      now,
      fired: 0,
      attempts: 0,
      deliveries: 0,
      idle: true,
    });
    await slow.close();
  });

  it('are waited for even if they began before time was advanced', async () => {
    const slow = await WebhookWorld.open({background: true, receiverPatienceMs: 40});
    await slow.sandbox.sandbox.setClock({mode: 'frozen'});
    await slow.subscribe(['payout.debited']);
    let answer = () => {};
    slow.receiver.hold.set(HOOK, new Promise((resolve) => (answer = () => resolve({status: 200}))));
    const {payees} = await slow.sandbox.sandbox.seed({payees: 1, payers: 0});
    await slow.sandbox.payout(payees[0]!.id, {auto_approve: true});
    const {now, ...first} = await slow.sandbox.sandbox.advance({until: 'idle'});
    assert.deepEqual(first, {fired: 2, attempts: 0, deliveries: 0, idle: false, deliveries_under_way: 1});
    const again = await slow.sandbox.sandbox.advance({ms: 0});
    assert.deepEqual(
      again,
      {now, fired: 0, attempts: 0, deliveries: 0, deliveries_under_way: 1},
      'it waited, and tells of it',
    );
    slow.receiver.hold.delete(HOOK);
    setImmediate(answer);
    assert.deepEqual(
      await slow.sandbox.sandbox.advance({ms: 0}),
      {now, fired: 0, attempts: 0, deliveries: 0},
      'it was due before, so the move does not count it',
    );
    assert.deepEqual(
      (await slow.deliveries()).map(({state}) => state),
      ['delivered'],
    );
    await slow.close();
  });

  it('do not block a receiver that calls the sandbox before it answers', async () => {
    const statuses: number[] = [];
    const asking = await WebhookWorld.open({
      post: async () => {
        statuses.push((await asking.sandbox.call('GET', '/api/payouts')).status);
        return {elapsedMs: 0, status: 200, response: ''};
      },
    });
    await asking.subscribe(['payout.settled']);
    await asking.payout();
    await asking.settle();
    assert.deepEqual(statuses, [200]);
    await asking.close();
  });

  it('stop while their endpoint is switched off, and continue when it is switched on', async () => {
    const {id} = await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500});
    await at.payout();
    await at.settle();
    await at.sandbox.post(`/api/webhooks/endpoints/${id}/toggle`);
    await at.payout();
    await at.settle(HOUR);
    assert.equal(at.receiver.posts.length, 1);
    assert.equal((await at.deliveries()).length, 1, 'an event of that time is not for this endpoint');
    await at.sandbox.post(`/api/webhooks/endpoints/${id}/toggle`);
    await at.settle(0);
    assert.deepEqual([at.receiver.posts.length, (await only()).state], [2, 'delivered']);
  });

  it('end when their endpoint is deleted', async () => {
    const {id} = await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500});
    await at.payout();
    await at.settle();
    await at.sandbox.call('DELETE', `/api/webhooks/endpoints/${id}`);
    await at.settle(48 * HOUR);
    const {state, next_attempt_at, sent} = await only();
    assert.deepEqual([state, next_attempt_at, sent], ['canceled', null, 1]);
  });

  it('are still sent to the old endpoint until it is deleted, while its secret is replaced', async () => {
    const old = await at.subscribe(['payout.settled']);
    const fresh = await at.subscribe(['payout.settled']);
    await at.payout();
    await at.settle();
    const matching = (secret: string) =>
      at.receiver.posts.filter((post) => at.receiver.verify(post, secret, at.clock.now()).ok);
    assert.deepEqual([matching(old.signing_secret).length, matching(fresh.signing_secret).length], [1, 1]);
    assert.equal(new Set(at.receiver.bodies.map(({id}) => id)).size, 1);
    await at.sandbox.call('DELETE', `/api/webhooks/endpoints/${old.id}`);
    await at.payout();
    await at.settle();
    assert.deepEqual([matching(old.signing_secret).length, matching(fresh.signing_secret).length], [1, 2]);
  });

  it('use the current URL of the endpoint', async () => {
    const {id} = await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500});
    await at.payout();
    await at.settle();
    await at.sandbox.call('PATCH', `/api/webhooks/endpoints/${id}`, {body: {url: SLOW}});
    await at.settle(HOUR);
    assert.deepEqual(
      at.receiver.posts.map(({url}) => url),
      [HOOK, SLOW],
    );
  });

  it('survive a restart', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500});
    await at.payout();
    await at.settle();
    await at.reopen();
    await at.settle(HOUR);
    assert.deepEqual([at.receiver.posts.length, (await only()).state], [2, 'delivered']);
  });

  it('continue after restoring a checkpoint that was saved while one was in progress', async () => {
    await at.subscribe(['payout.settled']);
    let answer = () => {};
    at.receiver.hold.set(HOOK, new Promise((resolve) => (answer = () => resolve({status: 200}))));
    await at.payout();
    const done = at.settle();
    while (at.receiver.posts.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await at.sandbox.sandbox.checkpoints.save('under-way');
    answer();
    await done;
    assert.equal((await only()).state, 'delivered');
    await at.sandbox.sandbox.checkpoints.restore('under-way');
    assert.equal((await only()).state, 'pending');
    await at.settle();
    assert.deepEqual([at.receiver.posts.length, (await only()).state], [2, 'delivered']);
  });

  it('are canceled if their type was removed from the endpoint', async () => {
    const {id} = await at.subscribe(['payout.debited', 'payout.settled']);
    at.receiver.always.set(HOOK, {status: 500});
    await at.payout();
    await at.settle(); // both have failed once
    const changed = await at.sandbox.call('PATCH', `/api/webhooks/endpoints/${id}`, {
      body: {event_types: ['payout.settled']},
    });
    assert.equal(changed.status, 200);
    at.receiver.posts.length = 0;
    at.receiver.always.delete(HOOK);
    await at.settle(20_000);
    assert.deepEqual(at.receiver.types, ['payout.settled']);
    const states = Object.fromEntries(
      (await at.deliveries()).map(({event_type, state}) => [event_type, state]),
    );
    assert.deepEqual(states, {'payout.debited': 'canceled', 'payout.settled': 'delivered'});
  });

  it('are retried at the same times, however long the network takes', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500, elapsedMs: 0}, {status: 500, elapsedMs: 900});
    await at.payout();
    await at.payout();
    await at.settle();
    const tried = await Promise.all((await at.deliveries()).map(({id}) => at.delivery(id)));
    for (const {attempts, next_attempt_at, created_at} of tried) {
      assert.equal(attempts[0]!.at, created_at);
      const wait = Date.parse(next_attempt_at!) - Date.parse(created_at);
      assert.ok(wait >= 4000 && wait <= 6000, `${wait}`);
    }
  });

  it('can be redelivered with the same bytes in any state; the schedule stays', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.always.set(HOOK, {status: 500});
    await at.payout();
    await at.settle();
    const before = await only();
    const redeliver = () => at.sandbox.control('POST', `/sandbox/deliveries/${before.id}/redeliver`, {});
    const {body: missed} = await redeliver();
    assert.deepEqual(
      [
        missed.state,
        missed.next_attempt_at,
        (missed as DeliveryRecord).attempts.at(-1)?.by_hand,
        missed.sent,
      ],
      ['pending', before.next_attempt_at, true, before.sent + 1],
    );
    at.receiver.always.clear();
    const {body: arrived} = await redeliver();
    assert.deepEqual([arrived.state, arrived.next_attempt_at], ['delivered', null]);
    assert.equal((await redeliver()).body.state, 'delivered');
    await at.settle(HOUR);
    assert.equal(new Set(at.receiver.posts.map(({body}) => body)).size, 1);
    assert.equal(at.receiver.posts.length, before.sent + 3);
  });

  it('are not redelivered to an endpoint that is disabled or deleted, or if they do not exist', async () => {
    const {id} = await at.subscribe(['payout.settled']);
    await at.payout();
    await at.settle();
    const delivery = await only();
    const redeliver = (which = delivery.id) =>
      at.sandbox.control('POST', `/sandbox/deliveries/${which}/redeliver`, {});
    await at.sandbox.post(`/api/webhooks/endpoints/${id}/toggle`);
    assert.deepEqual([(await redeliver()).status, at.receiver.posts.length], [400, 1]);
    await at.sandbox.call('DELETE', `/api/webhooks/endpoints/${id}`);
    assert.match(String((await redeliver()).body.message), /was deleted/);
    for (const none of [id, 'x', '%00']) {
      assert.equal((await redeliver(none)).status, 404);
      assert.equal((await at.sandbox.control('GET', `/sandbox/deliveries/${none}`)).status, 404);
    }
  });

  it('are listed newest first, by state, event and endpoint, in pages', async () => {
    const {id} = await at.subscribe();
    at.receiver.answers.push({status: 500});
    await at.payout();
    await at.payout();
    await at.settle(0);
    await at.settle(4000);
    const all = await at.deliveries();
    assert.equal(all.length, 4);
    assert.deepEqual(
      all.map((delivery) => delivery.id),
      all
        .map((delivery) => delivery.id)
        .sort()
        .reverse(),
    );
    const ids = async (query: string) => (await at.deliveries(query)).map((delivery) => delivery.id);
    assert.deepEqual(
      await ids('?event=payout.settled'),
      all.filter((delivery) => delivery.event_type === 'payout.settled').map((delivery) => delivery.id),
    );
    assert.equal((await ids(`?endpoint=${id}`)).length, 4);
    assert.equal((await ids('?state=pending')).length + (await ids('?state=delivered')).length, 4);
    assert.deepEqual(
      [...(await ids('?limit=3')), ...(await ids(`?limit=3&before=${all[2]!.id}`))],
      all.map((delivery) => delivery.id),
    );
    for (const query of ['?state=lost', '?limit=0', '?limit=x', '?event=nothing', '?other=1'])
      assert.equal((await at.sandbox.control('GET', `/sandbox/deliveries${query}`)).status, 400, query);
  });

  it('are logged one by one, and counted in the status', async () => {
    await at.subscribe(['payout.settled']);
    at.receiver.answers.push({status: 500, elapsedMs: 12.34});
    await at.payout();
    await at.settle(20 * SECOND);
    assert.deepEqual(
      at.log.map(({type, attempt, status, state, event_type, mode}) => [
        type,
        attempt,
        status,
        state,
        event_type,
        mode,
      ]),
      [
        ['delivery', 1, 500, 'pending', 'payout.settled', 'test'],
        ['delivery', 2, 200, 'delivered', 'payout.settled', 'test'],
      ],
    );
    assert.equal(at.log[0]!.elapsed_ms, 12.3);
    assert.ok(at.log[0]!.next_attempt_at !== null && at.log[1]!.next_attempt_at === null);
    assert.doesNotMatch(JSON.stringify(at.log), /whsec_/);
    const {body} = await at.sandbox.control('GET', '/sandbox/status');
    assert.deepEqual(body.deliveries, {
      events: 2,
      attempts: 2,
      pending: 0,
      sending: 0,
      delivered: 1,
      failed: 0,
      dropped: 0,
      canceled: 0,
    });
  });
});
