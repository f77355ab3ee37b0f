import assert from 'node:assert/strict';
import {chmodSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {answer} from '../../client/transport/fake-transport.ts';
import {profiled} from '../guard/profiled.ts';
import {BASE_URL, runCli, TEST_KEY} from '../run-cli.ts';

const LIST = ['payouts', 'list', '--json'];
const service = [answer(200, {data: []})];

describe('opening a profile', () => {
  it('refuses a live key while certificates are not checked', async () => {
    const unverified = {NODE_TLS_REJECT_UNAUTHORIZED: '0'};
    const live = await runCli(LIST, {env: {...profiled({mode: 'live'}), ...unverified}, service});
    assert.equal(live.exitCode, 11);
    assert.match(live.error().message, /NODE_TLS_REJECT_UNAUTHORIZED=0/);
    assert.deepEqual(live.requests, []);
    const test = await runCli(LIST, {env: {...profiled(), ...unverified}, service});
    assert.equal(test.exitCode, 0);
    const other = {NODE_TLS_REJECT_UNAUTHORIZED: '1'};
    assert.equal((await runCli(LIST, {env: {...profiled({mode: 'live'}), ...other}, service})).exitCode, 0);
  });

  it('refuses a live key while Node.js prints requests, which would contain it', async () => {
    const printing = {NODE_DEBUG: 'http'};
    const live = await runCli(LIST, {env: {...profiled({mode: 'live'}), ...printing}, service});
    assert.equal(live.exitCode, 11);
    assert.match(live.error().message, /NODE_DEBUG/);
    assert.deepEqual(live.requests, []);
    const none = {NODE_DEBUG: ''};
    assert.equal((await runCli(LIST, {env: {...profiled({mode: 'live'}), ...none}, service})).exitCode, 0);
    assert.equal((await runCli(LIST, {env: {...profiled(), ...printing}, service})).exitCode, 0);
  });

  it('warns of stored keys that others can read, on stderr', async () => {
    const env = profiled();
    const file = join(env.HOME, '.config', 'remit', 'config.json');
    chmodSync(file, 0o644);
    const ran = await runCli(LIST, {env, service});
    assert.equal(ran.exitCode, 0);
    assert.equal(ran.stdout, '[]\n');
    assert.match(
      ran.stderr,
      new RegExp(`^Warning: other users can read the config file.*: chmod 600 ${file}$`, 'm'),
    );
  });
});

describe('a home in which nothing can be made', () => {
  it('ends profiles add with exit 13, at once', async () => {
    const ran = await runCli(['profiles', 'add', 'a', '--base-url', BASE_URL, '--key-stdin', '--json'], {
      env: {HOME: '/proc/self'}, // elsewhere than on Linux a folder that is not there and cannot be made
      stdin: TEST_KEY,
    });
    assert.equal(ran.exitCode, 13);
    assert.match(ran.error().message, /\/proc\/self\/\.config/);
  });
});
