import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {LedgerDesk, readersOf} from './ledger-desk.ts';

type Line = Record<string, unknown>;
const isCredit = (line: Line) => line['direction'] === 'credit';
const withoutId = {description: 'x', bank_reference: '1', transfer_details: null};

/** Lines that name a payment and may have taken its money back, and what the first screen says about it. */
const WORLDS: Record<string, {lines: (lines: readonly Line[]) => readonly Line[]; amount: string}> = {
  'less a fee': {
    lines: (lines) => lines.map((one) => (isCredit(one) ? {...one, amount_in_minor_units: 9550} : one)),
    amount: '95.50',
  },
  'less a fee, before its debit is confirmed': {
    lines: (lines) =>
      lines.map((one) => ({...one, ...(isCredit(one) ? {amount_in_minor_units: 9550} : withoutId)})),
    amount: '95.50',
  },
  'before its debit is confirmed': {
    lines: (lines) => lines.map((one) => (isCredit(one) ? one : {...one, ...withoutId})),
    amount: '100.50',
  },
  'before its debit is booked': {
    lines: (lines) => lines.map((one) => (isCredit(one) ? one : {...one, status: 'pending'})),
    amount: '100.50',
  },
  'in two lines': {
    lines: (lines) => lines.flatMap((one) => (isCredit(one) ? [one, {...one, id: 'again'}] : [one])),
    amount: '100.50',
  },
};

