import assert from 'node:assert/strict';
import {TestSandbox, assertRefused} from '../harness.ts';

const START = Date.parse('2026-05-05T12:00:00Z');

/** No webhook endpoint is registered here. */
const unsent = {attempts: 0, deliveries: 0};

describe('sandbox advance', () => {
  let at: TestSandbox;
  let payee: string;
  beforeEach(async () => {
    at = await TestSandbox.open({frozenAtMs: START});
    payee = (await at.sandbox.seed({payees: 1, payers: 0})).payees[0]!.id;
  });
  afterEach(async () => {
    assert.deepEqual((await at.sandbox.audit()).problems, []);
    await at.close();
  });
  const pay = async (body: object = {}) =>
    (await at.payout(payee, {auto_approve: true, ...body})).body.id as string;
  const after = (ms: number) => new Date(START + ms).toISOString();

  it('to the next thing: its time, and all that is due then', async () => {
    const [one, two] = [await pay(), await pay()];
    await pay({metadata: {'sandbox.scenario': 'async_202'}});
    assert.deepEqual(await at.sandbox.advance({until: 'next'}), {now: after(1000), fired: 1, ...unsent});
    assert.deepEqual(await at.sandbox.advance({until: 'next'}), {now: after(1500), fired: 2, ...unsent});
    for (const id of [one, two]) assert.equal(await at.statusOf('payout', id), 'debited');
  });

  it('to the next event if there is none: the time does not change', async () => {
    assert.deepEqual(await at.sandbox.advance({until: 'next'}), {now: after(0), fired: 0, ...unsent});
  });

  it('until idle: everything happens, in order, however far in the future', async () => {
    const [now, later] = [await pay(), await pay({scheduled_date: '2027-01-04'})];
    const stuck = await pay({metadata: {'sandbox.scenario': 'stuck_initiated'}});
    const {now: end, fired, idle} = await at.sandbox.advance({until: 'idle'});
    assert.deepEqual([end, fired, idle], ['2027-01-04T14:00:03.000Z', 5, true]);
    const record = async (id: string) =>
      (await at.get(`/api/payouts/${id}`)).body as {status: string; updated_at: string};
    assert.deepEqual([(await record(now)).status, (await record(now)).updated_at], ['settled', after(3000)]);
    assert.deepEqual([(await record(later)).status, (await record(later)).updated_at], ['settled', end]);
    assert.equal((await record(stuck)).status, 'initiated');
    assert.deepEqual(await at.sandbox.advance({until: 'idle'}), {now: end, fired: 0, ...unsent, idle: true});
  });

  it('until idle does not wait for what is more than ten years ahead', async () => {
    const soon = await pay();
    await pay({scheduled_date: '2090-01-02'});
    const {now, idle} = await at.sandbox.advance({until: 'idle'});
    assert.deepEqual([now, idle], [after(3000), false]);
    assert.equal(await at.statusOf('payout', soon), 'settled');
  });

  it('until idle comes to an end where time does', async () => {
    await at.sandbox.advance({toMs: Date.UTC(2199, 11, 31, 23, 59, 58)});
    const id = await pay(); // settles behind the end
    const {now, idle} = await at.sandbox.advance({until: 'idle'});
    assert.deepEqual([now, idle], ['2199-12-31T23:59:59.500Z', false]);
    assert.equal(await at.statusOf('payout', id), 'debited');
    await at.sandbox.advance({ms: 86_400_000});
    assert.deepEqual(await at.sandbox.advance({until: 'idle'}), {
      now: '2200-01-01T00:00:00.000Z',
      fired: 0,
      ...unsent,
      idle: false,
    });
  });

  it('is asked for by control calls', async () => {
    await pay();
    const ask = (body: object) => at.control('POST', '/sandbox/advance', body);
    assert.deepEqual((await ask({until: 'next'})).body, {now: after(1500), fired: 1, ...unsent});
    assert.deepEqual((await ask({until: 'idle'})).body, {now: after(3000), fired: 1, ...unsent, idle: true});
    for (const wrong of [{until: 'ever'}, {until: 'next', ms: 5}, {}])
      assertRefused(await ask(wrong), 400, 'VALIDATION_ERROR');
  });

  it('to a moment that has passed is refused, and moves nothing', async () => {
    await pay();
    const to = (ms: number) => at.control('POST', '/sandbox/advance', {to: after(ms)});
    assertRefused(await to(-1), 400, 'VALIDATION_ERROR', 'to');
    assertRefused(await to(-86_400_000), 400, 'VALIDATION_ERROR', 'to');
    assert.equal((await at.sandbox.clock()).now, after(0));
    assert.deepEqual((await to(0)).body, {now: after(0), fired: 0, ...unsent});
    assert.deepEqual((await to(1500)).body, {now: after(1500), fired: 1, ...unsent});
    assertRefused(await to(0), 400, 'VALIDATION_ERROR', 'to');
  });

  it('does not set the mode of the clock, which has its own call', async () => {
    const {body} = await at.control('POST', '/sandbox/clock', {mode: 'accelerated', speed: 60});
    assert.deepEqual(body, {mode: 'accelerated', now: after(0), timing: 'fast', speed: 60});
    assert.deepEqual((await at.control('GET', '/sandbox/clock')).body, body);
    for (const wrong of [{mode: 'accelerated'}, {mode: 'accelerated', speed: 1}, {mode: 'slow'}])
      assertRefused(await at.control('POST', '/sandbox/clock', wrong), 400, 'VALIDATION_ERROR');
  });
});
