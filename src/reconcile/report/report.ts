import {byName} from '../../narrow.ts';
import type {Book} from '../book/book.ts';
import type {FoundBankLine, FoundPayment} from '../book/findings.ts';
import type {LineState, PaymentState} from '../model/finding.ts';
import type {BankLine} from '../model/line.ts';
import type {ExpectedPayment} from '../model/payment.ts';
import {paidAgain, type RepayReference} from './repaid.ts';
import type {CurrencyTotals, ReconcileTotals} from '../model/totals.ts';

/** Why a person should look at a payment or a line, the most urgent first. */
export const FINDINGS = [
  'returned',
  'contradicted',
  'duplicate',
  'amount_differs',
  'doubt_resolved', // a row in doubt that the bank has paid
  'changed',
  'statement_only',
  'ambiguous',
  'suggested',
  'overdue',
  'unexplained',
] as const;
export type FindingKind = (typeof FINDINGS)[number];

/** A payment or a line that a person should look at. */
export interface ReconcileFinding {
  kind: FindingKind;
  /** Undefined for a line without a payment. */
  payment: FoundPayment | undefined;
  /** The line that says so: of a returned payment, the one that took the money back. */
  line: BankLine | undefined;
  /** What a person has to decide between: keys of payments for a line, of lines for a payment. */
  candidates: readonly string[];
  /** For a return of a payment that is not known: a day from which its payment may be found. */
  earlierFrom?: string | undefined;
}

/** What a reconcile found: a summary, and what a person should look at. */
export interface ReconcileReport {
  accounts: readonly {id: string; label: string | undefined}[];
  /** `YYYY-MM-DD`, both included. */
  from: string;
  to: string;
  /** Batches that the findings are restricted to; empty for none. */
  batches: readonly string[];
  conclusive: boolean;
  why: readonly string[];
  currencies: readonly ReportedTotals[];
  /** The first of each kind, in the order of `FINDINGS`. */
  findings: readonly ReconcileFinding[];
  /** How many there are of each kind. */
  counts: Readonly<Record<FindingKind, number>>;
  /** Payments of the service that no batch has planned. */
  unplanned: {count: number; first: readonly FoundPayment[]};
  /** Rows in doubt whose payment the bank has booked. */
  doubts: readonly ResolvedDoubt[];
  /** References under which returned rows are paid again. */
  repaid: ReadonlySet<string>;
}

/** Totals with the balances that are shown. */
export interface ReportedTotals extends CurrencyTotals {
  /** `calculated`: from the reported balance of the service, less all lines. */
  balances: 'stated' | 'calculated' | 'unknown';
}

/** A row in doubt, and the record with which the bank has paid it. */
export interface ResolvedDoubt {
  kind: 'payout' | 'payin';
  batch: string;
  reference: string;
  recordId: string;
}

/** Findings of each kind that are kept. */
const MOST_KEPT = 1000;
const MOST_UNPLANNED = 10;

const OF_PAYMENT: Partial<Record<PaymentState, FindingKind>> = {
  returned: 'returned',
  contradicted: 'contradicted',
  duplicate: 'duplicate',
  amount_differs: 'amount_differs',
  ambiguous: 'ambiguous',
  suggested: 'suggested',
  overdue: 'overdue',
};
/** Lines in other states are found with their payments. */
const OF_LINE: Partial<Record<LineState, FindingKind>> = {
  changed: 'changed',
  statement_only: 'statement_only',
  unexplained: 'unexplained',
};

export interface Reporting {
  accounts: ReconcileReport['accounts'];
  from: string;
  to: string;
  batches: readonly string[];
  /** Why the run is not conclusive, besides what the book says. */
  why: readonly string[];
  /** The reported balances of all accounts by currency, if they could be read. */
  reported: ReadonlyMap<string, bigint>;
  /** Rows in doubt: `batch/reference`. */
  inDoubt: ReadonlySet<string>;
  repayReference: RepayReference;
}

/** Reads what the last match of a book found. */
export function readReconcileReport(
  book: Book,
  totals: ReconcileTotals,
  reporting: Reporting,
): ReconcileReport {
  const {reported, why, inDoubt, repayReference, ...about} = reporting;
  const isIn = (line: BankLine | undefined) =>
    line !== undefined && line.bookingDay >= about.from && line.bookingDay <= about.to;
  const back = [...book.payments({state: 'returned'})].map(({payment}) => payment);
  const again = paidAgain(book, back, repayReference);
  const found = new Findings();
  const unplanned: {count: number; first: FoundPayment[]} = {count: 0, first: []};
  const doubts: ResolvedDoubt[] = [];
  const isAsked = ({payment: {row}}: FoundPayment) =>
    about.batches.length === 0 || (row !== undefined && about.batches.includes(row.batch));
  for (const one of book.payments()) {
    if (!isAsked(one)) continue;
    const {payment, state} = one;
    const line = OF_PAYMENT[state] === undefined ? undefined : lineOf(book, one);
    // A return is dealt with once the row is paid again, and an earlier one was shown by an earlier run.
    const isOver =
      state === 'returned' && (!isIn(line) || again.get(payment.row?.reference ?? '')?.by !== undefined);
    const kind = isOver ? undefined : OF_PAYMENT[state];
    if (kind !== undefined) found.add({kind, payment: one, line, candidates: one.candidates});
    const doubt = resolvedDoubt(one, inDoubt);
    if (doubt !== undefined) {
      doubts.push(doubt);
      if (kind === undefined)
        found.add({kind: 'doubt_resolved', payment: one, line: lineOf(book, one), candidates: []});
    }
    if (payment.row !== undefined || payment.kind === 'transfer') continue;
    unplanned.count += 1;
    if (unplanned.first.length < MOST_UNPLANNED) unplanned.first.push(one);
  }
  if (about.batches.length === 0)
    for (const {line, state, candidates} of linesToLookAt(book)) {
      const kind = isIn(line) ? OF_LINE[state] : undefined;
      if (kind === undefined) continue;
      const isGuessed = kind === 'unexplained' && candidates.length === 0 && found.isKept(kind);
      const payments = isGuessed ? book.oppositesOf(line) : candidates;
      const isOfOlder = kind === 'unexplained' && payments.length === 0 && saysReturn(line);
      const earlierFrom = isOfOlder ? dayBefore(about.from, RETURN_DAYS) : undefined;
      found.add({kind, payment: undefined, line, candidates: payments, earlierFrom});
    }
  for (const one of otherAmounts(book))
    if (isAsked(one.payment) && (isIn(one.line) || isReturnOf(one.line, one.payment.payment)))
      found.add({kind: 'amount_differs', ...one, candidates: []});
  return {
    ...about,
    conclusive: totals.conclusive && why.length === 0,
    why: [...totals.why, ...why],
    currencies: totals.perCurrency.map((one) => withBalances(one, reported.get(one.currency))),
    ...{findings: found.kept(), counts: found.counts, unplanned, doubts},
    repaid: new Set([...again.keys()].map(repayReference)),
  };
}

