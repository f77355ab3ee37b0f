import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {selectedValue} from '../../../src/output/records/select.ts';
import {runCli} from '../../cli/run-cli.ts';
import {LiveSandbox} from '../sandbox/live-sandbox.ts';
import {Listening} from './listening.ts';
import type {Json} from '../../../src/narrow.ts';

interface Endpoint {
  id: string;
  url: string;
}

describe('webhooks listen with a sandbox, over HTTPS', function () {
  const sandbox = new LiveSandbox();
  let payee: string;

  const json = async <T>(...argv: string[]): Promise<T> => {
    const result = await sandbox.run([...argv, '-o', 'json']);
    assert.equal(result.exitCode, 0, result.stderr);
    return result.json() as T;
  };
  const endpoints = () => json<Endpoint[]>('webhooks', 'endpoints', 'list');
  const pay = async () => {
    const argv = ['payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve'];
    const paid = await sandbox.run([...argv, '-o', 'json'], {uuid: randomUUID});
    assert.equal(paid.exitCode, 0, paid.stderr);
    return (paid.json() as {id: string}).id;
  };
  const open = (...words: string[]) =>
    Listening.open(sandbox.env, ['--register', '--tls', ...words], (argv, options) =>
      sandbox.run(argv, options),
    );
  const registered = join(sandbox.env.REMIT_STATE_DIR, 'webhooks', 'registered');

  before(async () => {
    await sandbox.start(['--timing', 'instant']);
    payee = (await json<{id: string}[]>('sandbox', 'seed', '--payees', '1'))[0]!.id;
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
  });
  afterEach(() => sandbox.run(['sandbox', 'faults', 'clear']));

  it('creates its endpoint, shows the first delivery, and removes the endpoint at the end', async () => {
    const at = await open();
    assert.match(at.ready.url, /^https:\/\/localhost:\d+\/$/);
    assert.deepEqual(
      (await endpoints()).map(({id, url}) => [id, url]),
      [[at.ready.endpoint_id, at.ready.url]],
    );
    await pay();
    await at.until(({type}) => type === 'event', 2);
    assert.deepEqual(
      at.of('event').map(({event_type, verdict}) => [event_type, verdict]),
      [
        ['payout.debited', 'verified'],
        ['payout.settled', 'verified'],
      ],
    );
    const ended = await at.end();
    assert.equal(ended.exitCode, 130, ended.stderr);
    assert.doesNotMatch(ended.stdout + ended.stderr, /whsec_[0-9a-zA-Z]/);
    assert.deepEqual(await endpoints(), []);
    assert.deepEqual(readdirSync(registered), []);
  });

  it('writes the secret of its endpoint to a file, which goes with the endpoint', async () => {
    const file = join(sandbox.home, 'hook.secret');
    const at = await open('--secret-file', file);
    assert.match(readFileSync(file, 'utf8'), /^whsec_[0-9a-f]{64}\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await pay();
    await at.until(({type}) => type === 'event');
    const verified = await runCli(
      ['webhooks', 'verify', at.of('event')[0]!.delivery, '--secret-from', file],
      {
        env: sandbox.env,
      },
    );
    assert.equal(verified.exitCode, 0, verified.stderr);
    const second = await sandbox.run([
      'webhooks',
      'listen',
      '--port',
      '0',
      '--register',
      '--tls',
      '--secret-file',
      file,
    ]);
    assert.equal(second.exitCode, 13, 'an existing file is not overwritten');
    await at.end();
    assert.equal(existsSync(file), false);
    assert.deepEqual(await endpoints(), []);
    const changed = await open('--secret-file', file);
    writeFileSync(file, 'mine');
    await changed.end();
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    const reads = await sandbox.run(['webhooks', 'listen', '--port', '0', '--secret-file', file]);
    assert.equal(reads.exitCode, 2);
    assert.match(reads.stderr, /--secret-from FILE/);
  });

  it('subscribes to the chosen types only', async () => {
    const at = await open('--events', 'payin.*');
    const [endpoint] = await json<{event_types: string[]}[]>('webhooks', 'endpoints', 'list');
    assert.deepEqual(endpoint!.event_types, ['payin.settled', 'payin.failed']);
    await at.end();
  });

  it('shows each event once and names each bad delivery, with faults injected', async () => {
    const at = await open();
    for (const kind of ['duplicate', 'bad-signature', 'stale-timestamp'])
      await json('sandbox', 'faults', 'add', kind, '--event', 'payout.settled', '--times', '1');
    await json('sandbox', 'faults', 'add', 'reorder', '--event', 'payout.debited', '--times', '1');
    const payouts: string[] = [];
    for (let count = 0; count < 3; count += 1) payouts.push(await pay());
    await at.until(({type}) => type === 'rejected', 2);
    await at.until(({type}) => type === 'duplicate');
    for (let tries = 0; at.of('event').length < 6 && tries < 100; tries += 1) {
      await sandbox.run(['sandbox', 'advance', '10s']);
      await wait(20);
    }
    const events = at.of('event');
    assert.equal(events.length, 6);
    assert.equal(new Set(events.map(({id}) => id)).size, 6, 'every event once');
    const held = events.findIndex(
      ({event_type: type, body}) =>
        type === 'payout.debited' && selectedValue(body as Json, 'data.payout_id') === payouts[0],
    );
    assert.ok(held > 0, `the first event of all came after another one: ${held}`);
    assert.equal(at.of('duplicate').length, 1);
    assert.deepEqual(
      at
        .of('rejected')
        .map(({reason}) => reason)
        .sort(),
      ['mismatch', 'too_old'],
    );
    await at.end();
  });

  it('removes the endpoint that a killed listener left, and only that', async () => {
    const mine = await json<Endpoint>(
      'webhooks',
      'endpoints',
      'create',
      '--url',
      'https://localhost:1/a',
      '--event-types',
      'payin.failed',
    );
    const at = await open();
    const left = at.ready.endpoint_id!;
    const [name] = readdirSync(registered);
    const kept = JSON.parse(readFileSync(join(registered, name!), 'utf8')) as Record<
      string,
      Record<string, unknown>
    >;
    const dead = {...kept['holder'], pid: 4_190_000, startTime: '1'};
    await at.end();
    // As SIGKILL leaves it: the endpoint is there, its process is not.
    const again = await json<Endpoint>(
      'webhooks',
      'endpoints',
      'create',
      '--url',
      'https://localhost:2/b',
      '--event-types',
      'payin.failed',
    );
    const note = (changes: Record<string, unknown>) =>
      JSON.stringify({...kept, endpoint_id: again.id, url: again.url, holder: dead, ...changes});
    writeFileSync(join(registered, 'other-mode.json'), note({mode: 'live'}));
    writeFileSync(join(registered, 'alive.json'), note({holder: kept['holder']}));
    writeFileSync(join(registered, 'other-url.json'), note({url: 'https://localhost:3/'}));
    let next = await open();
    await next.end();
    assert.deepEqual((await endpoints()).map(({id}) => id).sort(), [mine.id, again.id].sort());
    writeFileSync(join(registered, 'left.json'), note({}));
    next = await open();
    await next.end();
    assert.deepEqual(
      (await endpoints()).map(({id}) => id),
      [mine.id],
    );
    assert.notEqual(left, again.id);
  });
});
