import assert from 'node:assert/strict';
import {systemClock} from '../../../src/clock.ts';
import type {Delivery, ForwardResult} from '../../../src/webhooks/delivery/delivery.ts';
import {Forwarder} from '../../../src/webhooks/listen/forwarder.ts';
import {Intake, type IntakeOptions} from '../../../src/webhooks/listen/intake.ts';
import {KnownEvents} from '../../../src/webhooks/listen/known-events.ts';
import type {PostedAnswer} from '../../../src/webhooks/delivery/post.ts';
import type {RecordEntry} from '../../../src/webhooks/record/entry.ts';
import type {OnWritten} from '../../../src/webhooks/record/group.ts';
import {collect, deadTargets, isWaiting} from '../../../src/webhooks/record/state.ts';
import {RemitError} from '../../../src/errors.ts';
import {RecordingClock} from '../../client/recording-clock.ts';

const TARGETS = ['http://localhost:3000/', 'http://localhost:3001/'];
const event = (number: number) => Buffer.from(`{"id":"e${number}","type":"payout.settled","data":{}}`);

/** One append that the test ends. */
interface Append {
  entry: RecordEntry;
  end: OnWritten;
}

/** An intake whose disk and targets the test controls. */
function place(options: Partial<IntakeOptions> & {targets?: readonly string[]; maxBacklog?: number} = {}) {
  const {targets = [], maxBacklog = 10, ...rest} = options;
  const appends: Append[] = [];
  const shown: Delivery[] = [];
  const refused: string[] = [];
  const results: ForwardResult[] = [];
  const posts: ((status: number) => void)[] = [];
  const forwarder = new Forwarder({
    routes: targets.map((target) => ({target, matches: () => true})),
    clock: new RecordingClock(),
    post: () =>
      new Promise<PostedAnswer>((resolve) =>
        posts.push((status) =>
          resolve({status, latencyMs: 1, headers: [], body: Buffer.alloc(0), error: null}),
        ),
      ),
    ...{concurrency: 10, maxBacklog, ordered: false, attempts: 1, random: () => 0.5},
    onResult: (result) => void results.push(result),
    onBusy: () => undefined,
  });
  const intake = new Intake({
    clock: systemClock,
    secrets: () => [],
    verify: {},
    allowUnverified: true,
    wanted: () => true,
    known: new KnownEvents([]),
    write: (entry, end) => void appends.push({entry, end}),
    forwarder,
    respondDownstream: false,
    onDelivery: (delivery) => void shown.push(delivery),
    onRefused: (reason) => void refused.push(reason),
    ...rest,
  });
  const receive = (body: Buffer) =>
    new Promise<number>((resolve) =>
      intake.receive({path: '/', headers: [], body, refusal: null}, ({status, after}) => {
        after?.();
        resolve(status);
      }),
    );
  return {appends, shown, refused, results, posts, forwarder, receive};
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('copies of one event that arrive together', () => {
  it('are handled one after the other: the second counts as the first if that could not be recorded', async () => {
    const {appends, shown, refused, receive} = place();
    const statuses = [receive(event(1)), receive(event(1)), receive(event(1)), receive(event(2))];
    await turn();
    assert.equal(appends.length, 2, 'one of each event');
    appends[0]!.end(new RemitError('STATE', 'disk full'));
    await turn();
    assert.equal(appends.length, 3);
    appends[1]!.end();
    appends[2]!.end();
    await turn();
    appends[3]!.end();
    assert.deepEqual(await Promise.all(statuses), [503, 200, 200, 200]);
    assert.deepEqual(refused, ['record']);
    const copies = shown.filter(({eventId}) => eventId === 'e1');
    assert.deepEqual(
      copies.map(({attempt, duplicateOf}) => [attempt, duplicateOf]),
      [
        [1, null],
        [2, copies[0]!.id],
      ],
    );
  });
});

describe('the backlog', () => {
  it('counts deliveries, whatever the number of their targets', async () => {
    const {appends, refused, posts, forwarder, receive} = place({targets: TARGETS, maxBacklog: 2});
    const recorded = async (number: number) => {
      const status = receive(event(number));
      await turn();
      appends.at(-1)?.end();
      return status;
    };
    assert.deepEqual([await recorded(1), await recorded(2)], [200, 200]);
    assert.equal(await recorded(3), 503);
    assert.deepEqual([posts.length, forwarder.waiting, refused], [4, 2, ['backlog']]);
    posts[0]!(200);
    await turn();
    assert.equal(await recorded(4), 503, 'one target of the first one still has to answer');
    posts[1]!(200);
    await turn();
    assert.equal(forwarder.waiting, 1);
    assert.equal(await recorded(5), 200);
  });

  it('is released if a delivery could not be recorded', async () => {
    const {appends, forwarder, receive} = place({targets: TARGETS, maxBacklog: 1});
    const status = receive(event(1));
    await turn();
    assert.equal(forwarder.waiting, 1);
    appends[0]!.end(new RemitError('STATE', 'disk full'));
    assert.equal(await status, 503);
    assert.equal(forwarder.waiting, 0);
  });
});

describe('an answer from downstream', () => {
  it('that failed is not a dead letter: the service sends the delivery again', async () => {
    const {appends, posts, results, shown, receive} = place({
      targets: TARGETS.slice(0, 1),
      respondDownstream: true,
    });
    const status = receive(event(1));
    await turn();
    appends[0]!.end();
    await turn();
    posts[0]!(500);
    assert.equal(await status, 500);
    const [result] = results;
    assert.deepEqual([result!.gaveUp, result!.returned], [true, true]);
    const recorded = collect([
      {kind: 'delivery', delivery: shown[0]!},
      {kind: 'forward', forward: result!},
    ]).get(shown[0]!.id)!;
    assert.equal(recorded.targets.get(TARGETS[0]!)!.state, 'returned');
    assert.deepEqual([deadTargets(recorded), isWaiting(recorded)], [[], false]);
  });
});
