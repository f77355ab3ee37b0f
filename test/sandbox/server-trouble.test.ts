import assert from 'node:assert/strict';
import {RemitError} from '../../src/errors.ts';
import {openSandboxStore} from '../../src/sandbox/migrations/open-store.ts';
import {startSandbox, type RunningSandbox} from '../../src/sandbox/server.ts';
import {TOKEN_HEADER} from '../../src/sandbox/control/calls.ts';
import {DOWN, FailingStore} from './failing-store.ts';
import {testStore, type TestStore} from './test-store.ts';

const BUG = 'column secret_stuff of /srv/somebody/sandbox.db does not exist';

/** What a client gets over a real socket when the store cannot be used, or something happens that cannot. */
describe('sandbox server: a failing store', () => {
  let place: TestStore;
  let store: FailingStore;
  let running: RunningSandbox;
  let cookie: string;
  const told: string[] = [];

  before(async () => {
    place = await testStore();
    store = new FailingStore(await openSandboxStore(place.place));
    running = await startSandbox({store, onBug: (error) => told.push((error as Error).message)});
    assert.equal((await ask('/api/payees')).status, 200); // the key is known from here on
    const opened = await fetch(running.baseUrl + running.sandbox.pageLink().path, {redirect: 'manual'});
    cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    assert.match((await ask('/')).text, /<html/);
  });
  beforeEach(() => {
    told.length = 0;
  });
  afterEach(() => {
    store.down = false;
  });
  after(async () => {
    await running.close();
    await place.drop();
  });

  async function ask(path: string, init: RequestInit = {}) {
    const headers = {
      'x-api-key': running.testKey,
      [TOKEN_HEADER]: running.controlToken,
      cookie: cookie ?? '',
    };
    const response = await fetch(running.baseUrl + path, {...init, headers: {...headers, ...init.headers}});
    const text = await response.text();
    return {status: response.status, type: response.headers.get('content-type'), text};
  }
  const json = {method: 'POST', headers: {'content-type': 'application/json'}};
  const create = {...json, body: JSON.stringify({name: 'Elm Works'})};
  const PATHS: [string, RequestInit?][] = [['/'], ['/api/payees'], ['/api/payees', create]];

  it('is answered with a documented 503 everywhere, which reveals nothing about the store', async () => {
    for (const [path, init] of PATHS) {
      store.trouble = new RemitError('STATE', DOWN, {hint: 'ls /srv/somebody'});
      store.down = true;
      const {status, type, text} = await ask(path, init);
      assert.deepEqual([status, type], [503, 'application/json'], path);
      const body = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual(
        [Object.keys(body).sort(), body['error_code']],
        [['error_code', 'message'], 'SERVICE_UNAVAILABLE'],
      );
      assert.doesNotMatch(text, /postgres:|db\.example|somebody|STATE|stack|\.ts/, path);
      store.down = false;
    }
    assert.deepEqual(
      told,
      PATHS.map(() => DOWN),
    );
  });

  it('is answered with 500 for a bug, which is in the log and not in the answer', async () => {
    for (const [path, init] of PATHS) {
      store.trouble = new Error(BUG, {cause: new Error('inner')});
      store.down = true;
      const {status, type, text} = await ask(path, init);
      assert.deepEqual([status, type], [500, 'application/json'], path);
      const body = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual(
        [Object.keys(body).sort(), body['error_code']],
        [['error_code', 'message'], 'INTERNAL_ERROR'],
      );
      assert.doesNotMatch(text, /secret_stuff|somebody|inner|stack|\.ts/, path);
      store.down = false;
    }
    assert.deepEqual(
      told,
      PATHS.map(() => BUG),
    );
  });

  it('is reported to the owner by control calls, except for bugs', async () => {
    store.trouble = new RemitError('STATE', DOWN);
    store.down = true;
    const trouble = await ask('/sandbox/audit');
    assert.deepEqual([trouble.status, (JSON.parse(trouble.text) as {message: string}).message], [503, DOWN]);
    store.trouble = new Error(BUG);
    const bug = await ask('/sandbox/audit');
    assert.equal(bug.status, 500);
    assert.doesNotMatch(bug.text, /secret_stuff|somebody/);
    assert.deepEqual(told, [DOWN, BUG]);
  });

  it('has no effect on the server once the store works again', async () => {
    for (const [path, init] of PATHS) assert.ok((await ask(path, init)).status < 300, path);
    assert.deepEqual(told, []);
  });
});
