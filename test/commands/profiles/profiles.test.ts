import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';

describe('profiles', () => {
  let home: string;
  beforeEach(() => {
    home = scratch();
  });
  const remit = (argv: string[], options: CliOptions = {}) =>
    runCli(argv, {cwd: home, ...options, env: {HOME: home, ...options.env}});
  const add = (name: string, key = TEST_KEY, ...flags: string[]) =>
    remit(['profiles', 'add', name, '--base-url', BASE_URL, '--key-stdin', ...flags], {stdin: `${key}\n`});
  const file = () => join(home, '.config', 'remit', 'config.json');
  const stored = () =>
    JSON.parse(readFileSync(file(), 'utf8')) as {default?: string; profiles: Record<string, unknown>};

  it('name the variable of the folder that cannot be used', async () => {
    writeFileSync(join(home, 'f'), '');
    const folder = join(home, 'f', 'x');
    for (const [variable, line] of [
      ['REMIT_CONFIG_DIR', `profiles add p --base-url ${BASE_URL} --key-stdin`],
      ['REMIT_STATE_DIR', 'sandbox start --port 0'],
    ] as const) {
      const ran = await remit(line.split(' '), {stdin: TEST_KEY, env: {[variable]: folder}});
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, new RegExp(`^Hint: set ${variable} to a writable folder$`, 'm'));
    }
  });

  it('are added with the key from stdin, masked wherever shown', async () => {
    const added = await add('test');
    assert.equal(added.exitCode, 0, added.stderr);
    assert.match(added.stdout, /^Key\ttest_…cdef$/m);
    assert.match(added.stdout, /^Default\tyes$/m);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    for (const words of [
      ['profiles', 'list'],
      ['profiles', 'show'],
      ['profiles', 'show', 'test', '--json'],
      ['whoami'],
      ['whoami', '-o', 'yaml'],
      ['profiles', 'list', '-o', 'csv'],
    ]) {
      const ran = await remit(words);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stdout, /test_…cdef/);
      assert.doesNotMatch(ran.stdout + ran.stderr, /0123456789abcdef/, words.join(' '));
    }
  });

  it('ask for the key at a hidden prompt, and refuse to ask without one', async () => {
    const asked = await remit(['profiles', 'add', 'a', '--base-url', BASE_URL], {
      columns: 80,
      answers: [TEST_KEY],
    });
    assert.equal(asked.exitCode, 0, asked.stderr);
    assert.deepEqual(asked.questions, ['API key (not shown):']);
    const piped = await remit(['profiles', 'add', 'b', '--base-url', BASE_URL, '--json']);
    assert.equal(piped.exitCode, 2);
    assert.equal(piped.error().code, 'NEEDS_TERMINAL');
    assert.match(piped.error().hint ?? '', /--key-stdin/);
  });

  it('refuse a key without a mode, and say which key it is', async () => {
    const entered = await add('a', 'prod_0123456789abcdef');
    assert.equal(entered.exitCode, 3);
    assert.match(entered.stderr, /: the key that was entered begins with neither test_ nor live_$/m);
    const keyFile = join(home, 'key');
    writeFileSync(keyFile, 'prod_0123456789abcdef');
    const where = (...flags: string[]) => remit(['profiles', 'add', 'a', '--base-url', BASE_URL, ...flags]);
    assert.match(
      (await where('--key-file', keyFile)).stderr,
      /: the key in file \S+key begins with neither test_ nor live_$/m,
    );
    assert.match(
      (await where('--key-command', `cat ${keyFile}`)).stderr,
      /: the key printed by command "cat \S+key" begins with neither test_ nor live_$/m,
    );
    for (const ran of [entered, await where('--key-file', keyFile)]) {
      assert.match(
        ran.stderr,
        /^Hint: nothing was stored; copy the API key again .* and run the same command$/m,
      );
      assert.doesNotMatch(ran.stderr, /Hint:.*profiles add/);
    }
  });

  it('never take a key as an argument', async () => {
    const ran = await remit(['profiles', 'add', 'a', '--base-url', BASE_URL, '--key', TEST_KEY]);
    assert.equal(ran.exitCode, 2);
    assert.doesNotMatch(ran.stderr, /0123456789abcdef/);
  });

  it('keep a file or command and read the key from it at each use', async () => {
    const keyFile = join(home, 'key');
    writeFileSync(keyFile, TEST_KEY);
    await remit(['profiles', 'add', 'f', '--base-url', BASE_URL, '--key-file', keyFile]);
    await remit(['profiles', 'add', 'c', '--base-url', BASE_URL, '--key-command', `cat ${keyFile}`]);
    assert.doesNotMatch(readFileSync(file(), 'utf8'), /0123456789abcdef/);
    for (const name of ['f', 'c']) {
      const {requests} = await remit(['payouts', 'list', '-p', name], {service: [answer(200, {data: []})]});
      assert.equal(requests[0]!.headers['x-api-key'], TEST_KEY);
    }
    writeFileSync(keyFile, LIVE_KEY);
    const changed = await remit(['payouts', 'list', '-p', 'f', '--json']);
    assert.equal(changed.exitCode, 3);
    assert.match(changed.error().message, /for test keys, but its key is a live one/);
  });

  it('allow batches to approve by id only where --approve-by-id says so', async () => {
    await add('yes', TEST_KEY, '--approve-by-id');
    await add('no');
    const shown = async (name: string) =>
      ((await remit(['profiles', 'show', name, '--json'])).json() as {approve_by_id: boolean}).approve_by_id;
    assert.deepEqual([await shown('yes'), await shown('no')], [true, false]);
    const listed = (await remit(['profiles', 'list', '--json'])).json() as {
      name: string;
      approve_by_id: boolean;
    }[];
    assert.deepEqual(Object.fromEntries(listed.map((profile) => [profile.name, profile.approve_by_id])), {
      yes: true,
      no: false,
    });
    await add('yes', TEST_KEY, '--replace');
    assert.equal(await shown('yes'), false);
  });

  it('send overridden routes and fields', async () => {
    await add(
      'o',
      TEST_KEY,
      '--route',
      'payouts.create=/v2/payouts',
      '--field',
      'payouts.create.metadata=payout_metadata',
    );
    const argv = [
      'payouts',
      'create',
      '--payee',
      '0192a000-0000-7000-8000-0000000000aa',
      '--amount-minor',
      '5',
      '--metadata',
      'a=b',
    ];
    const {requests} = await remit(argv, {service: [answer(201, {id: 'x', status: 'created'})]});
    assert.equal(requests[0]!.path, '/v2/payouts');
    assert.deepEqual((JSON.parse(requests[0]!.body!) as Record<string, unknown>)['payout_metadata'], {
      a: 'b',
    });
  });

  for (const [flags, exit] of [
    [['--base-url', 'http://example.com'], 11],
    [['--base-url', 'ftp://example.com'], 2],
    [['--base-url', 'https://user:pw@example.com'], 2],
    [['--base-url', BASE_URL, '--max-amount', '100'], 2],
    [['--base-url', BASE_URL, '--max-amount', 'USD=1.005'], 2],
    [['--base-url', BASE_URL, '--route', 'payouts.get=/elsewhere/{payout}'], 2],
    [['--base-url', BASE_URL, '--route', 'payouts.create=https://evil.example.com/'], 2],
    [['--base-url', BASE_URL, '--route', 'payouts.create=//evil.example.com/'], 2],
    [['--base-url', BASE_URL, '--field', 'payouts.create.amount_in_minor_units=x'], 2],
  ] as const) {
    it(`refuse ${flags.join(' ')} with exit ${exit}, before the key is read`, async () => {
      const ran = await remit(['profiles', 'add', 'x', ...flags, '--key-stdin'], {stdin: TEST_KEY});
      assert.equal(ran.exitCode, exit, ran.stderr);
      assert.throws(() => statSync(file()));
    });
  }

  it('refuse a key without a mode, and names that are paths', async () => {
    assert.equal((await add('x', 'sk_whatever')).exitCode, 3);
    assert.equal((await add('x', '')).exitCode, 3);
    assert.equal((await add('../x')).exitCode, 2);
    assert.equal((await add('__proto__')).exitCode, 2);
  });

  it('are not replaced by accident', async () => {
    await add('a');
    const again = await add('a', LIVE_KEY);
    assert.equal(again.exitCode, 2);
    assert.match(again.stderr, /--replace/);
    assert.equal((await add('a', LIVE_KEY, '--replace')).exitCode, 0);
    assert.match((await remit(['profiles', 'show', 'a'])).stdout, /^Mode\tlive$/m);
  });

  it('have one default, which can be changed and removed', async () => {
    await add('a');
    await add('b');
    assert.equal(stored().default, 'a');
    assert.equal((await remit(['profiles', 'use', 'b'])).exitCode, 0);
    assert.equal(stored().default, 'b');
    assert.equal((await remit(['profiles', 'use', 'nope'])).exitCode, 4);
    const asked = await remit(['profiles', 'remove', 'b'], {columns: 80, answers: [false]});
    assert.equal(asked.exitCode, 11);
    assert.equal((await remit(['profiles', 'remove', 'b'])).exitCode, 2);
    assert.ok(stored().profiles['b']);
    const removed = await remit(['profiles', 'remove', 'b', '--yes'], {columns: 80});
    assert.deepEqual([removed.exitCode, removed.stdout], [0, 'Removed profile b, which was the default.\n']);
    assert.match(removed.stderr, /to choose another default: remit profiles use NAME$/m);
    assert.deepEqual([Object.keys(stored().profiles), stored().default], [['a'], undefined]);
    const whoami = await remit(['whoami', '--json']);
    assert.equal(whoami.exitCode, 3);
    assert.equal(whoami.error().code, 'NO_KEY');
    const last = await remit(['profiles', 'remove', 'a', '--yes', '--json']);
    assert.deepEqual(last.json(), {name: 'a', removed: true, was_default: false});
  });

  it('list nothing, politely', async () => {
    assert.equal((await remit(['profiles', 'list', '--json'])).stdout, '[]\n');
    const terminal = await remit(['profiles', 'list'], {columns: 80});
    assert.match(terminal.stdout, /^No profiles\.$/m);
    assert.match(terminal.stderr, /remit profiles add/);
  });

  it('are tested against the service without reading anything of it', async () => {
    await add('a');
    const service: Script = ({path}) =>
      answer(404, {
        error_code: 'NOT_FOUND',
        message: path.includes('/payouts/') ? 'no payout' : `no ${path}`,
      });
    const accepted = await remit(['profiles', 'test', '--json'], {service});
    assert.equal(accepted.exitCode, 0, accepted.stderr);
    assert.equal((accepted.json() as {http_status: number}).http_status, 404);
    assert.match(accepted.requests[0]!.path, /^\/api\/payouts\/0{8}-/);
    const refused = await remit(['profiles', 'test', 'a'], {
      service: [answer(401, {error_code: 'AUTHENTICATION_ERROR'})],
    });
    assert.equal(refused.exitCode, 3);
  });

  for (const [what, service] of [
    ['names the path of each 404', ({path}) => answer(404, {error_code: 'NOT_FOUND', message: `no ${path}`})],
    [
      'puts another trace id into each 404',
      (_, nth) => answer(404, {error_code: 'NOT_FOUND', message: `no route (trace 0${nth}a7f3c9)`}),
    ],
    ['answers 404 with HTML', () => answer(404, '<html>')],
    ['answers 400 to everything', () => answer(400, {error_code: 'VALIDATION_ERROR', message: 'no'})],
    ['answers 200 with an empty object', () => answer(200, {})],
    ['answers 200 with an object that is no payout', () => answer(200, {hello: 'world'})],
  ] as [string, Script][])
    it(`are refused by a test when the service ${what}: the base URL leads elsewhere`, async () => {
      await add('a');
      const ran = await remit(['profiles', 'test', 'a', '--json'], {service});
      assert.equal(ran.exitCode, 4, ran.stderr);
      assert.match(
        ran.error().message,
        /answers, but not as the Money Movement Service: .*Check the path of the base URL$/,
      );
      assert.equal(ran.error().hint, 'remit profiles show a');
    });

  it('pass a test when the service answers unknown paths with 403', async () => {
    await add('a');
    const service: Script = ({path}) =>
      path.includes('/payouts/')
        ? answer(404, {error_code: 'NOT_FOUND'})
        : answer(403, {message: 'no such route'});
    assert.equal((await remit(['profiles', 'test', 'a'], {service})).exitCode, 0);
  });

  it('are refused by a test when a captive portal answers', async () => {
    await add('a');
    const ran = await remit(['profiles', 'test', 'a', '--json'], {service: [answer(200, '<html>')]});
    assert.equal(ran.exitCode, 7);
  });

  it('pass a test when a service answers unknown ids like unknown paths, but lists payouts', async () => {
    await add('a');
    const service: Script = ({path}) =>
      path.startsWith('/api/payouts?') ? answer(200, {data: []}) : answer(404, {error_code: 'NOT_FOUND'});
    const ran = await remit(['profiles', 'test', 'a'], {service});
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  it('are not damaged unnoticed', async () => {
    mkdirSync(join(home, '.config', 'remit'), {recursive: true});
    writeFileSync(file(), '{"version":1,"profiles":');
    for (const words of [['profiles', 'list'], ['whoami'], ['payouts', 'list']]) {
      const ran = await remit([...words, '--json']);
      assert.equal(ran.exitCode, 13);
      assert.equal(ran.error().code, 'STATE_DAMAGED');
      assert.ok(ran.error().message.includes(file()));
    }
  });
});

