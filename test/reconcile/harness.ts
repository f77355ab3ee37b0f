import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {bankingDay} from '../../src/sandbox/time/banking-days.ts';
import {Book} from '../../src/reconcile/book/book.ts';
import type {BankLine, StatedBalances} from '../../src/reconcile/model/line.ts';
import type {MatchOptions} from '../../src/reconcile/model/options.ts';
import type {ExpectedPayment} from '../../src/reconcile/model/payment.ts';
import type {ReconcileTotals} from '../../src/reconcile/model/totals.ts';

export const SCOPE = {mode: 'test', baseUrl: 'https://api.example.test'} as const;

/** Wide enough for any line of a test that is not about windows. */
export const OPTIONS: MatchOptions = {
  today: '2026-03-31',
  bankingDay,
  windows: {wire: [0, 1], standard_ach: [0, 3], same_day_ach: [0, 2], instant_bank: [0, 1]},
  otherWindow: [0, 5],
  fees: [],
};

export const ACCOUNT = 'a0000000-0000-4000-8000-000000000001';
/** An id of a record that no other number gives. */
export const recordId = (n: number): string =>
  `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

export const line = (key: string, fields: Partial<BankLine> & {text?: string} = {}): BankLine => {
  const {text, ...rest} = fields;
  return {
    ...{key, source: 'service', account: ACCOUNT, id: key, amount: -1000n, currency: 'USD'},
    ...{bookingDay: '2026-03-03', valueDay: undefined, state: 'posted', returnCode: undefined},
    texts: text === undefined ? [] : [{path: 'description', text}],
    ...rest,
  };
};

export const payment = (n: number, fields: Partial<ExpectedPayment> = {}): ExpectedPayment => ({
  ...{key: recordId(n), recordId: recordId(n), kind: 'payout', account: ACCOUNT, amount: -1000n},
  ...{currency: 'USD', rail: 'standard_ach', status: 'settled', day: '2026-03-02', traces: []},
  ...{row: undefined, groups: []},
  ...fields,
});

/** Keeps the texts of a statement as they are. */
export const UNMASKED = (_field: string, text: string): string => text;

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'remit-reconcile-'));

export async function withBook<T>(
  work: (book: Book, folder: string) => T | Promise<T>,
  folder = newFolder(),
): Promise<T> {
  const book = await Book.open(folder, SCOPE, {write: true});
  try {
    return await work(book, folder);
  } finally {
    await book.close();
  }
}

export const READ = {source: 'service', account: ACCOUNT, from: '2020-01-01', to: '2030-12-31'} as const;

/** Adds lines, by source and account, as reads of a long period. */
export function addAll(book: Book, lines: readonly BankLine[]): void {
  const reads = new Map<string, BankLine[]>();
  for (const each of lines) {
    const name = JSON.stringify([each.source, each.account]);
    reads.set(name, [...(reads.get(name) ?? []), each]);
  }
  for (const [name, its] of reads) {
    const [source, account] = JSON.parse(name) as [BankLine['source'], string];
    book.addLines(its, {...READ, source, account});
  }
}

/** What a match found, by key. */
export interface Found {
  totals: ReconcileTotals;
  payments: Record<string, string>;
  lines: Record<string, string>;
  matches: string[];
}

/** Everything that a book shows, in a form that can be compared. */
export function readFound(book: Book, totals: ReconcileTotals): Found {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  const payments: Record<string, string> = {};
  for (const {
    payment: {key},
    ...found
  } of book.payments())
    payments[key] = text(found);
  const lines: Record<string, string> = {};
  for (const {
    line: {key},
    ...found
  } of book.lines())
    lines[key] = text(found);
  return {totals, payments, lines, matches: [...book.matches()].map(text)};
}

export async function reconcile(
  payments: readonly ExpectedPayment[],
  lines: readonly BankLine[],
  options: Partial<MatchOptions> & {balances?: readonly StatedBalances[]} = {},
): Promise<{
  totals: ReconcileTotals;
  payments: Record<string, string>;
  lines: Record<string, string>;
  book: Found;
}> {
  return withBook((book) => {
    book.addPayments(payments);
    addAll(book, lines);
    for (const each of options.balances ?? []) book.addBalances(each);
    const totals = book.match({...OPTIONS, ...options});
    return {
      totals,
      payments: Object.fromEntries([...book.payments()].map(({payment: {key}, state}) => [key, state])),
      lines: Object.fromEntries([...book.lines()].map(({line: {key}, state}) => [key, state])),
      book: readFound(book, totals),
    };
  });
}
