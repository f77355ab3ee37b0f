import assert from 'node:assert/strict';
import {FaultRule} from '../../src/sandbox/outcomes/fault-schema.ts';
import {openSandboxStore} from '../../src/sandbox/migrations/open-store.ts';
import {DOWN, FailingStore} from './failing-store.ts';
import {TestSandbox, UNKNOWN_ID} from './harness.ts';
import {bankAccount} from './payment-details.ts';
import {testStore, type TestStore} from './test-store.ts';

describe('sandbox: a database that is away', () => {
  let place: TestStore;
  let store: FailingStore;
  let at: TestSandbox;
  const troubles: unknown[] = [];
  before(async () => {
    place = await testStore();
    store = new FailingStore(await openSandboxStore(place.place));
    at = await TestSandbox.open({store, background: true, onBug: (error) => troubles.push(error)});
  });
  after(async () => {
    await at.close();
    await place.drop();
  });

  it('is answered with a documented 503, and not reported as a bug', async () => {
    assert.equal((await at.get('/api/payees')).status, 200); // the key is known from here on
    store.down = true;
    const answers = [
      await at.get('/api/payees'),
      await at.get(`/api/payouts/${UNKNOWN_ID}`),
      await at.post('/api/payees', {name: 'Elm'}),
      await at.get('/api/payees', {key: at.sandbox.liveKey}), // a key that has to be looked up
    ];
    for (const {status, body} of answers) {
      assert.deepEqual([status, body.error_code], [503, 'SERVICE_UNAVAILABLE']);
      assert.doesNotMatch(body.message as string, /bug|postgres:/);
    }
    assert.deepEqual(
      troubles.map((error) => (error as Error).message),
      answers.map(() => DOWN),
    );
    const control = await at.control('GET', '/sandbox/audit');
    assert.deepEqual(
      [control.status, control.body],
      [503, {error_code: 'SERVICE_UNAVAILABLE', message: DOWN}],
    );
    store.down = false;
    assert.equal((await at.post('/api/payees', {name: 'Elm'})).status, 201);
  });

  /** A sandbox of its own whose next request fires a timer first. */
  async function withTimerDue() {
    const pumped = await testStore();
    const failing = new FailingStore(await openSandboxStore(pumped.place));
    const told: unknown[] = [];
    const alone = await TestSandbox.open({store: failing, onBug: (error) => told.push(error)});
    const payee = await alone.party('payee');
    await alone.post(`/api/payees/${payee}/payment-methods`, bankAccount());
    alone.passVerification(); // its timer is due
    return {pumped, failing, told, alone};
  }

  it('is answered with 503 if it fails before the request is read', async () => {
    const {pumped, failing, told, alone} = await withTimerDue();
    failing.down = true;
    const {status, body} = await alone.get('/api/payees');
    assert.deepEqual([status, body.error_code, told.length], [503, 'SERVICE_UNAVAILABLE', 1]);
    failing.down = false;
    assert.equal((await alone.get('/api/payees')).status, 200);
    await alone.close();
    await pumped.drop();
  });

  it('is reported even if a fault rule answers instead', async () => {
    const {pumped, failing, told, alone} = await withTimerDue();
    alone.sandbox.faults.add(
      FaultRule.parse({times: 1, effect: {kind: 'status', status: 429, retry_after: 3}}),
    );
    failing.down = true;
    const {status, body, headers} = await alone.get('/api/payees');
    assert.deepEqual([status, body.error_code, headers.get('retry-after')], [429, 'RATE_LIMITED', '3']);
    assert.deepEqual(
      told.map((error) => (error as Error).message),
      [DOWN],
    );
    assert.equal((await alone.get('/api/payees')).status, 503); // the rule is used up
    failing.down = false;
    assert.equal((await alone.get('/api/payees')).status, 200);
    await alone.close();
    await pumped.drop();
  });
});
