import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {LedgerDesk} from './ledger-desk.ts';

/** A bank that writes nothing into its lines. */
describe('reconcile without ids in the lines', () => {
  let desk: LedgerDesk;
  let first: string;

  beforeEach(async () => {
    desk = await LedgerDesk.open(['INV-2026-001', 'INV-2026-002'], 'empty');
    const ran = await desk.reconcile();
    assert.equal(ran.exitCode, 8);
    first = ran.stdout;
  });
  afterEach(() => desk.desk.close());

  it('confirms nothing by itself, and prints the command that does', async () => {
    assert.match(first, /^Suggested: confirm or reject \(2\)$/m);
    assert.match(first, /^ {2}unexplained +2 /m);
    assert.doesNotMatch(first, /^ {4}matched /m);
    const confirms = [...first.matchAll(/remit (reconcile confirm \S+ \S+) --note TEXT/g)].map(
      ([, line]) => line,
    );
    assert.equal(confirms.length, 2);
    const [one, other] = await Promise.all(['INV-2026-001', 'INV-2026-002'].map((row) => desk.record(row)));
    assert.equal(
      (await desk.desk.remit(`${confirms[0]?.replace(/\S+$/, 'batch:nov/INV-9')} --note x`)).exitCode,
      4,
    );
    for (const confirm of confirms) {
      const words = confirm?.replace(one ?? '', 'batch:nov/INV-2026-001') ?? '';
      const decided = await desk.desk.remit(`${words} --note checked`);
      assert.equal(decided.exitCode, 0, decided.stderr);
      assert.match(decided.stdout, /^Confirmed by \S+: bank line \S+, -1\d\d\.50 USD on /m);
      assert.match(
        decided.stdout,
        /^ {2}INV-2026-00\d of payout batch nov is now matched: booked by the bank$/m,
      );
    }
    const [line] = confirms.filter((confirm) => confirm?.includes(other ?? ''));
    const taken = await desk.desk.remit(`${line?.replace(other ?? '', one ?? '')} --difference 1 --note x`);
    assert.match(taken.stderr, /is already confirmed for /);
    const second = await desk.reconcile();
    assert.equal(second.exitCode, 0, second.stdout);
    assert.match(second.stdout, /^ {4}matched +2 +-202\.00/m);
  });

  it('fits a terminal of 80 columns, with whole ids', async () => {
    const ran = await desk.desk.remit(`reconcile --account ${desk.account}`, {columns: 80});
    for (const line of ran.stdout.split('\n')) assert.ok(line.length <= 80, line);
    const ids = (text: string) => new Set(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g));
    assert.deepEqual(ids(ran.stdout), ids(first));
  });

  it('does not suggest again what was rejected', async () => {
    const reject = /remit (reconcile reject \S+ \S+) --note TEXT/.exec(first)?.[1];
    assert.equal((await desk.desk.remit(`${reject} --note other`)).exitCode, 0);
    const second = await desk.reconcile();
    assert.match(second.stdout, /^Suggested: confirm or reject \(1\)$/m);
    assert.match(second.stdout, /^Bank lines without a payment \(1\)$/m);
  });
});

