import assert from 'node:assert/strict';
import fc from 'fast-check';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {createSandbox} from '../../../src/sandbox/sandbox.ts';
import {TestSandbox} from '../harness.ts';
import {fileStore, type TestStore} from '../test-store.ts';
import {UndoingStore} from '../undoing-store.ts';

const TTL_MS = 60_000;

/** Every way in which a record, and its key, comes into a store or leaves it. PostgreSQL has a unique index instead. */
describe('idempotency keys in memory', () => {
  let place: TestStore;
  let store: UndoingStore;
  let at: TestSandbox;
  let payee: string;

  const openStore = async () => (store = new UndoingStore(await openSandboxStore(place.place)));
  const addPayee = async () => (payee = (await at.sandbox.seed({payees: 1, payers: 0})).payees[0]!.id); // of one seed, so always the same
  const settings = {idempotencyTtlMs: TTL_MS};
  beforeEach(async () => {
    place = await fileStore();
    at = await TestSandbox.open({...settings, store: await openStore()});
    await addPayee();
  });
  afterEach(async () => {
    const {problems} = await at.sandbox.audit();
    const bugs = at.bugs.splice(0).filter((bug) => (bug as Error).message !== 'undone');
    await at.close();
    await place.drop();
    assert.deepEqual([...problems, ...bugs], []);
  });

  const reopen = async () => {
    await at.sandbox.close();
    const onBug = (bug: unknown) => at.bugs.push(bug);
    at.sandbox = await createSandbox({...settings, store: await openStore(), clock: at.clock, onBug});
  };
  /** Status, and the record where there is one. */
  const create = async (idempotencyKey: string) => {
    const {status, body} = await at.payout(payee, {}, {idempotencyKey});
    return status === 500 ? [500] : [status, body.id as string];
  };
  const undoneCreate = (key: string) => {
    store.undone.push(true);
    return create(key);
  };
  const reset = async (isUndone: boolean) => {
    store.undone.push(isUndone);
    await at.sandbox.reset().catch((error: Error) => assert.equal(error.message, 'undone'));
    await addPayee();
  };

  it('are free again after a create that was undone', async () => {
    assert.deepEqual(await undoneCreate('one'), [500]);
    const [status, id] = await create('one');
    assert.equal(status, 201);
    assert.deepEqual(await create('one'), [200, id]);
  });

  it('are those of the successful creates if one of a group is rolled back', async () => {
    store.undone.push(false, true, false, false, true);
    const answers = await Promise.all(['one', 'one', 'two', 'one', 'two'].map(create));
    const [[, one], , [, two]] = answers as [string[], string[], string[]];
    assert.deepEqual(answers, [[201, one], [500], [201, two], [200, one], [500]]);
    assert.deepEqual(await create('two'), [200, two]);
  });

  it('are known to a sandbox that was reopened', async () => {
    const [, id] = await create('one');
    await reopen();
    assert.deepEqual(await create('one'), [200, id]);
    assert.equal((await create('two'))[0], 201);
  });

  it('are known of however many records, with keys or without', async () => {
    const [, first] = await create('first');
    // More than are read at once, all of them older than the next and without a key, and as many with one.
    await store.write((queries) =>
      queries.run(
        `insert into transfers select t.entity_id, t.kind, substr(t.id, 1, 24) || printf('%012x', n.value), t.party_id, t.method_id,
           t.subaccount_id, t.status, t.amount, t.currency_code, t.country_code, t.rail, t.parties, t.client_metadata, t.details,
           t.scenario, t.release_ms, t.attempts, t.created_ms, t.updated_ms, t.status_ms,
           case when n.value > 6000 then 'key-' || n.value end, null
         from transfers t, json_each(?) n where t.id = ?`,
        [JSON.stringify(Array.from({length: 12_000}, (_, n) => n + 1)), first!],
      ),
    );
    const [, last] = await create('last');
    await reopen();
    assert.deepEqual(
      [await create('first'), await create('last')],
      [
        [200, first],
        [200, last],
      ],
    );
    const statuses = await Promise.all(['key-6001', 'key-11999', 'key-5999'].map(create));
    assert.deepEqual(
      statuses.map(([status]) => status),
      [200, 200, 201],
    );
  });

  it('go with their records in a reset, and come back with them from a checkpoint', async () => {
    const [, id] = await create('one');
    await at.sandbox.checkpoints.save('kept');
    await reset(false);
    const [status, other] = await create('one');
    assert.equal(status, 201);
    assert.deepEqual(await create('one'), [200, other]);
    for (let round = 0; round < 2; round += 1) {
      await at.sandbox.checkpoints.restore('kept');
      assert.deepEqual(await create('one'), [200, id]);
      await reset(false);
    }
    await at.sandbox.checkpoints.restore('kept');
    await reopen();
    assert.deepEqual(await create('one'), [200, id]);
  });

  it('are known from the moment in which a checkpoint brings them back', async () => {
    const [, id] = await create('one');
    await at.sandbox.checkpoints.save('kept');
    await reset(false);
    const {reached, release} = store.holdReads();
    const restored = at.sandbox.checkpoints.restore('kept');
    await reached; // what the sandbox reads again after the restore is committed
    assert.deepEqual(await create('one'), [200, id]);
    release();
    await restored;
  });

  it('stay after a reset that was undone, next to creates of the same moment', async () => {
    const [, id] = await create('one');
    store.undone.push(true, false, false);
    const [, ...answers] = await Promise.all([
      at.sandbox.reset().catch(() => []),
      create('one'),
      create('two'),
    ]);
    assert.deepEqual(answers[0], [200, id]);
    assert.equal(answers[1][0], 201);
    assert.deepEqual(await create('one'), [200, id]);
  });

  it('are not forgotten by a create that was undone', async () => {
    const [, id] = await create('one');
    at.clock.pass(TTL_MS);
    store.undone.push(true, false);
    const [, [status, other]] = (await Promise.all([create('one'), create('one')])) as [unknown, string[]];
    assert.deepEqual([status, other === id], [201, false]);
    at.clock.pass(TTL_MS);
    assert.deepEqual(await undoneCreate('one'), [500]);
    at.clock.pass(-1);
    assert.deepEqual(await create('one'), [200, other]);
  });

  it('equal a plain map after any sequence of creates, rollbacks, expiries, resets, restores and reopenings', async () => {
    const one = fc.record({key: fc.constantFrom('a', 'b', 'c'), isUndone: fc.boolean()});
    const step = fc.oneof(
      {weight: 6, arbitrary: fc.array(one, {minLength: 1, maxLength: 4})},
      {weight: 2, arbitrary: fc.constant('pass' as const)},
      {weight: 1, arbitrary: fc.constantFrom('reset', 'undone reset', 'save', 'restore', 'reopen' as const)},
    );
    type Keys = Map<string, {id: string; ms: number}>;
    await fc.assert(
      fc.asyncProperty(fc.array(step, {maxLength: 20}), async (steps) => {
        await reset(false);
        let model: Keys = new Map();
        let saved: Keys | undefined;
        for (const what of steps) {
          if (what === 'pass') at.clock.pass(TTL_MS / 2);
          else if (what === 'reopen') await reopen();
          else if (what === 'undone reset') await reset(true);
          else if (what === 'reset') {
            await reset(false);
            model = new Map();
          } else if (what === 'save') {
            await at.sandbox.checkpoints.save('model');
            saved = new Map(model);
          } else if (what === 'restore') {
            if (saved === undefined) continue;
            await at.sandbox.checkpoints.restore('model');
            model = new Map(saved);
          } else {
            const now = Date.parse((await at.sandbox.clock()).now);
            store.undone.push(...what.map(({isUndone}) => isUndone));
            const answers = await Promise.all(what.map(({key}) => create(key)));
            for (const [n, {key, isUndone}] of what.entries()) {
              const known = model.get(key);
              const [status, id] = answers[n]!;
              if (isUndone) assert.equal(status, 500);
              else if (known && known.ms + TTL_MS > now) assert.deepEqual([status, id], [200, known.id]);
              else {
                assert.equal(status, 201);
                model.set(key, {id: id as string, ms: now});
              }
            }
          }
          assert.deepEqual((await at.sandbox.audit()).problems, []);
        }
      }),
      {numRuns: 40},
    );
  });
});
