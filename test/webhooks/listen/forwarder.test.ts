import assert from 'node:assert/strict';
import {Forwarder, type ForwarderOptions} from '../../../src/webhooks/listen/forwarder.ts';
import type {ForwardResult} from '../../../src/webhooks/delivery/delivery.ts';
import type {PostedAnswer} from '../../../src/webhooks/delivery/post.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {delivery} from '../record/deliveries.ts';

const TARGET = 'http://localhost:3000/';

/** A forwarder whose target answers when the test says so. */
function place(options: Partial<ForwarderOptions> = {}) {
  const clock = new RecordingClock();
  const posts: ((status: number | null) => void)[] = [];
  const results: ForwardResult[] = [];
  const busy: [target: string, active: number][] = [];
  const forwarder = new Forwarder({
    routes: [{target: TARGET, matches: () => true}],
    clock,
    post: () =>
      new Promise<PostedAnswer>((resolve) =>
        posts.push((status) =>
          resolve({status, latencyMs: 1, headers: [], body: Buffer.alloc(0), error: null}),
        ),
      ),
    ...{concurrency: 2, maxBacklog: 10, ordered: false, attempts: 1, random: () => 0.5},
    onResult: (result) => void results.push(result),
    onBusy: (target, active) => void busy.push([target, active]),
    ...options,
  });
  const start = (number: number) => {
    const one = delivery(number, {targets: [TARGET]});
    forwarder.reserve(one);
    forwarder.start(one);
  };
  return {clock, posts, results, busy, forwarder, start};
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a target that does not keep up', () => {
  it('is reported once each time all its requests are in progress and more deliveries wait', async () => {
    const {start, busy, posts} = place();
    for (let number = 1; number <= 5; number++) start(number);
    assert.deepEqual(busy, [[TARGET, 2]]);
    for (const answer of posts) answer(200);
    for (let at = 2; at < 5; at++) {
      await turn();
      posts[at]!(200);
    }
    await turn();
    for (let number = 6; number <= 9; number++) start(number);
    assert.deepEqual(busy, [
      [TARGET, 2],
      [TARGET, 2],
    ]);
  });
});

describe('a delivery that does not arrive', () => {
  it('is sent again after pauses that double up to 30 s, and given up after the last attempt', async () => {
    const {start, clock, posts, results, forwarder} = place({attempts: 8});
    start(1);
    for (let at = 0; at < 8; at++) {
      posts[at]!(at % 2 === 0 ? 500 : null);
      await turn();
    }
    assert.deepEqual(clock.sleeps, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert.deepEqual(
      results.map(({attempt, gaveUp}) => [attempt, gaveUp]),
      Array.from({length: 8}, (_, at) => [at + 1, at === 7]),
    );
    assert.equal(forwarder.waiting, 0);
  });

  it('is not sent again once it has arrived', async () => {
    const {start, clock, posts, results, forwarder} = place({attempts: 8});
    start(1);
    posts[0]!(503);
    await turn();
    posts[1]!(204);
    await turn();
    assert.deepEqual(
      [clock.sleeps, posts.length, results.map(({status}) => status), forwarder.waiting],
      [[1000], 2, [503, 204], 0],
    );
  });
});
