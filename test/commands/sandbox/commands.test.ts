import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {readPlace} from '../../../src/cli/sandbox/recorded/place.ts';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import {readConfig} from '../../../src/profiles/config-file.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {LiveSandbox} from './live-sandbox.ts';

describe('sandbox commands', () => {
  let sandbox: LiveSandbox;
  before(async () => {
    sandbox = new LiveSandbox();
    await sandbox.start(['--balance', '1000.00', '-o', 'ndjson']);
  });
  after(async () => {
    const stopped = await sandbox.run(['sandbox', 'stop', '-o', 'json']);
    assert.equal(stopped.exitCode, 0);
    const {exitCode, stdout} = await sandbox.ended();
    assert.equal(exitCode, 0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(Object.keys(lines[0]!), [
      'type',
      'base_url',
      'test_key',
      'live_key',
      'control_url',
      'control_token',
    ]);
    assert.equal(lines[0]!['type'], 'ready');
    assert.ok(lines.slice(1).every(({type}) => type === 'request'));
    assert.doesNotMatch(stdout.split('\n').slice(1).join('\n'), /_sandbox_/);
    assert.deepEqual([existsSync(sandbox.place.record), existsSync(sandbox.place.token)], [false, false]);
  });

  it('start writes the profile and makes it the default where there is none', async () => {
    const config = readConfig(sandbox.env.REMIT_CONFIG_DIR);
    assert.equal(config.default, 'sandbox');
    assert.match(config.profiles['sandbox']!.base_url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await sandbox.run(['whoami', '--query', 'mode', '-o', 'json'])).json(), 'test');
    assert.equal((await sandbox.run(['payees', 'list'])).exitCode, 0);
  });

  it('start keeps the control token in a file of mode 0600', () => {
    for (const file of [sandbox.place.token, sandbox.place.record, sandbox.place.store])
      assert.equal(statSync(file).mode & 0o777, 0o600, file);
    assert.equal(statSync(sandbox.place.folder).mode & 0o777, 0o700);
    assert.doesNotMatch(readFileSync(sandbox.place.record, 'utf8'), /token|_sandbox_/);
  });

  it('status shows address, clock, requests and money, for people and for machines', async () => {
    const shown = await sandbox.run(['sandbox', 'status', '--audit']);
    assert.equal(shown.exitCode, 0);
    assert.match(shown.stdout, /Main account \(test\)\t1,000\.00 USD/);
    assert.match(shown.stdout, /Ledger\tbalances/);
    assert.doesNotMatch(shown.stdout, /[{}[\]]/, 'raw JSON');
    const status = (await sandbox.run(['sandbox', 'status', '-o', 'json'])).json() as Record<string, object>;
    assert.deepEqual(Object.keys(status), [
      ...[
        'base_url',
        'control_url',
        'pid',
        'started_at',
        'store',
        'clock',
        'requests',
        'faults',
        'deliveries',
        'audit',
      ],
    ]);
  });

  it('seed lists what it made, ready to be paid', async () => {
    const seeded = await sandbox.run(['sandbox', 'seed', '--payees', '2', '--payers', '1', '-o', 'id']);
    const ids = seeded.stdout.trim().split('\n');
    assert.equal(ids.length, 3);
    const again = await sandbox.run(['sandbox', 'seed', '--payees', '2', '--payers', '1', '-o', 'id']);
    assert.equal(again.stdout, seeded.stdout);
    const create = ['payouts', 'create', '--payee', ids[0]!, '--amount-minor', '500', '--auto-approve'];
    assert.equal((await sandbox.run([...create, '-o', 'json'])).exitCode, 0);
    const csv = await sandbox.run(['sandbox', 'seed', '--payers', '1', '-o', 'csv']);
    assert.match(csv.stdout, /^kind,id,payment_method_id,name\r?\npayer,/);
    assert.equal((await sandbox.run(['sandbox', 'seed'])).exitCode, 2);
  });

  it('keys shows them in full, and issues read-only ones', async () => {
    const listed = (await sandbox.run(['sandbox', 'keys', '-o', 'json'])).json() as {key: string}[];
    assert.equal(listed.length, 4);
    assert.ok(listed.every(({key}) => /^(test|live)_sandbox_[\w-]{24}$/.test(key)));
    const issued = await sandbox.run(['sandbox', 'keys', '--issue', 'test', '--read-only', '-o', 'json']);
    const {key, scope} = issued.json() as {key: string; scope: string};
    assert.equal(scope, 'read');
    const env = {...sandbox.env, REMIT_API_KEY: key, REMIT_BASE_URL: 'http://127.0.0.1:1'};
    const refused = await sandbox.run(['payees', 'create', '--name', 'Elm', '-o', 'json'], {env});
    assert.deepEqual([refused.exitCode, refused.error().code], [3, 'AUTHORIZATION_ERROR']);
    assert.equal((await sandbox.run(['sandbox', 'keys', '--read-only'])).exitCode, 2);
    const bare = await sandbox.run(['sandbox', 'keys', '--issue', 'test', '-o', 'id']);
    assert.match(bare.stdout, /^test_sandbox_[^\s{}"]+\n$/);
    const all = await sandbox.run(['sandbox', 'keys', '-o', 'id']);
    assert.ok(all.stdout.split('\n').includes(bare.stdout.trim()));
    assert.doesNotMatch(all.stdout, /[{}]/);
  });

  it('faults add, list and clear', async () => {
    const add = [
      'sandbox',
      'faults',
      'add',
      'status',
      '--status',
      '429',
      '--retry-after',
      '2',
      '--times',
      '1',
    ];
    const added = await sandbox.run([...add, '--operation', 'payees.list', '--after', '-o', 'json']);
    const rule = added.json() as {id: string; match: object; effect: object; times: number};
    assert.deepEqual(
      [rule.match, rule.effect, rule.times],
      [{operation: 'payees.list'}, {kind: 'status', status: 429, when: 'after', retry_after: 2}, 1],
    );
    const limited = await sandbox.run(['payees', 'list', '--retries', '0', '-o', 'json']);
    assert.deepEqual([limited.exitCode, limited.error().code], [7, 'RATE_LIMITED']);
    const [listed] = (await sandbox.run(['sandbox', 'faults', 'list', '-o', 'json'])).json() as {
      hits: number;
    }[];
    assert.equal(listed!.hits, 1);
    assert.equal((await sandbox.run(['sandbox', 'faults', 'clear', rule.id])).exitCode, 0);
    const gone = await sandbox.run(['sandbox', 'faults', 'clear', rule.id, '-o', 'json']);
    assert.deepEqual([gone.exitCode, gone.error().code], [4, 'NOT_FOUND']);
    assert.equal((await sandbox.run(['sandbox', 'faults', 'clear'])).exitCode, 0);
  });

  it('faults add takes reads to wait for, and latencies that vary', async () => {
    const words = ['latency', '--delay', '200ms', '--jitter', '1s', '--after-reads', '3'];
    const {match, effect} = (
      await sandbox.run(['sandbox', 'faults', 'add', ...words, '-o', 'json'])
    ).json() as {match: object; effect: object};
    assert.deepEqual([match, effect], [{after_reads: 3}, {kind: 'latency', ms: 200, jitter_ms: 1000}]);
    await sandbox.run(['sandbox', 'faults', 'clear']);
  });

  it('faults add refuses what does not belong together', async () => {
    for (const words of [
      ['cut', '--after'],
      ['reset', '--status', '500'],
      ['boom'],
      ['cut', '--probability', '2'],
      ['latency', '--delay', 'soon'],
      ['latency', '--jitter', 'some'],
      ['cut', '--jitter', '1s'],
      ['cut', '--after-reads', '0'],
    ])
      assert.equal((await sandbox.run(['sandbox', 'faults', 'add', ...words])).exitCode, 2, words.join(' '));
    const unknown = await sandbox.run([
      'sandbox',
      'faults',
      'add',
      'cut',
      '--operation',
      'flights.land',
      '-o',
      'json',
    ]);
    assert.deepEqual([unknown.exitCode, unknown.error().code], [2, 'USAGE']);
    assert.match(unknown.error().hint!, /^one of .*payouts\.create/);
    const near = await sandbox.run('sandbox faults add cut --operation payouts.crate'.split(' '));
    assert.match(near.stderr, /did you mean --operation payouts\.create\?/);
    for (const kind of [
      'latency',
      'status',
      'reset',
      'cut',
      'slow',
      'non-json',
      'wrong-type',
      'empty',
      'missing-fields',
      'unknown-status',
      'unknown-value',
    ])
      assert.equal(
        (await sandbox.run(['sandbox', 'faults', 'add', kind, '--nth', '999999'])).exitCode,
        0,
        kind,
      );
    await sandbox.run(['sandbox', 'faults', 'clear']);
  });

  it('advance moves the clock by a length of time or to a moment', async () => {
    const before = Date.now();
    const by = (await sandbox.run(['sandbox', 'advance', '24h', '-o', 'json'])).json() as {now: string};
    assert.ok(Date.parse(by.now) >= before + 86_400_000);
    const to = new Date(Date.parse(by.now) + 3_600_000).toISOString();
    const moved = (await sandbox.run(['sandbox', 'advance', '--to', to, '-o', 'json'])).json() as {
      now: string;
    };
    assert.ok(moved.now >= to);
    for (const words of [[], ['1h', '--to', to], ['--to', 'noon']])
      assert.equal((await sandbox.run(['sandbox', 'advance', ...words])).exitCode, 2, words.join(' '));
  });

  it('advance says what it waits for when it takes long, and what it did not wait for', async () => {
    const moved = {
      now: '2026-05-05T12:00:00.000Z',
      fired: 2,
      attempts: 4,
      deliveries: 1,
      idle: false,
      deliveries_under_way: 3,
    };
    const service: Transport = {
      send: async (request) => {
        if (request.path !== '/sandbox/advance')
          return new HttpTransport({baseUrl: readPlace(sandbox.place)!.base_url}).send(request);
        await new Promise((resolve) => setTimeout(resolve, 20));
        const headers = {'content-type': 'application/json'};
        return {status: 200, headers, body: Buffer.from(JSON.stringify(moved))};
      },
      close: async () => undefined,
    };
    const words = ['sandbox', 'advance', '--until-idle'];
    const {stdout, stderr} = await sandbox.run(words, {service, clock: new RecordingClock(Date.now())});
    assert.match(stderr, /Waiting for slow webhook receivers, 15 s at most/);
    assert.match(
      stdout,
      /2 scheduled steps happened; 4 webhook attempts were made and 1 delivery ended\. 3 more deliveries are still waiting for slow receivers/,
    );
    const quick = await sandbox.run(['sandbox', 'advance', '0s']);
    assert.match(quick.stderr, /^Sandbox \S+ \(store \S+\)\n$/);
  });

  it('reset empties it and sets the balance', async () => {
    await sandbox.run(['sandbox', 'seed', '--payees', '1']);
    const reset = await sandbox.run(['sandbox', 'reset', '--balance', '7.50']);
    assert.match(reset.stdout, /^The sandbox is empty\. Its clock was not changed: it shows 20\S+Z\.\n$/);
    const {clock} = (await sandbox.run(['sandbox', 'reset', '--balance', '7.50', '-o', 'json'])).json() as {
      clock: {mode: string};
    };
    assert.equal(clock.mode, 'real');
    assert.deepEqual((await sandbox.run(['payees', 'list', '-o', 'json'])).json(), []);
    assert.match((await sandbox.run(['sandbox', 'status'])).stdout, /Main account \(test\)\t7\.50 USD/);
    assert.equal((await sandbox.run(['sandbox', 'reset', '--balance', '1.234'])).exitCode, 2);
  });

  it('a second start on the same state is refused with LOCKED and names the way out', async () => {
    const second = await sandbox.run(['sandbox', 'start', '--port', '0', '-o', 'json']);
    assert.deepEqual([second.exitCode, second.error().code], [13, 'LOCKED']);
    assert.equal(second.error().hint, 'see it with remit sandbox status, or end it: remit sandbox stop');
    assert.equal((await sandbox.run(['sandbox', 'status'])).exitCode, 0);
  });

  it('a port that is taken is refused with PORT_IN_USE', async () => {
    const other = new LiveSandbox();
    const {port} = new URL(readConfig(sandbox.env.REMIT_CONFIG_DIR).profiles['sandbox']!.base_url);
    const more = ['--seed', 'a b', '--fresh', '-o', 'json'];
    const refused = await other.run(['sandbox', 'start', '--port', port, ...more]);
    assert.deepEqual([refused.exitCode, refused.error().code], [13, 'PORT_IN_USE']);
    assert.equal(refused.error().hint, "remit sandbox start --seed 'a b' --fresh -o json --port 0");
    assert.equal(existsSync(other.place.record), false);
  });
});

describe('sandbox commands without a sandbox', () => {
  it('say NOT_RUNNING and how to start one', async () => {
    const sandbox = new LiveSandbox();
    const stopped = await sandbox.run(['sandbox', 'stop', '-o', 'json']);
    const {code: notRunning, hint: none} = stopped.error();
    assert.deepEqual([stopped.exitCode, notRunning, none], [13, 'NOT_RUNNING', null]);
    for (const words of [['status'], ['reset'], ['keys'], ['faults', 'list'], ['seed', '--payees', '1']]) {
      const refused = await sandbox.run(['sandbox', ...words, '-o', 'json']);
      const {code, hint} = refused.error();
      assert.deepEqual([refused.exitCode, code, hint], [13, 'NOT_RUNNING', 'remit sandbox start']);
    }
  });

  it('start it at the address of the profile that was typed, of the environment, or of the default profile', async () => {
    const sandbox = new LiveSandbox();
    const at = (port: number) => ['--base-url', `http://127.0.0.1:${port}`, '--key-stdin'];
    const add = (name: string, port: number) =>
      sandbox.run(['profiles', 'add', name, ...at(port)], {stdin: 'test_0123456789abcdef\n'});
    await add('first', 4601);
    await add('dead', 4999);
    const hintOf = async (words: readonly string[], env: Record<string, string> = {}) => {
      const ran = await sandbox.run(['sandbox', 'status', ...words, '-o', 'json'], {
        env: {...sandbox.env, ...env},
      });
      return ran.error().hint;
    };
    assert.equal(await hintOf(['-p', 'dead']), 'remit sandbox start --port 4999');
    assert.equal(await hintOf([], {REMIT_PROFILE: 'dead'}), 'remit sandbox start --port 4999');
    assert.equal(
      await hintOf([], {REMIT_BASE_URL: 'http://localhost:4998'}),
      'remit sandbox start --port 4998',
    );
    assert.equal(await hintOf([]), 'remit sandbox start --port 4601');
    assert.equal(await hintOf([], {REMIT_BASE_URL: 'https://api.example.com'}), 'remit sandbox start');
  });

  it('start refuses amounts and times that it cannot read, before it makes anything', async () => {
    const sandbox = new LiveSandbox();
    for (const words of [
      ['--balance', 'ten'],
      ['--freeze-at', 'noon'],
      ['--idempotency-ttl', 'x'],
      ['--port', '70000'],
      ['--timing', 'slow'],
    ])
      assert.equal((await sandbox.run(['sandbox', 'start', ...words])).exitCode, 2, words.join(' '));
    assert.equal(existsSync(join(sandbox.home, 'state')), false);
  });
});

describe('sandbox start in the foreground', () => {
  it('shows people where it is, each request, and ends with 130 on Ctrl-C', async () => {
    const sandbox = new LiveSandbox();
    await sandbox.start([], {columns: 100});
    await sandbox.run(['payees', 'create', '--name', 'Elm Works']);
    await sandbox.run(['payees', 'get', '018f0000-0000-7000-8000-000000000000']);
    sandbox.stop.receive('SIGINT');
    const {exitCode, stdout, stderr} = await sandbox.ended();
    assert.equal(exitCode, 130);
    assert.match(stdout, /^Sandbox ready at .*http:\/\/127\.0\.0\.1:\d+/);
    assert.match(stdout, /201\S* {2}POST {4}\/api\/payees {2}/);
    assert.match(stdout, /404\S* {2}GET {5}\/api\/payees\/018f0000-0000-7000-8000-000000000000 {2}/);
    assert.match(
      stderr,
      /Hint: remit sandbox seed --payees 3 -p sandbox\nHint: remit payees list -p sandbox\n/,
    );
    assert.match(stderr, /Stopped\.\n$/);
  });

  it('ends with 143 on SIGTERM, keeps its records, and shows one JSON document under -o json', async () => {
    const sandbox = new LiveSandbox();
    await sandbox.start(['-o', 'json']);
    await sandbox.run(['sandbox', 'seed', '--payees', '2']);
    sandbox.stop.receive('SIGTERM');
    const ended = await sandbox.ended();
    assert.equal(ended.exitCode, 143);
    assert.equal((ended.json() as {type: string}).type, 'ready');
    const again = new LiveSandbox();
    Object.assign(again.env, sandbox.env);
    Object.assign(again.place, sandbox.place);
    await again.start();
    const listed = (await again.run(['payees', 'list', '-o', 'json'])).json() as object[];
    assert.equal(listed.length, 2);
    again.stop.receive('SIGTERM');
    await again.ended();
  });

  it('leaves a profile alone that leads to another service', async () => {
    const sandbox = new LiveSandbox();
    const env = {...sandbox.env, KEY: 'x'};
    const add = ['profiles', 'add', 'sandbox', '--base-url', 'https://api.example.com', '--key-stdin'];
    assert.equal((await sandbox.run(add, {env, stdin: 'test_0123456789abcdef\n'})).exitCode, 0);
    await sandbox.start();
    sandbox.stop.receive('SIGTERM');
    const {stderr} = await sandbox.ended();
    assert.match(stderr, /is for another service and was not changed/);
    assert.equal(
      readConfig(sandbox.env.REMIT_CONFIG_DIR).profiles['sandbox']!.base_url,
      'https://api.example.com',
    );
  });
});
