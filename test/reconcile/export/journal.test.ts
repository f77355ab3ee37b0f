import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {Book} from '../../../src/reconcile/book/book.ts';
import {type LedgerBalance, ledgerEntries, type LedgerEntry} from '../../../src/reconcile/export/entries.ts';
import {type LedgerFormat, ledgerText} from '../../../src/reconcile/export/journal.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {bankingDay} from '../../../src/sandbox/time/banking-days.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';

const BIG = 9_007_199_254_740_993n;
const ACCOUNT = '0192a000-0000-7000-8000-0000000000aa';
const id = (n: number) => `0192a000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const payment = (n: number, amount: bigint, more: Partial<ExpectedPayment> = {}): ExpectedPayment => ({
  ...{
    key: id(n),
    recordId: id(n),
    kind: amount < 0n ? 'payout' : 'payin',
    account: undefined,
    amount,
    currency: 'USD',
  },
  ...{rail: 'wire', status: 'settled', day: '2026-11-02', traces: [], row: undefined, groups: []},
  ...more,
});
const line = (n: number, amount: bigint, text: string, bookingDay = '2026-11-03'): BankLine => ({
  ...{
    key: `service:${ACCOUNT}:l${n}`,
    source: 'service',
    account: ACCOUNT,
    id: `l${n}`,
    amount,
    currency: 'USD',
  },
  ...{bookingDay, valueDay: undefined, state: 'posted', returnCode: undefined},
  texts: [{path: 'description', text}],
});

const PAYMENTS = [
  payment(1, -100n, {row: {batch: 'nov', reference: 'INV-1', namespace: 'default'}}),
  payment(2, BIG),
  payment(3, -300n), // no line yet
  payment(4, -400n, {status: 'created'}),
  payment(5, -100n, {
    row: {batch: 'dec', reference: 'INV-1-again1', namespace: 'default'},
    day: '2026-11-06',
  }),
];
const LINES = [
  line(1, -100n, `payout ${id(1)}`),
  line(2, BIG, `payin ${id(2)}; "quoted" | ; comment\n* x`),
  line(3, 100n, `Return of payout ${id(1)}, R03`, '2026-11-05'),
  line(4, 7n, 'Interest'),
  line(5, -100n, `payout ${id(5)}`, '2026-11-07'),
];
const SUM = LINES.reduce((sum, {amount}) => sum + amount, 0n);

describe('a journal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-ledger-'));
  let book: Book;
  before(async () => {
    book = await Book.open(folder, {baseUrl: 'http://127.0.0.1:1', mode: 'test'}, {write: true});
    book.addLines(LINES, {source: 'service', account: ACCOUNT, from: '2026-11-01', to: '2026-11-30'});
    book.addPayments(PAYMENTS);
    const totals = book.match({
      ...{today: '2026-11-30', bankingDay, windows: {}, otherWindow: [0, 4], fees: []},
    });
    assert.equal(totals.perCurrency[0]?.matched.count, 3);
  });
  after(async () => {
    await book.close();
    rmSync(folder, {recursive: true});
  });

  const scope = {
    accounts: [ACCOUNT],
    from: '2026-11-01',
    to: '2026-11-30',
    repaid: new Set([id(5)]),
  };
  const entries = (): LedgerEntry[] => [...ledgerEntries(book, scope)];
  const balanceOf = (name: string) =>
    entries()
      .flatMap(({postings}) => postings)
      .filter(({account}) => account.name === name)
      .reduce((sum, {minor}) => sum + minor, 0n);

  it('has entries that add up to zero, exactly at any size', () => {
    for (const {postings, text} of entries())
      assert.equal(
        postings.reduce((sum, {minor}) => sum + minor, 0n),
        0n,
        text,
      );
    assert.equal(balanceOf('bank'), SUM);
    assert.equal(balanceOf('payins'), -BIG);
  });

  it('has no line that the bank lists no more', async () => {
    const other = mkdtempSync(join(tmpdir(), 'remit-ledger-'));
    const gone = await Book.open(other, {baseUrl: 'http://127.0.0.1:1', mode: 'test'}, {write: true});
    const read = {source: 'service', account: ACCOUNT, from: '2026-11-01', to: '2026-11-30'} as const;
    gone.addLines([...LINES, line(9, -900n, 'withdrawn')], read);
    gone.addLines(LINES, read);
    gone.addPayments(PAYMENTS);
    gone.match({today: '2026-11-30', bankingDay, windows: {}, otherWindow: [0, 4], fees: []});
    assert.deepEqual([...ledgerEntries(gone, scope)], entries());
    await gone.close();
    rmSync(other, {recursive: true});
  });

  it('has a payment in transit from its acceptance until the bank books it, and again after a return', () => {
    // Only payment 3 is open: 1 came back and was paid again by 5, and 4 was never approved.
    assert.equal(balanceOf('transit'), -300n);
    assert.equal(balanceOf('payouts'), 400n);
    assert.equal(balanceOf('unexplained'), -7n);
    const withoutRepay = [...ledgerEntries(book, {...scope, repaid: new Set<string>()})];
    assert.equal(withoutRepay.length, entries().length + 1);
  });

  it('has only what is in its period', () => {
    const some = [...ledgerEntries(book, {...scope, from: '2026-11-04', to: '2026-11-05'})];
    assert.deepEqual(
      some.map(({day}) => day),
      ['2026-11-04', '2026-11-05'],
    );
  });

  const written = (format: LedgerFormat, closing: bigint): string => {
    const balances: LedgerBalance[] = [{account: ACCOUNT, currency: 'USD', opening: 500n, closing}];
    const accounts = [{id: ACCOUNT, label: 'Main; account "1"'}];
    const ledger = {period: scope, accounts, balances, entries: entries(), sanitizer: new Sanitizer()};
    return [...ledgerText(ledger, format)].join('');
  };

  it('asserts the closing balance, and quotes what a bank writes', () => {
    assert.match(
      written('hledger', 500n + SUM),
      /\n2026-11-30 closing balance\n {4}assets:bank:main-account-1 {2}0 USD = 90071992547414\.00 USD\n$/,
    );
    assert.match(
      written('beancount', 500n + SUM),
      /\n2026-12-01 balance Assets:Bank:Main-account-1 {2}90071992547414\.00 ~ 0 USD\n$/,
    );
    assert.match(written('beancount', 0n), /^2026-11-03 \* "payin \S+; \\"quoted\\" \| ; comment \* x"$/m);
    assert.match(written('hledger', 0n), /^2026-11-03 payin \S+ "quoted" comment \* x {2}; line: l2$/m);
  });

  for (const [format, command, flags] of [
    ['hledger', 'hledger', ['check', '-f']],
    ['beancount', 'bean-check', []],
  ] as const) {
    if (spawnSync(command, ['--version']).error !== undefined) {
      it(`skipped: ${command} is not installed`, () => undefined);
      continue;
    }
    it(`is accepted by ${command}, and refused with another balance`, () => {
      const path = join(folder, `x.${format === 'hledger' ? 'journal' : 'beancount'}`);
      const check = (closing: bigint) => {
        writeFileSync(path, written(format, closing));
        return spawnSync(command, [...flags, path], {encoding: 'utf8'});
      };
      const good = check(500n + SUM);
      assert.equal(good.status, 0, good.stderr + good.stdout);
      assert.notEqual(check(501n + SUM).status, 0);
    });
  }
});
