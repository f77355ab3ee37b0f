import {groupMajor, majorIn} from '../../money/amount.ts';
import {counted, listed} from '../../phrases.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import type {FoundPayment} from '../book/findings.ts';
import type {PeriodState, Rule} from '../model/finding.ts';
import type {BankLine} from '../model/line.ts';
import {type ExpectedPayment, isReturnOf} from '../model/payment.ts';
import type {CurrencyTotals} from '../model/totals.ts';
import type {ReconcileFinding, FindingKind, ReconcileReport} from './report.ts';

/** `1,250.00 USD`, without a sign unless `signed`. */
export function moneyText(minor: bigint, currency: string, {signed = false} = {}): string {
  const shown = signed || minor >= 0n ? minor : -minor;
  const major = majorIn(shown, currency);
  return major === undefined ? `${shown} minor units ${currency}` : `${groupMajor(major)} ${currency}`;
}

/** In major units, for scripts: `-1250.00`. Minor units of a currency whose decimals are not known. */
export const majorText = (minor: bigint, currency: string): string =>
  majorIn(minor, currency) ?? String(minor);

/** `INV-17 of payout batch november`, or `payout 018f…`. */
export const paymentName = ({kind, key, row, recordId}: ExpectedPayment): string =>
  row === undefined
    ? `${kind === 'transfer' ? 'account transfer' : kind} ${recordId ?? key}`
    : `${row.reference} of ${kind} batch ${row.batch}`;

/** `USD`, with its account if there are several: `Operating, USD`. */
export function tableName(
  {account, currency}: CurrencyTotals,
  {accounts}: Pick<ReconcileReport, 'accounts'>,
): string {
  if (accounts.length === 1) return currency;
  const label = accounts.find(({id}) => id === account)?.label ?? account ?? 'Booked in no account yet';
  return `${label}, ${currency}`;
}

/** Where the balances of a table come from. */
export const balanceWords = ({balances, openingDay}: CurrencyTotals): {opening: string; closing: string} =>
  balances === 'calculated'
    ? {opening: 'closing less these lines', closing: 'from the latest balance'}
    : {
        opening: `as the bank states it${openingDay === undefined ? '' : ` for ${openingDay}`}`,
        closing: 'as the bank states it',
      };

/** Payments that any of several accounts may book. */
export const isOfNoAccount = (
  {account}: CurrencyTotals,
  {accounts}: Pick<ReconcileReport, 'accounts'>,
): boolean => account === undefined && accounts.length > 1;

/** The bank's id of a line, or its key if it has none that can be typed: a command would take `--help` as a flag. */
export const lineName = ({id = '', key}: Pick<BankLine, 'id' | 'key'>): string =>
  id.trim() === '' || id.startsWith('-') ? key : id;

/** What each kind of finding means, as a heading. */
export const FINDING_TITLES: Readonly<Record<FindingKind, string>> = {
  paid_twice: 'Returned once and paid again twice',
  returned: 'Returned by the bank',
  returning: 'Being returned: reconcile again once the bank has booked it',
  contradicted: 'The bank contradicts the service',
  duplicate: 'Booked twice',
  amount_differs: 'Booked with another amount',
  doubt_resolved: 'In doubt, and paid according to the bank',
  unapproved: 'Payments of batches that were never confirmed',
  unplanned: 'Payments in no batch of this state',
  changed: 'Bank lines that are gone or altered since the last run',
  statement_only: 'Lines of the statement that the service does not have',
  ambiguous: 'Several candidates',
  suggested: 'Suggested: confirm or reject',
  overdue: 'Overdue: no bank line in time',
  unexplained: 'Bank lines without a payment',
};

export const STATE_WORDS: Readonly<Record<PeriodState, string>> = {
  expected: 'no bank line yet, and none is due',
  not_sent: 'failed, canceled, or not approved',
  tentative: 'a pending bank line',
  matched: 'booked by the bank',
  booked_later: 'booked by the bank after the period',
  suggested: 'a bank line may belong to it',
  ambiguous: 'several bank lines may belong to it',
  amount_differs: 'a bank line has its id and another amount',
  duplicate: 'two bank lines have its id',
  returned: 'booked, and returned later',
  overdue: 'no bank line in time',
  contradicted: 'the service and the bank disagree',
};

export const RULE_WORDS: Readonly<Record<Rule, string>> = {
  id: 'its id in the text of the line, and the same amount',
  trace: 'its trace number or reference in the text of the line, and the same amount',
  return: 'the opposite amount later, with the id or trace of a matched payment',
  group: 'one line for a declared group, with the sum of its amounts',
  amount_and_day: 'the same amount, within the days of the rail, and no other candidate',
  subset: 'the only combination of open payments with this sum',
  less_fee: 'the amount less a named fee',
  confirmed: 'confirmed by a person',
};

