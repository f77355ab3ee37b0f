import assert from 'node:assert/strict';
import {createSandbox, type SandboxOptions} from '../../src/sandbox/sandbox.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {MONDAY} from './harness.ts';
import {bankAccount} from './payment-details.ts';
import {ManualClock} from './manual-clock.ts';
import {postgresStore, type TestStore} from './test-store.ts';
import {FakeReceiver} from './webhooks/receiver.ts';
import type {Sandbox} from '../../src/sandbox/control/sandbox-interface.ts';

describe('sandboxes that share a database', function () {
  if (skippedWithoutPostgres()) return;

  let store: TestStore;
  const clock = new ManualClock(MONDAY);
  const open: Sandbox[] = [];
  const bugs: unknown[] = [];

  /** One more sandbox on the database, as another process would open it: with nothing in common but the store. */
  async function another(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
    const sandbox = await createSandbox({
      store: store.place,
      clock,
      seed: 'shared',
      checkAnswers: true,
      onBug: (error) => bugs.push(error),
      ...options,
    });
    open.push(sandbox);
    return sandbox;
  }

  beforeEach(async () => {
    store = await postgresStore();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
    await store.drop();
    assert.deepEqual(bugs.splice(0), []);
  });

  async function call(sandbox: Sandbox, method: string, path: string, body?: object, key?: string) {
    const response = await sandbox.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          'x-api-key': sandbox.testKey,
          ...(body === undefined ? {} : {'content-type': 'application/json'}),
          ...(key === undefined ? {} : {'idempotency-key': key}),
        },
        ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      }),
    );
    const text = await response.text();

    return {status: response.status, body: text === '' ? undefined : JSON.parse(text)};
  }

  const balanced = async (sandbox: Sandbox) => {
    const {problems, entities} = await sandbox.audit();
    assert.deepEqual(problems, []);
    return entities[0]!;
  };

  it('found one world when they start at once, and see what the others wrote', async () => {
    const [a, b, c] = await Promise.all([another(), another(), another()]);
    assert.deepEqual([b.testKey, c.liveKey], [a.testKey, a.liveKey]);
    const {body} = await call(a, 'POST', '/api/payees', {name: 'Elm Works'});
    assert.equal((await call(b, 'GET', `/api/payees/${body.id}`)).status, 200);
    const issued = await c.issueKey({mode: 'test', scope: 'full'});
    const keys = await a.keys();
    assert.ok(keys.some(({key}) => key === issued.key));
    assert.equal(keys.length, 5);
  });

  it('never pay out more than the balance of the main account', async () => {
    const sandboxes = await Promise.all(
      [1, 2, 3].map(() => another({mainBalanceMinor: 100_000, timing: 'instant'})),
    );
    const {payees} = await sandboxes[0]!.seed({payees: 1, payers: 0});
    const answers = await Promise.all(
      Array.from({length: 60}, (_, n) =>
        call(sandboxes[n % 3]!, 'POST', '/api/payouts', {
          payee_id: payees[0]!.id,
          amount_in_minor_units: 9000,
          auto_approve: true,
        }),
      ),
    );
    assert.deepEqual(
      [201, 207].map((status) => answers.filter((answer) => answer.status === status).length),
      [11, 49],
    );
    assert.equal((await balanced(sandboxes[1]!)).balances.main, '1000');
  });

  it('create one record for one idempotency key, no matter which process is called', async () => {
    const sandboxes = await Promise.all([another(), another(), another()]);
    const {payees} = await sandboxes[0].seed({payees: 1, payers: 0});
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({length: 12}, (_, n) =>
          call(
            sandboxes[n % 3]!,
            'POST',
            '/api/payouts',
            {payee_id: payees[0]!.id, amount_in_minor_units: 100, auto_approve: true},
            `round-${round}`,
          ),
        ),
      );
      assert.equal(new Set(answers.map(({body}) => body.id as string)).size, 1);
      assert.equal(answers.filter(({status}) => status === 201).length, 1);
    }
    const {payouts} = await balanced(sandboxes[2]);
    assert.deepEqual(payouts.initiated, {count: 5, amount: '500'});
  });

  it('accept one of several simultaneous approvals and cancellations', async () => {
    const [a, b] = await Promise.all([another(), another()]);
    const {payees} = await a.seed({payees: 1, payers: 0});
    for (let round = 0; round < 8; round += 1) {
      const made = await call(a, 'POST', '/api/payouts', {
        payee_id: payees[0]!.id,
        amount_in_minor_units: 100,
        auto_approve: false,
      });
      const answers = await Promise.all(
        [a, b, a, b].map((sandbox, n) =>
          call(sandbox, 'POST', `/api/payouts/${made.body.id}/${n < 2 ? 'approve' : 'cancel'}`, {}),
        ),
      );
      assert.deepEqual(answers.map(({status}) => status).sort(), [200, 400, 400, 400]);
    }
    await balanced(b);
  });

  it('share one clock, and fire each timer once, no matter which process set it', async () => {
    const [a, b, c] = await Promise.all([another(), another(), another()]);
    const {payees} = await a.seed({payees: 1, payers: 0});
    for (let n = 0; n < 40; n += 1)
      await call(n % 2 === 0 ? a : b, 'POST', '/api/payouts', {
        payee_id: payees[0]!.id,
        amount_in_minor_units: 100,
        auto_approve: true,
      });
    const moved = await Promise.all([a, b, c].map((sandbox) => sandbox.advance({ms: 60 * 86_400_000})));
    const {clock: seen} = await b.status();
    assert.equal(Date.parse(seen.now), Date.parse(MONDAY) + 180 * 86_400_000);
    assert.equal(
      moved.reduce((sum, {fired}) => sum + fired, 0),
      80, // each payout is debited and settled
    );
    const {payouts} = await balanced(c);
    assert.equal(payouts.settled?.count, 40);
  });

  it('send each delivery once, no matter which process created the event', async () => {
    const receiver = new FakeReceiver();
    const sandboxes = await Promise.all([1, 2, 3].map(() => another({post: receiver.post})));
    const {payees} = await sandboxes[0]!.seed({payees: 1, payers: 0});
    const hook = {url: 'https://receiver.example/hook', event_types: ['payout.settled']};
    assert.equal((await call(sandboxes[1]!, 'POST', '/api/webhooks/endpoints', hook)).status, 201);
    for (let n = 0; n < 30; n += 1)
      await call(sandboxes[n % 3]!, 'POST', '/api/payouts', {
        payee_id: payees[0]!.id,
        amount_in_minor_units: 100,
        auto_approve: true,
      });
    await Promise.all(sandboxes.map((sandbox) => sandbox.advance({ms: 60 * 86_400_000})));
    for (const sandbox of sandboxes) await sandbox.advance({ms: 60_000}); // whatever another had in its hands
    assert.equal(receiver.posts.length, 30);
    assert.equal(new Set(receiver.posts.map(({body}) => body)).size, 30);
    await balanced(sandboxes[2]!);
  });

  it('move records on that another process left behind', async () => {
    const a = await another();
    const payee = (await call(a, 'POST', '/api/payees', {name: 'Elm Works'})).body.id as string;
    const method = await call(a, 'POST', `/api/payees/${payee}/payment-methods`, bankAccount());
    await a.close();
    const b = await another();
    clock.pass(60_000);
    const {body} = await call(b, 'GET', `/api/payees/${payee}/payment-methods`);
    assert.deepEqual([body.data[0].id, body.data[0].verification_status], [method.body.id, 'verified']);
  });
});
