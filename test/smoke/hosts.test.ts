import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {PAYEE_ID, PAYOUT_ID, payout} from '../commands/fixtures.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {cleanEnv, spawnCli} from './spawn-cli.ts';

/** Loaded before the tool: notes each connection, each name that is resolved and each datagram, then lets it happen. */
const RECORDER = `
const {appendFileSync} = require('node:fs');
const note = (what) => appendFileSync(process.env.REPORT, what + '\\n');
const wrap = (object, name, describe) => {
  const original = object[name];
  object[name] = function (...args) {
    note(describe(args));
    return original.apply(this, args);
  };
};
const target = (args) => {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first !== 'object') return String(second) + ':' + String(first);
  return first.path ?? first.host + ':' + first.port;
};
wrap(require('node:net').Socket.prototype, 'connect', target);
wrap(require('node:dgram').Socket.prototype, 'send', () => 'a datagram');
for (const dns of [require('node:dns'), require('node:dns').promises])
  for (const name of Object.keys(dns))
    if (/^(lookup|resolve|reverse)/.test(name)) wrap(dns, name, ([host]) => 'name ' + host);
`;

describe('the hosts that a command connects to', () => {
  let folder: string;
  let server: ScriptedServer;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-hosts-'));
    writeFileSync(join(folder, 'recorder.cjs'), RECORDER);
    server = await scriptedServer([{status: 200, body: payout({id: PAYOUT_ID, status: 'settled'})}]);
  });
  after(async () => {
    await server.close();
    rmSync(folder, {recursive: true, force: true});
  });

  /** What a command connected to, sent to and resolved, in order. */
  async function contacts(line: string, changes: Record<string, string> = {}) {
    const report = join(folder, 'report');
    writeFileSync(report, '');
    const ran = await spawnCli(
      line.split(' '),
      cleanEnv({
        ...{REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: server.baseUrl, REPORT: report},
        ...{NODE_OPTIONS: `--require=${join(folder, 'recorder.cjs')}`, ...changes},
      }),
    );
    const found = readFileSync(report, 'utf8').split('\n').slice(0, -1);
    return {found, ran};
  }

  for (const line of [
    `payouts get ${PAYOUT_ID}`,
    `payouts wait ${PAYOUT_ID}`,
    `payouts create --payee ${PAYEE_ID} --amount-minor 5 --idempotency-key k-1`,
    'payouts list',
    'doctor',
  ])
    it(`are the profile's alone: ${line}`, async () => {
      const {found, ran} = await contacts(line);
      assert.ok(found.length > 0, ran.stderr);
      assert.deepEqual([...new Set(found)], [new URL(server.baseUrl).host]);
    });

  for (const line of [
    '--version',
    '--help',
    'payouts create --help',
    'profiles list',
    'explain 3',
    'commands',
  ])
    it(`are none: ${line}`, async () => {
      const {found, ran} = await contacts(line);
      assert.deepEqual(found, [], ran.stderr);
    });

  it('are noted, also by name', async () => {
    const {port} = new URL(server.baseUrl);
    const {found, ran} = await contacts(`payouts get ${PAYOUT_ID}`, {
      REMIT_BASE_URL: `http://localhost:${port}`,
    });
    assert.ok(found.includes(`localhost:${port}`), `${found.join('\n')}\n${ran.stderr}`);
  });
});
