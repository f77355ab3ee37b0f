import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {readFileSync} from 'node:fs';
import {setTimeout as wait} from 'node:timers/promises';
import {after, before, describe, it} from 'mocha';
import {loopbackCertificate} from '../../../src/webhooks/tls/local-authority.ts';
import {readPlace} from '../../../src/cli/sandbox/recorded/place.ts';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import type {CliOptions} from '../../cli/run-cli.ts';
import {verifyWebhook} from '../../../src/webhooks/index.ts';
import {lost} from '../../client/transport/fake-transport.ts';
import {LiveSandbox} from '../sandbox/live-sandbox.ts';
import {Receiver} from './receiver.ts';

interface Rotated {
  id: string;
  canceled_deliveries: string[] | null;
}

describe('webhooks endpoints rotate on a sandbox', function () {
  this.timeout(60_000);
  const sandbox = new LiveSandbox();
  let payee: string;
  let made = 0;

  before(async () => {
    await sandbox.start(['--timing', 'instant']);
    [{id: payee}] = await json<[{id: string}]>('sandbox', 'seed', '--payees', '1');
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
  });

  const json = async <T>(...argv: string[]): Promise<T> => {
    const ran = await sandbox.run([...argv, '-o', 'json']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as T;
  };
  const secretFile = () => join(sandbox.home, `secret-${++made}`);
  /** An endpoint at which nobody listens. */
  const endpoint = async (url = 'https://127.0.0.1:1/hook') => {
    const words = ['--url', url, '--event-types', 'payout.settled'];
    const {id} = await json<{id: string}>(
      ...['webhooks', 'endpoints', 'create', ...words, '--secret-file', secretFile()],
    );
    return id;
  };
  const pay = async () => {
    const argv = ['payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve'];
    const paid = await sandbox.run([...argv, '-o', 'json'], {uuid: randomUUID});
    assert.equal(paid.exitCode, 0, paid.stderr);
  };
  const deliveries = async (id: string, state: string) =>
    (await json<{id: string}[]>('sandbox', 'deliveries', 'list', '--endpoint', id, '--state', state)).map(
      (one) => one.id,
    );
  /** Deliveries that were tried once and wait for their next attempt. */
  const pending = async (id: string, count: number): Promise<string[]> => {
    for (let turn = 0; turn < 200; turn++) {
      const ids = await deliveries(id, 'pending');
      if (ids.length === count) return ids;
      await wait(50);
    }
    return assert.fail(`no ${count} deliveries are pending`);
  };
  const rotate = (id: string, timeout: string, options: CliOptions = {}) => {
    const words = ['--confirmed', '--yes', '--timeout', timeout, '--secret-file', secretFile()];
    return sandbox.run(['webhooks', 'endpoints', 'rotate', id, ...words, '-o', 'json'], options);
  };

  it('names the deliveries that were canceled with the old endpoint, with exit 8', async () => {
    const old = await endpoint();
    for (let n = 0; n < 3; n++) await pay();
    const waiting = await pending(old, 3);
    const ran = await rotate(old, '2s');
    assert.equal(ran.exitCode, 8, ran.stderr);
    const {canceled_deliveries: canceled} = ran.json() as Rotated;
    assert.deepEqual([...canceled!].sort(), [...waiting].sort());
    assert.deepEqual((await deliveries(old, 'canceled')).sort(), [...waiting].sort());
    assert.match(ran.stderr, /3 deliveries of the old endpoint are not answered with success yet/);
    assert.match(ran.stderr, /Warning: 3 deliveries that waited for the old endpoint were canceled with it/);
    const hint = /^Hint: remit (sandbox deliveries show \S+)/m.exec(ran.stderr)![1]!;
    assert.equal((await sandbox.run(hint.split(' '))).exitCode, 0);
  });

  it('names them if an earlier run has deleted the old endpoint, but did not come to naming them', async () => {
    const old = await endpoint();
    await pay();
    const waiting = await pending(old, 1);
    const {base_url: baseUrl} = readPlace(sandbox.place)!;
    const service: Transport = {
      send: async (request) => {
        const reply = await new HttpTransport({baseUrl}).send(request);
        if (request.method === 'DELETE') throw lost();
        return reply;
      },
      close: async () => undefined,
    };
    const first = await rotate(old, '1s', {service});
    assert.equal(first.exitCode, 12, first.stderr);
    const ran = await rotate(old, '1s');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.deepEqual((ran.json() as Rotated).canceled_deliveries, waiting);
    assert.match(
      ran.stderr,
      new RegExp(`was canceled with it, and the new endpoint has not delivered its event: ${waiting[0]}`),
    );
  });

  it('names them if the old endpoint was deleted by hand in the middle of the rotation, with exit 4', async () => {
    const old = await endpoint();
    await pay();
    const waiting = await pending(old, 1);
    const words = ['webhooks', 'endpoints', 'rotate', old, '--yes', '--timeout', '1s'];
    const first = await sandbox.run([...words, '--secret-file', secretFile(), '-o', 'json']);
    assert.notEqual(first.exitCode, 0, first.stderr);
    assert.equal((await sandbox.run(['webhooks', 'endpoints', 'delete', old, '--yes'])).exitCode, 0);
    const ran = await sandbox.run([...words, '-o', 'json']);
    assert.equal(ran.exitCode, 4, ran.stderr);
    assert.match(
      ran.stderr,
      new RegExp(`its rotation has ended\\. 1 delivery of the old endpoint was canceled: ${waiting[0]}`),
    );
  });

  it('waits until none is left', async () => {
    const old = await endpoint();
    await pay();
    const [waiting] = await pending(old, 1);
    const rotated = rotate(old, '50s');
    assert.equal((await sandbox.run(['sandbox', 'advance', '40h'])).exitCode, 0);
    const ran = await rotated;
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual((ran.json() as Rotated).canceled_deliveries, []);
    assert.deepEqual(await deliveries(old, 'failed'), [waiting]);
  });

  describe('to a receiver that has only the new secret', () => {
    let receiver: Receiver;
    let secret: string;
    before(async () => {
      const {certificate, key} = await loopbackCertificate(sandbox.env.REMIT_STATE_DIR, Date.now());
      receiver = await Receiver.open(
        (response, {request, body}) => {
          const {ok} = verifyWebhook({body, headers: request.headers, secrets: secret});
          response.writeHead(ok ? 204 : 401).end();
        },
        {cert: certificate, key},
      );
    });
    beforeEach(() => (secret = 'none yet'));
    after(() => receiver.close());

    /** The first run ends while both endpoints exist; the receiver gets the new secret. */
    const begun = async (old: string) => {
      const file = secretFile();
      const words = ['--yes', '--timeout', '0s', '--secret-file', file];
      const first = await sandbox.run(['webhooks', 'endpoints', 'rotate', old, ...words, '-o', 'json']);
      assert.equal(first.exitCode, 10, first.stderr);
      secret = readFileSync(file, 'utf8').trim();
      return String(first.error().details!['new_endpoint']);
    };
    const finish = (old: string, timeout: string) => {
      const words = ['--confirmed', '--yes', '--timeout', timeout];
      return sandbox.run(['webhooks', 'endpoints', 'rotate', old, ...words, '-o', 'json']);
    };
    const delivered = async (id: string, count: number) => {
      for (let turn = 0; turn < 200 && (await deliveries(id, 'delivered')).length < count; turn++)
        await wait(50);
      assert.equal((await deliveries(id, 'delivered')).length, count);
    };

    it('neither waits for a delivery whose event the new endpoint has delivered, nor calls it lost', async () => {
      const old = await endpoint(receiver.url);
      const successor = await begun(old);
      for (let n = 0; n < 2; n++) await pay();
      await pending(old, 2);
      await delivered(successor, 2);
      const startedMs = performance.now();
      const ran = await finish(old, '40s');
      assert.ok(performance.now() - startedMs < 20_000, 'it has waited');
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual((ran.json() as Rotated).canceled_deliveries, []);
      assert.doesNotMatch(ran.stderr, /deliver(y|ies) /);
      assert.equal((await deliveries(old, 'canceled')).length, 2);
    });

    it('names only those whose event the new endpoint has not delivered', async () => {
      const old = await endpoint(receiver.url);
      await pay();
      const before = await pending(old, 1);
      const successor = await begun(old);
      await pay();
      await pending(old, 2);
      await delivered(successor, 1);
      const newSecret = secret;
      secret = 'lost again';
      await pay();
      const late = (await pending(old, 3)).slice(0, 1);
      await pending(successor, 1);
      secret = newSecret;
      const ran = await finish(old, '2s');
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.deepEqual((ran.json() as Rotated).canceled_deliveries!.sort(), [...late, ...before].sort());
      assert.match(ran.stderr, /^2 deliveries of the old endpoint are not answered/m);
    });

    it('does not name it if the old endpoint was deleted by hand', async () => {
      const old = await endpoint(receiver.url);
      await pay();
      const before = await pending(old, 1);
      const successor = await begun(old);
      await pay();
      await pending(old, 2);
      await delivered(successor, 1);
      assert.equal((await sandbox.run(['webhooks', 'endpoints', 'delete', old, '--yes'])).exitCode, 0);
      const ran = await finish(old, '2s');
      assert.equal(ran.exitCode, 4, ran.stderr);
      assert.deepEqual(ran.error().details!['canceled_deliveries'], before);
    });
  });

  it('says nothing of deliveries if there are none', async () => {
    const ran = await rotate(await endpoint(), '2s');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual((ran.json() as Rotated).canceled_deliveries, []);
    assert.doesNotMatch(ran.stderr, /deliver(y|ies) /);
  });
});
