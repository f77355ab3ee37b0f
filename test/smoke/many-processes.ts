import assert from 'node:assert/strict';
import {chmodSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {startSandbox} from '../../src/sandbox/server.ts';
import {cleanEnv, startCli, type Ran, type Running} from './spawn-cli.ts';

/** Every process shares one CPU or two with all others. */
const PATIENCE_MS = 120_000;

const numbers = (count: number): number[] => Array.from({length: count}, (_, index) => index);

/** A folder for profiles, and a way to start `profiles add` in it. */
function profileFolder() {
  const home = cleanEnv();
  const dir = join(home['HOME'] ?? '', 'config');
  const keyFile = join(home['HOME'] ?? '', 'key');
  writeFileSync(keyFile, 'test_0123456789abcdef', {mode: 0o600});
  const env = {...home, REMIT_CONFIG_DIR: dir};
  const add = (name: string): Running =>
    startCli(
      ['profiles', 'add', name, '--base-url', 'http://127.0.0.1:9', '--key-file', keyFile],
      env,
      'closed',
      PATIENCE_MS,
    );
  const names = (): string[] => {
    const {profiles} = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as {profiles: object};
    return Object.keys(profiles).sort();
  };
  return {dir, add, names};
}

const succeeded = (ran: readonly Ran[]): void => {
  const failed = ran.filter(({code}) => code !== 0).map(({code, signal, stderr}) => ({code, signal, stderr}));
  assert.deepEqual(failed, []);
};

/** Many `profiles add` at once: each succeeds, none is lost, and nothing but the file is left. */
export async function addProfilesAtOnce(count: number): Promise<void> {
  const {dir, add, names} = profileFolder();
  succeeded(await Promise.all(numbers(count).map((n) => add(`p${n}`).ended)));
  assert.deepEqual(
    names(),
    numbers(count)
      .map((n) => `p${n}`)
      .sort(),
  );
  assert.deepEqual(readdirSync(dir), ['config.json']);
}

/** Many `profiles add` that are killed: what succeeded is there, and the next command leaves nothing but the file. */
export async function killWhileAdding(count: number, delayMs: (n: number) => number): Promise<number> {
  const {dir, add, names} = profileFolder();
  succeeded([await add('first').ended]);
  const running: {name: string; ended: Promise<Ran>}[] = [];
  for (const n of numbers(count)) {
    const {child, ended} = add(`p${n}`);
    running.push({name: `p${n}`, ended});
    setTimeout(() => child.kill('SIGKILL'), delayMs(n));
    await new Promise(setImmediate); // starting one takes a while, and the kills must not wait for all of them
  }
  const ended = await Promise.all(running.map(async (one) => ({name: one.name, ran: await one.ended})));
  succeeded([await add('last').ended]);
  const done = ended.filter(({ran}) => ran.code === 0).map(({name}) => name);
  const stored = names();
  for (const name of ['first', 'last', ...done]) assert.ok(stored.includes(name), `${name} is lost`);
  assert.deepEqual(readdirSync(dir), ['config.json']);
  return count - done.length;
}

/** Many commands at once against one sandbox: each succeeds, and each payment is there once. */
export async function payAtOnce(count: number): Promise<void> {
  const home = cleanEnv();
  const folder = home['HOME'] ?? '';
  chmodSync(folder, 0o700);
  const running = await startSandbox({store: join(folder, 'sandbox.db')});
  const {baseUrl, testKey, sandbox} = running;
  try {
    const {payees} = await sandbox.seed({payees: 1, payers: 0});
    const env = {...home, REMIT_API_KEY: testKey, REMIT_BASE_URL: baseUrl};
    const lines = numbers(count).map((n) =>
      n % 3 === 2
        ? ['payouts', 'list', '--json']
        : [
            'payouts',
            'create',
            '--payee',
            String(payees[0]?.id),
            '--amount',
            `${n + 1}.00`,
            '--currency',
            'USD',
            '--json',
          ],
    );
    const ran = await Promise.all(lines.map((line) => startCli(line, env, 'closed', PATIENCE_MS).ended));
    succeeded(ran);
    const list = await startCli(['payouts', 'list', '--all', '--json'], env).ended;
    const amounts = (JSON.parse(list.stdout) as {amount_in_minor_units: number}[]).map(
      ({amount_in_minor_units}) => amount_in_minor_units,
    );
    const expected = numbers(count)
      .filter((n) => n % 3 !== 2)
      .map((n) => (n + 1) * 100);
    assert.deepEqual(
      amounts.sort((a, b) => a - b),
      expected,
    );
  } finally {
    await running.close();
  }
}
