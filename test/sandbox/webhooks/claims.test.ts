import assert from 'node:assert/strict';
import {Faults} from '../../../src/sandbox/outcomes/faults.ts';
import {seededRandom} from '../../../src/sandbox/base/random.ts';
import {DeliveryPump} from '../../../src/sandbox/webhooks/delivery-pump.ts';
import type {Posted} from '../../../src/sandbox/webhooks/post.ts';
import {FailingStore} from '../failing-store.ts';
import {HOOK, WebhookWorld} from './world.ts';

/** Longer than a claim lasts. */
const LAPSED_MS = 31_000;

describe('claims of webhook deliveries', () => {
  let at: WebhookWorld;
  const bugs: unknown[] = [];
  beforeEach(async () => {
    at = await WebhookWorld.open();
    await at.subscribe(['payout.settled']);
  });
  afterEach(async () => {
    await at.close();
    assert.deepEqual(bugs.splice(0), []);
  });

  /** A request that is under way until it is answered. */
  function hold(): {answer: (posted: Partial<Posted>) => void; begun: () => Promise<void>} {
    let answer: (posted: Partial<Posted>) => void = () => undefined;
    at.receiver.hold.set(HOOK, new Promise((resolve) => (answer = resolve)));
    const before = at.receiver.posts.length;
    const begun = async () => {
      while (at.receiver.posts.length === before) await new Promise((resolve) => setImmediate(resolve));
      at.receiver.hold.delete(HOOK); // the next request gets another answer
    };
    return {answer, begun};
  }

  /** One more process: all that it has in common with the first one is the store. */
  const otherPump = () =>
    new DeliveryPump({
      context: at.context,
      machine: at.clock,
      faults: new Faults(seededRandom('other')),
      post: at.receiver.post,
      background: false,
      onDelivery: undefined,
      onBug: (error) => bugs.push(error),
    });

  /** One delivery that the first process has sent, whose claim has lapsed, and which another has sent again. */
  async function takenOver() {
    const first = hold();
    await at.payout();
    const firstDone = at.settle();
    await first.begun();
    at.clock.pass(LAPSED_MS);
    const second = hold();
    const pump = otherPump();
    await pump.start();
    const secondDone = pump.run();
    await second.begun();
    return {first, second, firstDone, secondDone};
  }
  const only = async () => at.delivery((await at.deliveries())[0]!.id);

  it('of an attempt that could not be written down lapse, and it is made again', async () => {
    const store = new FailingStore(at.context.store);
    const troubles: unknown[] = [];
    const pump = new DeliveryPump({
      ...{context: {...at.context, store}, machine: at.clock, faults: new Faults(seededRandom('failing'))},
      ...{post: at.receiver.post, background: false, onDelivery: undefined},
      onBug: (error) => troubles.push(error),
    });
    const first = hold();
    await at.payout();
    const firstDone = at.settle();
    await first.begun();
    first.answer({status: 500});
    await firstDone;
    at.clock.pass(24 * 3_600_000); // time for another try
    const held = hold();
    const running = pump.run().catch((error: unknown) => troubles.push(error));
    await held.begun();
    store.down = true;
    held.answer({status: 204});
    await running;
    store.down = false;
    assert.ok(troubles.length > 0);
    await pump.run();
    assert.equal((await only()).state, 'sending'); // it may still be under way, for all that anybody knows
    at.clock.pass(LAPSED_MS);
    await pump.run();
    assert.deepEqual([(await only()).state, at.receiver.posts.length], ['delivered', 3]);
  });

  it('that were taken over by another process leave the delivery to it', async () => {
    const {first, second, firstDone, secondDone} = await takenOver();
    const {next_attempt_at: due} = await only();
    first.answer({status: 500});
    await firstDone;
    const meanwhile = await only();
    assert.deepEqual(
      [meanwhile.state, meanwhile.next_attempt_at, meanwhile.sent, meanwhile.attempts[0]?.status],
      ['sending', due, 1, 500],
    );
    assert.deepEqual(
      at.log.map(({status, state, next_attempt_at}) => [status, state, next_attempt_at]),
      [[500, null, null]],
    );
    second.answer({status: 204});
    await secondDone;
    const {state, attempts} = await only();
    assert.deepEqual([state, attempts.map(({status}) => status)], ['delivered', [500, 204]]);
  });

  it('that were taken over are not released by a process that stops', async () => {
    const {first, second, firstDone, secondDone} = await takenOver();
    first.answer({status: null, error: {code: 'aborted', message: 'the sandbox stops'}});
    // The first one goes on to look for more: what the other has in hand is not for it.
    await firstDone;
    assert.deepEqual([(await only()).state, at.receiver.posts.length], ['sending', 2]);
    second.answer({status: 204});
    await secondDone;
    assert.deepEqual([(await only()).state, (await only()).sent], ['delivered', 1]);
  });

  it('that expired do not undo a delivery that arrived, no matter which process sent it', async () => {
    const {first, second, firstDone, secondDone} = await takenOver();
    first.answer({status: 200});
    await firstDone;
    assert.equal((await only()).state, 'delivered');
    second.answer({status: 500});
    await secondDone;
    const {state, next_attempt_at, sent} = await only();
    assert.deepEqual([state, next_attempt_at, sent], ['delivered', null, 2]);
  });
});
