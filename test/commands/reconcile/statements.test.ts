import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {camtBalance, camtDocument, camtEntry, camtStatement} from '../../reconcile/statement/statements.ts';
import {LedgerDesk} from './ledger-desk.ts';

const OWN = 'DE02100100100006820101';
const OTHER = 'DE02100100100006829999';

describe('statements of reconcile', () => {
  let desk: LedgerDesk;
  let day: string;

  beforeEach(async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
    day = ((await desk.reconcile('--json')).json() as {to: string}).to;
  });
  afterEach(() => desk.desk.close());

  const statement = (iban: string, amount = '100.50', opening = 10_000_000) => {
    const at = {day, currency: 'USD'};
    const closing = `${opening - Number(amount)}`;
    return camtStatement({
      iban,
      entries: [camtEntry(amount, at)],
      opening: camtBalance('OPBD', String(opening), day, 'CRDT', 'USD'),
      closing: camtBalance('CLBD', closing, day, 'CRDT', 'USD'),
    });
  };
  const file = (name: string, ...statements: string[]) =>
    writeFileSync(join(desk.desk.folder, name), camtDocument(...statements));

  it('are refused in a second format for the same days, until the printed command forgets the first', async () => {
    file('month.xml', statement(OWN, '100.50'));
    await desk.reconcile('--statement ./month.xml');
    writeFileSync(
      join(desk.desk.folder, 'month.csv'),
      `booking_date,amount,currency_code,description\n${day},-100.50,USD,x\n`,
    );
    const words = '--statement ./month.csv --format csv';
    const refused = await desk.reconcile(words);
    assert.equal(refused.exitCode, 5);
    assert.match(refused.stderr, /month\.csv is csv, and \S+ was already read as camt053, from month\.xml/);
    const next = /remit (reconcile forget \d+ --note TEXT)/.exec(refused.stderr)?.[1] ?? '';
    assert.equal((await desk.desk.remit(next)).exitCode, 0);
    assert.notEqual((await desk.reconcile(words)).exitCode, 5);
  });

  it('are listed, and a wrong one is forgotten with the command that is printed', async () => {
    file('wrong.xml', statement(OWN, '7.00'));
    const wrong = await desk.reconcile('--statement ./wrong.xml');
    assert.match(
      wrong.stdout,
      /: not conclusive(?:.|\n)*: the statement does not have 1 line of the service: .*\n(?: {2}\S.*\n)* {4}remit reconcile statements$/m,
    );
    assert.match((await desk.reconcile()).stdout, /: not conclusive/); // it is still there
    const [listed, ...more] = (await desk.desk.remit('reconcile statements --json')).json() as Record<
      string,
      unknown
    >[];
    assert.deepEqual(
      [listed?.['file'], listed?.['number'], listed?.['lines'], more],
      ['wrong.xml', '…0101', 1, []],
    );
    const {stdout, stderr} = await desk.desk.remit('reconcile statements');
    assert.match(stdout, /wrong\.xml\tcamt053\t…0101/);
    const next = /remit (reconcile forget \d+ --note TEXT)/.exec(stderr)?.[1] ?? '';
    const forgotten = await desk.desk.remit(next);
    assert.equal(forgotten.exitCode, 0, forgotten.stderr);
    assert.match(
      forgotten.stdout,
      /^Forgotten by \S+: statement \d+, wrong\.xml, \S+ to \S+\n {2}Note: TEXT$/m,
    );
    assert.equal((await desk.reconcile()).exitCode, 0);
    assert.match((await desk.desk.remit('reconcile statements')).stdout, /\tTEXT$/m);
    assert.equal((await desk.desk.remit(next)).exitCode, 4);
  });

  it('with a wrong balance are not conclusive: they are compared with each other and with the service', async () => {
    file('bad.xml', statement(OWN, '100.50', 10_000_500));
    const bad = await desk.reconcile('--statement ./bad.xml');
    assert.equal(bad.exitCode, 8);
    assert.match(
      bad.stdout,
      /^ {2}Account \S+: the closing balance of \S+ as statement \d+ \(bad\.xml\) has it and as it follows from the balance that the service reports differ by 500\.00 USD$/m,
    );
    file('good.xml', statement(OWN));
    const both = await desk.reconcile('--statement ./good.xml');
    assert.match(
      both.stdout,
      /^ {2}Account \S+: statement 2 \(bad\.xml\) and statement \d+ \(good\.xml\), about the opening balance of \S+, differ by -500\.00 USD$/m,
    );
    assert.equal((await desk.desk.remit('reconcile forget 2 --note wrong')).exitCode, 0);
    const good = await desk.reconcile();
    assert.equal(good.exitCode, 0, good.stdout);
    assert.match(good.stdout, new RegExp(`^ {2}opening .* as the bank states it for ${day}$`, 'm')); // of 90 days
    assert.match((await desk.reconcile(`--from ${day}`)).stdout, /opening .* as the bank states it$/m);
  });

  it('move no sum with a line that the service does not have', async () => {
    const rows = [`${day},-100.50,USD,x`, `${day},5000.00,USD,forged`].join('\n');
    writeFileSync(
      join(desk.desk.folder, 'x.csv'),
      `booking_date,amount,currency_code,description\n${rows}\n`,
    );
    const ran = await desk.reconcile('--statement ./x.csv --out out --ledger x.journal');
    assert.match(ran.stdout, /^Lines of the statement that the service does not have \(1\)$/m);
    assert.match(ran.stdout, /^ {2}opening +10,000,000\.00 /m);
    assert.doesNotMatch(ran.stdout, /^ {2}unexplained/m);
    const at = (name: string) => readFileSync(join(desk.desk.folder, name), 'utf8');
    assert.match(at('out/lines.csv'), /,statement_only,posted,false,500000,/);
    assert.doesNotMatch(at('x.journal'), /5000\.00/);
  });

  it('of another account of the service are refused, and change nothing', async () => {
    file('own.xml', statement(OWN));
    await desk.reconcile('--statement ./own.xml');
    const accounts = (await desk.desk.remit('treasury accounts list --json')).json() as {id: string}[];
    const other = accounts.find(({id}) => id !== desk.account)?.id ?? '';
    for (const flags of ['', ' --account-number 0101']) {
      const ran = await desk.desk.remit(`reconcile --account ${other} --statement ./own.xml${flags}`);
      assert.equal(ran.exitCode, 5, ran.stdout);
      assert.match(
        ran.stderr,
        new RegExp(`own\\.xml is of the account …0101, which is account ${desk.account} `),
      );
    }
    assert.equal(((await desk.desk.remit('reconcile statements --json')).json() as unknown[]).length, 1);
  });

  it('without a day of the period are refused, with the command that reads them', async () => {
    file('own.xml', statement(OWN));
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    const ran = await desk.reconcile(`--from ${before} --to ${before} --statement ./own.xml`);
    assert.equal(ran.exitCode, 5, ran.stdout);
    assert.match(ran.stderr, /own\.xml is of \S+ to \S+, and has no day of the period, /);
    assert.deepEqual((await desk.desk.remit('reconcile statements --json')).json(), []);
    const none = await desk.desk.remit('reconcile statements');
    assert.match(none.stderr, /no statement was read yet: remit reconcile --account ID --statement FILE$/m);
    const here = await desk.reconcile('--html ./own.xml');
    assert.match(here.stderr, /name another place: --html FILE$/m);
    const next = /remit (reconcile --account .*)/.exec(ran.stderr)?.[1] ?? '';
    assert.equal((await desk.desk.remit(next)).exitCode, 0, next);
    writeFileSync(join(desk.desk.folder, 'empty.csv'), 'booking_date,amount,currency_code,description\n');
    const empty = await desk.reconcile('--statement ./empty.csv');
    assert.match(empty.stderr, /empty\.csv has no line and no balance/);
  });

  it('say nothing about a period of other days', async () => {
    file('wrong.xml', statement(OWN, '7.00'));
    await desk.reconcile('--statement ./wrong.xml');
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    assert.equal((await desk.reconcile(`--to ${before}`)).exitCode, 0);
    assert.equal((await desk.reconcile()).exitCode, 8);
  });

  it('of another account are refused, unless --account-number says that it is the same', async () => {
    file('own.xml', statement(OWN));
    assert.equal((await desk.reconcile('--statement ./own.xml')).exitCode, 0);
    file('other.xml', statement(OTHER));
    const refused = await desk.reconcile('--statement ./other.xml');
    assert.equal(refused.exitCode, 5);
    assert.match(
      refused.stderr,
      /other\.xml is of the account …9999, and the statements of account \S+ so far are of …0101/,
    );
    assert.match(refused.stderr, /own\.xml was the wrong one: remit reconcile forget \d+ --note TEXT; /);
    // A file with several accounts: the known one is taken.
    file('both.xml', statement(OTHER, '5.00'), statement(OWN));
    assert.equal((await desk.reconcile('--statement ./both.xml')).exitCode, 0);
    for (const flags of [' --account-number 9999', '']) {
      const read = await desk.reconcile(`--statement ./other.xml${flags}`);
      assert.match(read.stdout, /gone or altered/, flags + read.stderr); // the lines of own.xml, which another statement has not
    }
    const ambiguous = await desk.reconcile('--statement ./both.xml');
    assert.equal(ambiguous.exitCode, 5);
    assert.match(ambiguous.stderr, /has statements of 2 accounts: …9999, …0101/);
    assert.match(ambiguous.stderr, /four characters or more: --account-number 9999$/m);
  });
});
