import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {createServer, type AddressInfo, type Socket} from 'node:net';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {runCli, scratch} from '../cli/run-cli.ts';
import {BIN, sharedCache} from './spawn-cli.ts';

const KEY = 'test_0123456789abcdefsecret';
const PASSWORD = 'p%40ss-w0rd-in-the-store';

/** Everybody on a machine can list the words of a process, and its user can read its environment. */
const SEES_PROCESSES = existsSync('/proc/self/cmdline');

describe('a detached sandbox', function () {
  if (!SEES_PROCESSES) {
    it('skipped: no /proc on this system', () => undefined);
    return;
  }
  const home = scratch();
  const env = {
    ...process.env,
    HOME: home,
    REMIT_STATE_DIR: join(home, 'state'),
    REMIT_CONFIG_DIR: join(home, 'config'),
    REMIT_API_KEY: KEY,
    REMIT_BASE_URL: 'https://api.example.com',
    REMIT_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
    XDG_CACHE_HOME: sharedCache,
  };
  const remit = (...words: string[]) =>
    spawn(process.execPath, [BIN, ...words], {env, stdio: ['ignore', 'pipe', 'pipe']});
  const read = (pid: number, file: 'cmdline' | 'environ') =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

  it('does not inherit the key, the service or the webhook secret of who starts it', async () => {
    const starting = remit('sandbox', 'start', '--port', '0', '--detach', '-o', 'json');
    const [stdout, stderr] = await Promise.all([text(starting.stdout), text(starting.stderr)]);
    assert.notEqual(stdout, '', stderr);
    const {pid} = JSON.parse(stdout) as {pid: number};
    try {
      const names = read(pid, 'environ').map((line) => line.split('=')[0]!);
      assert.deepEqual(names.filter((name) => name.startsWith('REMIT_')).sort(), [
        'REMIT_CONFIG_DIR',
        'REMIT_STATE_DIR',
      ]);
      assert.ok(names.includes('PATH'));
      assert.doesNotMatch(read(pid, 'cmdline').join(' '), new RegExp(KEY));
    } finally {
      process.kill(pid, 'SIGTERM');
    }
  });

  it('gets the address of its store on standard input, and shows its password nowhere', async () => {
    const sockets: Socket[] = [];
    const database = createServer((socket) => void sockets.push(socket));
    database.listen(0, '127.0.0.1');
    await once(database, 'listening');
    const {port} = database.address() as AddressInfo;
    const store = `postgres://remit:${PASSWORD}@127.0.0.1:${port}/sandbox`;
    const starting = remit('sandbox', 'start', '--port', '0', '--detach', '--store', store);
    const said = Promise.all([text(starting.stdout), text(starting.stderr)]);
    await once(database, 'connection'); // the new process has read the address, and waits for the database
    const daemons = childrenOf(starting.pid!).filter((pid) => read(pid, 'cmdline').includes('sandbox'));
    assert.equal(daemons.length, 1);
    const words = read(daemons[0]!, 'cmdline');
    assert.equal(words[words.indexOf('--store') + 1], '-');
    for (const file of ['cmdline', 'environ'] as const)
      assert.doesNotMatch(read(daemons[0]!, file).join('\n'), /w0rd-in-the-store/);
    database.close();
    sockets.forEach((socket) => socket.destroy());
    const all = [...(await said), readFileSync(join(home, 'state/sandbox/sandbox.log'), 'utf8')];
    assert.match(all.join('\n'), /Error|error/);
    assert.doesNotMatch(all.join('\n'), /w0rd-in-the-store/);
  });
});

describe('sandbox start --store', () => {
  it('refuses what comes on standard input and is no address, without printing it', async () => {
    const ran = await runCli(['sandbox', 'start', '--store', '-'], {
      stdin: 'mysql://me:hunter2hunter2@db/x\n',
    });
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /--store takes the address of a PostgreSQL database/);
    assert.doesNotMatch(ran.stdout + ran.stderr, /hunter2/);
  });
});
