import assert from 'node:assert/strict';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {check} from '../../../src/contract/schemas/registry.ts';
import {TestSandbox} from '../harness.ts';
import {FakeReceiver} from './receiver.ts';

const SETTLED_MS = 10_000;

describe('webhook events', () => {
  let at: TestSandbox;
  let receiver: FakeReceiver;
  let secret: string;

  const subscribe = async (event_types: readonly string[], options: {key?: string; url?: string} = {}) => {
    const {key, url = 'https://receiver.example/hook'} = options;
    const made = await at.post('/api/webhooks/endpoints', {url, event_types}, key === undefined ? {} : {key});
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body as {id: string; signing_secret: string};
  };
  /** Lets everything happen that the fast profile has planned. */
  const settle = async () => {
    at.clock.pass(SETTLED_MS);
    await at.get('/api/payouts');
  };

  beforeEach(async () => {
    receiver = new FakeReceiver();
    at = await TestSandbox.open({post: receiver.post});
    secret = (await subscribe(EVENT_TYPE_NAMES)).signing_secret;
  });
  afterEach(() => at.close());

  it('are sent when a payout is debited and when it settles, signed, with its id', async () => {
    const {id: payee} = await at.ready('payee');
    const {body: payout} = await at.payout(payee, {auto_approve: true});
    await settle();
    assert.deepEqual(receiver.types, ['payout.debited', 'payout.settled']);
    for (const body of receiver.bodies) {
      assert.deepEqual(body.data, {payout_id: payout.id});
      assert.ok(check('WebhookEvent', body).ok);
    }
    for (const post of receiver.posts)
      assert.deepEqual(receiver.verify(post, secret, at.clock.now()), {ok: true, secret: 0, ageSeconds: 0});
    assert.equal(new Set(receiver.bodies.map(({id}) => id)).size, 2);
  });
});
