import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, before, beforeEach, describe, it} from 'mocha';
import {readTeamAddress} from '../../src/team/address.ts';
import {TeamDatabase} from '../../src/team/connection.ts';
import type {CliResult} from '../cli/run-cli.ts';
import {LedgerDesk} from '../commands/reconcile/ledger-desk.ts';
import {inSchema, skippedWithoutPostgres, startPostgres} from '../store/postgres/postgres-server.ts';

let schemas = 0;

/** A text in which ids are replaced by the order in which they appear. */
function withoutIds(text: string, folder: string): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      ids.set(id, ids.get(id) ?? `id ${ids.size}`);
      return ids.get(id) ?? '';
    })
    .replaceAll(folder, 'FOLDER');
}

describe('reconcile on the state of a team', function () {
  if (skippedWithoutPostgres()) return;
  this.timeout(120_000);
  let server = '';
  let url = '';
  let db: TeamDatabase;
  let desk: LedgerDesk;
  let machines = 0;
  before(async () => {
    server = (await startPostgres()) ?? '';
  });
  beforeEach(() => {
    url = inSchema(server, `reconcile_${schemas++}`);
    db = new TeamDatabase(readTeamAddress(url));
  });
  afterEach(async () => {
    await db.close();
    await desk.desk.close();
  });

  /** A command on a machine with an empty folder. */
  const elsewhere = (words: string, more: Record<string, string> = {}): Promise<CliResult> => {
    const home = join(desk.desk.folder, `machine-${machines++}`);
    mkdirSync(home);
    return desk.desk.remit(words, {env: {...desk.desk.env(), HOME: home, ...more}});
  };
  const reconcile = (flags = '', more: Record<string, string> = {}) =>
    elsewhere(`reconcile --account ${desk.account} ${flags}`.trim(), more);
  const shared = (rows?: string[], dialect?: 'id' | 'empty') =>
    LedgerDesk.open(rows, dialect, {REMIT_STATE_URL: url});

  /** What a person does after a return, each command on another machine if the state is shared. */
  async function flow(type: (words: string) => Promise<CliResult>): Promise<string[]> {
    const texts: string[] = [];
    const run = async (words: string) => {
      const {stdout, stderr, exitCode} = await type(words);
      texts.push(
        withoutIds(`${words} ${exitCode}\n${stdout}${stderr}`, desk.desk.folder).replaceAll(
          /machine-\d+/g,
          '.',
        ),
      );
      return stdout;
    };
    const id = await desk.returned('INV-2026-001');
    await run(`reconcile --account ${desk.account} --json`);
    await run(`reconcile --account ${desk.account} --json`);
    for (const words of [
      'status nov',
      'status nov --json',
      'export nov --json',
      'diff ./nov.csv nov',
      'list',
    ])
      await run(`payouts batch ${words}`);
    await run('payouts batch report nov');
    texts.push(
      readFileSync(join(desk.desk.folder, 'nov.failed.csv'), 'utf8').replaceAll(desk.payee, 'payee'),
    );
    await run(`payouts get ${id}`);
    await run(`payouts wait ${id}`);
    const again = `payouts batch run ${desk.desk.folder}/nov.failed.csv --batch-id dec --accept duplicates=1 --yes`;
    await run(`${again} --until settled --json`);
    await run(`reconcile --account ${desk.account}`);
    await run('payouts batch status nov');
    return texts;
  }

  it('shows the same as in a folder, each command on another machine', async () => {
    desk = await LedgerDesk.open();
    const expected = await flow((words) => desk.desk.remit(words));
    await desk.desk.close();
    desk = await shared();
    const found = await flow((words) => elsewhere(words));
    // Times differ, since leases take some; a shared batch also has runners, and a list has no times of their files.
    const plain = (texts: readonly string[]) =>
      texts.map((text) =>
        text
          .replaceAll(/,\n {2}"(runners|late_outcomes)": (\[\]|0)/g, '')
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
          .replaceAll(/^(?:staging|releasing|settling) .*\n/gm, '') // depends on how long it took
          .replaceAll(/"req_\w+"/g, '"REQUEST"') // numbered in the order of arrival
          .replaceAll(/^(Trace\t)\d+$/gm, '$1')
          .replaceAll(/\t(TIME|-)\n/g, '\n')
          .replaceAll(/not recorded as paid yet|record id \d+/g, 'RECORD')
          .replaceAll(/; see: remit .*$/gm, '') // the shared returns have no batch
          .replaceAll(/("elapsed_ms": )\d+/g, '$1'),
      );
    assert.deepEqual(plain(found), plain(expected));
    assert.match(found.at(-1) ?? '', /R03; paid again by batch dec/);
    assert.match(found.join('\n'), /; see: remit reconcile --account id \d+ --from \S+/);
  });

  it('keeps decisions and statements of every machine', async () => {
    desk = await shared(['INV-2026-001', 'INV-2026-002'], 'empty');
    const first = await reconcile();
    assert.match(first.stdout, /^Suggested: confirm or reject \(2\)$/m);
    const [confirm = '', other = ''] = [
      ...first.stdout.matchAll(/remit (reconcile confirm \S+ \S+) --note/g),
    ].map(([, line]) => line ?? '');
    const decided = await elsewhere(`${confirm} --note checked`);
    assert.match(decided.stdout, /^Confirmed by \S+: bank line/);
    const secret = url.replace('remit@', 'remit:geheim@');
    const typed = await reconcile(`--state ${secret}`, {REMIT_STATE_URL: ''});
    assert.match(typed.stdout, /^Suggested: confirm or reject \(1\)$/m);
    assert.match(
      typed.stdout,
      new RegExp(`remit reconcile confirm \\S+ \\S+ --note TEXT --state '?postgres://remit@`),
    );
    assert.doesNotMatch(typed.stdout + typed.stderr, /geheim/);
    await desk.desk.remit(`sandbox statement --account ${desk.account} --format camt053 --out ./bank.xml`);
    assert.equal((await elsewhere(`${other} --note checked`)).exitCode, 0);
    const read = await elsewhere('reconcile statements --json');
    assert.deepEqual(read.json(), []);
    const back = await elsewhere(other.replace('confirm', 'reject') + ' --note wrong');
    assert.equal(back.exitCode, 0, back.stderr);
    assert.match((await reconcile()).stdout, /^Bank lines without a payment \(1\)$/m);
    const unknown = await elsewhere('reconcile forget 12 --note other');
    assert.equal(unknown.exitCode, 4);
    const [{released} = {released: 0}] = await db.query<{released: number}>(
      "select released from @.batches where kind = 'book'",
    );
    assert.equal(released, 1);
  });

  it('is missed if it is lost or older, also on a machine that has never seen it', async () => {
    desk = await shared();
    await desk.returned('INV-2026-001');
    await reconcile();
    await db.query('create table kept as select * from @.book_blocks');
    await db.query('delete from @.book_blocks');
    await db.query('delete from @.book_returns');
    await db.query('delete from @.book');
    const lost = await elsewhere('payouts batch status nov');
    assert.equal(lost.exitCode, 8);
    assert.match(
      lost.stderr,
      /is not known: 1 row came back, and the book that had it, in postgres:\S+, is gone/,
    );
    const again = /read it again: remit (reconcile .+)$/m.exec(lost.stderr)?.[1] ?? '';
    desk.bank(() => []); // a new book that has not read enough
    await elsewhere(again);
    assert.equal((await elsewhere('payouts batch status nov')).exitCode, 8);
    assert.match((await elsewhere('payouts batch status nov')).stderr, /is not known/);
    desk.honest();
    await elsewhere(again);
    const found = await elsewhere('payouts batch status nov');
    assert.equal(found.stderr, '');
    assert.match(found.stdout, /; 1 returned by the bank\.$/m);
    await db.query('drop table kept');
  });

  it('forgets no return of a payment in no batch when its book is lost, whichever days are read then', async () => {
    desk = await shared();
    const made = await elsewhere(
      `payouts create --payee ${desk.payee} --amount 7.00 --currency USD --rail standard_ach --auto-approve --yes --json`,
    );
    const {id} = made.json() as {id: string};
    desk.desk.clock.advance(40 * 86_400_000);
    await desk.desk.sandbox.sandbox.simulate({kind: 'payout', id, outcome: 'return', code: 'R03'});
    desk.desk.clock.advance(40 * 86_400_000);
    await reconcile();
    const get = () => elsewhere(`payouts get ${id}`);
    assert.match((await get()).stderr, /the bank has returned this payout/);
    await db.query('delete from @.book_blocks');
    await db.query('delete from @.book');
    const today = new Date(desk.desk.clock.now()).toISOString().slice(0, 10);
    const late = await reconcile(`--from ${today}`);
    assert.match(late.stdout, new RegExp(`${id} came back, as an earlier run found`));
    const {exitCode, stderr} = await get();
    assert.equal(exitCode, 8);
    const again = /does not find that any more; read it again: remit (.+)$/m.exec(stderr)?.[1] ?? '';
    await elsewhere(again.replaceAll("'", ''));
    assert.match((await get()).stderr, /the bank has returned this payout/);
    await reconcile(`--from ${today}`);
    assert.match((await get()).stderr, /the bank has returned this payout/);
  });

  it('is not known if its rows in the database are no longer those that were recorded', async () => {
    desk = await shared();
    const id = await desk.returned('INV-2026-001');
    await reconcile();
    for (const change of [
      'delete from @.book_returns',
      `update @.book_returns set id = 'x' || id`,
      "insert into @.book_returns select mode, base_url, 'x', code, day from @.book_returns",
    ]) {
      await db.query(change);
      for (const words of [`payouts get ${id}`, 'payouts batch status nov']) {
        const {exitCode, stderr} = await elsewhere(words);
        assert.equal(exitCode, 8, words);
        assert.match(
          stderr,
          /is not known: the returns in the database are not those that the last reconcile/,
        );
      }
      const ran = await reconcile();
      assert.match(ran.stderr, /^Warning: returns in the database were changed since they were recorded; /m);
      for (const words of [`payouts get ${id}`, 'payouts batch status nov'])
        assert.doesNotMatch((await elsewhere(words)).stderr, /is not known/);
    }
  });

  it('says which batch is to pay a row again, also with the tables of an earlier version', async () => {
    desk = await shared();
    const id = await desk.returned('INV-2026-001');
    await reconcile();
    await db.query('alter table @.book_returns drop column held_by, drop column note');
    await db.query('alter table @.book drop column returns');
    await db.query('drop table @.senders, @.chunks, @.answers, @.gates');
    await db.query(`update @.migrations set applied = '["0001-team","0002-approvals","0003-book"]'`);
    assert.match((await elsewhere(`payouts get ${id}`)).stderr, /the bank has returned this payout/);
    await elsewhere('payouts batch report nov');
    await elsewhere(
      `payouts batch run ${desk.desk.folder}/nov.failed.csv --batch-id dec --accept duplicates=1 --yes --stage-only`,
    );
    assert.match((await elsewhere('payouts batch status nov')).stdout, /1 returned by the bank/);
    await reconcile();
    const {stdout} = await elsewhere('payouts batch status nov');
    assert.match(stdout, /R03; to be paid again by batch dec$/m);
  });

  it('is noted on the machine too, for a database that is restored, gone, or not named', async () => {
    desk = await shared();
    const id = await desk.returned('INV-2026-001');
    const sound = await desk.record('INV-2026-002');
    assert.equal((await desk.reconcile()).exitCode, 8);
    const isMissed = async (because: RegExp, env: Record<string, string> = {}) => {
      const get = await desk.desk.remit(`payouts get ${id}`, {env: {...desk.desk.env(), ...env}});
      assert.equal(get.exitCode, 8, get.stderr);
      assert.match(get.stderr, because);
    };
    await isMissed(/the book that had it, in postgres:\S+, is gone.* --state '?postgres:/, {
      REMIT_STATE_URL: '',
    });
    await db.query("update @.book set identity = 'x'");
    assert.match((await desk.desk.remit('payouts batch status nov')).stdout, /; 1 returned by the bank/);
    await db.query('delete from @.book_returns');
    await db.query('delete from @.book');
    await isMissed(/the book that had it, in postgres:\S+, is gone/);
    assert.equal((await desk.desk.remit(`payouts get ${sound}`)).exitCode, 0);
    await db.query(`drop schema ${db.address.schema} cascade`);
    await isMissed(/is not known: the database \S+, schema \S+ has no tables of remit/);
    assert.equal((await elsewhere(`payouts get ${sound}`)).exitCode, 8);
  });

  it('reads only the batches that a decision is about', async () => {
    desk = await shared();
    await desk.returned('INV-2026-001');
    const statementsOf = async (batches: readonly string[]) => {
      for (const name of batches) {
        const file = `reference,payee_id,amount,currency_code,rail\n${name},${desk.payee},7.00,USD,standard_ach\n`;
        writeFileSync(join(desk.desk.folder, `${name}.csv`), file);
        await elsewhere(`payouts batch run ${desk.desk.folder}/${name}.csv --batch-id ${name} --yes`);
      }
      const {findings} = (await reconcile('--json')).json() as {findings: {line: string; payment: string}[]};
      const [{line, payment} = {line: '', payment: ''}] = findings;
      const {stderr} = await elsewhere(`reconcile reject ${line} ${payment} --note other --debug`);
      assert.equal((await elsewhere('payouts batch status nov')).exitCode, 0);
      await elsewhere(`reconcile confirm ${line} ${payment} --note seen`);
      assert.equal((await elsewhere('payouts batch status nov')).exitCode, 8);
      return Number(/(\d+) statements to the database/.exec(stderr)?.[1]);
    };
    const few = await statementsOf([]);
    assert.ok(few > 0);
    assert.equal(await statementsOf(['a', 'b', 'c', 'd']), few);
  });

  it('says which batches were running while it read them', async () => {
    desk = await shared();
    await db.query("update @.batches set released = false where kind = 'payout'");
    const ran = await reconcile();
    assert.equal(ran.exitCode, 8);
    assert.match(
      ran.stdout,
      /Batch nov was changed while it was read, so its newest payments may be missing/,
    );
  });

  it('forgets no return when a batch is moved, although its book is not', async () => {
    desk = await LedgerDesk.open();
    await desk.returned('INV-2026-001');
    await desk.reconcile();
    const {folder} = desk.desk;
    const state = join(folder, '.local/state/remit');
    await desk.desk.remit(`payouts batch move nov --state-dir ${state} --to ${url}`);
    assert.match((await desk.reconcile()).stdout, /Batch nov was moved to a database/);
    const find = await desk.desk.remit('payouts batch find INV-2026-001');
    assert.equal(find.exitCode, 4, find.stdout);
    assert.match(find.stderr, /not searched: nov \(it was moved to postgres:\S+\)$/m);
    const typed = await desk.desk.remit(
      /^Hint: remit (.+)$/m.exec(find.stderr)?.[1]?.replaceAll("'", '') ?? '',
    );
    assert.match(typed.stdout, /INV-2026-001/);
    const there = await elsewhere('payouts batch status nov', {REMIT_STATE_URL: url});
    assert.match(there.stderr, /is not known: 1 row came back/);
    await reconcile('', {REMIT_STATE_URL: url});
    const known = await elsewhere('payouts batch status nov', {REMIT_STATE_URL: url});
    assert.match(known.stdout, /; 1 returned by the bank\.$/m);
    await elsewhere(`payouts batch move nov --to ${folder}/back`, {REMIT_STATE_URL: url});
    const back = await elsewhere(`payouts batch status nov --state-dir ${folder}/back`);
    assert.match(back.stderr, /is not known: 1 row came back/);
    assert.match(
      (await reconcile('', {REMIT_STATE_URL: url})).stdout,
      /Batch nov was moved to .*back; reconcile it/,
    );
  });

  it('needs no more rights than are printed, and adds its tables to a database of an earlier version', async () => {
    desk = await shared();
    const id = await desk.returned('INV-2026-001');
    await db.query(
      'drop table @.book, @.book_blocks, @.book_returns, @.senders, @.chunks, @.answers, @.gates',
    );
    await db.query('alter table @.batches drop column returns');
    await db.query(`update @.migrations set applied = '["0001-team","0002-approvals"]'`);
    const before = await elsewhere(`payouts get ${id}`);
    assert.deepEqual([before.exitCode, before.stderr], [0, '']);
    await elsewhere('payouts batch list');
    const {schema} = db.address;
    const {stdout} = await elsewhere(`payouts batch state grants --role booker --schema ${schema}`);
    await db.query('drop role if exists booker').catch(() => undefined);
    await db.query('create role booker login');
    try {
      await db.query(stdout);
      const booker = {REMIT_STATE_URL: url.replace('remit@', 'booker@')};
      const ran = await reconcile('', booker);
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match((await elsewhere('payouts batch status nov', booker)).stdout, /1 returned by the bank/);
      assert.match(
        (await elsewhere(`payouts get ${id}`, booker)).stderr,
        /the bank has returned this payout/,
      );
    } finally {
      await db.query('drop owned by booker; drop role booker');
    }
  });

  it('says that returns are not known if the database does not answer', async () => {
    desk = await shared();
    const id = await desk.returned('INV-2026-001');
    const get = await elsewhere(`payouts get ${id}`, {REMIT_STATE_URL: 'postgres://127.0.0.1:1/none'});
    assert.equal(get.exitCode, 8);
    assert.match(get.stderr, /^Warning: what the bank has returned is not known: Could not use the database/);
  });
});
