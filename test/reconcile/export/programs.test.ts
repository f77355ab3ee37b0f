import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {exponentOf} from '../../../src/money/currencies.ts';
import {Book} from '../../../src/reconcile/book/book.ts';
import {ledgerEntries} from '../../../src/reconcile/export/entries.ts';
import {type LedgerFormat, ledgerText} from '../../../src/reconcile/export/journal.ts';
import {lineRows, paymentRows} from '../../../src/reconcile/export/rows.ts';
import {dayFrom} from '../../../src/reconcile/model/day.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {askedIn, type ReconcileReport, readReconcileReport} from '../../../src/reconcile/report/report.ts';
import {majorText} from '../../../src/reconcile/report/words.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';
import {addAll, line, newFolder, OPTIONS, payment, recordId, SCOPE} from '../harness.ts';
import {worldOf} from '../worlds.ts';

/** With two, no and three decimals. */
const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD'];
const CURRENCY = /^W(\d+)$/;
const currencyOf = (of: string): string => CURRENCIES[Number(CURRENCY.exec(of)?.[1]) % 4] ?? of;
/** Every dialect of a bank, and one that is net of fees in two currencies. */
const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20];

/** What a person or a bank may write. A journal must show each on one line, as a text and not as a part of its syntax. */
const ODD = [
  '(unclosed',
  '* (code ! x',
  '!',
  'a; b | c',
  '= 2026-01-01',
  '"quoted" \\ "back\\slash"',
  'Käse & Söhne\u2028größer\ttab\r\n2026-03-03 * "second line"',
  'INV[13-41]',
  'INV-[2026-03-31]',
  'date: 2026-99-99, date2: x',
  '  @ 5 USD = 7 USD {1 EUR}',
  '#tag ^link %',
  '\u202e\u001b[31m',
  '',
] as const;
const LABELS = ['Main; "1" | (x)', 'Main 1 x', 'MAIN-1 X', '\u202e', 'Käse: & Söhne', undefined, 'a:b  c'];

const minorOf = (major: string, currency: string): bigint => {
  const [whole = '', decimals = ''] = major.split('.');
  assert.ok(decimals.length <= (exponentOf(currency) ?? 0), `${major} ${currency}`);
  return BigInt(whole + decimals.padEnd(exponentOf(currency) ?? 0, '0'));
};

/** Ids that were made at one time begin alike. */
const ACCOUNTS = SEEDS.map((seed) => `0192a000-0000-7000-8000-${String(seed).padStart(12, '0')}`);
const TODAY = {
  ...OPTIONS,
  today: '2026-06-30',
  fees: ['USD', 'EUR'].map((currency) => ({rail: undefined, fee: {currency, amount: 25n}})),
};

/** Payments and lines of worlds, in real currencies, with odd names, and in every status. */
function addWorlds(book: Book): void {
  const payments: ExpectedPayment[] = [];
  const lines: BankLine[] = [];
  for (const [at, world] of SEEDS.map(worldOf).entries()) {
    const odd = (n: number) => ODD[(at + n) % ODD.length] ?? '';
    const account = ACCOUNTS[at] ?? '';
    for (const [n, one] of world.payments.entries())
      payments.push({
        ...{...one, account, currency: currencyOf(one.currency)},
        row: {batch: `march ${odd(n)}`, reference: `${at}-${n} ${odd(n + 1)}`, namespace: 'default'},
        status: ['settled', 'settled', 'debited', 'failed', 'created'][n % 5],
      });
    for (const [n, one] of world.lines.entries())
      lines.push({
        ...{
          ...one,
          account,
          currency: currencyOf(one.currency),
          id: n % 4 === 0 ? `${one.key} ${odd(n)}` : one.id,
        },
        texts: [...one.texts, {path: 'note', text: odd(n)}],
      });
  }
  const [account = ''] = ACCOUNTS;
  const row = (reference: string) => ({row: {batch: 'april', namespace: 'default', reference}});
  payments.push(
    ...[payment(900, {key: 'out', kind: 'transfer', account, amount: -5000n})],
    // A row in doubt, whose key is its reference.
    payment(0, {
      ...{key: 'batch:april/INV[13-41]', recordId: undefined, status: undefined, account},
      ...{amount: -(2n ** 60n), traces: ['DOUBT-INV-1'], ...row('INV[13-41]')},
    }),
    ...[payment(901, {account, amount: -77_777n, ...row('DEBT')})],
    ...[payment(902, {account, amount: -77_777n, day: '2026-03-10', ...row('DEBT-again1')})],
  );
  lines.push(
    ...[line('out', {text: recordId(900), account, amount: -5000n})],
    line('doubt', {text: 'DOUBT-INV-1', account, amount: -(2n ** 60n), bookingDay: '2026-03-18'}),
    ...[line('debt', {text: recordId(901), account, amount: -77_777n})],
    line('debt back', {text: recordId(901), account, amount: 77_777n, bookingDay: '2026-03-06'}),
    line('debt again', {text: recordId(902), account, amount: -77_777n, bookingDay: '2026-03-11'}),
    line('other currency', {account, amount: -123n, currency: 'SEK'}),
  );
  book.addPayments(payments);
  addAll(book, lines);
}

