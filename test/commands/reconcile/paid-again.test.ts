import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {lost} from '../../client/transport/fake-transport.ts';
import {LedgerDesk} from './ledger-desk.ts';

const ROW = 'INV-2026-001';

describe('a returned row', () => {
  let desk: LedgerDesk;
  beforeEach(async () => {
    desk = await LedgerDesk.open();
  });
  afterEach(() => desk.desk.close());
  const remit = (line: string) => desk.desk.remit(line);
  const failed = (batch: string) => join(desk.desk.folder, `${batch}.failed.csv`);

  /** Everything that may say so shows that rows of the batch are still to be paid. */
  async function staysOpen(batch: string): Promise<void> {
    const found = await desk.reconcile();
    assert.equal(found.exitCode, 8, found.stdout);
    const status = await remit(`payouts batch status ${batch}`);
    assert.equal(status.exitCode, 8, status.stdout);
    assert.doesNotMatch(status.stdout, /; paid again/);
  }

  it('is not paid again by a row of another amount before its line is confirmed, and is not offered once more', async () => {
    await desk.returned(ROW);
    await desk.reconcile();
    desk.desk.file('cent.csv', 'reference,payee_id,amount,currency_code,rail', [
      `${ROW}-again1,${desk.payee},0.01,USD,standard_ach`,
    ]);
    const ran = await remit('payouts batch run ./cent.csv --batch-id dec --yes --until settled');
    assert.equal(ran.exitCode, 0, ran.stderr);
    const isOpen = async () => {
      const status = await remit('payouts batch status nov');
      assert.equal(status.exitCode, 8, status.stdout);
      assert.match(status.stdout, /R03; batch dec has paid another amount for it$/m);
      assert.match(
        status.stdout,
        new RegExp(`^Next {5}remit reconcile --account ${desk.account} --from \\S+$`, 'm'),
      );
      await remit('payouts batch report nov');
      assert.equal(existsSync(failed('nov')), false);
    };
    await isOpen();
    const found = await desk.reconcile();
    assert.equal(found.exitCode, 8);
    assert.match(found.stdout, /R03; batch dec has paid 0\.01 USD as INV-2026-001-again1$/m);
    await isOpen();
    const [, confirm = ''] = / {4}remit (reconcile confirm \S+ \S+ --note) TEXT$/m.exec(found.stdout) ?? [];
    const confirmed = await remit(`${confirm} partly`);
    assert.equal(confirmed.exitCode, 0, confirmed.stderr);
    assert.equal((await desk.reconcile()).exitCode, 0);
    const status = await remit('payouts batch status nov');
    assert.equal(status.exitCode, 0, status.stdout);
    assert.match(status.stdout, /R03; paid again by batch dec$/m);
  });

  it('is not paid again by a row that has failed since', async () => {
    await desk.returned(ROW);
    await desk.reconcile();
    await remit('payouts batch report nov');
    const ran = await remit(
      `payouts batch run ${failed('nov')} --batch-id dec --accept duplicates=1 --yes --until debited`,
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    const about = async () => (await remit('payouts batch status nov')).stdout;
    assert.match(await about(), /; paid again by batch dec since the last reconcile$/m);
    const id = await desk.record(`${ROW}-again1`, 'dec');
    await desk.desk.sandbox.sandbox.simulate({kind: 'payout', id, outcome: 'return', code: 'R01'});
    await remit('payouts batch status dec --refresh');
    assert.match(await about(), /; to be paid again by batch dec$/m);
  });

  it('is not paid again by a row in doubt', async () => {
    await desk.returned(ROW);
    await desk.reconcile();
    await remit('payouts batch report nov');
    const {transport} = desk.desk;
    const send = transport.send.bind(transport);
    transport.send = (request) =>
      request.method === 'POST' && request.body?.includes('again1') === true
        ? Promise.reject(lost())
        : send(request);
    const ran = await remit(
      `payouts batch run ${failed('nov')} --batch-id dec --direct --accept duplicates=1 --yes --retries 0`,
    );
    assert.match(ran.stdout, /in doubt +1 /);
    desk.honest();
    desk.desk.clock.advance(60_000);
    await staysOpen('nov');
  });

  it('is one of two if another namespace has its reference, and each is paid again in its own', async () => {
    const other = await remit(
      'payouts batch run ./nov.csv --batch-id other --namespace other --accept duplicates=3 --accept paid-elsewhere=default --yes --until settled',
    );
    assert.equal(other.exitCode, 0, other.stderr);
    await desk.returned(ROW);
    await desk.returned(ROW, {batch: 'other'});
    await desk.reconcile();
    await remit('payouts batch report nov');
    const paid = await remit(
      `payouts batch run ${failed('nov')} --batch-id dec --accept duplicates=1 --yes --until settled`,
    );
    assert.equal(paid.exitCode, 0, paid.stderr);
    const before = await remit('payouts batch status nov');
    assert.equal(before.exitCode, 8, before.stdout);
    assert.match(before.stdout, /R03; paid again by batch dec since the last reconcile$/m);
    assert.match(before.stdout, new RegExp(`^Next {5}remit reconcile --account ${desk.account} --from`, 'm'));
    await staysOpen('other');
    const status = await remit('payouts batch status nov');
    assert.equal(status.exitCode, 0, status.stdout);
    assert.match(status.stdout, /paid again by batch dec$/m);

    const report = await remit('payouts batch report other');
    const next = /remit (payouts batch run \S+ .*--namespace other.*)/.exec(report.stdout)?.[1];
    assert.ok(next !== undefined, report.stdout + report.stderr);
    const accepted = '--accept duplicates=1 --accept paid-elsewhere=default --yes --until settled';
    const last = await remit(`${next} --batch-id dec-b ${accepted}`);
    assert.equal(last.exitCode, 0, last.stderr);
    assert.equal((await desk.reconcile()).exitCode, 0);
    assert.equal((await remit('payouts batch status other')).exitCode, 0);
  });
});
