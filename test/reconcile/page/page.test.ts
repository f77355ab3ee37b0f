import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {repayReference} from '../../../src/batch/report/returned.ts';
import type {Book} from '../../../src/reconcile/book/book.ts';
import type {AskedPeriod} from '../../../src/reconcile/model/asked.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {RECONCILE_MARK, reconcilePage, type PageAbout} from '../../../src/reconcile/page/page.ts';
import {FINDINGS, readReconcileReport, type Reporting} from '../../../src/reconcile/report/report.ts';
import {STATE_WORDS} from '../../../src/reconcile/report/words.ts';
import {keysOf} from '../../../src/narrow.ts';
import {elements, type Node, parsePage, textOf} from '../../html/parse-page.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, recordId, withBook} from '../harness.ts';

const ABOUT: PageAbout = {
  ...{mode: 'test', service: 'https://api.example.test', nowMs: Date.parse('2026-04-20T15:00:30Z')},
  commands: {read: (...words: string[]) => ['remit', ...words].join(' ')} as PageAbout['commands'],
};
const REPORTING: Reporting = {
  accounts: [{id: ACCOUNT, label: 'Operating'}],
  ...{from: '2026-03-01', to: '2026-03-31', today: '2026-04-01', batches: [], why: [], repayReference},
  planned: {inDoubt: new Set(), unconfirmed: new Set(), formers: new Map<string, unknown>(), read: new Set()},
};
const row = (n: number) => ({batch: 'march', reference: `INV-${n}`, namespace: 'default'});

/** A payment or a line in every state. */
const PAYMENTS: ExpectedPayment[] = [
  ...[1, 2, 3, 5].map((n) => payment(n, {row: row(n), amount: -BigInt(1007 * n)})),
  payment(4, {row: {...row(4), batch: 'april'}, amount: -4028n}), // of a batch that nobody confirmed
  payment(6, {row: row(6), amount: -77_700n, status: 'debited'}), // overdue
  payment(7, {kind: 'payin', amount: 12_345_678_901n}), // settled without a line
  payment(8, {row: row(8), amount: -777n, currency: 'EUR'}),
  payment(9, {row: row(9), amount: -778n, status: 'failed'}),
  ...[10, 11].map((n) => payment(n, {row: row(n), amount: -500n})), // one line for both
  payment(12, {row: row(12), amount: -4321n, rail: 'wire'}), // less a fee
  payment(13, {row: row(13), amount: -1300n}), // booked twice
  payment(14, {row: row(14), amount: -1400n}), // with another amount
  payment(15, {row: row(15), amount: -1500n}), // pending
  payment(16, {row: row(16), amount: -1600n, rail: 'slow', status: 'debited'}), // not due
  payment(17, {row: row(17), amount: -1700n}), // confirmed
  payment(18, {row: row(18), amount: -1800n, status: 'canceled'}), // not sent
  payment(19, {row: row(19), amount: -1900n, day: '2026-03-31'}), // booked in April
  payment(20, {row: row(20), amount: -2000n, day: '2026-02-26'}), // sent in February
];
const own = (n: number, fields: Partial<BankLine> & {text?: string} = {}): BankLine =>
  line(`l${n}`, {
    amount: PAYMENTS.find(({key}) => key === recordId(n))!.amount,
    text: `PAYOUT ${recordId(n)}`,
    ...fields,
  });
