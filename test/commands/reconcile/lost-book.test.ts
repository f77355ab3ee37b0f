import assert from 'node:assert/strict';
import {copyFileSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {LedgerDesk} from './ledger-desk.ts';

const READING = [
  'batch status nov',
  'batch report nov',
  'batch list',
  'batch export nov',
  'batch diff ./nov.csv nov',
];

describe('a book that is lost after it has found a return', () => {
  let desk: LedgerDesk;
  const state = () => join(desk.desk.folder, '.local/state/remit');
  const book = () => join(state(), 'reconcile.sqlite');
  const remit = (line: string) => desk.desk.remit(`payouts ${line}`);
  /** As the batch prints it. */
  const printed = (text: string) => /read it again: remit (reconcile .+)$/m.exec(text)?.[1] ?? '';

  beforeEach(async () => {
    desk = await LedgerDesk.open();
    await desk.desk.remit('payouts batch status nov --refresh');
    await desk.returned('INV-2026-001');
    assert.equal((await desk.reconcile()).exitCode, 8);
  });
  afterEach(() => desk.desk.close());

  const remove = () => {
    for (const name of readdirSync(state()))
      if (name.startsWith('reconcile')) rmSync(join(state(), name), {recursive: true});
  };

  it('is missed by every command that shows the batch, which prints the command that reads it again', async () => {
    remove();
    for (const line of READING) {
      const ran = await remit(line);
      assert.equal(ran.exitCode, 8, line + ran.stdout);
      const warnings = ran.stderr.match(
        /^Warning: what the bank has returned is not known: 1 row came back/gm,
      );
      assert.equal(warnings?.length, 1, line + ran.stderr);
    }
    for (const words of ['find INV-2026-001', 'status nov --row INV-2026-001']) {
      const {stdout, exitCode} = await remit(`batch ${words}`);
      assert.equal(exitCode, 8, words);
      assert.match(stdout, /maybe returned.*may have come back from the bank: reconcile again/s, words);
    }
    const states = (text: string) => (JSON.parse(text) as {state: string}[]).map(({state}) => state);
    assert.deepEqual(states((await remit('batch export nov --json')).stdout), [
      'maybe_returned',
      'accepted',
      'accepted',
    ]);
    const diff = await remit('batch diff ./nov.csv nov');
    assert.match(diff.stdout, /nov \(2 paid\)(.|\n)*INV-2026-001, line 2: 100\.50 USD, may have come back/);
    const status = await remit('batch status nov');
    assert.match(status.stdout, /^Batch nov is not complete: 3 of 3 rows accepted; .* is not known\.$/m);
    assert.match(status.stdout, /^Next {5}remit reconcile --account \S+ --from \S+$/m);
    const json = (await remit('batch status nov --json')).json() as Record<string, unknown>;
    assert.deepEqual([json['state'], json['returns_unknown']], ['incomplete', true]);
    const again = await desk.desk.remit(printed(status.stderr));
    assert.equal(again.exitCode, 8, again.stderr);
    const after = await remit('batch status nov');
    assert.equal(after.stderr, '');
    assert.match(after.stdout, /; 1 returned by the bank\.$/m);
  });

  it('is missed by the commands that need one, and named by the run that makes a new one', async () => {
    remove();
    for (const words of ['statements', 'ignore LINE --note x', 'confirm LINE PAYMENT --note x']) {
      const ran = await desk.desk.remit(`reconcile ${words}`);
      assert.equal(ran.exitCode, 4, words);
      assert.match(
        ran.stderr,
        /^Error: reconcile\.sqlite is gone, with the decisions and the statements in it$/m,
      );
      assert.match(ran.stderr, new RegExp(`remit reconcile --account ${desk.account} --from `));
    }
    assert.ok(!readdirSync(state()).includes('reconcile.sqlite'));
    const warning = /^Warning: reconcile\.sqlite is gone, with the decisions and the statements in it: /m;
    assert.match((await desk.reconcile()).stderr, warning);
    assert.doesNotMatch((await desk.reconcile()).stderr, warning);
    const {stderr} = await desk.desk.remit(`reconcile forget 1 --note x --state-dir ${desk.desk.folder}/new`);
    assert.match(stderr, /nothing was reconciled here yet/);
    assert.match(stderr, /^Hint: remit treasury accounts list$/m);
  });

  it('is missed too if another one, or an older copy, is in its place, until a run has read enough', async () => {
    const copy = join(desk.desk.folder, 'copy.sqlite');
    remove();
    desk.bank(() => []); // as if the period was too short
    await desk.reconcile();
    copyFileSync(book(), copy);
    for (let run = 0; run < 3; run += 1) {
      const status = await remit('batch status nov');
      assert.match(status.stdout, /^Batch nov is not complete: .* is not known\.$/m);
      assert.equal(status.exitCode, 8);
      await desk.reconcile();
    }
    desk.honest();
    await desk.reconcile();
    assert.equal((await remit('batch status nov')).stderr, '');
    renameSync(copy, book()); // from a backup
    assert.match((await remit('batch status nov')).stderr, /gone or another one/);
    desk.bank(() => []);
    for (let run = 0; run < 9; run += 1) await desk.reconcile(); // it has read more than the lost one by now
    assert.match((await remit('batch status nov')).stderr, /the last reconcile does not find that any more/);
  });

  it('is missed by get and wait, of a payout that came back, in a batch or not', async () => {
    const id = await desk.record('INV-2026-001');
    const sound = await desk.record('INV-2026-002');
    const known = await remit(`get ${id}`);
    assert.equal(known.exitCode, 8);
    const copy = join(desk.desk.folder, 'copy.sqlite');
    copyFileSync(book(), copy);
    const isMissed = async (because: RegExp) => {
      for (const line of [`get ${id}`, `wait ${id}`, `wait ${id} ${sound}`]) {
        const {exitCode, stderr} = await remit(line);
        assert.equal(exitCode, 8, line + stderr);
        assert.match(stderr, /^Warning: what the bank has returned is not known: /m, line);
        assert.match(stderr, because);
      }
      const json = await remit(`get ${id} --json`);
      assert.deepEqual([json.exitCode, (json.json() as {status: string}).status], [8, 'settled']);
      const other = await remit(`get ${sound}`);
      assert.deepEqual([other.exitCode, other.stderr], [0, '']);
    };
    const isLost = new RegExp(`: ${id} came back, and the book that had it, reconcile.sqlite, is gone`);
    remove();
    await isMissed(isLost);
    rmSync(join(state(), 'batches'), {recursive: true}); // it is noted in the state folder too
    desk.bank(() => []); // as if the period was too short
    await desk.reconcile();
    await isMissed(/the last reconcile does not find that any more; read it again: remit reconcile /); // another book
    desk.honest();
    await desk.reconcile();
    assert.match((await remit(`get ${id}`)).stderr, /the bank has returned this payout \(\S+, R03\)/);
    remove();
    copyFileSync(copy, book()); // an older book, which has it
    assert.match((await remit(`get ${id}`)).stderr, /the bank has returned this payout \(\S+, R03\)/);
    remove();
    const again = printed((await remit(`get ${id}`)).stderr);
    assert.equal((await desk.desk.remit(again)).exitCode, 8);
    assert.match((await remit(`get ${id}`)).stderr, /the bank has returned this payout/);
  });

  it('and a damaged book or note make every settled payout one that may have come back', async () => {
    const sound = await desk.record('INV-2026-002');
    for (const name of ['returns.json', 'reconcile.sqlite']) {
      writeFileSync(join(state(), name), 'x'.repeat(5000));
      const {exitCode, stderr} = await remit(`get ${sound}`);
      assert.equal(exitCode, 8, stderr);
      assert.match(stderr, new RegExp(`is not known: .*${name}`));
      if (name === 'returns.json') await desk.reconcile();
    }
    remove();
    await desk.reconcile();
    assert.equal((await remit(`get ${sound}`)).exitCode, 0);
  });

  it('is not missed once a person has rejected the return, and by no batch without returns', async () => {
    const {findings} = (await desk.reconcile('--json')).json() as {
      findings: {line: string; payment: string}[];
    };
    const [{line, payment} = {line: '', payment: ''}] = findings;
    await desk.desk.remit(`reconcile reject ${line} ${payment} --note other`);
    await desk.reconcile();
    remove();
    const status = await remit('batch status nov');
    assert.deepEqual([status.exitCode, status.stderr], [0, '']);
  });

  it('is missed for its decisions too, if none of its returns is noted any more', async () => {
    const {findings} = (await desk.reconcile('--json')).json() as {
      findings: {line: string; payment: string}[];
    };
    const [{line, payment} = {line: '', payment: ''}] = findings;
    await desk.desk.remit(`reconcile reject ${line} ${payment} --note other`);
    rmSync(book());
    const gone = /reconcile\.sqlite is gone, with the decisions and the statements in it/;
    for (const words of ['statements', 'forget 1 --note x']) {
      const ran = await desk.desk.remit(`reconcile ${words}`);
      assert.equal(ran.exitCode, 4, words);
      assert.match(ran.stderr, gone);
    }
    assert.match((await desk.reconcile()).stderr, gone);
    assert.equal((await desk.desk.remit('reconcile statements')).exitCode, 0);
  });
});
