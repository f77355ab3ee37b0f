import assert from 'node:assert/strict';
import {existsSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {LedgerDesk} from './ledger-desk.ts';

describe('a batch that is run again after the bank has returned a row', () => {
  let desk: LedgerDesk;
  const remit = (line: string) => desk.desk.remit(`payouts ${line}`);
  const file = (name: string) => join(desk.desk.folder, name);

  beforeEach(async () => {
    desk = await LedgerDesk.open();
    await desk.returned('INV-2026-001');
    await desk.reconcile();
    await remit('batch report nov');
  });
  afterEach(() => desk.desk.close());

  for (const line of [
    'batch run ./nov.csv --batch-id nov --yes',
    'batch run nov --yes',
    'batch run nov --yes --until settled',
    'batch resume nov --yes',
    'batch resume nov --yes --until settled',
    'batch release nov --yes',
  ])
    it(`keeps it in the results and in failed.csv: ${line}`, async () => {
      const failed = readFileSync(file('nov.failed.csv'), 'utf8');
      assert.match(failed, /^"INV-2026-001-again1",/m);
      for (let run = 0; run < 2; run += 1) {
        const ran = await remit(line);
        assert.equal(ran.exitCode, 8, ran.stdout + ran.stderr);
        assert.match(ran.stdout, /^Batch nov is not complete: .*; 1 returned by the bank/m);
        assert.match(ran.stdout, /2 settled, 1 returned/);
        assert.match(ran.stdout, /remit payouts batch run \S+nov\.failed\.csv/);
        assert.equal(readFileSync(file('nov.failed.csv'), 'utf8'), failed);
        assert.match(
          readFileSync(file('nov.results.csv'), 'utf8'),
          /"returned",.*"R03","returned by the bank/,
        );
      }
      const json = (await remit(`${line} --json`)).json() as Record<string, unknown>;
      assert.deepEqual([json['state'], json['returned'], json['settled']], ['incomplete', 1, 2]);
      const written = JSON.parse(readFileSync(file('nov.summary.json'), 'utf8')) as Record<string, unknown>;
      assert.deepEqual([written['state'], written['returned']], ['incomplete', 1]);
    });

  it('is complete once another batch has paid the row again', async () => {
    const attention = async () =>
      ((await remit('batch list --json')).json() as {needs_attention: number}[]).map(
        (batch) => batch.needs_attention,
      );
    assert.deepEqual(await attention(), [1]);
    const refused = await remit(`batch run ${file('nov.failed.csv')} --batch-id dec --yes`);
    assert.equal(refused.exitCode, 11);
    assert.match(
      refused.stderr,
      /INV-2026-001-again1 looks like INV-2026-001 of batch nov \(.*\): same party, amount and currency; returned by the bank on \S+$/m,
    );
    await remit(
      `batch run ${file('nov.failed.csv')} --batch-id dec --accept duplicates=1 --yes --until settled`,
    );
    await desk.reconcile();
    const ran = await remit('batch resume nov --yes');
    assert.equal(ran.exitCode, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /paid again by batch dec/);
    assert.deepEqual(await attention(), [0, 0]);
    const row = await remit('batch status nov --row INV-2026-001');
    assert.deepEqual([row.exitCode, /paid again by batch dec/.test(row.stdout)], [0, true]);
    assert.equal(existsSync(file('nov.failed.csv')), false);
  });

  it('shows the row as returned', async () => {
    for (const words of ['batch status nov --row INV-2026-001', 'batch find INV-2026-001']) {
      const {exitCode, stdout} = await remit(words);
      assert.equal(exitCode, 8, stdout);
      assert.match(stdout, /R03[^]+returned by the bank on|R03 returned by the bank on/);
      assert.equal((await remit(words.replace('001', '002'))).exitCode, 0);
    }
    const json = (await remit('batch status nov --row INV-2026-001 --json')).json() as Record<
      string,
      unknown
    >;
    assert.deepEqual([json['state'], json['code'], json['status']], ['returned', 'R03', 'settled']);
  });

  it('may lack returns if the book is lost, and says so', async () => {
    rmSync(join(desk.desk.folder, '.local/state/remit/reconcile.sqlite'));
    for (const line of ['batch status nov --row INV-2026-001', 'batch find INV-2026-001']) {
      const {exitCode, stderr} = await remit(line);
      assert.equal(exitCode, 8, line);
      assert.match(stderr, /is not known: 1 row came back/);
    }
    for (const line of ['batch resume nov --yes', 'batch resume nov --yes --until settled']) {
      const ran = await remit(line);
      assert.equal(ran.exitCode, 8, ran.stdout);
      assert.match(ran.stderr, /^Warning: what the bank has returned is not known: /m);
      assert.match(ran.stdout, /^Next {5}remit reconcile --account \S+ --from \S+$/m);
    }
  });
});