function* linesToLookAt(book: Book): Generator<FoundBankLine> {
  for (const state of ['changed', 'statement_only', 'unexplained'] as const)
    for (const one of book.lines({state})) {
      const isTwin = one.twin !== undefined && one.line.source === 'statement';
      if (one.line.state === 'posted' && !isTwin) yield one;
    }
}

/** A return may come 60 days after its payment, which may have been sent days before. */
const RETURN_DAYS = 90;
const RETURN_TEXT = /(?<![\p{L}\p{N}])(?:return(?:ed)?|reversal|R\d{2})(?![\p{L}\p{N}])/iu;

const saysReturn = ({returnCode, texts}: BankLine): boolean =>
  returnCode !== undefined || texts.some(({text}) => RETURN_TEXT.test(text));

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

/** Lines with the id of a payment and another amount beside its own line, such as a return less a fee. */
function* otherAmounts(book: Book): Generator<{line: BankLine; payment: FoundPayment}> {
  for (const {line, match, candidates, twin} of book.lines({state: 'amount_differs'})) {
    const [key] = candidates; // a line with the ids of several payments is ambiguous
    const isTwin = twin !== undefined && line.source === 'statement';
    if (match !== undefined || key === undefined || isTwin || line.state !== 'posted') continue;
    for (const payment of book.payments({key})) yield {line, payment};
  }
}

/** Whether a line goes in the other direction than its payment. */
export const isReturnOf = (
  line: Pick<BankLine, 'amount'>,
  payment: Pick<ExpectedPayment, 'amount'>,
): boolean => line.amount < 0n !== payment.amount < 0n;

/** Of the return, or of the match. */
function lineOf(book: Book, {returned, match, candidates}: FoundPayment): BankLine | undefined {
  const key = returned?.lines[0] ?? match?.lines[0] ?? candidates[0];
  if (key === undefined) return undefined;
  for (const {line} of book.lines({key})) return line;
  return undefined;
}

/** The bank's own word: an id or a trace in a line proves that the row was paid, also if it came back later. */
function resolvedDoubt(
  {payment: {kind, row, recordId}, match}: FoundPayment,
  inDoubt: ReadonlySet<string>,
): ResolvedDoubt | undefined {
  if (row === undefined || recordId === undefined || kind === 'transfer') return undefined;
  if (!inDoubt.has(`${row.batch}/${row.reference}`)) return undefined;
  const isProven =
    match?.state === 'matched' &&
    (match.rule === 'id' || match.rule === 'trace' || match.rule === 'confirmed');
  return isProven ? {kind, ...row, recordId} : undefined;
}

class Findings {
  readonly counts: Record<FindingKind, number> = byName(FINDINGS, () => 0);
  readonly #kept = new Map<FindingKind, ReconcileFinding[]>();

  add(finding: ReconcileFinding): void {
    const {kind} = finding;
    this.counts[kind] += 1;
    const kept = this.#kept.get(kind) ?? [];
    this.#kept.set(kind, kept);
    if (kept.length < MOST_KEPT) kept.push(finding);
  }

  /** Whether one more of this kind is kept. */
  isKept(kind: FindingKind): boolean {
    return (this.#kept.get(kind)?.length ?? 0) < MOST_KEPT;
  }

  kept(): ReconcileFinding[] {
    return FINDINGS.flatMap((kind) => this.#kept.get(kind) ?? []);
  }
}

/** A service reports the latest balance only; the opening one follows from the lines. */
function withBalances(totals: CurrencyTotals, reported: bigint | undefined): ReportedTotals {
  if (totals.opening !== undefined && totals.closing !== undefined) return {...totals, balances: 'stated'};
  if (reported === undefined) return {...totals, balances: 'unknown'};
  const {matched, returned, internal, unexplained} = totals;
  const sum = matched.sum + returned.sum + internal.sum + unexplained.sum;
  return {...totals, opening: reported - sum, closing: reported, balances: 'calculated'};
}

/** How many findings there are. */
export const findingsIn = ({counts}: Pick<ReconcileReport, 'counts'>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
