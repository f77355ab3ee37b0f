import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {scratch} from '../cli/run-cli.ts';
import {BIN, sharedCache} from './spawn-cli.ts';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe('sandbox start as a process', function () {
  const home = scratch();
  const env = {
    ...process.env,
    HOME: home,
    REMIT_STATE_DIR: join(home, 'state'),
    REMIT_CONFIG_DIR: join(home, 'config'),
    XDG_CACHE_HOME: sharedCache,
  };
  const folder = join(home, 'state', 'sandbox');

  const remit = (...words: string[]): ChildProcess =>
    spawn(process.execPath, [BIN, ...words], {env, stdio: ['ignore', 'pipe', 'pipe']});
  const end = async (child: ChildProcess): Promise<Ended> => {
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    return {code, stdout, stderr};
  };

  it('prints the ready line first, and on SIGTERM ends with 143 and leaves nothing of a fresh one', async () => {
    const child = remit('sandbox', 'start', '--port', '0', '--fresh', '-o', 'ndjson');
    const ended = end(child);
    await once(child.stdout!, 'data');
    assert.equal(readdirSync(folder).filter((name) => name.startsWith('fresh-')).length, 1);
    child.kill('SIGTERM');
    const {code, stdout} = await ended;
    assert.equal(code, 143);
    assert.equal((JSON.parse(stdout.split('\n')[0]!) as {type: string}).type, 'ready');
    assert.deepEqual(readdirSync(folder), []);
  });

  it('ends one signal in order while a request is half sent, right after it has stored its profile', async () => {
    const child = remit('sandbox', 'start', '--port', '0', '--fresh', '-o', 'ndjson');
    const ended = end(child);
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const {base_url: url} = JSON.parse(String(line).split('\n')[0]!) as {base_url: string};
    const {port, hostname} = new URL(url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write('POST /api/payouts HTTP/1.1\r\nhost: sandbox\r\ncontent-length: 100\r\n\r\n{');
    await once(socket, 'connect');
    child.kill('SIGINT');
    const {code} = await ended;
    socket.destroy();
    assert.equal(code, 130);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('leaves no folder of a fresh one that was killed, once another starts', async () => {
    const left = () => readdirSync(folder).filter((name) => name.startsWith('fresh-'));
    const child = remit('sandbox', 'start', '--port', '0', '--fresh', '-o', 'ndjson');
    const ended = end(child);
    await once(child.stdout!, 'data');
    child.kill('SIGKILL');
    await ended;
    assert.equal(left().length, 1);
    const killed = left()[0]!;
    const next = remit('sandbox', 'start', '--port', '0', '--fresh', '-o', 'ndjson');
    const nextEnded = end(next);
    await once(next.stdout!, 'data');
    assert.equal(left().length, 1);
    assert.notEqual(left()[0], killed);
    next.kill('SIGTERM');
    await nextEnded;
    assert.deepEqual(readdirSync(folder), []);
  });

  it('stays with --detach, refuses a second, survives SIGKILL, starts again, and stops', async () => {
    const first = await end(remit('sandbox', 'start', '--port', '0', '--detach', '-o', 'json'));
    assert.equal(first.code, 0, first.stderr);
    const {pid, base_url: url} = JSON.parse(first.stdout) as {pid: number; base_url: string};
    assert.equal((await fetch(`${url}/api/payouts`)).status, 401);

    const beside = remit('sandbox', 'start', '--port', '0', '--fresh');
    const besideEnded = end(beside);
    await once(beside.stderr!, 'data');
    beside.kill('SIGTERM');
    const {stdout: ready, stderr: next} = await besideEnded;
    const [, otherUrl, key] = /ready at (\S+)\n {2}test key {2}(\S+)/.exec(ready)!;
    assert.ok(next.includes(`Hint: REMIT_BASE_URL=${otherUrl} REMIT_API_KEY=${key} remit payees list`), next);

    const second = await end(remit('sandbox', 'start', '--port', '0', '--detach', '-o', 'json'));
    assert.equal(second.code, 13);
    assert.match(second.stderr, /"code":"LOCKED".*"hint":"see it with .*remit sandbox stop"/);

    process.kill(pid, 'SIGKILL');
    const status = await end(remit('sandbox', 'status', '-o', 'json'));
    assert.equal(status.code, 13);
    assert.match(status.stderr, /"code":"NOT_RUNNING"/);

    const third = await end(remit('sandbox', 'start', '--port', '0', '--detach', '-o', 'json'));
    assert.equal(third.code, 0, third.stderr);
    const stopped = await end(remit('sandbox', 'stop', '-o', 'json'));
    assert.equal(stopped.code, 0, stopped.stderr);
    const {base_url: last} = JSON.parse(third.stdout) as {base_url: string};
    await assert.rejects(fetch(last));
    const {stderr} = await end(remit('payouts', 'list', '-o', 'json'));
    const {error} = JSON.parse(stderr.trim().split('\n').at(-1)!) as {error: {hint: string}};
    assert.match(error.hint, new RegExp(`^remit sandbox start --detach --port ${new URL(last).port}`));
  });

  it('answers, and stops, without the parts of Node that are slow to load', async () => {
    const [preload, loaded] = [join(home, 'preload.cjs'), join(home, 'loaded.txt')];
    writeFileSync(
      preload,
      `process.on('exit', () =>
        require('node:fs').writeFileSync(${JSON.stringify(loaded)}, process.moduleLoadList.join('\\n')));`,
    );
    const child = spawn(
      process.execPath,
      ['--require', preload, BIN, 'sandbox', 'start', '--port', '0', '--fresh', '-o', 'ndjson'],
      {env, stdio: ['ignore', 'pipe', 'pipe']},
    );
    const ended = end(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const ready = JSON.parse(line.toString().split('\n')[0]!) as Record<string, string>;
    const json = {'content-type': 'application/json'};
    const api = {headers: {...json, 'x-api-key': ready['test_key']!}};
    const control = {headers: {...json, 'x-sandbox-token': ready['control_token']!}};
    const url = `${ready['base_url']}/api/payees`;
    assert.equal((await fetch(url, {...api, method: 'POST', body: '{"name":"Elm"}'})).status, 201);
    assert.equal((await fetch(url, api)).status, 200);
    assert.equal((await fetch(`${ready['control_url']}/status`, control)).status, 200);
    const stop = {...control, method: 'POST', body: '{}'};
    assert.equal((await fetch(`${ready['control_url']}/stop`, stop)).status, 202);
    assert.equal((await ended).code, 0);
    const modules = readFileSync(loaded, 'utf8').split('\n');
    assert.ok(modules.includes('NativeModule http'), 'the list names what is loaded');
    for (const slow of ['internal/deps/undici/undici', 'http2', 'internal/http2/core'])
      assert.ok(!modules.includes(`NativeModule ${slow}`), `${slow} was loaded`);
  });
});
