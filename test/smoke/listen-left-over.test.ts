import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {LiveSandbox} from '../commands/sandbox/live-sandbox.ts';
import {startCli} from './spawn-cli.ts';

interface Ready {
  type: string;
  endpoint_id: string;
}

describe('a listener that was killed', function () {
  const sandbox = new LiveSandbox();
  const registered = join(sandbox.env.REMIT_STATE_DIR, 'webhooks', 'registered');
  const secretFile = join(sandbox.home, 'hook.secret');
  const words = ['webhooks', 'listen', '--register', '--tls', '--port', '0', '--secret-file', secretFile];

  before(() => sandbox.start());
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
  });

  const endpoints = async () => {
    const listed = await sandbox.run(['webhooks', 'endpoints', 'list', '-o', 'json']);
    return (listed.json() as {id: string}[]).map(({id}) => id);
  };

  /** Starts the built listener, and ends it with a signal once it is ready. */
  async function until(signal: NodeJS.Signals): Promise<{endpoint: string; stderr: string}> {
    const env = {PATH: process.env['PATH']!, ...sandbox.env};
    const {child, ended} = startCli([...words, '-o', 'ndjson'], env, 'silent');
    child.stdout!.on('data', (text: string) => {
      if (text.includes('"type":"ready"')) child.kill(signal);
    });
    const {stdout, stderr} = await ended;
    const ready = stdout.split('\n').find((line) => line.startsWith('{"type":"ready"'));
    assert.ok(ready, stderr);
    return {endpoint: (JSON.parse(ready) as Ready).endpoint_id, stderr};
  }

  it('leaves its endpoint and its secret file, and the next one removes both', async () => {
    const killed = await until('SIGKILL');
    assert.deepEqual(await endpoints(), [killed.endpoint]);
    assert.deepEqual([readdirSync(registered).length, existsSync(secretFile)], [1, true]);
    const next = await until('SIGINT');
    assert.match(next.stderr, new RegExp(`Removed the endpoint ${killed.endpoint}`));
    assert.notEqual(next.endpoint, killed.endpoint);
    assert.deepEqual(await endpoints(), []);
    assert.deepEqual([readdirSync(registered), existsSync(secretFile)], [[], false]);
  });
});