const GONE = line('gone', {amount: -888n, bookingDay: '2026-03-09'});
const LINES: BankLine[] = [
  ...[own(1), own(2), own(4), own(5), own(9), own(13), own(13, {key: 'again', bookingDay: '2026-03-04'})],
  own(3, {text: `<b>Smith & "Sons"</b> ${recordId(3)} 4242424242424242`}),
  own(1, {key: 'back1', amount: 1007n, bookingDay: '2026-03-10', returnCode: 'R03'}),
  own(2, {key: 'back2', amount: 2014n, bookingDay: '2026-03-10'}),
  own(14, {amount: -1450n}),
  own(8, {currency: 'EUR'}),
  ...[own(19, {bookingDay: '2026-04-02'}), own(20, {bookingDay: '2026-03-02'})],
  own(15, {state: 'pending'}),
  ...[line('check', {amount: -500n}), line('wire', {amount: -4346n}), line('seventeen', {amount: -1700n})],
  ...[
    line('fee', {amount: -1599n}),
    line('deposit', {amount: 250_000n}),
    line('own', {amount: 1000n, text: 'Inbound'}),
  ],
];
const SUM = LINES.filter(
  ({currency, state, bookingDay}) => currency === 'USD' && state === 'posted' && bookingDay <= REPORTING.to,
).reduce((sum, {amount}) => sum + amount, 0n);

async function everything(book: Book, {balanced = true} = {}): Promise<string> {
  book.addPayments(PAYMENTS);
  addAll(book, [...LINES, GONE]);
  addAll(book, LINES);
  addAll(book, [line('stated', {source: 'statement', amount: -4444n})]);
  const about = {account: ACCOUNT, currency: 'USD', from: '2026-03-01', to: '2026-03-31'};
  book.addBalances({...about, opening: 10n ** 18n, closing: 10n ** 18n + SUM + (balanced ? 0n : 1n)});
  const options = {
    ...OPTIONS,
    ...{
      today: '2026-04-20',
      windows: {...OPTIONS.windows, slow: [0, 60] as const},
      fees: [{rail: 'wire', fee: {currency: 'USD', amount: 25n}}],
    },
    isInternal: ({texts}: Pick<BankLine, 'texts'>) => texts.some(({text}) => text === 'Inbound'),
  };
  book.match(options);
  const by = {by: 'Maria <M>', at: '2026-04-20T14:03:59.000Z'};
  book.decide({verb: 'confirm', line: 'seventeen', payments: [recordId(17)], note: 'checked', ...by});
  book.decide({verb: 'ignore', line: 'fee', payments: [], note: 'a fee & no more', ...by});
  const planned = {
    inDoubt: new Set(['payout march/INV-5']),
    unconfirmed: new Set(['payout april']),
    formers: new Map<string, unknown>(),
    read: new Set(['march', 'april']),
  };
  return page(book, options, {reporting: {...REPORTING, planned}});
}

const ASKED: AskedPeriod = {accounts: [ACCOUNT], from: REPORTING.from, to: REPORTING.to};

const page = (
  book: Book,
  options = OPTIONS,
  {about = ABOUT, reporting = REPORTING, asked = ASKED} = {},
): string => reconcilePage(book, readReconcileReport(book, book.match(options, asked), reporting), about);

const all = (node: Node, tag: string): Node[] => [...elements(node)].filter((each) => each.tag === tag);
const cellsOf = (of: Node): string[] =>
  of.children.flatMap((child) => (typeof child === 'string' ? [] : [textOf(child).trim()]));

/** The rows of each table, by the heading of its section and its label. */
function tablesOf(text: string): Map<string, string[][]> {
  return new Map(
    all(parsePage(text), 'div')
      .filter(({attributes}) => attributes['role'] === 'region')
      .map((region) => [
        region.attributes['aria-label'] ?? '',
        all(region, 'tbody').flatMap((body) => all(body, 'tr').map(cellsOf)),
      ]),
  );
}
const headingsOf = (text: string, tag = 'h2'): string[] => all(parsePage(text), tag).map(textOf);
const minor = (text = '') => BigInt(text.replaceAll(/[,.]/g, ''));

