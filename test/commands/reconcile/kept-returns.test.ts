import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {LedgerDesk, readersOf} from './ledger-desk.ts';

type Line = Record<string, unknown>;

describe('a return that a reconcile has found', () => {
  let desk: LedgerDesk;
  let id: string;
  const state = () => join(desk.desk.folder, '.local/state/remit');
  const remit = (line: string) => desk.desk.remit(line);
  const isReturn = (line: Line) => JSON.stringify(line).includes('R03');

  beforeEach(async () => {
    desk = await LedgerDesk.open();
    id = await desk.returned('INV-2026-001');
    assert.equal((await desk.reconcile()).exitCode, 8);
  });
  afterEach(() => desk.desk.close());

  /** All commands say that it may have come back, and print a command that can be typed. */
  const isUnsure = async () => {
    for (const words of [...readersOf(id), 'payouts batch diff ./nov.csv nov']) {
      const {exitCode, stderr} = await remit(words);
      assert.equal(exitCode, 8, words + stderr);
      const [, again = ''] = /does not find that any more; read it again: remit (.+)$/m.exec(stderr) ?? [];
      assert.match(again, /^reconcile --account /, words + stderr);
      const ran = await remit(again);
      assert.equal(ran.exitCode, 8);
      assert.match(ran.stdout, /came back, as an earlier run found, and this run does not find it any more/);
    }
    assert.equal(existsSync(join(desk.desk.folder, 'nov.failed.csv')), false);
  };

  const changes: Record<string, (lines: readonly Line[]) => readonly Line[]> = {
    'is no longer listed': (lines) => lines.filter((line) => !isReturn(line)),
    'is contested by another line': (lines) => [
      ...lines,
      ...lines.filter(isReturn).map((line) => ({...line, id: `${String(line['id'])}-2`})),
    ],
    'names nothing any more': (lines) =>
      lines.map((line) => (isReturn(line) ? {...line, description: 'edited', trace: undefined} : line)),
    'has no debit any more': (lines) => lines.filter(isReturn),
  };
  for (const [what, change] of Object.entries(changes))
    it(`stays known if its line ${what}`, async () => {
      desk.bank(change);
      for (let run = 0; run < 3; run += 1) assert.equal((await desk.reconcile()).exitCode, 8);
      await isUnsure();
      desk.honest();
      await desk.reconcile();
      assert.match((await remit(`payouts get ${id}`)).stderr, /the bank has returned this payout/);
    });

  it('stays known if the payments and returns in the book are emptied', async () => {
    const db = await openSqlite(join(state(), 'reconcile.sqlite'), {durability: 'full'});
    db.exec('delete from found_payments');
    db.close();
    const {exitCode, stderr} = await remit(`payouts get ${id}`);
    assert.equal(exitCode, 8, stderr);
    assert.match(stderr, /the book that had it, reconcile\.sqlite, is gone or another one/);
  });

  for (const damage of ['delete from book_facts', 'drop table found_payments', 'drop table lines'])
    it(`is not known with a damaged book: ${damage}`, async () => {
      const db = await openSqlite(join(state(), 'reconcile.sqlite'), {durability: 'full'});
      db.exec(damage);
      db.close();
      for (const words of [
        `payouts get ${id}`,
        'payouts batch status nov',
        'payouts batch resume nov --yes',
      ]) {
        const {exitCode, stderr} = await remit(words);
        assert.equal(exitCode, 8, words + stderr);
        assert.match(
          stderr,
          /is not known: \S+reconcile\.sqlite is damaged: .+ is missing; read it again: remit reconcile/,
        );
      }
      const ran = await desk.reconcile();
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, /restore it from a backup/);
    });

  it('is known to get, if the book is in another folder', async () => {
    const other = join(desk.desk.folder, 'other');
    for (const name of ['reconcile.sqlite', 'returns.json']) rmSync(join(state(), name));
    await desk.reconcile(`--state-dir ${other}`);
    const {exitCode, stderr} = await remit(`payouts get ${id}`);
    assert.equal(exitCode, 8, stderr);
    assert.match(
      stderr,
      new RegExp(`the book that had it, in ${other}, is gone or another one; .* --state-dir ${other}$`, 'm'),
    );
  });

  /** Types the command that a reconcile prints for the return once the bank lists it no more. */
  async function ignoreGone() {
    desk.bank((lines) => lines.filter((line) => !isReturn(line)));
    const {stdout} = await desk.reconcile();
    const [, ignore = ''] =
      /if it did not come back: remit (reconcile ignore \S+) --note TEXT/.exec(stdout) ?? [];
    const ran = await remit(`${ignore} --note checked`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran;
  }

  it('is over once a person ignores its line in a new book, which does not have it', async () => {
    rmSync(join(state(), 'reconcile.sqlite'));
    const ran = await ignoreGone();
    assert.match(ran.stdout, /which this book does not have/);
    for (const words of [`payouts get ${id}`, 'payouts batch status nov'])
      assert.equal((await remit(words)).exitCode, 0, words);
    assert.equal((await remit('reconcile ignore unknown --note checked')).exitCode, 4);
  });

  it('is over once a person types the printed ignore command, also for a line that is gone', async () => {
    await ignoreGone();
    for (const words of [`payouts get ${id}`, 'payouts batch status nov']) {
      const after = await remit(words);
      assert.deepEqual([after.exitCode, after.stderr], [0, ''], words);
    }
    assert.equal(existsSync(join(state(), 'returns.json')), false);
  });

  it('is over once a person ignores its line, also if it was found by a clock that was ahead', async () => {
    for (const path of readdirSync(state(), {recursive: true, encoding: 'utf8'}))
      if (path.endsWith('returns.json')) {
        const file = join(state(), path);
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace(/"at":"[^"]+"/, '"at":"2099-01-01T00:00:00.000Z"'),
        );
      }
    await ignoreGone();
    assert.equal((await remit(`payouts get ${id}`)).exitCode, 0);
  });

  it('is noted by the decision that confirms it, and forgotten by the one that rejects it', async () => {
    const {findings} = (await desk.reconcile('--json')).json() as {
      findings: {line: string; payment: string}[];
    };
    const [{line, payment} = {line: '', payment: ''}] = findings;
    await remit(`reconcile reject ${line} ${payment} --note other`);
    assert.equal(existsSync(join(state(), 'returns.json')), false);
    assert.equal((await remit(`payouts get ${id}`)).exitCode, 0);
    await remit(`reconcile confirm ${line} ${payment} --note checked`);
    rmSync(join(state(), 'reconcile.sqlite'));
    for (const words of [`payouts get ${id}`, 'payouts batch status nov'])
      assert.equal((await remit(words)).exitCode, 8, words);
  });

  for (const text of [
    'xxxx',
    '[{"id":',
    '{}',
    '[null]',
    '[{}]',
    '[1]',
    '[{"id":"","account":"a","from":"b"}]',
  ])
    it(`is not forgotten with damaged notes: ${text}`, async () => {
      const root = join(state(), 'returns.json');
      const beside = join(state(), 'batches/payout/nov/returns.json');
      for (const path of [beside, root]) {
        const before = readFileSync(path, 'utf8');
        writeFileSync(path, text);
        for (const words of [`payouts get ${id}`, `payouts wait ${id}`, 'payouts batch status nov']) {
          if (path === beside && !words.includes('batch')) continue;
          const {exitCode, stderr} = await remit(words);
          assert.equal(exitCode, 8, words + stderr);
          assert.match(stderr, /is not known: \S+returns\.json is damaged; .*: remit \S+/);
          assert.doesNotMatch(stderr, /--account (?:$|--)/);
        }
        const ran = await desk.reconcile();
        assert.match(ran.stdout, /was damaged, and is now \S+returns\.damaged-\d+\.json/);
        assert.deepEqual(
          (JSON.parse(readFileSync(path, 'utf8')) as Line[]).map((note) => note['id']),
          (JSON.parse(before) as Line[]).map((note) => note['id']),
        );
        const aside = readdirSync(join(path, '..')).filter((name) => name.startsWith('returns.damaged'));
        assert.equal(readFileSync(join(path, '..', aside[0] ?? ''), 'utf8'), text);
      }
      // One of the two files is enough.
      for (const path of [beside, root]) {
        const before = readFileSync(path, 'utf8');
        rmSync(path);
        rmSync(join(state(), 'reconcile.sqlite'), {force: true});
        assert.equal((await remit('payouts batch status nov')).exitCode, 8, path);
        writeFileSync(path, before);
      }
    });
});
