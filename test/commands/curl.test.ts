import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {describe, it} from 'mocha';
import {readJson} from '../repo/tree.ts';
import {runCli} from '../cli/run-cli.ts';
import {createPayout, PAYEE_ID} from './fixtures.ts';

const CREATE = createPayout('k1');

/** The arguments that a shell gives to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const {stdout, status} = spawnSync('/bin/sh', ['-c', script], {
    env: {REMIT_API_KEY: 'the key'},
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  return stdout.split('\0').slice(0, -1);
}

describe('--dry-run --curl', () => {
  it('shows the request as a command whose key is an environment variable', async () => {
    for (const columns of [undefined, 40]) {
      const options = columns === undefined ? {} : {columns};
      const {stdout, stderr, exitCode, requests} = await runCli([...CREATE, '--dry-run', '--curl'], options);
      assert.deepEqual([exitCode, requests], [0, []]);
      assert.doesNotMatch(stdout + stderr, /0123456789abcdef/);
      const [method, url, ...rest] = argumentsOf(stdout).slice(2);
      assert.deepEqual([method, url], ['POST', 'http://127.0.0.1:4010/api/payouts']);
      assert.ok(rest.includes('x-api-key: the key'));
      assert.ok(rest.includes('idempotency-key: k1'), 'repeating the command repeats the payment');
      const body = JSON.parse(rest[rest.indexOf('--data-raw') + 1]!) as object;
      assert.deepEqual(body, {payee_id: PAYEE_ID, amount_in_minor_units: 12_500});
      assert.match(stderr, /REMIT_API_KEY/);
    }
  });

  it('is one request for the path that was typed, whatever curl reads into it', async () => {
    const paths = {'/v2/{A,B}/approve': ['--globoff'], '/v2/[1-3]': ['--globoff'], '/v2/plain': []};
    for (const [path, flags] of Object.entries(paths)) {
      const {stdout} = await runCli(['api', 'POST', path, '--dry-run', '--curl', '--yes']);
      assert.deepEqual(argumentsOf(stdout).slice(1, 1 + flags.length + 3), [
        ...flags,
        ...['-X', 'POST', `http://127.0.0.1:4010${path}`],
      ]);
    }
  });

  it('quotes every value of the request', async () => {
    const hostile = `O'Neil "$(touch x)" \`id\` \\ $HOME !x\nnext`;
    const {stdout} = await runCli([
      'payees',
      'create',
      '--name',
      hostile,
      '--type',
      'business',
      '--dry-run',
      '--curl',
    ]);
    const words = argumentsOf(stdout);
    const body = JSON.parse(words[words.indexOf('--data-raw') + 1]!) as {name: string};
    assert.equal(body.name, hostile);
  });

  it('masks numbers of accounts, and says so', async () => {
    const {stdout, stderr} = await runCli([
      ...['payment-methods', 'add', '--payee', PAYEE_ID, '--account-number', '123456789012'],
      ...[
        '--routing-number',
        '021000021',
        '--holder-name',
        'A',
        '--account-type',
        'checking',
        '--dry-run',
        '--curl',
      ],
    ]);
    assert.doesNotMatch(stdout, /123456789012/);
    assert.match(stderr, /masked/);
  });

  it('is a field of the result as JSON', async () => {
    const ran = await runCli([...CREATE, '--dry-run', '--curl', '--json']);
    const {curl, dry_run} = ran.json() as {curl: string; dry_run: boolean};
    assert.equal(dry_run, true);
    assert.match(curl, /^curl -sS -X POST /);
    const plain = await runCli([...CREATE, '--dry-run', '--json']);
    assert.ok(!('curl' in (plain.json() as object)));
  });

  it('without --dry-run is refused: nothing is sent', async () => {
    const {exitCode, requests, stderr} = await runCli([...CREATE, '--curl']);
    assert.deepEqual([exitCode, requests], [2, []]);
    assert.match(stderr, /--dry-run/);
  });

  it('is a flag of every command with --dry-run, except one that sends several requests', () => {
    const {commands} = readJson('.oclif.manifest.json') as {
      commands: Record<string, {flags: Record<string, unknown>}>;
    };
    const without = Object.entries(commands).flatMap(([id, {flags}]) =>
      'dry-run' in flags && !('curl' in flags) ? [id] : [],
    );
    assert.deepEqual(without, ['payees:import', 'payers:import', 'webhooks:endpoints:rotate']);
  });
});