/** Some lines with other amounts than their payments are confirmed, and some of the others are ignored. */
function decide(book: Book): void {
  const about = {note: 'checked', by: 'ana', at: '2026-06-30T00:00:00.000Z'};
  book.match(TODAY);
  const differing = [...book.matches()].filter(
    ({difference, lines}) => difference !== 0n && lines.length === 1,
  );
  for (const [n, {lines, payments, difference}] of differing.entries())
    if (n % 3 > 0) book.decide({line: lines[0] ?? '', verb: 'confirm', payments, ...about}, difference);
  for (const [n, {line: of}] of [...book.lines({state: 'unexplained'})].entries())
    if (n % 3 === 0) book.decide({line: of.key, verb: 'ignore', payments: [], ...about});
}

function reportOf(book: Book, from: string, to: string): ReconcileReport {
  const accounts = ACCOUNTS.map((id, at) => ({id, label: LABELS[at % LABELS.length]}));
  const asked = {accounts: ACCOUNTS, from, to};
  const currencies = new Map<string, [account: string, currency: string]>();
  for (const {line: of} of book.lines())
    currencies.set(`${of.account} ${of.currency}`, [of.account, of.currency]);
  const reported = [...currencies.values()].map(([account, currency]) => ({
    ...{account, currency, minor: 1_000_003n},
  }));
  const planned = {inDoubt: new Set(''), unconfirmed: new Set(''), formers: new Map(), read: new Set('')};
  return readReconcileReport(book, book.match(TODAY, {...asked, reported}), {
    ...{accounts, from, to, batches: [], why: [], planned},
    today: '2026-04-01',
    repayReference: (reference) => `${reference}-again1`,
  });
}

function journalOf(book: Book, report: ReconcileReport, format: LedgerFormat): string {
  const balances = report.tables.flatMap(({account = '', currency, opening, closing}) =>
    opening === undefined || closing === undefined ? [] : [{account, currency, opening, closing}],
  );
  assert.ok(balances.length > ACCOUNTS.length);
  const {accounts, from, to, repaid} = report;
  const entries = ledgerEntries(book, {...askedIn(report), repaid});
  const ledger = {period: {from, to}, accounts, balances, entries, sanitizer: new Sanitizer()};
  return [...ledgerText(ledger, format)].join('');
}

