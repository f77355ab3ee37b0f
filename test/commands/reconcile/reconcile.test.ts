import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, beforeEach, describe, it} from 'mocha';
import {must} from '../../../src/narrow.ts';
import {LedgerDesk} from './ledger-desk.ts';

interface Printed {
  to: string;
  conclusive: boolean;
  why: string[];
  lines: {added: number; known: number; changed: number; gone: number};
  totals: (Record<'account' | 'currency_code' | 'opening' | 'closing' | 'balances', string> &
    Record<string, {count: number; amount: string}> & {
      payments: Record<string, {count: number; amount: string}>;
    })[];
  counts: Record<string, number>;
  findings: {
    kind: string;
    text: string;
    payment: string;
    line: string;
    return_code: string;
    next: string[];
  }[];
  unplanned: number;
  files: string[];
}

describe('reconcile', () => {
  let desk: LedgerDesk;
  beforeEach(async () => {
    desk = await LedgerDesk.open();
  });
  const close = () => desk.desk.close();
  const printed = async (flags = '') => (await desk.reconcile(`--json${flags}`)).json() as Printed;

  it('matches settled payouts by their ids, adds up, and sends only reads', async () => {
    desk.desk.requests = [];
    const ran = await desk.reconcile();
    assert.equal(ran.exitCode, 0, ran.stdout + ran.stderr);
    assert.match(
      ran.stdout,
      /^Reconciled Operating from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: nothing to look at\.$/m,
    );
    assert.match(ran.stdout, /^ {2}matched +3 +-304\.50 {2}/m);
    assert.ok(desk.desk.requests.length >= 5);
    assert.deepEqual(
      desk.desk.requests.filter((request) => !request.startsWith('GET ')),
      [],
    );
    const {totals, conclusive, lines} = await printed();
    const USD = must(totals[0], 'totals');
    assert.equal(conclusive, true);
    assert.deepEqual(lines, {added: 0, known: 3, changed: 0, gone: 0}); // a second run
    assert.deepEqual(USD['planned'], {count: 3, amount: '-304.50'});
    assert.deepEqual(USD.payments['matched'], {count: 3, amount: '-304.50'});
    const minor = (text: string) => BigInt(text.replace('.', ''));
    const parts = ['matched', 'returned', 'internal', 'ignored', 'unexplained'].map((part) =>
      minor(USD[part]?.amount ?? '0.00'),
    );
    assert.equal(
      parts.reduce((sum, one) => sum + one, minor(USD.opening)),
      minor(USD.closing),
    );
    assert.equal(statSync(join(desk.desk.folder, '.local/state/remit/reconcile.sqlite')).mode & 0o777, 0o600);
    await close();
  });

  it('finds a return, and from then on the payout is returned everywhere', async () => {
    const id = await desk.returned('INV-2026-001');
    const ran = await desk.reconcile();
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stdout, /^ {2}INV-2026-001 of payout batch nov: 100\.50 USD came back on \S+, R03$/m);
    assert.match(ran.stdout, /^ {4}remit payouts batch status nov$/m);
    const {findings, counts} = await printed();
    assert.equal(counts['returned'], 1);
    assert.equal(findings[0]?.payment, id);
    assert.equal(findings[0].return_code, 'R03');

    const remit = (line: string) => desk.desk.remit(line);
    const status = await remit('payouts batch status nov');
    assert.equal(status.exitCode, 8);
    assert.match(
      status.stdout,
      /^Batch nov is not complete: 3 of 3 rows accepted; 1 returned by the bank\.$/m,
    );
    assert.match(status.stdout, /\(2 settled, 1 returned, 0 failed when last read\)/);
    assert.match(status.stdout, /^ {2}INV-2026-001: 100\.50 USD on \S+, R03$/m);
    assert.match(status.stdout, /^Next {5}remit payouts batch report nov$/m);
    const refreshed = await remit('payouts batch status nov --refresh --json');
    assert.equal(refreshed.exitCode, 8);
    const {state, settled, returned} = refreshed.json() as Record<string, unknown>;
    assert.deepEqual({state, settled, returned}, {state: 'incomplete', settled: 2, returned: 1});
    const [listed] = (await remit('payouts batch list --json')).json() as {needs_attention: number}[];
    assert.equal(listed?.needs_attention, 1);
    const diff = await remit('payouts batch diff ./nov.csv nov');
    assert.equal(diff.exitCode, 8);
    assert.match(diff.stdout, /INV-2026-001, line 2: 100\.50 USD, returned/);
    const {not_paid: notPaid} = (await remit('payouts batch diff ./nov.csv nov --json')).json() as {
      not_paid: {listed: Record<string, unknown>[]};
    };
    const {returned_on: on, return_code: code, paid_again_by: by} = notPaid.listed[0] ?? {};
    assert.deepEqual([typeof on, code, by], ['string', 'R03', null]);
    const exported = await remit('payouts batch export nov --json');
    assert.equal(exported.exitCode, 8);
    const [row] = exported.json() as Record<string, unknown>[];
    assert.equal(row?.['state'], 'returned');
    assert.equal(row['reason_code'], 'R03');

    const get = await remit(`payouts get ${id}`);
    assert.equal(get.exitCode, 8);
    assert.match(get.stdout, /^Returned by the bank\t\d{4}-\d\d-\d\d, R03$/m);
    assert.match(
      get.stderr,
      /^Warning: the bank has returned this payout \(\S+ R03\).+; see: remit payouts batch status nov$/m,
    );
    const json = await remit(`payouts get ${id} --json`);
    assert.equal((json.json() as {status: string}).status, 'settled');
    assert.doesNotMatch(json.stdout, /returned/i);
    assert.match(json.stderr, /the bank has returned this payout/);
    assert.match((await remit(`payouts wait ${id} --json`)).stderr, /the bank has returned this payout/);
    const other = await desk.record('INV-2026-002');
    const both = await remit(`payouts wait ${id} ${other} --json`);
    assert.equal(both.exitCode, 8);
    assert.match(both.stderr, new RegExp(`the bank has returned payout ${id}`));
    assert.doesNotMatch(both.stderr, new RegExp(other));
    await close();
  });

  it('says what its period does not show: a return after it, and that it has not begun', async () => {
    const {to} = (await desk.reconcile('--json')).json() as {to: string};
    desk.desk.clock.advance(5 * 86_400_000);
    await desk.returned('INV-2026-001');
    const early = await desk.reconcile(`--to ${to} --html ./early.html`);
    const from = / from (\S+) to /.exec(early.stdout)?.[1];
    const again = `remit reconcile --account ${desk.account} --from ${from}`;
    assert.ok(
      early.stdout.startsWith(
        `Reconciled Operating from ${from} to ${to}: nothing to look at; 1 payment of this period came back after ${to}.\n  ${again}\n`,
      ),
      early.stdout,
    );
    const page = readFileSync(join(desk.desk.folder, 'early.html'), 'utf8');
    assert.match(page, /<p>1 payment of this period came back after \S+\.<\/p>/);
    assert.match((await desk.reconcile(`--from ${from}`)).stdout, /: 1 finding to look at\.$/m);
    const next = await desk.reconcile('--from 2099-01-01 --to 2099-01-31 --html ./next.html');
    assert.match(next.stdout, /to 2099-01-31: nothing yet, because today is \d{4}-\d\d-\d\d\.$/m);
    assert.match(
      readFileSync(join(desk.desk.folder, 'next.html'), 'utf8'),
      />The period has not begun: today is /,
    );
    await close();
  });

  it('leads to the second payment, which is paid once however often the file is run', async () => {
    await desk.returned('INV-2026-001');
    await desk.reconcile();
    const remit = (line: string) => desk.desk.remit(line);
    const report = await remit('payouts batch report nov --html');
    const {folder} = desk.desk;
    const failed = join(folder, 'nov.failed.csv');
    assert.ok(report.stdout.includes(`remit payouts batch run ${failed}`), report.stdout);
    assert.match(readFileSync(failed, 'utf8'), /^"INV-2026-001-again1",/m);
    assert.match(
      readFileSync(join(folder, 'nov.results.csv'), 'utf8'),
      /"returned","100\.50 USD",.*"R03","returned by the bank on/,
    );
    assert.match(readFileSync(join(folder, 'nov.report.html'), 'utf8'), /Returned by the bank/);
    const refused = await remit(`payouts batch run ${failed}`);
    assert.equal(refused.exitCode, 11); // the question: it looks like the first payment
    const next = /remit (payouts batch run \S+ --accept duplicates=1)/.exec(refused.stderr)?.[1];
    assert.ok(next !== undefined, refused.stderr);
    const paid = await remit(`${next} --yes --until settled`);
    assert.equal(paid.exitCode, 0, paid.stderr);
    const again = await remit(`payouts batch run ${failed} --batch-id twice --yes`);
    assert.match(again.stdout, /already paid +1 /);
    const after = await desk.reconcile();
    assert.equal(after.exitCode, 0, after.stdout);
    const status = await remit('payouts batch status nov');
    assert.equal(status.exitCode, 0);
    assert.match(status.stdout, /100\.50 USD on \S+, R03; paid again by batch nov\.failed/);
    await close();
  });

  it('follows a second payment that came back too to the third one', async () => {
    await desk.returned('INV-2026-001');
    await desk.reconcile();
    const remit = (line: string) => desk.desk.remit(line);
    const file = (batch: string) => join(desk.desk.folder, `${batch}.failed.csv`);
    const pay = async (batch: string, next: string) => {
      await remit(`payouts batch report ${batch}`);
      return remit(
        `payouts batch run ${file(batch)} --batch-id ${next} --accept duplicates=1 --yes --until settled`,
      );
    };
    assert.equal((await pay('nov', 'dec')).exitCode, 0);
    await desk.returned('INV-2026-001-again1', {batch: 'dec'});
    assert.equal((await desk.reconcile()).exitCode, 8);
    assert.equal((await remit('payouts batch status nov')).exitCode, 8);
    // Only the batch of the second payment leads to the third one.
    const first = await remit('payouts batch report nov');
    assert.match(first.stdout, /R03; to be paid again by batch dec$/m);
    assert.match(first.stdout, /^Next {5}remit payouts batch status dec$/m);
    assert.equal(existsSync(file('nov')), false);
    assert.equal((await desk.reconcile()).stdout.match(/ came back on /g)?.length, 1);
    for (const batch of ['nov', 'dec'])
      assert.match((await desk.reconcile(`--batch ${batch}`)).stdout, /^Returned by the bank \(1\)$/m);
    const paid = await pay('dec', 'jan');
    assert.equal(paid.exitCode, 0, paid.stderr);
    const after = await desk.reconcile('--ledger ./chain.journal');
    assert.equal(after.exitCode, 0, after.stdout);
    const journal = readFileSync(join(desk.desk.folder, 'chain.journal'), 'utf8');
    assert.equal(journal.match(/^ {4}expenses:payouts {2}/gm)?.length, 3, journal);
    for (const batch of ['nov', 'dec']) {
      const status = await remit(`payouts batch status ${batch}`);
      assert.equal(status.exitCode, 0, status.stdout);
      assert.match(status.stdout, /R03; paid again by batch jan$/m);
      assert.doesNotMatch(status.stdout, /^Next/m);
      await remit(`payouts batch report ${batch}`);
      assert.equal(existsSync(file(batch)), false);
    }
    const diff = await remit('payouts batch diff ./nov.csv nov');
    assert.match(diff.stdout, /INV-2026-001, line 2: 100\.50 USD, returned .*paid again by batch jan/);
    await close();
  });

  it('ends a batch with exit 8 if what the bank has returned cannot be read', async () => {
    await desk.reconcile();
    const id = await desk.record('INV-2026-002');
    writeFileSync(join(desk.desk.folder, '.local/state/remit/reconcile.sqlite'), 'damaged');
    for (const line of [
      'batch status nov',
      'batch report nov',
      'batch list',
      'batch export nov',
      'batch diff ./nov.csv nov',
      `get ${id}`,
    ]) {
      const ran = await desk.desk.remit(`payouts ${line}`);
      assert.equal(ran.exitCode, 8, line);
      assert.equal(
        ran.stderr.match(/^Warning: what the bank has returned is not known: /gm)?.length,
        1,
        line,
      );
      if (/status|report/.test(line))
        assert.match(ran.stdout, /^Batch nov is not complete: .*is not known\.$/m);
    }
    await close();
  });

  it('is not conclusive if a transaction cannot be read, and says which', async () => {
    const {transport} = desk.desk;
    const send = transport.send.bind(transport);
    transport.send = async (request) => {
      const answer = await send(request);
      if (!request.path.includes('/transactions')) return answer;
      return {
        ...answer,
        body: Buffer.from(answer.body.toString().replace('"direction":"debit"', '"direction":"out"')),
      };
    };
    const ran = await desk.reconcile();
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stdout, /: not conclusive\b/);
    assert.match(ran.stdout, /^ {2}Bank transaction \S+ has no readable direction$/m);
    assert.equal((await printed()).conclusive, false);
    await close();
  });

  it('reads lists of several pages, and a second time in smaller ones with the same result', async () => {
    await close();
    const rows = Array.from({length: 230}, (_, at) => `ROW-2026-${String(at).padStart(4, '0')}`);
    desk = await LedgerDesk.open(rows);
    const first = await printed();
    assert.equal(first.totals[0]?.payments['matched']?.count, 230);
    assert.equal(first.lines.added, 230);
    const {transport} = desk.desk;
    const send = transport.send.bind(transport);
    let small = 0;
    transport.send = (request) => {
      const path = request.path.replace(/\blimit=100\b/, 'limit=7');
      if (path !== request.path) small += 1;
      return send({...request, path});
    };
    const second = await printed();
    assert.deepEqual({...second, lines: 0}, {...first, lines: 0});
    assert.ok(small > 2 * (230 / 7), String(small));
    await close();
  });

  it('writes CSV files, journals, a page and no file over one that is not its own', async () => {
    await desk.returned('INV-2026-001');
    const {folder} = desk.desk;
    const flags = '--out ./csv --html ./nov.html --ledger';
    const at = (name: string) => join(folder, name);
    const ran = await desk.reconcile(`${flags} ./nov.journal`);
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.equal((await desk.reconcile(`${flags} ./nov.beancount`)).exitCode, 8); // replaces its own
    assert.equal(readFileSync(at('csv/payments.csv'), 'utf8').split('\n').length, 5);
    assert.match(readFileSync(at('csv/matches.csv'), 'utf8'), /^return,returned,/m);
    assert.match(readFileSync(at('nov.html'), 'utf8'), /The opening balance is calculated/);
    assert.match(
      readFileSync(at('nov.journal'), 'utf8'),
      /closing balance\n {4}assets:bank:operating {2}0 USD = \S+ USD\n$/,
    );
    assert.match(
      readFileSync(at('nov.beancount'), 'utf8'),
      /^\S+ balance Assets:Bank:Operating {2}\S+ ~ 0 USD$/m,
    );
    assert.equal(statSync(at('nov.html')).mode & 0o777, 0o600);
    for (const [flag, name] of [
      ['--html', 'other.html'],
      ['--ledger', 'other.journal'],
      ['--resolve-file', 'other.csv'],
    ] as const) {
      writeFileSync(at(name), 'not ours');
      const refused = await desk.reconcile(`${flag} ./${name}`);
      assert.equal(refused.exitCode, 13, name);
      assert.equal(readFileSync(at(name), 'utf8'), 'not ours');
    }
    assert.equal((await desk.reconcile('--ledger ./x.txt')).exitCode, 2);
    await close();
  });

  it('exits with 5 for a statement that cannot be read, before anything is requested', async () => {
    writeFileSync(join(desk.desk.folder, 'bad.xml'), '<Document><nothing/></Document>');
    desk.desk.requests = [];
    const ran = await desk.reconcile('--statement ./bad.xml');
    assert.equal(ran.exitCode, 5, ran.stderr);
    assert.deepEqual(desk.desk.requests, []);
    await close();
  });

  it('does not call a payout returned because of a line that only the statement has', async () => {
    const id = await desk.record('INV-2026-001');
    const {to} = (await desk.reconcile('--json')).json() as {to: string};
    desk.desk.file('forged.csv', 'booking_date,text,amount,currency_code', [
      `${to},"Return of payout ${id}, R02",100.50,USD`,
    ]);
    const ran = await desk.reconcile('--statement ./forged.csv --format csv');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /: not conclusive/);
    assert.match(
      ran.stdout,
      /^Lines of the statement that the service does not have \(1\)\n {2}credit of 100\.50 USD .*\n {4}remit reconcile --account /m,
    );
    assert.doesNotMatch(ran.stdout, /returned|came back/);
    const status = await desk.desk.remit('payouts batch status nov');
    assert.equal(status.exitCode, 0, status.stdout);
    assert.equal((await desk.desk.remit(`payouts get ${id}`)).exitCode, 0);
    await close();
  });

  it('prints all payments with -o csv, and only findings of the batches that are named', async () => {
    await desk.returned('INV-2026-001');
    const csv = await desk.reconcile('-o csv');
    assert.equal(csv.exitCode, 8);
    assert.equal(csv.stdout.trim().split('\n').length, 4);
    assert.match(csv.stdout, /^[^\n]+,payout,nov,INV-2026-001,returned,settled,-10050,-100\.50,USD,/m);
    assert.equal((await printed(' --batch nov')).counts['returned'], 1);
    const unknown = await desk.reconcile('--batch dec');
    assert.equal(unknown.exitCode, 4);
    await close();
  });

  it('reads again what is still open from before the period', async () => {
    desk.bank(() => []);
    desk.payouts((records) => records.map((one) => ({...one, status: 'pending'})));
    desk.desk.clock.advance(10 * 86_400_000);
    const first = await printed();
    assert.equal(first.counts['overdue'], 3);
    desk.honest();
    desk.bank(() => []);
    desk.desk.requests = [];
    const later = await printed(` --from ${first.to}`);
    assert.equal(later.totals[0]?.['carried_over']?.count, 3);
    assert.equal(later.counts['contradicted'], 3); // they are settled by now
    assert.equal(desk.desk.requests.filter((one) => /\/payouts\/[0-9a-f-]{36}$/.test(one)).length, 3);
    await close();
  });

  it('refuses days that are none, and a first day after the last', async () => {
    assert.equal((await desk.reconcile('--from 2026-02-30')).exitCode, 2);
    assert.equal((await desk.reconcile('--from 2026-03-02 --to 2026-03-01')).exitCode, 2);
    assert.equal(existsSync(join(desk.desk.folder, '.local/state/remit/reconcile.sqlite')), false);
    await close();
  });
});

