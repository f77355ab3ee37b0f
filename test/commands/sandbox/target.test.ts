import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import {runningSandboxes} from '../../../src/cli/sandbox/recorded/running.ts';
import {describeSelf, systemProbe} from '../../../src/store/locks/lock-holder.ts';
import type {CliResult} from '../../cli/run-cli.ts';
import {LiveSandbox} from './live-sandbox.ts';

/** Real connections to whatever base URL a command chose. */
const transport = async (_kind: unknown, baseUrl: string) => new HttpTransport({baseUrl});

describe('which sandbox a command speaks to', () => {
  let kept: LiveSandbox;
  let fresh: LiveSandbox;
  let keptUrl: string;
  let freshUrl: string;

  before(async () => {
    kept = new LiveSandbox();
    fresh = new LiveSandbox();
    Object.assign(fresh.env, kept.env);
    Object.assign(fresh.place, kept.place);
    await kept.start();
    await fresh.start(['--fresh']); // resolves at once: the record that it waits for is that of the kept one
    while (runningSandboxes(kept.env.REMIT_STATE_DIR).length < 2) await wait(5);
    const running = runningSandboxes(kept.env.REMIT_STATE_DIR);
    [keptUrl, freshUrl] = [true, false].map(
      (isKept) => running.find(({place}) => place.isKept === isKept)!.base_url,
    ) as [string, string];
  });
  after(async () => {
    kept.stop.receive('SIGTERM');
    fresh.stop.receive('SIGTERM');
    await kept.ended();
    await fresh.ended();
  });

  const run = (words: string, env: Record<string, string> = {}): Promise<CliResult> =>
    kept.run(words.split(' '), {env: {...kept.env, ...env}, transport});
  const payees = async (url: string) => {
    const counted = await run('sandbox status -o json', {REMIT_BASE_URL: url});
    return (counted.json() as {audit: {entities: object[]}; requests: object}).requests;
  };

  it('is the kept one when nothing is said, and each command names it on stderr', async () => {
    for (const words of [
      'sandbox status',
      'sandbox clock -o json',
      'sandbox faults list',
      'sandbox keys -o id',
    ]) {
      const {exitCode, stderr} = await run(words);
      assert.equal(exitCode, 0, stderr);
      assert.ok(stderr.startsWith(`Sandbox ${keptUrl} (store ${kept.place.store})\n`), stderr);
    }
    const {stderr} = await run('sandbox clock -q');
    assert.equal(stderr, '');
  });

  it('is the one of REMIT_BASE_URL, under any name of this machine', async () => {
    for (const url of [freshUrl, `${freshUrl}/`, freshUrl.replace('127.0.0.1', 'localhost')]) {
      const status = (await run('sandbox status -o json', {REMIT_BASE_URL: url})).json() as {
        base_url: string;
        store: string;
      };
      assert.equal(status.base_url, freshUrl);
      assert.match(status.store, /fresh-\w+\/sandbox\.db$/);
    }
  });

  it('is the one of a profile that is named, or in force', async () => {
    const keys = (await run('sandbox keys -o json', {REMIT_BASE_URL: freshUrl})).json() as {key: string}[];
    const add = ['profiles', 'add', 'other', '--base-url', freshUrl, '--key-stdin'];
    const added = await kept.run(add, {env: kept.env, stdin: `${keys[0]!.key}\n`});
    assert.equal(added.exitCode, 0, added.stderr);
    for (const [words, env] of [
      ['sandbox status -p other', {}],
      ['sandbox status', {REMIT_PROFILE: 'other'}],
    ] as const)
      assert.ok((await run(words, env)).stderr.startsWith(`Sandbox ${freshUrl} `), words);
    assert.equal((await run('profiles use other')).exitCode, 0);
    assert.ok((await run('sandbox status')).stderr.startsWith(`Sandbox ${freshUrl} `));
    assert.equal((await run('profiles use sandbox')).exitCode, 0);
    assert.ok((await run('sandbox status')).stderr.startsWith(`Sandbox ${keptUrl} `));
  });

  it('is the same one in the commands that hints print', async () => {
    for (const [words, env, hint] of [
      [
        'sandbox faults add cut',
        {REMIT_BASE_URL: freshUrl},
        `REMIT_BASE_URL=${freshUrl} remit sandbox faults clear`,
      ],
      ['sandbox reset -p other', {}, 'remit sandbox seed --payees 3 -p other'],
      ['sandbox reset', {REMIT_PROFILE: 'other'}, 'remit sandbox seed --payees 3 -p other'],
      ['sandbox faults add cut', {}, 'remit sandbox faults clear'],
    ] as const) {
      const {stderr} = await run(words, env);
      assert.ok(stderr.includes(`Hint: ${hint}\n`), stderr);
    }
    for (const url of [keptUrl, freshUrl]) await run('sandbox faults clear', {REMIT_BASE_URL: url});
  });

  it('is none when another is named than any that runs: 11, both named, nothing touched', async () => {
    await run('sandbox seed --payees 1');
    const elsewhere = 'http://127.0.0.1:1';
    for (const words of [
      'reset',
      'stop',
      'status',
      'advance 1h',
      'seed --payees 1',
      'faults clear',
      'open',
    ]) {
      const refused = await run(`sandbox ${words} -o json`, {REMIT_BASE_URL: elsewhere});
      const {code, message, hint} = refused.error();
      assert.deepEqual([refused.exitCode, code], [11, 'GUARD_TARGET'], words);
      assert.ok(message.startsWith(`REMIT_BASE_URL is ${elsewhere}, but 2 sandboxes are running: `), message);
      for (const url of [keptUrl, freshUrl]) assert.ok(message.includes(url), message);
      assert.match(hint!, /^REMIT_BASE_URL=http:\/\/127\.0\.0\.1:\d+ remit sandbox status; /);
      const move = `REMIT_BASE_URL=${keptUrl} remit sandbox stop, then remit sandbox start --port 1`;
      assert.ok(hint!.endsWith(`; to run one at ${elsewhere}: ${move}`), hint!);
    }
    const real = ['profiles', 'add', 'real', '--base-url', 'https://api.example.com', '--key-stdin'];
    await kept.run(real, {env: kept.env, stdin: 'test_0123456789abcdef\n'});
    const refused = await run('sandbox reset -p real -o json');
    assert.equal(refused.exitCode, 11);
    assert.match(
      refused.error().message,
      /^the base URL of profile real is https:\/\/api\.example\.com, but /,
    );
    assert.match(refused.error().hint!, /remit sandbox status$/, 'no sandbox runs there');
    const listed = (await run('payees list -p sandbox -o json')).json() as object[];
    assert.equal(listed.length, 1, 'no reset took place');
  });

  it('reset empties the one that is meant, and leaves the other alone', async () => {
    await run('sandbox seed --payees 2', {REMIT_BASE_URL: freshUrl});
    const before = await payees(keptUrl);
    const reset = await run('sandbox reset -o json', {REMIT_BASE_URL: freshUrl});
    assert.equal((reset.json() as {base_url: string}).base_url, freshUrl);
    assert.deepEqual(await payees(keptUrl), before);
    assert.equal(((await run('payees list -p sandbox -o json')).json() as object[]).length, 1);
    assert.equal(((await run('payees list -p other -o json')).json() as object[]).length, 0);
  });

  it('stop ends a fresh one, whose folder is gone, and leaves the kept one and its profile', async () => {
    const stopped = await run('sandbox stop -o json', {REMIT_BASE_URL: freshUrl});
    assert.equal(stopped.exitCode, 0, stopped.stderr);
    const {base_url, store} = stopped.json() as {base_url: string; store: string};
    assert.equal(base_url, freshUrl);
    await fresh.ended();
    assert.equal(existsSync(store), false);
    assert.deepEqual(
      readdirSync(kept.place.folder).filter((name) => name.startsWith('fresh-')),
      [],
    );
    assert.equal((await run('sandbox status -p sandbox')).exitCode, 0);
    const gone = await run('sandbox stop -o json', {REMIT_BASE_URL: freshUrl});
    assert.equal(gone.exitCode, 11);
    assert.ok(
      gone.error().message.endsWith(`but the running sandbox is ${keptUrl} (store ${kept.place.store})`),
      gone.error().message,
    );
  });
});

