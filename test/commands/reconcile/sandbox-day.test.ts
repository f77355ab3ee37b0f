import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {LiveSandbox} from '../sandbox/live-sandbox.ts';

describe('reconcile with a sandbox whose clock is not that of the machine', () => {
  const sandbox = new LiveSandbox();
  const remit = (line: string) => sandbox.run(line.split(' '), {uuid: randomUUID});

  before(async () => {
    await sandbox.start(['--freeze-at', '2031-03-03T15:00:00Z', '--timing', 'real']);
  });
  after(async () => {
    await remit('sandbox stop');
    await sandbox.ended();
  });

  it('takes the day of the sandbox as today, also after it was moved', async () => {
    const accounts = (await remit('treasury accounts list --json')).json() as {id: string}[];
    const account = accounts[0]?.id ?? '';
    const credit = `treasury simulate-credit ${account} --amount 8.00 --currency USD --description Interest --yes`;
    assert.equal((await remit(credit)).exitCode, 0);
    const reconciled = async (flags = '') => {
      const ran = await remit(`reconcile --account ${account} --json${flags}`);
      return ran.json() as {to: string; counts: {unexplained: number}};
    };
    const first = await reconciled();
    assert.deepEqual([first.to, first.counts.unexplained], ['2031-03-03', 1]);
    assert.equal((await remit('sandbox advance 30d')).exitCode, 0);
    assert.equal((await reconciled()).to, '2031-04-02');
    assert.equal((await reconciled(' --to 2031-03-01')).to, '2031-03-01');
  });
});