describe('decisions about bank lines', () => {
  let desk: LedgerDesk;
  before(async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
    await desk.desk.remit(
      `treasury simulate-credit ${desk.account} --amount 7.00 --currency USD --description Interest --yes`,
    );
  });
  after(() => desk.desk.close());

  it('are kept with a name and a note, and a line that is ignored is not listed any more', async () => {
    const first = await desk.reconcile();
    assert.equal(first.exitCode, 8, first.stdout);
    assert.match(first.stdout, /credit of 7\.00 USD on \S+, “Interest”/);
    const next = /remit (reconcile ignore \S+) --note TEXT/.exec(first.stdout)?.[1];
    assert.ok(next !== undefined, first.stdout);
    const decided = await desk.desk.remit(`${next} --note interest --by ada --json`);
    assert.equal(decided.exitCode, 0, decided.stderr);
    const {by, verb, note} = decided.json() as Record<string, unknown>;
    assert.deepEqual({by, verb, note}, {by: 'ada', verb: 'ignore', note: 'interest'});
    const second = await desk.reconcile('--html ./page.html --ledger ./x.journal');
    assert.equal(second.exitCode, 0, second.stdout);
    assert.match(second.stdout, /^ {2}ignored +1 +7\.00 +as a person decided$/m);
    assert.doesNotMatch(second.stdout, /unexplained/);
    const at = (name: string) => readFileSync(join(desk.desk.folder, name), 'utf8');
    assert.match(at('page.html'), /<td>ada<\/td><td>ignore<\/td>/);
    assert.match(at('x.journal'), /^ {4}equity:ignored {2}-7\.00 USD$/m);
    // Without a payment, reject undoes it.
    const undo = await desk.desk.remit(`${next.replace('ignore', 'reject')} --note again`);
    assert.equal(undo.exitCode, 0, undo.stderr);
    assert.match(
      undo.stdout,
      /^Undone by \S+: bank line .*\n {2}The line is now unexplained, with no payment$/m,
    );
    assert.match((await desk.reconcile()).stdout, /credit of 7\.00 USD on \S+, “Interest”/);
  });

  it('show texts of a bank and of a person without what controls a terminal', async () => {
    const harmful = '\u001b]0;pwned\u0007\u001b[31m\u202e';
    const {transport} = desk.desk;
    const send = transport.send.bind(transport);
    transport.send = async (request) => {
      const answer = await send(request);
      if (!request.path.includes('/transactions')) return answer;
      const text = JSON.stringify(`Bonus${harmful}\nWarning: forged`).slice(1, -1);
      return {...answer, body: Buffer.from(answer.body.toString().replace('"Interest"', `"${text}"`))};
    };
    await desk.desk.remit(
      `treasury simulate-credit ${desk.account} --amount 8.00 --currency USD --description Interest --yes`,
    );
    const journals = ['./harmful.journal', './harmful.beancount'];
    const shown: string[] = [];
    for (const file of journals) {
      const ran = await desk.reconcile(`--ledger ${file}`);
      shown.push(ran.stdout, readFileSync(join(desk.desk.folder, file), 'utf8'));
      assert.match(ran.stdout, /“Bonus\]0;pwned\[31m Warning: forged”/);
    }
    const next = /remit (reconcile ignore \S+) --note TEXT/.exec(shown[0] ?? '')?.[1];
    shown.push((await desk.desk.remit(`${next} --note x${harmful} --by ada${harmful}`)).stdout);
    assert.match(shown[4] ?? '', /^Ignored by ada/);
    for (const text of shown) assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
    transport.send = send;
  });

  it('say what becomes of the payment that had the line', async () => {
    const id = await desk.record('INV-2026-001');
    const list = (await desk.desk.remit(`treasury transactions ${desk.account} --json`)).json();
    const line = (list as {id: string; description: string}[]).find((one) => one.description.includes(id));
    await desk.reconcile();
    const ignored = await desk.desk.remit(`reconcile ignore ${line?.id} --note x`);
    assert.match(ignored.stdout, /^ {2}INV-2026-001 of payout batch nov is now \w+: no bank line/m);
    const undone = await desk.desk.remit(`reconcile reject ${line?.id} --note x`);
    assert.match(undone.stdout, /^ {2}INV-2026-001 of payout batch nov is now matched: booked by the bank$/m);
  });

  it('refuse a line or a payment that is not known, and an empty note', async () => {
    const refused = await desk.desk.remit('reconcile ignore nothing --note x');
    assert.equal(refused.exitCode, 4);
    const again = new RegExp(`^Hint: read the lines first: remit reconcile --account ${desk.account}$`, 'm');
    assert.match(refused.stderr, again);
    const id = await desk.record('INV-2026-001');
    assert.equal((await desk.desk.remit(`reconcile confirm nothing ${id} --note x`)).exitCode, 4);
    for (const flags of ['--note=', '--note x --by=']) {
      const ran = await desk.desk.remit(`reconcile ignore nothing ${flags}`);
      assert.equal(ran.exitCode, 2, flags);
    }
  });
});
