import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {lost} from '../../client/transport/fake-transport.ts';
import {SandboxDesk} from '../payouts/batch/sandbox-desk.ts';

describe('reconcile of rows in doubt', () => {
  let desk: SandboxDesk;
  let account: string;

  beforeEach(async () => {
    desk = await SandboxDesk.open();
    const payee = await desk.party('payee');
    const rows = ['INV-2026-001', 'INV-2026-002'].map((row, at) => `${row},${payee.id},${100 + at}.50,USD`);
    desk.file('nov.csv', 'reference,payee_id,amount,currency_code', rows);
    const {transport} = desk;
    const send = transport.send.bind(transport);
    let isLost = true;
    transport.send = async (request) => {
      const answer = await send(request);
      if (isLost && request.method === 'POST' && request.body?.includes('INV-2026-001') === true)
        throw lost();
      return answer;
    };
    const ran = await desk.remit('payouts batch run ./nov.csv --batch-id nov --direct --yes --retries 0');
    assert.equal(ran.exitCode, 12, ran.stderr);
    isLost = false;
    desk.clock.advance(60_000);
    const accounts = (await desk.remit('treasury accounts list --json')).json() as {
      id: string;
      label: string;
    }[];
    account = accounts.find(({label}) => label === 'Operating')?.id ?? '';
  });
  afterEach(() => desk.close());

  it('writes those that the bank has paid to a file that resolve reads', async () => {
    const ran = await desk.remit(`reconcile --account ${account} --resolve-file ./doubts.csv`);
    assert.equal(ran.exitCode, 8, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^In doubt, and paid according to the bank \(1\)$/m);
    assert.match(ran.stdout, /remit payouts batch resolve nov INV-2026-001 --paid \S+/);
    const file = join(desk.folder, 'doubts.csv');
    assert.match(readFileSync(file, 'utf8'), /^reference,verdict,id\nINV-2026-001,paid,[0-9a-f-]{36}\n$/);
    const resolved = await desk.remit('payouts batch resolve nov --from ./doubts.csv');
    assert.equal(resolved.exitCode, 0, resolved.stderr);
    const again = await desk.remit(`reconcile --account ${account} --resolve-file ./more.csv`);
    assert.equal(again.exitCode, 0, again.stdout);
    assert.equal(existsSync(join(desk.folder, 'more.csv')), false);
    assert.match(again.stdout, /^Not written {2}\S+more\.csv: the bank has paid no row in doubt$/m);
    const status = await desk.remit('payouts batch status nov --json');
    assert.equal((status.json() as {in_doubt: number}).in_doubt, 0);
  });
});
