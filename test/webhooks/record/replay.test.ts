import assert from 'node:assert/strict';
import type {HeaderPairs} from '../../../src/webhooks/delivery/delivery.ts';
import type {PostedAnswer} from '../../../src/webhooks/delivery/post.ts';
import type {RecordEntry} from '../../../src/webhooks/record/entry.ts';
import {
  addForward,
  collect,
  deadTargets,
  isWaiting,
  type RecordedDelivery,
} from '../../../src/webhooks/record/state.ts';
import {replayDelivery, type ReplayTools} from '../../../src/webhooks/record/replay.ts';
import {signatureHeaders, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {delivery, forward, idOf} from './deliveries.ts';

const TARGET = new URL('http://localhost:3000/');
const OTHER = new URL('http://localhost:3001/');
const SECRET = 'whsec_old';

/** Tools that send nowhere: every POST is kept and answered with this status. */
function tools(status: number | null = 200) {
  const sent: {target: URL; headers: HeaderPairs; body: Uint8Array}[] = [];
  const appended: RecordEntry[] = [];
  const answer: PostedAnswer = {
    ...{status, latencyMs: 7, headers: [], body: Buffer.from('answer')},
    error: status === null ? 'connection refused' : null,
  };
  const made: ReplayTools = {
    clock: new RecordingClock(),
    post: async (target, headers, body) => {
      sent.push({target, headers, body});
      return answer;
    },
    append: async (entry) => void appended.push(entry),
  };
  return {...made, sent, appended};
}

const recorded = (...statuses: number[]): RecordedDelivery => {
  const entries: RecordEntry[] = [{kind: 'delivery', delivery: delivery(1, {targets: [TARGET.href]})}];
  for (const [index, status] of statuses.entries())
    entries.push({kind: 'forward', forward: forward(1, {status, attempt: index + 1, atMs: index})});
  return collect(entries).get(idOf(1))!;
};

describe('a replay', () => {
  it('sends the original bytes and headers, and appends the result', async () => {
    const {sent, appended, ...rest} = tools(204);
    const one = recorded(500);
    const {result, outcome, before, response, unrecorded} = await replayDelivery(one, TARGET, rest);
    assert.deepEqual(sent, [{target: TARGET, headers: one.delivery.headers, body: one.delivery.body}]);
    assert.deepEqual(appended, [{kind: 'forward', forward: result}]);
    assert.deepEqual(
      [result.delivery, result.target, result.attempt, result.status, result.latencyMs],
      [idOf(1), TARGET.href, 2, 204, 7],
    );
    assert.deepEqual([result.cause, result.resigned, result.gaveUp], ['replay', false, false]);
    assert.deepEqual(
      [outcome, before?.status, response.toString(), unrecorded],
      ['fixed', 500, 'answer', null],
    );
  });

  it('compares with the last attempt at the same target, never with another target', async () => {
    const compared = async (one: RecordedDelivery, status: number | null, target = TARGET) =>
      (await replayDelivery(one, target, tools(status))).outcome;
    assert.equal(await compared(recorded(500, 200), 200), 'still_passing');
    assert.equal(await compared(recorded(500, 200), 500), 'regressed');
    assert.equal(await compared(recorded(200, 500), 299), 'fixed');
    assert.equal(await compared(recorded(200, 500), null), 'still_failing');
    assert.equal(await compared(recorded(200, 500), 302), 'still_failing');
    assert.equal(await compared(recorded(), 200), 'passing');
    assert.equal(await compared(recorded(), 500), 'failing');
    assert.equal(await compared(recorded(200), 500, OTHER), 'failing');
    const both = recorded(200);
    addForward(both, forward(1, {target: OTHER.href, status: 500, atMs: 9}));
    assert.equal(await compared(both, 500, OTHER), 'still_failing');
    assert.equal(await compared(both, 200, new URL('http://localhost:3002/')), 'passing');
  });

  it('signs again on request: a fresh timestamp, and nothing left of the old signature', async () => {
    const one = recorded(200);
    const old = signatureHeaders(SECRET, one.delivery.body, 0);
    const headers: [string, string][] = [
      ['x-webhook-signature', old['X-Webhook-Signature']!],
      ['X-WEBHOOK-TIMESTAMP', old['X-Webhook-Timestamp']!],
      ['X-Trace', 'kept'],
    ];
    const again = {...one, delivery: {...one.delivery, headers}};
    const {sent, ...rest} = tools();
    const {result} = await replayDelivery(again, TARGET, rest, {resign: 'whsec_new'});
    const verified = verifyWebhook({
      ...{body: sent[0]!.body, headers: sent[0]!.headers, secrets: 'whsec_new'},
      nowMs: rest.clock.now(),
    });
    assert.ok(verified.ok && verified.ageSeconds === 0);
    assert.equal(sent[0]!.headers.length, 3);
    assert.deepEqual(sent[0]!.headers[0], ['X-Trace', 'kept']);
    assert.equal(result.resigned, true);
  });

  it('is refused for other machines and for bodies that were not kept', async () => {
    const {sent, ...rest} = tools();
    const far = new URL('https://example.com/hook');
    await assert.rejects(replayDelivery(recorded(), far, rest), {code: 'GUARD_TARGET'});
    const cut = collect([
      {kind: 'delivery', delivery: delivery(1, {verdict: 'rejected', reason: 'body_too_large'})},
      {
        kind: 'delivery',
        delivery: delivery(2, {verdict: 'rejected', reason: 'mismatch', bodyBytes: 100_000}),
      },
    ]);
    for (const number of [1, 2])
      await assert.rejects(replayDelivery(cut.get(idOf(number))!, TARGET, rest), {code: 'LOCAL_VALIDATION'});
    assert.equal(sent.length, 0);
    await replayDelivery(recorded(), far, rest, {allowExternal: true});
    assert.equal(sent.length, 1);
  });

  it('does not record what was interrupted, and reports what could not be recorded', async () => {
    const stop = new AbortController();
    const {appended, ...rest} = tools();
    const post: ReplayTools['post'] = async (...sent) => {
      stop.abort(new Error('stopped by a signal'));
      return rest.post(...sent);
    };
    const cut = replayDelivery(recorded(), TARGET, {...rest, post, signal: stop.signal});
    await assert.rejects(cut, /stopped by a signal/);
    assert.equal(appended.length, 0);
    const append = () => Promise.reject(new Error('disk full'));
    const {outcome, unrecorded} = await replayDelivery(recorded(500), TARGET, {...rest, append});
    assert.deepEqual([outcome, unrecorded?.message], ['fixed', 'disk full']);
  });
});

describe('what the record holds after a replay', () => {
  const replayed = (changes = {}) => forward(1, {cause: 'replay', status: 500, atMs: 5, ...changes});

  it('still has the delivery waiting if a listener has not finished it', () => {
    const one = recorded();
    addForward(one, replayed());
    assert.equal(isWaiting(one), true);
    addForward(one, replayed({status: 200}));
    assert.equal(isWaiting(one), false);
  });

  it('keeps a dead letter until a replay arrived, and adds one at another address', () => {
    const one = recorded();
    addForward(one, forward(1, {status: 500, gaveUp: true}));
    addForward(one, replayed());
    addForward(one, replayed({target: OTHER.href}));
    assert.deepEqual(deadTargets(one), [TARGET.href, OTHER.href]);
    addForward(one, replayed({status: 200}));
    addForward(one, replayed({target: OTHER.href, status: 200}));
    assert.deepEqual(deadTargets(one), []);
  });

  it('uses the newest attempt as the last one, in whatever order segments of two processes are read', () => {
    const one = recorded();
    addForward(one, replayed({atMs: 9, status: 200}));
    addForward(one, forward(1, {atMs: 8, status: 500}));
    assert.deepEqual(
      [one.targets.get(TARGET.href)!.last!.atMs, one.targets.get(TARGET.href)!.attempts],
      [9, 2],
    );
    const late = collect([
      {kind: 'forward', forward: replayed({status: 200})},
      {kind: 'delivery', delivery: delivery(1, {targets: [TARGET.href]})},
    ]).get(idOf(1))!;
    assert.equal(late.targets.get(TARGET.href)!.state, 'forwarded');
  });
});