/** What each account has at the end, in minor units by name and currency, as the report and its lists of all time say. */
function balancesIn(book: Book, report: ReconcileReport, names: readonly string[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const add = (name: string, currency: string, minor: bigint) =>
    sums.set(`${name} ${currency}`, (sums.get(`${name} ${currency}`) ?? 0n) + minor);
  for (const {account = '', currency, closing = 0n, differences, ...table} of report.tables) {
    if (account !== '') add(names[ACCOUNTS.indexOf(account)] ?? account, currency, closing);
    add('expenses:bank-fees', currency, -differences.sum);
    add('equity:unexplained', currency, -table.unexplained.sum);
    add('equity:ignored', currency, -table.ignored.sum);
    add('assets:transit:transfers', currency, -table.internal.sum);
  }
  // Money in transit: what was sent, less what was booked, plus what came back; in a list from the beginning on.
  const until = {...askedIn(report), from: ''};
  const rows = [...paymentRows(book, until)];
  const amounts = new Map(rows.map((row) => [row['payment'], BigInt(String(row['amount_in_minor_units']))]));
  const booked = new Set<unknown>();
  for (const {state, counted, payments, currency_code: currency} of lineRows(book, until))
    if (counted === true && (state === 'matched' || state === 'returned'))
      for (const key of String(payments).split(' ')) {
        booked.add(key);
        const minor = amounts.get(key) ?? 0n;
        add('assets:transit', String(currency), state === 'matched' ? -minor : minor);
      }
  for (const {payment: key, kind, status, currency_code: currency} of rows) {
    const isSent = status !== null && status !== 'created' && status !== 'failed';
    if (kind === 'transfer' || !(isSent || booked.has(key)) || report.repaid.has(String(key))) continue;
    add('assets:transit', String(currency), amounts.get(key) ?? 0n);
  }
  return sums;
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;
const PERIODS = [
  ['2026-03-01', '2026-06-30'],
  ['2026-03-01', '2026-03-11'],
  ['2026-03-12', '2026-03-31'],
] as const;

describe('journals of worlds in several currencies', () => {
  const folder = newFolder();
  let book: Book;
  before(async () => {
    book = await Book.open(folder, SCOPE, {write: true});
    addWorlds(book);
    decide(book);
  });
  after(async () => {
    await book.close();
    rmSync(folder, {recursive: true});
  });

  /** Writes a journal, and returns the names of its bank accounts in the order of the accounts. */
  function write(name: string, text: string): {path: string; banks: string[]} {
    const path = join(folder, name);
    writeFileSync(path, text);
    const banks = [...text.matchAll(/^(?:1970-01-01 open|account) (assets:bank:.*)$/gim)].map(
      ([, bank = '']) => bank,
    );
    assert.equal(new Set(banks).size, ACCOUNTS.length);
    return {path, banks};
  }

  it('have returns, groups, fees, ignored lines and money in transit', () => {
    const report = reportOf(book, ...PERIODS[0]);
    const sums = balancesIn(book, report, ACCOUNTS);
    for (const name of ['expenses:bank-fees', 'equity:unexplained', 'equity:ignored', 'assets:transit'])
      assert.ok([...sums].filter(([key, sum]) => key.startsWith(`${name} `) && sum !== 0n).length > 1, name);
    assert.ok(report.repaid.size === 1 && report.counts.returned > 5);
    const rules = new Set([...book.matches()].map(({rule, state}) => `${rule} ${state}`));
    for (const each of [
      'id matched',
      'trace matched',
      'group matched',
      'return returned',
      'confirmed matched',
    ])
      assert.ok(rules.has(each), each);
  });

  if (!isInstalled('hledger')) it('skipped: hledger is not installed', () => undefined);
  else
    for (const [from, to] of PERIODS)
      it(`pass hledger check and have the balances of the report, ${from} to ${to}`, () => {
        const report = reportOf(book, from, to);
        const {path, banks} = write('x.journal', journalOf(book, report, 'hledger'));
        const hledger = (...args: string[]) => {
          const ran = spawnSync('hledger', ['-f', path, ...args], {encoding: 'utf8'});
          assert.equal(ran.status, 0, ran.stderr);
          return ran.stdout;
        };
        hledger('check');
        hledger('check', 'accounts');
        const days = hledger('register', '-O', 'csv').matchAll(/^"\d+","([^"]*)"/gm);
        for (const [, day = ''] of days) assert.ok(day >= from && day <= to, day);
        const shown = hledger('balance', '--flat', '-N', '--layout', 'bare', '-O', 'csv').split('\n');
        const found = shown.slice(1, -1).map((row) => {
          const [account = '', currency = '', sum = ''] = row.slice(1, -1).split('","');
          return [`${account} ${currency}`, minorOf(sum, currency)] as const;
        });
        const wanted = [...balancesIn(book, report, banks)];
        const compared = found.filter(
          ([name]) => !/^(?:expenses:payouts|income:payins|equity:opening) /.test(name),
        );
        assert.deepEqual(compared.sort(), wanted.filter(([, sum]) => sum !== 0n).sort());
      });

  if (!isInstalled('bean-check')) it('skipped: bean-check is not installed', () => undefined);
  else
    for (const [from, to] of PERIODS)
      it(`pass bean-check with the balances of the report, ${from} to ${to}`, () => {
        const report = reportOf(book, from, to);
        const text = journalOf(book, report, 'beancount');
        const {banks} = write('x.beancount', text);
        const wanted = balancesIn(book, report, banks);
        const asserted = (more: bigint) =>
          [...wanted].map(([name, sum]) => {
            const [account = '', currency = ''] = name.split(' ');
            // A balance has those of the accounts below it.
            const below = account === 'assets:transit' ? wanted.get(`${account}:transfers ${currency}`) : 0n;
            const minor = sum + (below ?? 0n) + more;
            const title = account.replace(/(?:^|:)[a-z]/g, (part) => part.toUpperCase());
            return `${dayFrom(to, 1)} balance ${title}  ${majorText(minor, currency)} ~ 0 ${currency}\n`;
          });
        const check = (more: bigint) => {
          const {path} = write('x.beancount', text + asserted(more).join(''));
          return spawnSync('bean-check', [path], {encoding: 'utf8'});
        };
        const good = check(0n);
        assert.equal(good.status, 0, good.stderr);
        const bad = check(1n);
        assert.equal(bad.stderr.match(/Balance failed/g)?.length, wanted.size);
      });
});
