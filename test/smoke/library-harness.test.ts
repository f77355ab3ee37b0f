import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, describe, it} from 'mocha';
import {installPackage} from './installed-package.ts';
import {cleanEnv} from './spawn-cli.ts';

/** Pays on the sandbox, with a webhook and a late answer, and does not stop it. */
const PROGRAM = `
import {mock} from 'node:test';
import {RemitClient} from 'remit-cli';
import {startSandbox} from 'remit-cli/sandbox';

const [how] = process.argv.slice(2);
const {performance} = globalThis;
const ticks = [process.nextTick, queueMicrotask];
/** What sinon does by default: what is queued does not run. */
const replaceTicks = () => {
  process.nextTick = () => undefined;
  globalThis.queueMicrotask = () => undefined;
};
if (how === 'replaced ticks') replaceTicks();
if (how !== 'frozen time' && how !== 'real time') {
  mock.timers.enable({apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date']});
  process.hrtime = () => [0, 0];
  performance.now = () => 0;
}
let webhooks = 0;
const options = how === 'real time' ? {} : {frozenAtMs: Date.UTC(2026, 2, 2, 15)};
const sandbox = await startSandbox({...options, onWebhook: () => (webhooks += 1) && 204});
if (how === 'ticks replaced later') replaceTicks();
const client = new RemitClient({baseUrl: sandbox.baseUrl, key: sandbox.testKey});
const {payees} = await sandbox.seed({payees: 1});
await client.webhookEndpoints.create({url: 'https://app.test/hook', event_types: ['payout.settled']});
const body = {payee_id: payees[0].id, amount_in_minor_units: 100, auto_approve: true};
const {data} = await client.payouts.create(body);
await sandbox.addFault({match: {operation: 'payouts.get'}, effect: {kind: 'latency', ms: 20}});
if (how !== 'real time') await sandbox.advance({until: 'idle'});
console.log((await client.payouts.get({id: data.id})).data.status, webhooks);
if (how === 'replaced timers') await Promise.all([client.close(), sandbox.stop()]);
if (how.includes('ticks')) {
  await sandbox.stop();
  await client.close();
  const other = await startSandbox();
  await other.stop();
  [process.nextTick, globalThis.queueMicrotask] = ticks;
  console.log(['nextTick', 'queueMicrotask'].map((name) =>
    Object.getOwnPropertyDescriptor(name === 'nextTick' ? process : globalThis, name).value === ticks.shift()));
  const fake = () => undefined;
  process.nextTick = fake;
  console.log(process.nextTick === fake);
}
`;

describe('the sandbox of the packed library', function () {
  this.timeout(240_000);
  let app: string;
  before(() => {
    ({app} = installPackage());
    writeFileSync(join(app, 'pays.mjs'), PROGRAM);
  });

  const pay = (how: string) => {
    const {stdout, stderr, signal} = spawnSync(process.execPath, ['pays.mjs', how], {
      cwd: app,
      env: cleanEnv(),
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.equal(signal, null, `it did not end: ${stdout}${stderr}`);
    return stdout + stderr.replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, '');
  };

  it('works while a test replaces time and timers', () =>
    assert.equal(pay('replaced timers'), 'settled 1\n'));

  for (const how of ['replaced ticks', 'ticks replaced later'])
    it(`works while a test replaces nextTick and queueMicrotask as well: ${how}`, () =>
      assert.equal(pay(how), 'settled 1\n[ true, true ]\ntrue\n'));

  it('does not keep a process alive that never stops it, with a frozen clock', () =>
    assert.equal(pay('frozen time'), 'settled 1\n'));

  it('does not keep a process alive that never stops it, in real time', () =>
    assert.match(pay('real time'), /^(approved|initiated|debited) 0\n$/));
});
