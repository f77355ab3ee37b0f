import type {Book} from '../book/book.ts';
import type {FoundBankLine, FoundPayment} from '../book/findings.ts';
import type {AskedPeriod} from '../model/asked.ts';
import {dayFrom} from '../model/day.ts';
import type {BankLine} from '../model/line.ts';
import {type ExpectedPayment, isSent} from '../model/payment.ts';
import {lineName, paymentName} from '../report/words.ts';

/** An account of the journal; `bank` is one of the treasury accounts. */
export type LedgerAccount =
  | {name: 'bank'; id: string}
  | {
      name:
        | 'transit'
        | 'transfers'
        | 'payouts'
        | 'payins'
        | 'fees'
        | 'ignored'
        | 'unexplained'
        | 'internal'
        | 'opening';
    };

export interface LedgerPosting {
  account: LedgerAccount;
  minor: bigint;
  /** The payment that this posting is about. */
  payment: string | undefined;
}

/** One transaction of a journal. Its postings add up to zero. */
export interface LedgerEntry {
  day: string;
  text: string;
  currency: string;
  tags: Readonly<Record<string, string>>;
  postings: readonly LedgerPosting[];
}

/** The balances of one account over the period. */
export interface LedgerBalance {
  account: string;
  currency: string;
  opening: bigint;
  closing: bigint;
}

/** What is exported. */
export interface LedgerScope extends AskedPeriod {
  /** Keys of payments that pay a returned row again: their money is in transit since the return. */
  repaid: ReadonlySet<string>;
}

const TRANSIT = {name: 'transit'} as const;

/**
 * The entries of a period: a payment goes into transit when it is accepted, out of it when the bank books it, and back
 * when the bank returns it, from where a second payment takes it. What is in transit when the period begins comes from
 * the opening balances. Lines in any other state are ignored or unexplained.
 */
export function* ledgerEntries(book: Book, {repaid, ...within}: LedgerScope): Generator<LedgerEntry> {
  const before = {accounts: within.accounts, from: '', to: dayFrom(within.from, -1)};
  yield* inTransit(book, within.from, entriesOf(book, before, repaid));
  yield* entriesOf(book, within, repaid);
}

function* entriesOf(book: Book, within: AskedPeriod, repaid: ReadonlySet<string>): Generator<LedgerEntry> {
  const lines = new Map<string, LedgerEntry>();
  for (const found of book.lines({within}))
    if (found.line.state === 'posted' && !isWitness(found) && !isGone(found))
      lines.set(found.line.key, entryOfLine(book, found));
  for (const one of book.payments({within})) {
    const {payment} = one;
    if (payment.kind === 'transfer' || repaid.has(payment.key)) continue;
    if (isAccepted(payment) ? !one.isCarried : bookedBy(one).some((key) => lines.has(key))) {
      const entry = entryOfPayment(one);
      yield {...entry, day: entry.day < within.from ? within.from : entry.day};
    }
  }
  yield* lines.values();
}

/** What these entries leave in transit, as entries of the first day after them. */
function* inTransit(book: Book, day: string, entries: Iterable<LedgerEntry>): Generator<LedgerEntry> {
  const left = new Map<string, bigint>();
  for (const {postings} of entries)
    for (const {account, minor, payment = ''} of postings)
      if (account === TRANSIT) left.set(payment, (left.get(payment) ?? 0n) + minor);
  for (const [key, minor] of left)
    if (minor !== 0n)
      for (const one of book.payments({key})) {
        const postings: LedgerPosting[] = [
          {account: {name: 'opening'}, minor: -minor, payment: undefined},
          {account: TRANSIT, minor, payment: key},
        ];
        yield {...entryOfPayment(one), day, postings};
      }
}

/** A statement beside the lines of the service repeats them. */
const isWitness = ({line, twin}: FoundBankLine): boolean => line.source === 'statement' && twin !== undefined;

/** The bank no longer lists it, or only a statement does. */
const isGone = ({isCounted, twin}: FoundBankLine): boolean => !isCounted && twin === undefined;

/** As far as the service says. The bank may know better: a payment that it books was accepted. */
const isAccepted = ({recordId, status}: ExpectedPayment): boolean => recordId !== undefined && isSent(status);

/** The lines that first moved the money of a payment; that of a return, if no other one was matched. */
const bookedBy = ({match, returned}: FoundPayment): readonly string[] =>
  (match?.state === 'matched' ? match : returned)?.lines ?? [];

function entryOfPayment({payment}: FoundPayment): LedgerEntry {
  const {key, kind, amount, currency, day, row} = payment;
  return {
    ...{day, currency, text: paymentName(payment)},
    tags: {payment: key, ...(row === undefined ? {} : {batch: row.batch, reference: row.reference})},
    postings: [
      {account: {name: kind === 'payin' ? 'payins' : 'payouts'}, minor: -amount, payment: undefined},
      {account: TRANSIT, minor: amount, payment: key},
    ],
  };
}

function entryOfLine(book: Book, found: FoundBankLine): LedgerEntry {
  const {line} = found;
  const bank: LedgerPosting = {
    account: {name: 'bank', id: line.account},
    minor: line.amount,
    payment: undefined,
  };
  return {
    day: found.day,
    currency: line.currency,
    text: textOf(line),
    tags: {line: lineName(line)},
    postings: [bank, ...otherSide(book, found)],
  };
}

/** Of each payment its amount, and the difference as a fee. A return has the opposite amounts. */
function otherSide(book: Book, {line, match, state}: FoundBankLine): LedgerPosting[] {
  const one = (account: LedgerAccount): LedgerPosting[] => [
    {account, minor: -line.amount, payment: undefined},
  ];
  if (state === 'internal') return one({name: match === undefined ? 'internal' : 'transfers'});
  if (state === 'ignored') return one({name: 'ignored'});
  if ((state !== 'matched' && state !== 'returned') || match === undefined) return one({name: 'unexplained'});
  const postings: LedgerPosting[] = [];
  let rest = -line.amount;
  for (const key of match.payments)
    for (const {payment} of book.payments({key})) {
      const minor = state === 'returned' ? payment.amount : -payment.amount;
      postings.push({
        account: payment.kind === 'transfer' ? {name: 'transfers'} : TRANSIT,
        minor,
        payment: key,
      });
      rest -= minor;
    }
  return rest === 0n ? postings : [...postings, {account: {name: 'fees'}, minor: rest, payment: undefined}];
}

/** The first text of a line on one line. */
function textOf({amount, texts}: BankLine): string {
  const said = texts.map(({text}) => text.replace(/\s+/g, ' ').trim()).find((text) => text !== '');
  return said ?? (amount < 0n ? 'bank debit' : 'bank credit');
}