describe('the page of a reconcile', () => {
  it('has totals that add up, of lines and of payments, in each currency', () =>
    withBook(async (book) => {
      const tables = tablesOf(await everything(book));
      for (const currency of ['EUR', 'USD']) {
        const lines = new Map(
          (tables.get(`Bank lines: ${currency}`) ?? []).map((cells) => [cells[0], cells]),
        );
        const parts = ['Matched', 'Returned', 'Internal', 'Ignored', 'Unexplained'].map((name) =>
          minor(lines.get(name)?.[2]),
        );
        const sum = parts.reduce((total, part) => total + part, 0n);
        if (currency === 'USD')
          assert.equal(
            minor(lines.get('Opening balance')?.[2]) + sum,
            minor(lines.get('Closing balance')?.[2]),
          );
        else assert.equal(lines.has('Opening balance') || lines.has('Closing balance'), false);
        const payments = tables.get(`Payments: ${currency}`) ?? [];
        const at = payments.findIndex(([name]) => name === 'All payments');
        const [states, total = []] = [payments.slice(0, at), payments[at]];
        assert.equal(at, payments.length - (currency === 'USD' ? 2 : 1));
        for (const [column, of] of [
          [1, (text?: string) => BigInt(text ?? '')],
          [2, minor],
        ] as const)
          assert.equal(
            states.reduce((added, cells) => added + of(cells[column]), 0n),
            of(total[column]),
          );
        const planned = PAYMENTS.filter((each) => each.currency === currency);
        assert.deepEqual(
          [total[1], minor(total[2])],
          [String(planned.length), planned.reduce((added, {amount}) => added + amount, 0n)],
        );
      }
      assert.deepEqual(tables.get('Bank lines: USD'), [
        ['Opening balance', '', '10,000,000,000,000,000.00', 'as the bank states it'],
        ['Matched', '8', '-195.83', 'lines of payments'],
        ['Returned', '2', '30.21', 'money that came back'],
        ['Internal', '1', '10.00', 'between own accounts, or simulated'],
        ['Ignored', '1', '-15.99', 'as a person decided'],
        ['Unexplained', '6', '2,411.04', 'not matched with a payment'],
        ['Closing balance', '', '10,000,000,000,002,239.43', 'as the bank states it'],
      ]);
      assert.deepEqual((tables.get('Payments: USD') ?? []).slice(-2), [
        ['All payments', '19', '123,455,667.97', 'the sum of the states'],
        ['Carried over', '1', '-20.00', 'part of all payments, sent before 2026-03-01'],
      ]);
      // One payment in every state.
      assert.deepEqual(
        new Set((tables.get('Payments: USD') ?? []).map(([name]) => name)),
        new Set([
          ...keysOf(STATE_WORDS).map(
            (state) => state[0]!.toUpperCase() + state.slice(1).replaceAll('_', ' '),
          ),
          ...['All payments', 'Carried over'],
        ]),
      );
    }));

  it('counts and lists what is open, what is matched, the findings and the decisions', () =>
    withBook(async (book) => {
      const text = await everything(book);
      assert.match(text.slice(0, 400), /^<!doctype html>\n/i);
      assert.ok(text.includes(RECONCILE_MARK));
      assert.deepEqual(headingsOf(text), [
        ...['Totals: EUR', 'Totals: USD', 'To look at', 'Open (5)', 'Matched (9)', 'Decisions (2)'],
        'About this reconciliation',
      ]);
      assert.equal(headingsOf(text, 'h3').length, FINDINGS.length - 2); // no debt is paid twice, and no return is pending
      assert.doesNotMatch(text, /<dt>Payments in no batch/); // they are findings
      const found = all(parsePage(text), 'li').map(textOf);
      assert.ok(
        found.includes(
          'INV-12 of payout batch march: 43.21 USD, bank line 43.46 USD on 2026-03-03, with a fee of 0.25 USD',
        ),
      );
      assert.match(text, /<title>booked later: 1 payment<\/title>.*\n?.*<title>not due: 1 payment</);
      const tables = tablesOf(text);
      // By age, then by key.
      assert.deepEqual(tables.get('Open payments'), [
        ['INV-15 of payout batch march', '2026-03-02', '-15.00 USD', 'tentative', '32'],
        [`payin ${recordId(7)}`, '2026-03-02', '123,456,789.01 USD', 'contradicted', '32'],
        ['INV-6 of payout batch march', '2026-03-02', '-777.00 USD', 'overdue', '32'],
        ['INV-19 of payout batch march', '2026-03-31', '-19.00 USD', 'booked later', '–'],
        ['INV-16 of payout batch march', '2026-03-02', '-16.00 USD', 'expected', '0'],
      ]);
      const matched = tables.get('Matched payments') ?? [];
      assert.deepEqual(
        matched.find(([name]) => name?.startsWith('INV-1 ')),
        [
          ...['INV-1 of payout batch march', '-10.07 USD'],
          'its id in the text of the line, and the same amount and returned, R03',
          `PAYOUT ${recordId(1)} (description)`,
        ],
      );
      assert.match(matched.find(([name]) => name?.startsWith('INV-2 '))![2]!, /and returned$/);
      assert.equal(
        matched.find(([name]) => name?.startsWith('INV-3 '))![3],
        `<b>Smith & "Sons"</b> ${recordId(3)} …4242 (description)`,
      );
      assert.deepEqual(matched.find(([name]) => name?.startsWith('INV-17 '))!.slice(2), [
        'confirmed by a person',
        '',
      ]);
      assert.deepEqual(tables.get('Decisions'), [
        ['2026-04-20 14:03', 'Maria <M>', 'confirm', 'seventeen', recordId(17), 'checked'],
        ['2026-04-20 14:03', 'Maria <M>', 'ignore', 'fee', '', 'a fee & no more'],
      ]);
    }));

  it('says what it rests on: balances that are stated, calculated, unknown or wrong', () =>
    withBook(async (book) => {
      const balanced = await everything(book);
      assert.match(balanced, /Checked: opening and all lines add up to closing\./);
      assert.match(balanced, /The bank states no balances, so nothing shows that no line is missing\./);
      assert.match(balanced, /class="state bad">Not conclusive: do not rely on the sums/);
      assert.match(
        balanced,
        /<p>Account \S+: the service does not have 1 line of the statement: \S+ USD on 2026-03-03\.<\/p>/,
      );
      assert.doesNotMatch(balanced, /do not add up/);
      await withBook(async (other) => {
        const text = await everything(other, {balanced: false});
        assert.match(text, /class="state bad">Opening and all lines do not add up to closing\./);
        assert.doesNotMatch(text, /Checked: /);
      });
      await withBook((other) => {
        other.addPayments(PAYMENTS.slice(0, 1));
        addAll(other, [own(1)]);
        const text = page(other, OPTIONS, {
          about: {...ABOUT, mode: 'live'},
          asked: {...ASKED, reported: [{account: ACCOUNT, currency: 'USD', minor: 5000n}]},
        });
        const rows = tablesOf(text).get('Bank lines: USD') ?? [];
        assert.deepEqual(rows.at(0), ['Opening balance', '', '60.07', 'closing less these lines']);
        assert.deepEqual(rows.at(-1), ['Closing balance', '', '50.00', 'from the latest balance']);
        assert.match(text, /class="state good">Every payment and every bank line is explained\./);
        assert.match(text, /<div class="mode live">LIVE: real money<\/div>/);
        assert.match(text, /<h2 id="open">Open<\/h2><p>No payment waits for its bank line\.<\/p>/);
        assert.deepEqual(headingsOf(text), [
          'Totals: USD',
          'Open',
          'Matched (1)',
          'About this reconciliation',
        ]);
        assert.match(text, /The opening balance is calculated, so it does not show that no line is missing/);
        assert.doesNotMatch(text, /Checked: /);
      });
    }));

  it('names accounts, period and service, and what there is to look at', () =>
    withBook((book) => {
      book.addPayments([payment(1), payment(2, {account: undefined}), payment(3, {account: 'second'})]);
      const reporting = {
        ...REPORTING,
        accounts: [
          {id: ACCOUNT, label: undefined},
          {id: 'second', label: 'Payroll'},
        ],
      };
      const asked = {...ASKED, accounts: [ACCOUNT, 'second']};
      const text = page(book, {...OPTIONS, today: '2026-05-01'}, {about: ABOUT, reporting, asked});
      assert.deepEqual(headingsOf(text, 'h1'), [`Reconciliation of ${ACCOUNT} and Payroll`]);
      assert.match(text, /2026-03-01 to 2026-03-31 · made 2026-04-20 15:00:30 UTC/);
      assert.match(text, /class="state open">3 findings to look at\./);
      assert.match(text, /<div class="mode test">TEST: no real money was moved<\/div>/);
      assert.deepEqual(headingsOf(text), [
        'Totals: Booked in no account yet, USD',
        `Totals: ${ACCOUNT}, USD`,
        'Totals: Payroll, USD',
        ...['To look at', 'Open (3)', 'About this reconciliation'],
      ]);
      assert.deepEqual(
        [...tablesOf(text).keys()],
        [
          'Payments: Booked in no account yet, USD',
          ...[`Bank lines: ${ACCOUNT}, USD`, `Payments: ${ACCOUNT}, USD`],
          ...['Bank lines: Payroll, USD', 'Payments: Payroll, USD', 'Open payments'],
        ],
      );
      const facts = all(parsePage(text), 'dd').map(textOf);
      assert.deepEqual(facts, [ACCOUNT, 'second', 'https://api.example.test', '3']);
      assert.deepEqual(all(parsePage(text), 'dt').map(textOf), [
        ...['Account', 'Payroll', 'Service', 'Payments in no batch'],
      ]);
    }));

  for (const count of [1000, 1001, 2500])
    it(`lists at most 1,000 of ${count} payments in each table, the oldest that are open`, () =>
      withBook((book) => {
        const days = ['2026-03-02', '2026-03-20', '2026-03-30'];
        const open = Array.from({length: count}, (_, n) =>
          payment(n, {amount: -BigInt(n + 1), day: days[n % 3]!}),
        );
        const paid = Array.from({length: count}, (_, n) =>
          payment(n + 10_000, {
            amount: -BigInt(n + 10_000),
            row: {batch: 'b', reference: `R${n}`, namespace: 'default'},
          }),
        );
        book.addPayments([...open, ...paid]);
        addAll(
          book,
          paid.map(({key, amount}) => line(key, {amount, text: key})),
        );
        const text = page(book, {...OPTIONS, today: '2026-04-20'});
        const tables = tablesOf(text);
        const [shownOpen, matched] = [
          tables.get('Open payments') ?? [],
          tables.get('Matched payments') ?? [],
        ];
        const listed = Math.min(count, 1000);
        assert.deepEqual([shownOpen.length, matched.length], [listed, listed]);
        const oldest = open
          .map(({day}) => day)
          .sort()
          .slice(0, listed);
        assert.deepEqual(
          shownOpen.map(([, day]) => day),
          oldest,
        );
        const grouped = count < 1000 ? String(count) : count.toLocaleString('en-US');
        assert.deepEqual(headingsOf(text).slice(1, 4), [
          'To look at',
          `Open (${grouped})`,
          `Matched (${grouped})`,
        ]);
        const more = [...text.matchAll(/The first 1,000 of (\S+) are listed; the CSV files/g)].map(
          ([, of]) => of,
        );
        assert.deepEqual(more, count > 1000 ? [grouped, grouped] : []);
        const findings = all(parsePage(text), 'li').length;
        assert.equal(findings, listed);
        assert.equal(
          /… and (\S+) more\./.exec(text)?.[1],
          count > 1000 ? (count - 1000).toLocaleString('en-US') : undefined,
        );
        // The chart counts all of them.
        const counted = [...text.matchAll(/<title>[^:<]+: ([\d,]+) payments?</g)].map(([, of]) =>
          Number(minor(of)),
        );
        assert.equal(
          counted.reduce((sum, each) => sum + each, 0),
          2 * count,
        );
      }));
});
