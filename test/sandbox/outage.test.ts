import assert from 'node:assert/strict';
import {RemitError} from '../../src/errors.ts';
import {openSandboxStore} from '../../src/sandbox/open-store.ts';
import type {Store} from '../../src/store/port.ts';
import {TestSandbox, UNKNOWN_ID} from './harness.ts';
import {bankAccount} from './payment-details.ts';
import {testStore, type TestStore} from './test-store.ts';

const DOWN = 'Could not read the database postgres://db.example/sandbox: the connection was refused';

/** The store as it is, until its database goes away. */
class FailingStore implements Store {
  down = false;
  readonly dialect: Store['dialect'];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.dialect = store.dialect;
  }

  #check(): void {
    if (this.down) throw new RemitError('STATE', DOWN);
  }

  async read<T>(work: Parameters<Store['read']>[0]): Promise<T> {
    this.#check();
    return (await this.#store.read(work)) as T;
  }

  async glance(...args: Parameters<Store['glance']>): ReturnType<Store['glance']> {
    this.#check();
    return this.#store.glance(...args);
  }

  async write<T>(...args: Parameters<Store['write']>): Promise<T> {
    this.#check();
    return (await this.#store.write(...args)) as T;
  }

  saveCopy = (name: string) => this.#store.saveCopy(name);
  writeFromCopy: Store['writeFromCopy'] = (name, work) => this.#store.writeFromCopy(name, work);
  close = () => this.#store.close();
}

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

  it('is answered 503 in the documented shape, and called no bug', async () => {
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

  it('is answered 503 where it fails before the request is looked at', async () => {
    const pumped = await testStore();
    const failing = new FailingStore(await openSandboxStore(pumped.place));
    const told: unknown[] = [];
    const alone = await TestSandbox.open({store: failing, onBug: (error) => told.push(error)});
    const payee = await alone.party('payee');
    await alone.post(`/api/payees/${payee}/payment-methods`, bankAccount());
    alone.passVerification(); // its timer is due: it fires before the next request
    failing.down = true;
    const {status, body} = await alone.get('/api/payees');
    assert.deepEqual([status, body.error_code, told.length], [503, 'SERVICE_UNAVAILABLE', 1]);
    failing.down = false;
    assert.equal((await alone.get('/api/payees')).status, 200);
    await alone.close();
    await pumped.drop();
  });
});
