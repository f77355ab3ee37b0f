import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';

const OTHER_KEY = 'test_9999999999999999';
const GUARDS = [
  ['--max-amount', 'USD=100.00'],
  ['--max-amount', 'EUR=90'],
  ['--max-batch-total', 'USD=1000.00'],
  ['--max-batch-rows', '50'],
  ['--allow-rail', 'wire'],
  ['--read-only'],
  ['--route', 'payouts.create=POST /v2/payouts'],
  ['--field', 'payouts.create.metadata=payout_metadata'],
].flat();
const CAPS = {
  max_amount_minor: {USD: 10_000, EUR: 9000},
  max_batch_total_minor: {USD: 100_000},
  max_batch_rows: 50,
  rails: ['wire'],
};
const SERVICE = {
  routes: {'payouts.create': 'POST /v2/payouts'},
  fields: {'payouts.create': {metadata: 'payout_metadata'}},
};

describe('the settings of a profile', () => {
  let home: string;
  beforeEach(() => {
    home = scratch();
  });
  const remit = (line: string | string[], options: CliOptions = {}) =>
    runCli(typeof line === 'string' ? line.split(' ') : line, {cwd: home, ...options, env: {HOME: home}});
  const add = (flags: string[], key = TEST_KEY, url = BASE_URL) =>
    remit(['profiles', 'add', 'p', '--base-url', url, '--key-stdin', ...flags], {stdin: key});
  const stored = () =>
    (
      JSON.parse(readFileSync(join(home, '.config', 'remit', 'config.json'), 'utf8')) as {
        profiles: Record<string, Record<string, unknown>>;
      }
    ).profiles['p'];

  it('are shown as they are used, and a read-only profile refuses a write', async () => {
    assert.equal((await add(GUARDS)).exitCode, 0);
    const {caps, service} = (await remit('profiles show p --json')).json() as Record<string, unknown>;
    assert.deepEqual([caps, service], [CAPS, SERVICE]);
    const refused = await remit('payouts cancel x -p p --json');
    assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_READ_ONLY']);
    assert.deepEqual(refused.requests, []);
  });

  it('stay when the profile is replaced, except for those that are given', async () => {
    await add(GUARDS);
    const ran = await add(
      ['--replace', '--max-amount', 'USD=250.00', '--allow-rail', 'standard_ach'],
      LIVE_KEY,
      'https://api.example.com',
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /^Read-only\tyes$/m);
    assert.match(ran.stdout, /^Max amount\t250\.00 USD, 90\.00 EUR$/m);
    assert.deepEqual(stored(), {
      base_url: 'https://api.example.com',
      key: {stored: LIVE_KEY},
      mode: 'live',
      read_only: true,
      caps: {...CAPS, max_amount_minor: {USD: 25_000, EUR: 9000}, rails: ['standard_ach']},
      service: SERVICE,
    });
  });

  it('are changed one by one; the others stay', async () => {
    await add(GUARDS);
    const before = stored();
    const ran = await remit('profiles set p --max-amount JPY=500 --max-batch-rows 60 --approve-by-id --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const caps = {...CAPS, max_amount_minor: {USD: 10_000, EUR: 9000, JPY: 500}, max_batch_rows: 60};
    assert.deepEqual(stored(), {...before, caps, approve_by_id: true});
    assert.deepEqual((ran.json() as {caps: unknown}).caps, caps);
    await remit('profiles set p --route payins.create=/v3/payins');
    assert.deepEqual(stored()!['service'], {
      ...SERVICE,
      routes: {...SERVICE.routes, 'payins.create': 'POST /v3/payins'},
    });
  });

  it('are removed one by one', async () => {
    await add([...GUARDS, '--approve-by-id']);
    await remit('profiles unset p --max-amount --allow-rail --read-only');
    assert.deepEqual(stored()!['caps'], {max_batch_total_minor: {USD: 100_000}, max_batch_rows: 50});
    assert.deepEqual([stored()!['read_only'], stored()!['approve_by_id']], [undefined, true]);
    await remit('profiles unset p --max-batch-total --max-batch-rows --approve-by-id --route payouts.create');
    await remit('profiles unset p --field payouts.create.metadata');
    assert.deepEqual(stored(), {base_url: BASE_URL, key: {stored: TEST_KEY}, mode: 'test'});
    assert.equal((await remit('profiles unset p --read-only')).exitCode, 0);
  });

  for (const service of [
    {routes: {'eventTypes.list': 'POST /api/payouts'}},
    {routes: {'payouts.cancel': 'POST /api/payouts/{id}/approve'}},
    {routes: 'none', fields: {payouts: null}},
  ])
    it(`lock down a profile whose stored service file is refused: ${JSON.stringify(service)}`, async () => {
      await add([]);
      const path = join(home, '.config', 'remit', 'config.json');
      const config = JSON.parse(readFileSync(path, 'utf8')) as {profiles: {p: object}};
      config.profiles.p = {...config.profiles.p, service};
      writeFileSync(path, JSON.stringify(config));
      for (const flags of ['--read-only', '--max-amount USD=1.00', '--allow-rail wire --max-batch-rows 1']) {
        const ran = await remit(`profiles set p ${flags}`);
        assert.equal(ran.exitCode, 0, ran.stderr);
      }
      assert.deepEqual(stored(), {
        ...{base_url: BASE_URL, key: {stored: TEST_KEY}, mode: 'test', read_only: true, service},
        caps: {max_amount_minor: {USD: 100}, max_batch_rows: 1, rails: ['wire']},
      });
      assert.equal((await remit('profiles unset p --max-batch-rows')).exitCode, 0);
      assert.deepEqual(stored()!['service'], service);
    });

  it('include the key, which may be of the same mode only', async () => {
    await add(GUARDS);
    const before = stored();
    const asked = await remit('profiles set p --new-key', {columns: 80, answers: [OTHER_KEY]});
    assert.deepEqual([asked.exitCode, asked.questions], [0, ['API key (not shown):']]);
    assert.deepEqual(stored(), {...before, key: {stored: OTHER_KEY}});
    const live = await remit('profiles set p --key-stdin --json', {stdin: LIVE_KEY});
    assert.equal(live.exitCode, 3);
    assert.match(live.error().message, /for test keys, and this is a live key/);
    assert.equal(
      live.error().hint,
      `to replace the profile: remit profiles add p --base-url ${BASE_URL} --replace`,
    );
  });

  it('never send a stored key to another service', async () => {
    await add([]);
    const piped = await remit('profiles set p --base-url https://elsewhere.example.com --json');
    assert.equal(piped.exitCode, 2);
    assert.equal(piped.error().code, 'NEEDS_TERMINAL');
    const asked = await remit('profiles set p --base-url https://elsewhere.example.com', {
      columns: 80,
      answers: [OTHER_KEY],
    });
    assert.equal(asked.exitCode, 0, asked.stderr);
    assert.deepEqual(stored(), {
      base_url: 'https://elsewhere.example.com',
      key: {stored: OTHER_KEY},
      mode: 'test',
    });
    await remit('profiles set p --base-url https://elsewhere.example.com/prefix');
    assert.equal(stored()!['base_url'], 'https://elsewhere.example.com/prefix');
    assert.deepEqual(stored()!['key'], {stored: OTHER_KEY});
  });

  for (const [line, exit, says] of [
    ['profiles set p', 2, /nothing to change/],
    ['profiles unset p', 2, /nothing to change/],
    ['profiles set nope --read-only', 4, /no profile "nope"/],
    ['profiles unset nope --read-only', 4, /no profile "nope"/],
    ['profiles set p --max-amount 5', 2, /USD=5000\.00/],
    ['profiles set p --route payouts.get=/x/{payout}', 2, /routes\.payouts\.get has .* but may have \{id\}/],
    ['profiles set p --base-url http://example.com', 11, /plain http/],
    ['profiles set p --new-key --key-stdin', 2, /cannot be used together/],
  ] as const)
    it(`are not changed by ${line}`, async () => {
      await add(GUARDS);
      const before = stored();
      const ran = await remit(`${line} --json`);
      assert.equal(ran.exitCode, exit, ran.stderr);
      assert.match(ran.error().message, says);
      assert.deepEqual(stored(), before);
    });

  it('are shown in major units', async () => {
    await add(GUARDS);
    const {stdout} = await remit('profiles show p');
    assert.match(stdout, /^Max amount\t100\.00 USD, 90\.00 EUR$/m);
    assert.match(stdout, /^Max batch total\t1,000\.00 USD$/m);
    assert.match(stdout, /^Max batch rows\t50$/m);
    assert.match(stdout, /^Rails\twire$/m);
    const whoami = await remit('whoami');
    assert.match(whoami.stdout, /^Max amount\t100\.00 USD, 90\.00 EUR$/m);
  });
});