describe('a payment that the bank may have returned', () => {
  let desk: LedgerDesk;
  let id: string;
  const remit = (line: string) => desk.desk.remit(line);

  beforeEach(async () => {
    desk = await LedgerDesk.open();
    id = await desk.returned('INV-2026-001');
  });
  afterEach(() => desk.desk.close());

  /** A decision about the line that a reconcile prints. */
  const printed = (text: string, verb: string) =>
    new RegExp(`remit (reconcile ${verb} .*${verb === 'ignore' ? '' : id}.*) --note TEXT`).exec(text)?.[1] ??
    '';
  const failed = () => join(desk.desk.folder, 'nov.failed.csv');

  for (const [what, {lines, amount}] of Object.entries(WORLDS))
    it(`is not shown as paid until a person decides: ${what}`, async () => {
      desk.bank(lines);
      assert.equal((await desk.reconcile()).exitCode, 8);
      const why = new RegExp(
        `may have come back: the bank returned ${amount} USD on \\S+, R03, and it is not confirmed or rejected yet`,
      );
      for (const words of [...readersOf(id), 'payouts batch list']) {
        const {exitCode, stderr} = await remit(words);
        assert.equal(exitCode, 8, words + stderr);
        assert.match(stderr, why, words);
        assert.ok(words.includes(id) || stderr.includes('INV-2026-001 may have'), stderr);
      }
      assert.equal(existsSync(failed()), false);
      const status = await remit('payouts batch status nov');
      const again = /^Next {5}remit (reconcile .+)$/m.exec(status.stdout)?.[1] ?? '';
      const seen = await remit(again);
      assert.equal(seen.exitCode, 8, seen.stderr);

      const credit = seen.stdout.slice(seen.stdout.search(/the bank returned|credit of|returned by/));
      const confirmed = await remit(`${printed(credit, 'confirm')} --note seen`);
      assert.equal(confirmed.exitCode, 0, confirmed.stderr);
      assert.match((await remit('payouts batch status nov')).stdout, /; 1 returned by the bank/);
      await remit('payouts batch report nov');
      assert.match(readFileSync(failed(), 'utf8'), /^"INV-2026-001-again1",/m);
      assert.match((await remit(`payouts get ${id}`)).stderr, /the bank has returned this payout/);
    });

  for (const verb of ['reject', 'ignore'])
    it(`is shown as paid once a person decides to ${verb} its line`, async () => {
      desk.bank(WORLDS[verb === 'reject' ? 'less a fee' : 'before its debit is booked']?.lines ?? (() => []));
      const {stdout} = await desk.reconcile();
      const decided = await remit(`${printed(stdout, verb)} --note other`);
      assert.equal(decided.exitCode, 0, decided.stderr);
      for (const words of [`payouts get ${id}`, 'payouts batch status nov']) {
        const {exitCode, stderr} = await remit(words);
        assert.deepEqual([exitCode, stderr], [0, ''], words);
      }
    });

  for (const [what, fields] of [
    ['0.00 USD', {amount_in_minor_units: 0}],
    ['100.50 EUR', {currency_code: 'EUR'}],
  ] as const)
    it(`is named, and is not shown as paid, if a line with its id is of ${what}`, async () => {
      desk.bank((lines) => lines.map((one) => (isCredit(one) ? {...one, ...fields} : one)));
      const {exitCode, stdout} = await desk.reconcile();
      assert.equal(exitCode, 8);
      assert.match(
        stdout,
        new RegExp(
          `^Booked with another amount \\(1\\)\n {2}INV-2026-001 of payout batch nov: 100\\.50 USD; .+ ${what} on \\S+, R03\n {4}remit payouts get ${id}$`,
          'm',
        ),
      );
      for (const words of [`payouts get ${id}`, `payouts wait ${id}`, 'payouts batch status nov']) {
        const shown = await remit(words);
        assert.equal(shown.exitCode, 8, words);
        assert.match(shown.stderr, new RegExp(`may have come back: .* ${what} on \\S+, R03, and`), words);
      }
      const decided = await remit(`${printed(stdout, 'ignore')} --note notification`);
      assert.equal(decided.exitCode, 0, decided.stderr);
      assert.equal((await remit(`payouts get ${id}`)).exitCode, 0);
    });

  for (const amount of [10_050, 9550])
    it(`is listed while its return of ${amount} is pending`, async () => {
      desk.bank((lines) =>
        lines.map((one) =>
          isCredit(one) ? {...one, status: 'pending', amount_in_minor_units: amount} : one,
        ),
      );
      const status = await remit('payouts batch status nov');
      assert.equal(status.exitCode, 0, 'before the first reconcile');
      await desk.reconcile();
      const {stdout} = await remit('payouts batch status nov');
      const seen = await remit(/^Next {5}remit (reconcile .+)$/m.exec(stdout)?.[1] ?? '');
      assert.equal(seen.exitCode, 8, seen.stdout);
      assert.match(
        seen.stdout,
        /1 finding to look at(?:.|\n)*Being returned(?:.|\n)* INV-2026-001 of payout batch nov: 100\.50 USD; pending return of \S+ USD on \S+, R03\n {4}remit reconcile --account \S+$/m,
      );
      assert.match(
        (await remit(`payouts get ${id}`)).stderr,
        /the bank returned .+, R03, pending, and it is/,
      );
      desk.honest();
      assert.match((await desk.reconcile()).stdout, /Returned by the bank \(1\)/);
    });

  it('is not the one whose line a person confirms for another payment', async () => {
    const other = await desk.record('INV-2026-002');
    desk.bank((lines) =>
      lines.map((one) =>
        isCredit(one)
          ? {...one, amount_in_minor_units: 10_150, description: `return of ${id} and ${other}`}
          : one,
      ),
    );
    const {stdout} = await desk.reconcile('--json');
    for (const payment of [id, other])
      assert.equal((await remit(`payouts get ${payment}`)).exitCode, 8, stdout);
    const list = (await remit(`treasury transactions ${desk.account} --json`)).json() as Line[];
    const line = String(list.find(isCredit)?.['id']);
    const decided = await remit(`reconcile confirm ${line} ${other} --note seen`);
    assert.equal(decided.exitCode, 0, decided.stderr);
    assert.deepEqual(
      [(await remit(`payouts get ${id}`)).exitCode, (await remit(`payouts get ${other}`)).exitCode],
      [0, 8],
    );
  });
});