/**
 * A finding in one sentence, without its heading: `INV-17 of payout batch november: 1,250.00 USD on 2026-11-17, R03`.
 * Texts of a bank may contain anything; what controls a terminal is removed.
 */
export const findingText = (finding: ReconcileFinding): string => cleanLine(sentenceOf(finding));

function sentenceOf(finding: ReconcileFinding): string {
  const {kind, payment, line, candidates, statements = [], also = [], other} = finding;
  if (payment === undefined) {
    const differ =
      kind === 'changed' && statements.length > 1 ? `; statements ${listed(statements)} differ` : '';
    return line === undefined ? '' : `${lineText(line, kind, candidates)}${differ}`;
  }
  const {amount, currency} = payment.payment;
  const name = `${paymentName(payment.payment)}: ${moneyText(amount, currency)}`;
  const others = also.length === 0 ? '' : `, and also by ${listed(also.map(paymentName))}`;
  const second = other === undefined ? '' : `; ${otherPaymentText(other)}`;
  return `${name}${detailOf(kind, payment, line)}${others}${second}`;
}

/** Of the payment that pays a returned row again with another amount. */
const otherPaymentText = ({payment: {amount, currency, row}}: FoundPayment): string =>
  `batch ${row?.batch ?? ''} has paid ${moneyText(amount, currency)} as ${row?.reference ?? ''}`;

function detailOf(
  kind: FindingKind,
  {payment, state, returned, match, bankingDaysOpen, candidates}: FoundPayment,
  line: BankLine | undefined,
): string {
  const on = line === undefined ? '' : ` on ${line.bookingDay}`;
  switch (kind) {
    case 'returned':
      return ` came back${on}${returned?.returnCode === undefined ? '' : `, ${returned.returnCode}`}`;
    case 'returning':
      return line === undefined ? '' : `; pending return of ${bookedText(line)}`;
    case 'contradicted':
      return line === undefined
        ? ` is ${payment.status ?? 'paid'} at the service; no bank line since ${payment.day}`
        : ` is ${payment.status ?? 'open'} at the service; the bank booked it${on}`;
    case 'duplicate':
      if (line !== undefined && state !== 'duplicate') return `, booked once more${on}`;
      // Only a payment that came back has another line of its own.
      if (match?.lines.length === 1) return `, returned by ${counted(candidates.length, 'bank line')}`;
      return `, booked by ${counted(Math.max(2, match?.lines.length ?? candidates.length), 'bank line')}`;
    case 'amount_differs':
      return line === undefined ? '' : otherAmountText(line, payment);
    case 'overdue':
      return `, sent ${payment.day}, ${counted(bankingDaysOpen, 'banking day')} overdue`;
    case 'ambiguous':
      return `, ${counted(candidates.length, 'candidate')}`;
    case 'suggested':
    case 'doubt_resolved':
    case 'unapproved':
    case 'unplanned': {
      const fee = match?.difference ?? 0n;
      const less = fee === 0n ? '' : `, with a fee of ${moneyText(fee, payment.currency)}`;
      return line === undefined ? '' : `, bank line ${moneyText(line.amount, line.currency)}${on}${less}`;
    }
    case 'paid_twice':
    case 'changed':
    case 'statement_only':
    case 'unexplained':
      return on;
  }
}

const otherAmountText = (line: BankLine, payment: ExpectedPayment): string =>
  line.amount === 0n
    ? `; a bank line names it: ${bookedText(line)}`
    : `; the bank ${isReturnOf(line, payment) ? 'returned' : 'booked'} ${bookedText(line)}`;

/** `95.50 USD on 2026-11-17, R03`, without its sign. */
export const bookedText = ({amount, currency, bookingDay, returnCode}: BankLine): string =>
  `${moneyText(amount, currency)} on ${bookingDay}${returnCode === undefined ? '' : `, ${returnCode}`}`;

function lineText(line: BankLine, kind: FindingKind, candidates: readonly string[]): string {
  const {amount, currency, bookingDay, texts} = line;
  const what = amount < 0n ? 'debit' : 'credit';
  const text = texts.map((one) => cleanLine(one.text)).find((one) => one !== '');
  const said = text === undefined ? '' : `, “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`;
  const also =
    kind === 'changed' || candidates.length === 0 ? '' : `, ${counted(candidates.length, 'candidate')}`;
  return `${what} of ${moneyText(amount, currency)} on ${bookingDay}${said}${also}`;
}

/** What the state at the end of a period does not show: `1 payment of this period came back after 2026-11-30`. */
export function laterText({
  returnedLater,
  to,
}: Pick<ReconcileReport, 'returnedLater' | 'to'>): string | undefined {
  return returnedLater === 0
    ? undefined
    : `${counted(returnedLater, 'payment')} of this period came back after ${to}`;
}
