import {majorIn} from '../../money/amount.ts';
import type {MatchWork} from './work.ts';

/** SQL for the two halves of a sum, as `sumOfHalves` takes them. Each fits in 64 bits for any number of lines. */
const halves = (amount: string) =>
  `coalesce(sum(${amount} >> 32), 0) as high, coalesce(sum(${amount} & 4294967295), 0) as low`;

export const sumOfHalves = ({high, low}: {high: number | bigint; low: number | bigint}): bigint =>
  (BigInt(high) << 32n) + BigInt(low);

/** SQL for a line `x` that counts: posted, still listed by the bank, and once if two sources have it. */
export const IS_COUNTED = `x.pending = 0 and x.gone = 0 and not exists (select 1 from twins w where w.l = x.l)`;

interface BalanceRow {
  account: string;
  currency: string;
  first: string;
  last: string;
  opening: number | bigint;
  closing: number | bigint;
  high: number | bigint;
  low: number | bigint;
}

const readRows = ({db, scope}: MatchWork): BalanceRow[] =>
  db
    .prepare<BalanceRow>(
      `select b.account, b.currency, b.first, b.last, b.opening, b.closing, ${halves('x.amount')}
       from balances b left join lines x on x.scope = b.scope and x.account = b.account and x.currency = b.currency
         and x.day between b.first and b.last and ${IS_COUNTED}
       where b.scope = ? group by b.account, b.currency, b.first, b.last order by b.account, b.currency, b.first, b.last`,
    )
    .all(scope);

/** What contradicts the balances that the bank stated: opening + lines = closing, which is the next opening. */
export function compareBalances(work: MatchWork): string[] {
  const rows = readRows(work);
  return rows.flatMap((row, index) => {
    const {account, currency, first, last} = row;
    const missing = BigInt(row.closing) - BigInt(row.opening) - sumOfHalves(row);
    const before = rows[index - 1];
    const isNext = before?.account === account && before.currency === currency && before.last < first;
    const gap = isNext ? BigInt(row.opening) - BigInt(before.closing) : 0n;
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

export interface CurrencyBalances {
  opening: bigint | undefined;
  closing: bigint | undefined;
}

/** The first opening and the last closing balances of all accounts of a currency, if they cover every line of it. */
export function readBalances(work: MatchWork): Map<string, CurrencyBalances> {
  const byCurrency = new Map<string, {opening: bigint; closing: bigint}>();
  const rows = readRows(work);
  for (const [index, row] of rows.entries()) {
    const {account, currency} = row;
    const sums = byCurrency.get(currency) ?? {opening: 0n, closing: 0n};
    const isOf = (other: BalanceRow | undefined) => other?.account === account && other.currency === currency;
    if (!isOf(rows[index - 1])) sums.opening += BigInt(row.opening);
    if (!isOf(rows[index + 1])) sums.closing += BigInt(row.closing);
    byCurrency.set(currency, sums);
  }
  const open = {opening: undefined, closing: undefined};
  return new Map(
    [...byCurrency].map(([currency, sums]) => [currency, isCovered(work, currency) ? sums : open]),
  );
}

const isCovered = ({db, scope}: MatchWork, currency: string): boolean =>
  db
    .prepare(
      `select 1 from lines x where x.scope = ?1 and x.currency = ?2 and ${IS_COUNTED} and not exists (
         select 1 from balances b where b.scope = ?1 and b.account = x.account and b.currency = x.currency
           and x.day between b.first and b.last) limit 1`,
    )
    .get(scope, currency) === undefined;
