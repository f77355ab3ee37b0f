import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {LiveSandbox} from './live-sandbox.ts';

describe('a wait on a sandbox', () => {
  const sandbox = new LiveSandbox();
  const NOTE = /The sandbox's clock is frozen.*\nHint: (remit .*)\n/g;
  let payee: string;

  const remit = (line: string) => sandbox.run(line.split(' '), {uuid: randomUUID});
  const pay = (more: string) =>
    remit(`payouts create --payee ${payee} --amount 5.00 --currency USD --auto-approve ${more}`);
  const idOf = async () => (await pay('-o id')).stdout.trim();

  before(async () => {
    await sandbox.start(['--freeze-at', '2026-03-02T15:00:00Z']);
    payee = (await remit('sandbox seed --payees 1 -o id')).stdout.trim();
  });
  after(async () => {
    await remit('sandbox stop');
    await sandbox.ended();
  });

  it('names the frozen clock once, and the command that moves it', async () => {
    const [one, two] = [await idOf(), await idOf()];
    for (const line of [`payouts wait ${one} --timeout 2s`, `payouts wait ${one} ${two} --timeout 2s`]) {
      const waited = await remit(line);
      assert.equal(waited.exitCode, 10, waited.stderr);
      const notes = [...waited.stderr.matchAll(NOTE)];
      assert.equal(notes.length, 1, waited.stderr);
      assert.doesNotMatch(waited.stdout, /frozen/);
    }
    const created = await pay('--wait --timeout 2s');
    const [[, command = ''] = []] = created.stderr.matchAll(NOTE);
    assert.match(command, /^remit sandbox advance --until-idle/);
    assert.equal((await remit(command.replace('remit ', ''))).exitCode, 0);
    const settled = await remit(`payouts wait ${one} ${two} --timeout 2s`);
    assert.equal(settled.exitCode, 0, settled.stderr);
    assert.doesNotMatch(settled.stderr, /frozen/);
  });

  it('says nothing of a clock that moves', async () => {
    assert.equal((await remit('sandbox clock real')).exitCode, 0);
    const waited = await remit(`payouts wait ${await idOf()} --timeout 1s`);
    assert.doesNotMatch(waited.stderr, /frozen/);
  });
});
