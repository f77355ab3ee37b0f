import {majorIn} from '../../money/amount.ts';
import {must} from '../../narrow.ts';
import type {AskedPeriod, ReportedBalance} from '../model/asked.ts';
import {dayFrom} from '../model/day.ts';
import {countedDay, isAsked, periodParams} from './period.ts';
import type {MatchWork} from './work.ts';

/** SQL for the two halves of a sum, as `sumOfHalves` takes them. Each fits in 64 bits for any number of lines. */
const halves = (amount: string) =>
  `coalesce(sum(${amount} >> 32), 0) as high, coalesce(sum(${amount} & 4294967295), 0) as low`;

export const sumOfHalves = ({high, low}: {high: number | bigint; low: number | bigint}): bigint =>
  (BigInt(high) << 32n) + BigInt(low);

/** SQL for a line `x` that counts: posted, still listed by the bank, and once if two sources have it. */
export const IS_COUNTED = `x.pending = 0 and x.gone = 0 and not exists (select 1 from twins w where w.l = x.l)`;

/** SQL for the counted lines `x` of an account `b`. */
const ITS_LINES = `x.scope = ?1 and x.account = b.account and x.currency = b.currency and ${IS_COUNTED}`;

interface BalanceRow {
  account: string;
  currency: string;
  first: string;
  last: string;
  opening: number | bigint;
  closing: number | bigint;
}

/** The balances of statements that have days of the period, by account. The newest statement of the same days is valid. */
const readRows = ({db, scope}: MatchWork, asked: AskedPeriod | undefined): BalanceRow[] =>
  db
    .prepare<BalanceRow>(
      `select account, currency, first, last, opening, closing, max(read) from stated_balances
       where scope = ?1 and ${isAsked('account')} and first <= ?4 and last >= ?3
       group by account, currency, first, last order by account, currency, first, last`,
    )
    .all(...periodParams(scope, asked));

/** The sum of the lines of an account from one day to another. */
function sumOf(
  {db, scope}: MatchWork,
  {account, currency}: Pick<BalanceRow, 'account' | 'currency'>,
  [from, to]: readonly [string, string],
  more = '',
): bigint {
  return sumOfHalves(
    db
      .prepare<{high: number | bigint; low: number | bigint}>(
        `select ${halves('x.amount')} from lines x, (select ?2 as account, ?3 as currency) b
         where ${ITS_LINES} and ${countedDay('x')} between ?4 and ?5 ${more}`,
      )
      .one(scope, account, currency, from, to),
  );
}

/** What contradicts the balances that the bank stated: opening + lines = closing, which is the next opening. */
export function compareBalances(work: MatchWork, asked: AskedPeriod | undefined): string[] {
  const rows = readRows(work, asked);
  return rows.flatMap((row, index) => {
    const {account, currency, first, last} = row;
    const missing = BigInt(row.closing) - BigInt(row.opening) - sumOf(work, row, [first, last]);
    const before = rows[index - 1];
    const isNext = before?.account === account && before.currency === currency && before.last < first;
    const between = isNext ? sumOf(work, row, [dayFrom(before.last, 1), dayFrom(first, -1)]) : 0n;
    const gap = isNext ? BigInt(row.opening) - BigInt(before.closing) - between : 0n;
    return [
      ...(gap === 0n
        ? []
        : [
            `account ${account}: the opening balance of ${first} and the closing balance before it differ by ${inMajor(gap, currency)}`,
          ]),
      ...(missing === 0n
        ? []
        : [
            `account ${account}: the lines from ${first} to ${last} and the stated balances differ by ${inMajor(missing, currency)}`,
          ]),
    ];
  });
}

const inMajor = (minor: bigint, currency: string): string =>
  `${majorIn(minor, currency) ?? minor} ${currency}`;

/** The balances at the beginning and at the end of a period. */
export interface KnownBalances {
  account: string;
  currency: string;
  opening: bigint | undefined;
  closing: bigint | undefined;
  origin: 'stated' | 'calculated' | 'unknown';
}

