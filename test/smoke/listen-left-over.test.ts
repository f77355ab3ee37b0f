import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import type {ListenLine} from '../../src/webhooks/delivery/lines.ts';
import {LiveSandbox} from '../commands/sandbox/live-sandbox.ts';
import {startCli} from './spawn-cli.ts';

type Line<T extends ListenLine['type']> = Extract<ListenLine, {type: T}>;

describe('a listener that was killed', function () {
  this.timeout(60_000);
  const sandbox = new LiveSandbox();
  const registered = join(sandbox.env.REMIT_STATE_DIR, 'webhooks', 'registered');
  const secretFile = join(sandbox.home, 'hook.secret');
  let payee: string;

  before(async () => {
    await sandbox.start(['--timing', 'instant']);
    [{id: payee}] = await json<[{id: string}]>('sandbox', 'seed', '--payees', '1');
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
  });
  afterEach(async () => {
    for (const {id} of await endpoints()) await sandbox.run(['webhooks', 'endpoints', 'delete', id]);
    rmSync(registered, {recursive: true, force: true});
  });

  const json = async <T>(...argv: string[]): Promise<T> => {
    const ran = await sandbox.run([...argv, '-o', 'json'], {uuid: randomUUID});
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as T;
  };
  const endpoints = () =>
    json<{id: string; url: string; event_types: string[]}[]>('webhooks', 'endpoints', 'list');
  const pay = async () => {
    await json('payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve');
  };
  const deliveries = async (endpoint: string, state: string) =>
    (
      await json<{id: string}[]>('sandbox', 'deliveries', 'list', '--endpoint', endpoint, '--state', state)
    ).map(({id}) => id);
  /** Deliveries that were tried once, in vain, and wait for their next attempt. */
  const pending = async (endpoint: string, count: number): Promise<string[]> => {
    for (let turn = 0; turn < 200; turn++) {
      const ids = await deliveries(endpoint, 'pending');
      if (ids.length === count) return ids;
      await wait(25);
    }
    return assert.fail(`no ${count} deliveries are pending`);
  };

  interface Ended {
    ready: Line<'ready'>;
    lines: ListenLine[];
    code: number | null;
    stderr: string;
  }

  /** Starts the built listener, and ends it with a signal at the first line that passes. */
  async function until(
    signal: NodeJS.Signals,
    words: readonly string[],
    passes: (line: ListenLine, lines: readonly ListenLine[]) => boolean = ({type}) => type === 'ready',
  ): Promise<Ended> {
    const env = {PATH: process.env['PATH']!, ...sandbox.env};
    const argv = ['webhooks', 'listen', '--register', '--tls', '-o', 'ndjson', ...words];
    const {child, ended} = startCli(argv, env, 'silent');
    const lines: ListenLine[] = [];
    let rest = '';
    child.stdout!.on('data', (text: string) => {
      const complete = (rest + text).split('\n');
      rest = complete.pop()!;
      for (const one of complete) {
        lines.push(JSON.parse(one) as ListenLine);
        if (passes(lines.at(-1)!, lines)) child.kill(signal);
      }
    });
    const {code, stderr} = await ended;
    const ready = lines.find((line) => line.type === 'ready');
    assert.ok(ready, stderr);
    return {ready, lines, code, stderr};
  }
  const killed = (...words: string[]) => until('SIGKILL', ['--port', '0', ...words]);
  const events = (lines: readonly ListenLine[]) => lines.filter((line) => line.type === 'event');
  const secretName = () => readdirSync(registered).find((name) => name.endsWith('.secret'))!;

  it('leaves its endpoint, which the next one at the same address uses again: no event is lost', async () => {
    const {ready} = await killed('--secret-file', secretFile);
    const left = ready.endpoint_id!;
    const kept = join(registered, secretName());
    assert.equal(readFileSync(kept, 'utf8'), readFileSync(secretFile, 'utf8'));
    assert.equal(statSync(kept).mode & 0o777, 0o600);
    await pay();
    await pending(left, 2);
    const next = await until(
      'SIGINT',
      ['--port', String(ready.port), '--secret-file', secretFile],
      (line, lines) => {
        if (line.type === 'ready') void sandbox.run(['sandbox', 'advance', '10s']);
        return events(lines).length === 2;
      },
    );
    assert.equal(next.ready.endpoint_id, left, next.stderr);
    assert.match(next.stderr, new RegExp(`Using the endpoint ${left} again`));
    assert.deepEqual(
      events(next.lines)
        .map(({event_type: type, verdict}) => [type, verdict])
        .sort(),
      [
        ['payout.debited', 'verified'],
        ['payout.settled', 'verified'],
      ],
    );
    assert.deepEqual([next.code, (await deliveries(left, 'delivered')).length], [130, 2], next.stderr);
    assert.deepEqual(await endpoints(), []);
    assert.deepEqual([readdirSync(registered), existsSync(secretFile)], [[], false]);
  });

  it('is followed by one with other event types, which the endpoint then has', async () => {
    const {ready} = await killed();
    const next = await until('SIGKILL', ['--port', String(ready.port), '--events', 'payin.*']);
    assert.equal(next.ready.endpoint_id, ready.endpoint_id, next.stderr);
    assert.deepEqual(
      (await endpoints()).map(({id, event_types: types}) => [id, types]),
      [[ready.endpoint_id, ['payin.settled', 'payin.failed']]],
    );
  });

  it('is followed by one at another address, which names the deliveries that are dropped', async () => {
    const {ready} = await killed('--secret-file', secretFile);
    const left = ready.endpoint_id!;
    await pay();
    const waiting = await pending(left, 2);
    const next = await until('SIGINT', ['--port', '0']);
    assert.notEqual(next.ready.endpoint_id, left);
    const dropped = next.lines.find((line) => line.type === 'dropped')!;
    assert.deepEqual([dropped.endpoint_id, dropped.reason], [left, 'address']);
    assert.deepEqual([...dropped.deliveries!].sort(), [...waiting].sort());
    const summary = next.lines.find((line) => line.type === 'summary')!;
    assert.deepEqual(summary.deliveries_dropped?.toSorted(), [...waiting].sort());
    assert.match(
      next.stderr,
      new RegExp(
        `Warning: 2 deliveries that waited for the endpoint ${left} of an earlier listener were dropped with it, because this listener has another address \\(https://localhost:${next.ready.port}/\\)`,
      ),
    );
    const hint = /^Hint: remit (sandbox deliveries show \S+)/m.exec(next.stderr)![1]!;
    assert.equal((await sandbox.run(hint.split(' '))).exitCode, 0);
    assert.equal(next.code, 8, next.stderr);
    assert.deepEqual([readdirSync(registered), existsSync(secretFile)], [[], false]);
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    it(`is followed by one that names the deliveries of the endpoint that it used again, after ${signal}`, async () => {
      const {ready} = await killed();
      const left = ready.endpoint_id!;
      await pay();
      const waiting = await pending(left, 2);
      const next = await until(signal, ['--port', String(ready.port)]);
      assert.equal(next.ready.endpoint_id, left, next.stderr);
      const ended = next.lines.filter((line) => line.type === 'dropped');
      assert.deepEqual(
        ended.map(({endpoint_id: id, reason, deliveries: ids}) => [id, reason, ids?.toSorted()]),
        [[left, 'ended', waiting.toSorted()]],
      );
      const summary = next.lines.find((line) => line.type === 'summary')!;
      assert.deepEqual(summary.deliveries_dropped?.toSorted(), waiting.toSorted());
      assert.match(
        next.stderr,
        new RegExp(
          `Warning: 2 deliveries that waited for the endpoint ${left} were dropped with it, because this listener has ended: `,
        ),
      );
      assert.equal(next.code, code, next.stderr);
    });

  it('leaves a secret that is refused once other users can read or change it', async () => {
    const {ready} = await killed();
    const file = join(registered, secretName());
    const words = ['webhooks', 'listen', '--register', '--tls', '--port', String(ready.port)];
    for (const [mode, problem] of [
      [0o644, 'read'],
      [0o622, 'change'],
    ] as const) {
      chmodSync(file, mode);
      const refused = await sandbox.run(words);
      assert.equal(refused.exitCode, 13, refused.stderr);
      assert.match(refused.stderr, new RegExp(`other users can ${problem} ${file}\nHint: chmod 600 ${file}`));
    }
    assert.deepEqual(
      (await endpoints()).map(({id}) => id),
      [ready.endpoint_id],
    );
    chmodSync(file, 0o600);
    const next = await until('SIGINT', ['--port', String(ready.port)]);
    assert.equal(next.ready.endpoint_id, ready.endpoint_id);
  });

  it('leaves one endpoint to one of several that start at once', async () => {
    const url = 'https://hooks.example.com/remit';
    const words = ['--port', '0', '--no-record', '--public-url', url];
    const {ready} = await until('SIGKILL', words);
    const all = await Promise.all(
      Array.from({length: 3}, () => until('SIGINT', [...words, '--timeout', '3s'], () => false)),
    );
    const ids = all.map((one) => one.ready.endpoint_id);
    assert.equal(new Set(ids).size, 3, ids.join());
    assert.equal(ids.filter((id) => id === ready.endpoint_id).length, 1);
    assert.deepEqual([await endpoints(), readdirSync(registered)], [[], []]);
  });
});