describe('whoami', () => {
  it('names where each value came from', async () => {
    const home = scratch();
    writeFileSync(join(home, '.remit.json'), '{"output":"json"}');
    const ran = await runCli(['whoami'], {cwd: home});
    const shown = ran.json() as Record<string, unknown>;
    assert.equal(shown['profile'], null);
    assert.equal(shown['project_file'], join(home, '.remit.json'));
    assert.deepEqual(shown['from'], {
      profile: 'none needed',
      base_url: 'REMIT_BASE_URL',
      key: 'REMIT_API_KEY',
      mode: 'prefix of the key',
    });
  });

  it('has a label for each of them on a terminal', async () => {
    const {stdout} = await runCli(['whoami', '--no-color'], {columns: 100});
    assert.match(stdout, /^Base URL from +REMIT_BASE_URL$/m);
    assert.match(stdout, /^State folder +\//m);
    assert.doesNotMatch(stdout, /^[a-z_.]+ {2}/m);
  });

  it('refuses a project file that would move the key', async () => {
    const home = scratch();
    writeFileSync(join(home, '.remit.json'), '{"base_url":"https://evil.example.com"}');
    const ran = await runCli(['whoami', '--json'], {cwd: home});
    assert.equal(ran.exitCode, 2);
    assert.match(ran.error().message, /may not set "base_url"/);
  });
});