describe('reconcile with lines that it cannot match', () => {
  let desk: LedgerDesk;
  afterEach(() => desk.desk.close());

  it('lists a return of another amount, and prints the command that confirms it', async () => {
    desk = await LedgerDesk.open(['INV-2026-001', 'INV-2026-002'], 'net-fee');
    const id = await desk.returned('INV-2026-001', {code: 'R02'});
    for (let run = 0; run < 2; run += 1) {
      const ran = await desk.reconcile('--batch nov');
      assert.equal(ran.exitCode, 8);
      assert.match(ran.stdout, /^ {2}INV-2026-001 .*: 100\.50 USD; the bank returned \S+ USD on \S+, R02$/m);
      const [, returned = ''] = ran.stdout.split('the bank returned');
      const next = /remit (reconcile confirm \S+ (\S+) --difference \S+) --note TEXT/.exec(returned);
      assert.equal(next?.[2], id, ran.stdout);
      if (run === 0) continue;
      const without = await desk.desk.remit(`${next[1]?.replace(/ --difference.*/, '') ?? ''} --note x`);
      assert.equal(without.exitCode, 5, without.stderr);
      assert.match(without.stderr, /is 100\.50 USD: the difference is \d/);
      const decided = await desk.desk.remit(`${next[1] ?? ''} --note fee`);
      assert.equal(decided.exitCode, 0, decided.stderr);
    }
    const after = await desk.reconcile();
    assert.match(after.stdout, /^Returned by the bank \(1\)$/m);
    assert.doesNotMatch(after.stdout, /the bank returned/);
    assert.equal((await desk.desk.remit('payouts batch status nov')).exitCode, 8);
  });

  it('suggests a line with a fee that is named, and prints the command that states it', async () => {
    desk = await LedgerDesk.open(['INV-2026-001', 'INV-2026-002'], 'empty');
    const {transport} = desk.desk;
    const send = transport.send.bind(transport);
    transport.send = async (request) => {
      const answer = await send(request);
      if (!request.path.includes('/transactions')) return answer;
      const body = answer.body
        .toString()
        .replace(/(?<="amount_in_minor_units":)10[01]50/g, (own) => `1${own.slice(1, 3)}75`);
      return {...answer, body: Buffer.from(body)};
    };
    assert.match((await desk.reconcile()).stdout, /^Bank lines without a payment \(2\)$/m);
    assert.match(
      (await desk.reconcile('--fee wire=0.25USD')).stdout,
      /^Bank lines without a payment \(2\)$/m,
    );
    const {stdout} = await desk.reconcile('--fee standard_ach=0.25USD');
    assert.match(stdout, /^Suggested: confirm or reject \(2\)$/m);
    assert.match(
      stdout,
      /^ {2}INV-2026-001 of payout batch nov: 100\.50 USD, bank line 100\.75 USD on \S+, with a fee of 0\.25 USD$/m,
    );
    const [, confirm] = /remit (reconcile confirm \S+ \S+ --difference 0\.25) --note TEXT/.exec(stdout) ?? [];
    const decided = await desk.desk.remit(`${confirm ?? ''} --note fee`);
    assert.equal(decided.exitCode, 0, decided.stderr);
    assert.match((await desk.reconcile('--fee 0.25USD')).stdout, /^Suggested: confirm or reject \(1\)$/m);
    const refused = await desk.reconcile('--fee fax=1%');
    assert.equal(refused.exitCode, 2, refused.stderr);
  });

  it('shows a confirmed difference, so that lines and payments add up', async () => {
    desk = await LedgerDesk.open(['INV-2026-001', 'INV-2026-002'], 'net-fee');
    const {stdout} = await desk.reconcile();
    const next = /remit (reconcile confirm \S+ \S+ --difference \S+) --note TEXT/.exec(stdout)?.[1] ?? '';
    assert.equal((await desk.desk.remit(`${next} --note fee`)).exitCode, 0, stdout);
    interface Sums {
      totals: Record<'matched' | 'differences', {count: number; amount: string}>[];
    }
    const {totals} = (await desk.reconcile('--json')).json() as Sums;
    const [of] = totals;
    const differences = of?.differences ?? {count: 0, amount: ''};
    assert.equal(differences.count, 1);
    const after = await desk.reconcile('--html page.html');
    const paid = /^ {4}matched +\d +(-\S+)/m.exec(after.stdout)?.[1] ?? '';
    assert.equal(Number(paid) + Number(differences.amount), Number(of?.matched.amount));
    assert.match(
      after.stdout,
      new RegExp(`^ {2}differences +1 +${differences.amount} +and fees, as confirmed`, 'm'),
    );
    const page = readFileSync(join(desk.desk.folder, 'page.html'), 'utf8');
    assert.ok(page.includes(`Differences</th><td class="n">1</td><td class="n">${differences.amount}<`));
  });

  it('prints confirm before ignore for a line with the opposite amount of a payment', async () => {
    desk = await LedgerDesk.open(['INV-2026-001'], 'empty');
    const id = await desk.returned('INV-2026-001');
    const {stdout} = await desk.reconcile();
    const [first, second] =
      stdout.slice(stdout.indexOf('Bank lines without a payment')).match(/remit .+/g) ?? [];
    assert.match(first ?? '', new RegExp(`^remit reconcile confirm \\S+ ${id} --note TEXT$`));
    assert.match(second ?? '', /^remit reconcile ignore /);
  });

  it('prints a run with an earlier first day for a return of a payment that is not known', async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
    await desk.desk.remit(
      `treasury simulate-credit ${desk.account} --amount 7.00 --currency USD --description Return_R02 --yes`,
    );
    const {from} = (await desk.reconcile('--json')).json() as {from: string};
    const {stdout} = await desk.reconcile();
    const next = /“Return_R02”\n {4}remit reconcile --account \S+ --from (\S+)/.exec(stdout)?.[1];
    assert.ok(next !== undefined && next < from, stdout);
    const again = await desk.reconcile(`--from ${next}`);
    assert.match(again.stdout, /“Return_R02”\n {4}remit reconcile ignore /, 'no still earlier day');
  });
});