describe('what killed sandboxes leave', () => {
  it('is removed by the next start, unless its process may be alive', async () => {
    const sandbox = new LiveSandbox();
    const {folder} = sandbox.place;
    const leave = (name: string, owner?: object, ageMs = 0) => {
      mkdirSync(join(folder, name), {recursive: true});
      writeFileSync(join(folder, name, 'sandbox.db'), '');
      if (owner !== undefined) writeFileSync(join(folder, name, 'owner.json'), JSON.stringify(owner));
      const then = (Date.now() - ageMs) / 1000;
      for (const path of [...readdirSync(join(folder, name)).map((file) => join(name, file)), name])
        utimesSync(join(folder, path), then, then);
    };
    const self = describeSelf(systemProbe, 'sandbox', 'none', Date.now());
    const hours = 2 * 3_600_000;
    leave('fresh-killed', {...self, pid: 2 ** 22 + 1});
    leave('fresh-alive', self);
    leave('fresh-elsewhere', {...self, host: 'another'});
    leave('fresh-elsewhere-old', {...self, host: 'another'}, hours);
    leave('fresh-unmarked');
    leave('shared-unmarked-old', undefined, hours);
    await sandbox.start();
    sandbox.stop.receive('SIGTERM');
    await sandbox.ended();
    const left = readdirSync(folder).filter((name) => /^(fresh|shared)-/.test(name));
    assert.deepEqual(left.sort(), ['fresh-alive', 'fresh-elsewhere', 'fresh-unmarked']);
  });
});
