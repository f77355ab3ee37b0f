import {byName, keysOf} from '../../narrow.ts';
import type {Book} from '../book/book.ts';
import type {FoundBankLine, FoundPayment} from '../book/findings.ts';
import type {AskedPeriod} from '../model/asked.ts';
import {dayFrom} from '../model/day.ts';
import type {LineState, PeriodState} from '../model/finding.ts';
import type {BankLine} from '../model/line.ts';
import {type ExpectedPayment, isReturnOf} from '../model/payment.ts';
import {paidTwice} from './paid-twice.ts';
import {paidAgain, type RepayReference} from './repaid.ts';
import type {CurrencyTotals, ReconcileTotals} from '../model/totals.ts';

/** Why a person should look at a payment or a line, the most urgent first. */
export const FINDINGS = [
  'paid_twice', // a debt that came back once
  'returned',
  'returning', // by a line that is not booked yet
  'contradicted',
  'duplicate',
  'amount_differs',
  'doubt_resolved', // a row in doubt that the bank has paid
  'unapproved', // of a batch that was never confirmed
  'unplanned', // of no batch, and not confirmed by a person
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
  /** For a returned row: what has paid it again with another amount. */
  other?: FoundPayment | undefined;
  /** The other payments of a debt that is paid twice. */
  also?: readonly ExpectedPayment[] | undefined;
  /** For a line that statements disagree about: their ids, the newest first. */
  statements?: readonly string[] | undefined;
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
  /** Whether statements count that were read in this run or an earlier one. */
  hasStatements: boolean;
  /** By account and currency. */
  tables: readonly CurrencyTotals[];
  /** The first of each kind, in the order of `FINDINGS`. */
  findings: readonly ReconcileFinding[];
  /** How many there are of each kind. */
  counts: Readonly<Record<FindingKind, number>>;
  /** Payments of the service that no batch has planned; findings only if the state folder has batches of the service. */
  unplanned: number;
  /** Payments of the period that came back after it, and that no batch has paid again. */
  returnedLater: number;
  /** The day after which the period begins, if that is today. */
  notBegun: string | undefined;
  /** Rows in doubt whose payment the bank has booked. */
  doubts: readonly ResolvedDoubt[];
  /** Keys of the payments that pay returned rows again. */
  repaid: ReadonlySet<string>;
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

const OF_PAYMENT: Partial<Record<PeriodState, FindingKind>> = {
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
  /** `YYYY-MM-DD` */
  today: string;
  /** Why the run is not conclusive, besides what the book says. */
  why: readonly string[];
  planned: PlannedRows;
  repayReference: RepayReference;
}

/** What the batches of the state folder say about their rows. */
export interface PlannedRows {
  /** Rows in doubt: `payout batch/reference`. */
  inDoubt: ReadonlySet<string>;
  /** Batches that nobody has confirmed: `payout batch`. */
  unconfirmed: ReadonlySet<string>;
  /** Records that a retry has replaced, by their ids; their rows have others. */
  formers: Pick<ReadonlyMap<string, unknown>, 'has'>;
  /** Batches that were read, and belong to the service and mode. */
  read: ReadonlySet<string>;
}

/** Reads what the last match of a book found about a period. */
export function readReconcileReport(
  book: Book,
  totals: ReconcileTotals,
  reporting: Reporting,
): ReconcileReport {
  const {why, planned, repayReference, today, ...about} = reporting;
  const within = askedIn(about);
  const back = [...book.payments({state: 'returned'})].map(({payment}) => payment);
  const isBack = new Set(back.map(({key}) => key));
  const again = paidAgain(book, back, repayReference);
  const found = new Findings();
  const isAsked = ({payment: {row}}: FoundPayment) =>
    about.batches.length === 0 || (row !== undefined && about.batches.includes(row.batch));
  for (const {payment, also} of paidTwice(book, back, repayReference))
    if (payment.payment.day >= about.from && payment.payment.day <= about.to && isAsked(payment))
      found.add({kind: 'paid_twice', payment, line: lineOf(book, payment), candidates: [], also});
  // A return is dealt with once the row is paid again, or once a person has confirmed that of a payment in no batch; one
  // whose second payment came back too is that one debt.
  const shown = new Set<string | undefined>();
  if (back.length > 0)
    for (const one of book.payments({within, state: 'returned'}))
      if (one.state === 'returned' && isAsked(one)) shown.add(one.payment.row?.reference);
  let [unplanned, returnedLater] = [0, 0];
  for (const one of book.payments({within})) {
    if (!isAsked(one)) continue;
    const {payment, state, candidates} = one;
    const repayment = again.returned.get(payment.key);
    const isOver =
      state === 'returned' &&
      (repayment?.by !== undefined ||
        shown.has(repayReference(payment.row?.reference ?? '')) ||
        (payment.row === undefined && one.returned?.rule === 'confirmed'));
    if (state !== 'returned' && isBack.has(payment.key) && repayment?.by === undefined) returnedLater += 1;
    const kind = isOver ? undefined : OF_PAYMENT[state];
    if (kind !== undefined)
      found.add({kind, payment: one, line: lineOf(book, one), candidates, other: repayment?.other});
    const plan = one.isCarried || state === 'not_sent' ? undefined : planOf(one, planned);
    if (plan === 'unplanned') unplanned += 1;
    if (plan !== undefined && planned.read.size > 0)
      found.add({kind: plan, payment: one, line: lineOf(book, {...one, returned: undefined}), candidates});
  }
  const doubts = [...resolvedDoubts(book, planned)].filter(({one}) => isAsked(one));
  for (const {one} of doubts)
    if (!isOpen(one))
      found.add({kind: 'doubt_resolved', payment: one, line: lineOf(book, one), candidates: []});
  if (about.batches.length === 0)
    for (const {line, state, candidates} of linesToLookAt(book, within)) {
      const kind = OF_LINE[state];
      if (kind === undefined) continue;
      const isGuessed = kind === 'unexplained' && candidates.length === 0 && found.isKept(kind);
      const payments = isGuessed ? book.oppositesOf(line) : candidates;
      const first = dayFrom(line.bookingDay, -RETURN_DAYS);
      const isOfOlder =
        kind === 'unexplained' && payments.length === 0 && first < about.from && saysReturn(line);
      const earlierFrom = isOfOlder ? first : undefined;
      const isStated = kind !== 'unexplained' && line.source === 'statement' && found.isKept(kind);
      const statements = isStated
        ? book.statements.about(line.key, {has: kind === 'statement_only'})
        : undefined;
      found.add({kind, payment: undefined, line, candidates: payments, earlierFrom, statements});
    }
  for (const one of besides(book, within)) if (isAsked(one.payment)) found.add({...one, candidates: []});
  return {
    ...about,
    conclusive: totals.conclusive && why.length === 0,
    why: [...totals.why, ...why],
    hasStatements: book.statements.all().some(({forgotten}) => forgotten === undefined),
    tables: totals.perCurrency,
    ...{findings: found.kept(), counts: found.counts, unplanned, doubts: doubts.map(({doubt}) => doubt)},
    ...{returnedLater, notBegun: about.from > today ? today : undefined},
    repaid: again.again,
  };
}

/** The accounts and days that a report is about. */
export const askedIn = ({
  accounts,
  from,
  to,
}: Pick<ReconcileReport, 'accounts' | 'from' | 'to'>): AskedPeriod => ({
  accounts: accounts.map(({id}) => id),
  from,
  to,
});

/** What nobody has approved. A person who has confirmed the line of a payment knows it. */
function planOf(
  {payment, match}: FoundPayment,
  {unconfirmed}: PlannedRows,
): 'unplanned' | 'unapproved' | undefined {
  const {row, kind} = payment;
  if (kind === 'transfer' || match?.rule === 'confirmed') return undefined;
  if (row === undefined) return 'unplanned';
  return unconfirmed.has(`${kind} ${row.batch}`) ? 'unapproved' : undefined;
}

const isOpen = ({state}: FoundPayment): boolean => OF_PAYMENT[state] !== undefined;

/** A line whose day was changed may have been in the period before. */
function* linesToLookAt(book: Book, within: AskedPeriod): Generator<FoundBankLine> {
  for (const state of keysOf(OF_LINE))
    for (const one of book.lines({state, within: state === 'changed' ? {...within, from: ''} : within}))
      if (isMoney(one) && (one.isCounted || one.day >= within.from)) yield one;
}

/** Once if two sources have it. A line that was posted and is pending now counts. */
const isMoney = ({line, twin, state}: FoundBankLine): boolean =>
  (line.state === 'posted' || state === 'changed') && (twin === undefined || line.source === 'service');

/** A return may come 60 days after its payment, which may have been created months before its scheduled date. */
const RETURN_DAYS = 180;
const RETURN_TEXT = /(?<![\p{L}\p{N}])(?:return(?:ed)?|reversal|R\d{2})(?![\p{L}\p{N}])/iu;

const saysReturn = ({returnCode, texts}: BankLine): boolean =>
  returnCode !== undefined || texts.some(({text}) => RETURN_TEXT.test(text));

/**
 * Lines with the id of a payment beside its own line: with another amount, such as a return less a fee, or once more. A
 * return of another amount, or one that is pending, is shown until it is decided about or booked.
 */
function* besides(
  book: Book,
  {accounts, from, to}: AskedPeriod,
): Generator<{kind: FindingKind; line: BankLine; payment: FoundPayment}> {
  for (const {payment: key, line: of} of book.maybeReturned)
    for (const {line} of book.lines({key: of, within: {accounts, from: '', to}}))
      if (line.state === 'pending')
        for (const payment of book.payments({key})) yield {kind: 'returning', line, payment};
  for (const kind of ['amount_differs', 'duplicate'] as const)
    for (const one of book.lines({state: kind, within: {accounts, from: '', to}})) {
      const {line, match, candidates} = one;
      const [key] = candidates; // a line with the ids of several payments is ambiguous
      if (match !== undefined || key === undefined || !isMoney(one)) continue;
      for (const payment of book.payments({key}))
        if (
          (kind === 'amount_differs' || payment.state !== kind) &&
          (line.bookingDay >= from || isReturnOf(line, payment.payment))
        )
          yield {kind, line, payment};
    }
}

/** Of the return, or of the match. */
function lineOf(book: Book, {returned, match, candidates}: FoundPayment): BankLine | undefined {
  const key = returned?.lines[0] ?? match?.lines[0] ?? candidates[0];
  if (key === undefined) return undefined;
  for (const {line} of book.lines({key})) return line;
  return undefined;
}

/** An id or a trace in a line proves that a row in doubt was paid, also if it came back later. */
function* resolvedDoubts(
  book: Book,
  {inDoubt, read, formers}: PlannedRows,
): Generator<{one: FoundPayment; doubt: ResolvedDoubt}> {
  if (inDoubt.size === 0) return;
  for (const batch of read)
    for (const one of book.payments({batch})) {
      const {kind, row, recordId} = one.payment;
      if (row === undefined || recordId === undefined || kind === 'transfer' || formers.has(recordId))
        continue;
      const isProven =
        one.match?.state === 'matched' &&
        (one.match.rule === 'id' || one.match.rule === 'trace' || one.match.rule === 'confirmed');
      if (isProven && inDoubt.has(`${kind} ${row.batch}/${row.reference}`))
        yield {one, doubt: {kind, ...row, recordId}};
    }
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

/** How many findings there are. */
export const findingsIn = ({counts}: Pick<ReconcileReport, 'counts'>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
