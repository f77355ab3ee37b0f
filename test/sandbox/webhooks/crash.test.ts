import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createSandbox} from '../../../src/sandbox/sandbox.ts';
import {testStore, type TestStore} from '../test-store.ts';
import {HttpsReceiver} from './https-receiver.ts';
import {ServerProgram} from '../server-program.ts';

interface Place {
  baseUrl: string;
  testKey: string;
  payees: string[];
}

describe('webhook deliveries under SIGKILL', function () {
  let server: ServerProgram;
  let store: TestStore;
  let receiver: HttpsReceiver;

  before(async () => (server = await ServerProgram.bundle()));
  after(() => server.remove());
  beforeEach(async () => {
    store = await testStore();
    receiver = await HttpsReceiver.open();
  });
  afterEach(async () => {
    await server.killAll();
    await receiver.close();
    await store.drop();
  });

  const start = () =>
    server.start<Place>(store.place, {
      REMIT_TEST_AUTHORITY: receiver.authorityFile,
      REMIT_TEST_TIMING: 'instant',
    });
  const post = async (place: Place, path: string, body: object): Promise<{id: string}> => {
    const response = await fetch(place.baseUrl + path, {
      method: 'POST',
      headers: {'x-api-key': place.testKey, 'content-type': 'application/json'},
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
    return (await response.json()) as {id: string};
  };

  it('arrive after the restart: each event at least once, the same bytes each time, none that never was', async () => {
    // Nobody is answered before the kill, so that no delivery can be done.
    receiver.answer = () => undefined;
    const first = await start();
    await post(first.place, '/api/webhooks/endpoints', {
      url: receiver.url(),
      event_types: ['payout.debited', 'payout.settled'],
    });
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const payout = {payee_id: first.place.payees[n], amount_in_minor_units: 100, auto_approve: true};
      made.push((await post(first.place, '/api/payouts', payout)).id);
    }
    await receiver.until(1); // sent, and not written down
    const exited = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await exited;

    const beforeKill = receiver.received.length;
    receiver.answer = (_request, response) => response.writeHead(200).end();
    const second = await start();
    const seen = () =>
      new Map(
        receiver.received
          .slice(beforeKill)
          .map(
            ({body}) => JSON.parse(body.toString()) as {id: string; type: string; data: {payout_id: string}},
          )
          .map((event) => [event.id, `${event.type} ${event.data.payout_id}`]),
      );
    while (seen().size < 10) await receiver.until(receiver.received.length + 1);
    const stopped = once(second.child, 'exit');
    second.child.kill('SIGKILL');
    await stopped;

    const expected = made.flatMap((id) => [`payout.debited ${id}`, `payout.settled ${id}`]).sort();
    assert.deepEqual([...seen().values()].sort(), expected);
    const bodies = new Map<string, string>();
    for (const {body} of receiver.received) {
      const text = body.toString();
      const {id} = JSON.parse(text) as {id: string};
      assert.equal(bodies.get(id) ?? text, text);
      bodies.set(id, text);
    }
    const sandbox = await createSandbox({store: store.place, authorityFile: receiver.authorityFile});
    assert.deepEqual((await sandbox.audit()).problems, []);
    await sandbox.close();
  });
});