/**
 * The balances of each account: those that statements state, if they cover every line of the period, otherwise those that
 * follow from the balance that the service reports. Without a period: of each currency.
 */
export function readBalances(work: MatchWork, asked: AskedPeriod | undefined): KnownBalances[] {
  const rows = readRows(work, asked);
  const known = rows
    .filter((row, index) => !isSame(row, rows[index - 1]))
    .map((row) =>
      statedOf(
        work,
        rows.filter((one) => isSame(one, row)),
        asked,
      ),
    );
  if (asked === undefined) return added(known);
  const reported = (asked.reported ?? []).filter(
    (one) => !known.some((other) => isSame(one, other) && other.origin === 'stated'),
  );
  const calculated = reported.map((one) => calculatedOf(work, one, asked));
  return [...calculated, ...known.filter((one) => !reported.some((other) => isSame(one, other)))];
}

type OfAccount = Pick<BalanceRow, 'account' | 'currency'>;
const isSame = (one: OfAccount, other: OfAccount | undefined): boolean =>
  one.account === other?.account && one.currency === other.currency;

/** A statement may begin before the period and end after it. */
function statedOf(
  work: MatchWork,
  rows: readonly BalanceRow[],
  asked: AskedPeriod | undefined,
): KnownBalances {
  const [first, last] = [
    must(rows[0], 'balances of an account'),
    must(rows.at(-1), 'balances of an account'),
  ];
  const {account, currency} = first;
  if (!isCovered(work, first, asked))
    return {account, currency, opening: undefined, closing: undefined, origin: 'unknown'};
  const [from, to] = [asked?.from ?? first.first, asked?.to ?? last.last];
  const before = from > first.first ? sumOf(work, first, [first.first, dayFrom(from, -1)]) : 0n;
  const after = to < last.last ? sumOf(work, first, [dayFrom(to, 1), last.last]) : 0n;
  return {
    account,
    currency,
    opening: BigInt(first.opening) + before,
    closing: BigInt(last.closing) - after,
    origin: 'stated',
  };
}

/** Whether statements have every line of the period. */
const isCovered = (
  {db, scope}: MatchWork,
  {account, currency}: OfAccount,
  asked: AskedPeriod | undefined,
): boolean =>
  db
    .prepare(
      `select 1 from lines x, (select ?2 as account, ?3 as currency) b where ${ITS_LINES}
         and ${countedDay('x')} between ?4 and ?5 and not exists (
           select 1 from stated_balances s where s.scope = ?1 and s.account = ?2 and s.currency = ?3
             and ${countedDay('x')} between s.first and s.last) limit 1`,
    )
    .get(scope, account, currency, asked?.from ?? '', asked?.to ?? '9') === undefined;

/** What only a statement has is not in the balance of the service. */
function calculatedOf(
  work: MatchWork,
  {account, currency, minor}: ReportedBalance,
  {from, to}: AskedPeriod,
): KnownBalances {
  const isKnown = `and x.l not in (select l from found_lines where state = 'statement_only')`;
  const since = sumOf(work, {account, currency}, [dayFrom(to, 1), '9'], isKnown);
  const closing = minor - since;
  const opening = closing - sumOf(work, {account, currency}, [from, to]);
  return {account, currency, opening, closing, origin: 'calculated'};
}

/** By currency; the sum is known if that of every account with statements is. */
function added(known: readonly KnownBalances[]): KnownBalances[] {
  const sums = new Map<string, KnownBalances>();
  for (const one of known) {
    const before = sums.get(one.currency) ?? {...one, opening: 0n, closing: 0n};
    const add = (a: bigint | undefined, b: bigint | undefined) =>
      a === undefined || b === undefined ? undefined : a + b;
    sums.set(one.currency, {
      ...before,
      account: '',
      opening: add(before.opening, one.opening),
      closing: add(before.closing, one.closing),
    });
  }
  return [...sums.values()];
}
