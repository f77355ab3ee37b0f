import assert from 'node:assert/strict';
import {EVENT_TYPE_NAMES} from '../../src/contract/events.ts';
import {TestSandbox} from './harness.ts';
import {bankAccount, card} from './payment-details.ts';
import {FakeReceiver} from './webhooks/receiver.ts';

/** A day of a sandbox: parties, methods, transfers of every ending, an operator, time. Everything it said. */
async function day(options: {seed: string; passMs: number}): Promise<unknown[]> {
  const receiver = new FakeReceiver();
  const at = await TestSandbox.open({
    post: receiver.post,
    seed: options.seed,
    frozenAtMs: Date.parse('2026-05-05T12:00:00Z'),
    timing: 'real',
  });
  const said: unknown[] = [at.sandbox.testKey, at.sandbox.liveKey];
  const keep = <T extends {status: number; body: unknown}>(answer: T): T => {
    said.push(answer.status, answer.body);
    at.clock.pass(options.passMs); // the machine's time is of no concern
    return answer;
  };
  // Its secret is the one thing that no seed decides.
  const {body: endpoint} = await at.post('/api/webhooks/endpoints', {
    url: 'https://receiver.example/hook',
    event_types: [...EVENT_TYPE_NAMES],
  });
  said.push(endpoint.id, endpoint.created_at);
  const [payee, payer] = [await at.party('payee'), await at.party('payer')];
  const methods = [];
  for (const [path, method] of [
    [`/api/payees/${payee}`, bankAccount()],
    [`/api/payees/${payee}`, card()],
    [`/api/payers/${payer}`, bankAccount()],
  ] as const) {
    const added = keep(await at.post(`${path}/payment-methods`, method));
    methods.push({path, id: added.body.id as string});
  }
  said.push(await at.sandbox.advance({until: 'idle'}));
  for (const {path, id} of methods) keep(await at.post(`${path}/payment-methods/${id}/set-default`));
  await at.sandbox.setClock({mode: 'frozen'});
  const release = {auto_approve: true};
  keep(await at.payout(payee, {...release, override_default_payment_method_id: methods[0]!.id}));
  keep(await at.payout(payee, {...release, rail: 'instant_card'}));
  keep(await at.payin(payer, {...release, amount_in_minor_units: 5507}));
  const stuck = keep(await at.payin(payer, {...release, metadata: {'sandbox.scenario': 'stuck_initiated'}}));
  said.push(await at.sandbox.advance({until: 'next'}), await at.sandbox.advance({ms: 86_400_000}));
  keep(await at.control('POST', '/sandbox/simulate', {kind: 'payin', id: stuck.body.id, outcome: 'return'}));
  said.push(await at.sandbox.advance({until: 'idle'}));
  for (const list of ['payees', 'payers', 'payouts', 'payins']) keep(await at.get(`/api/${list}`));
  const types = receiver.types;
  for (const type of ['payout.debited', 'payout.settled', 'payin.failed'])
    assert.ok(types.includes(type), type);
  said.push(
    receiver.posts.map(({body}) => body),
    await at.sandbox.audit(),
  );
  await at.close();
  return said;
}

describe('a sandbox with a seed and a frozen clock', () => {
  it('answers the same calls with the same ids, times, statuses and events, whatever the time of the machine', async () => {
    const first = await day({seed: 'one', passMs: 0});
    assert.deepEqual(await day({seed: 'one', passMs: 0}), first);
    assert.deepEqual(await day({seed: 'one', passMs: 1234}), first);
  });

  it('answers differently with another seed', async () => {
    assert.notDeepEqual(await day({seed: 'two', passMs: 0}), await day({seed: 'one', passMs: 0}));
  });
});
