import {groupMajor, majorIn} from '../../money/amount.ts';
import {must} from '../../narrow.ts';
import type {AskedPeriod, ReportedBalance} from '../model/asked.ts';
import {dayFrom, NO_END} from '../model/day.ts';
import {countedDay, isAsked, periodParams} from './period.ts';
import type {MatchWork} from './work.ts';

/** SQL for the two halves of a sum, as `sumOfHalves` takes them. Each fits in 64 bits for any number of lines. */
const halves = (amount: string) =>
  `coalesce(sum(${amount} >> 32), 0) as high, coalesce(sum(${amount} & 4294967295), 0) as low`;

export const sumOfHalves = ({high, low}: {high: number | bigint; low: number | bigint}): bigint =>
  (BigInt(high) << 32n) + BigInt(low);

/**
 * SQL for a line `x` that counts: posted, still listed by the bank, and once if two sources have it. Where the service was
 * read, a line that only a statement has does not count: it proves nothing.
 */
export const IS_COUNTED = `x.pending = 0 and x.gone = 0 and not exists (select 1 from twins w where w.l = x.l)
  and not (x.source = 'statement' and not exists (select 1 from twins w where w.twin = x.l) and exists (
    select 1 from reads r where r.scope = x.scope and r.account = x.account and r.source = 'service'
      and x.day between r.first and r.last))`;

/** SQL for the counted lines `x` of an account `b`. */
const ITS_LINES = `x.scope = ?1 and x.account = b.account and x.currency = b.currency and ${IS_COUNTED}`;

interface BalanceRow {
  account: string;
  currency: string;
  first: string;
  last: string;
  opening: number | bigint;
  closing: number | bigint;
  /** Of the statement. */
  read: number;
  name: string | null;
}

/** The balances of statements that have days of the period, by account. Of equal ones, the newest. */
const readRows = ({db, scope}: MatchWork, asked: AskedPeriod | undefined): BalanceRow[] =>
  db
    .prepare<BalanceRow>(
      `select b.account, currency, b.first, b.last, opening, closing, max(b.read) as read, s.name
       from stated_balances b left join statements s on s.read = b.read
       where b.scope = ?1 and ${isAsked('b.account')} and b.first <= ?4 and b.last >= ?3
       group by b.account, currency, b.first, b.last, opening, closing
       order by b.account, currency, b.first, b.last, b.read`,
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

/**
 * What contradicts the balances that the bank stated: opening + lines = closing, which is the next opening. Two statements
 * of one day, and the balance that the service reports, must agree about it.
 */
export function compareBalances(work: MatchWork, asked: AskedPeriod | undefined): string[] {
  const rows = readRows(work, asked);
  return rows.flatMap((row, index) => {
    const {account, currency, first, last} = row;
    const differ = (minor: bigint, what: string): string[] =>
      minor === 0n ? [] : [`account ${account}: ${what} differ by ${inMajor(minor, currency)}`];
    const before = isSame(row, rows[index - 1]) ? rows[index - 1] : undefined;
    const isNewest = !isSame(row, rows[index + 1]);
    return [
      ...(before === undefined ? [] : differ(gapBetween(work, before, row), gapWords(before, row))),
      ...differ(
        BigInt(row.closing) - BigInt(row.opening) - sumOf(work, row, [first, last]),
        `the lines from ${first} to ${last} and the stated balances`,
      ),
      ...differ(
        isNewest ? unlikeReported(work, row, asked) : 0n,
        `the closing balance of ${last} as ${statementName(row)} has it and as it follows from the balance that the service reports`,
      ),
    ];
  });
}

const isNext = (before: BalanceRow, {first}: BalanceRow): boolean => before.last < first;

/** Between the opening balance of a statement and what the one before says about the same day. */
function gapBetween(work: MatchWork, before: BalanceRow, row: BalanceRow): bigint {
  const [from, known] = isNext(before, row)
    ? [dayFrom(before.last, 1), before.closing]
    : [before.first, before.opening];
  return BigInt(row.opening) - BigInt(known) - sumOf(work, row, [from, dayFrom(row.first, -1)]);
}

const gapWords = (before: BalanceRow, row: BalanceRow): string =>
  isNext(before, row)
    ? `the opening balance of ${row.first} and the closing balance before it`
    : `${statementName(before)} and ${statementName(row)}, about the opening balance of ${row.first},`;

const statementName = ({read, name}: BalanceRow): string =>
  name === null ? 'a statement' : `statement ${read} (${name})`;

/** The reported balance may lack lines of its day and of later ones. 0 if it is not known, or may agree. */
function unlikeReported(work: MatchWork, row: BalanceRow, asked: AskedPeriod | undefined): bigint {
  const reported = asked?.reported?.find((one) => isSame(one, row));
  if (reported === undefined) return 0n;
  const {minor, day} = reported;
  const gapUntil = (end: string): bigint =>
    BigInt(row.closing) + sumOf(work, row, [dayFrom(row.last, 1), end], IS_KNOWN) - minor;
  const mayAgree =
    day !== undefined && day >= row.last && [day, dayFrom(day, -1)].some((end) => gapUntil(end) === 0n);
  return mayAgree ? 0n : gapUntil(NO_END);
}

export const inMajor = (minor: bigint, currency: string): string =>
  `${groupMajor(majorIn(minor, currency) ?? String(minor))} ${currency}`;

/** The balances at the beginning and at the end of a period. */
export interface KnownBalances {
  account: string;
  currency: string;
  opening: bigint | undefined;
  closing: bigint | undefined;
  origin: 'stated' | 'calculated' | 'unknown';
  /** The day for which the opening balance is stated, if that is not the first day of the period. */
  openingDay?: string | undefined;
}

/**
 * The balances of each account: those that statements state, if they have its last day and every line, otherwise those that follow
 * from the balance that the service reports. Without a period: of each currency.
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
    must(
      rows.findLast((row) => row.first === rows[0]?.first),
      'balances of an account',
    ),
    must(rows.at(-1), 'balances of an account'),
  ];
  const {account, currency} = first;
  if (!isCovered(work, first, asked))
    return {account, currency, opening: undefined, closing: undefined, origin: 'unknown'};
  const [from, to] = [asked?.from ?? first.first, asked?.to ?? last.last];
  return {
    account,
    currency,
    opening: BigInt(first.opening) + sumOf(work, first, [first.first, dayFrom(from, -1)]),
    closing: BigInt(last.closing) - sumOf(work, first, [dayFrom(to, 1), last.last]),
    ...(to > last.last
      ? {origin: 'calculated'}
      : {origin: 'stated', openingDay: from < first.first ? first.first : undefined}),
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
    .get(scope, account, currency, asked?.from ?? '', asked?.to ?? NO_END) === undefined;

/** What only a statement has is not in the balance of the service. */
const IS_KNOWN = `and x.l not in (select l from found_lines where state = 'statement_only')`;

function calculatedOf(
  work: MatchWork,
  {account, currency, minor}: ReportedBalance,
  {from, to}: AskedPeriod,
): KnownBalances {
  const since = sumOf(work, {account, currency}, [dayFrom(to, 1), NO_END], IS_KNOWN);
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
