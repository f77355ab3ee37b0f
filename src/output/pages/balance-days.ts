import {exponentOf} from '../../money/currencies.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';

/** The balance at the end of one day, in UTC. */
export interface BalanceDay {
  day: string;
  currency_code: string;
  balance_in_minor_units: number;
  credits_in_minor_units: number;
  debits_in_minor_units: number;
  transactions: number;
}

/** The figures that a reader looks for first; `opening` is the balance before the first day. */
export interface BalanceFigures {
  opening: number;
  closing: number;
  lowest: BalanceDay;
  highest: BalanceDay;
  credits: bigint;
  debits: bigint;
  transactions: number;
}

/** @param days at least one, the oldest first */
export function figuresOf(days: readonly [BalanceDay, ...BalanceDay[]]): BalanceFigures {
  const [first] = days;
  let [last, lowest, highest] = [first, first, first];
  let [credits, debits, transactions] = [0n, 0n, 0];
  for (const day of days) {
    last = day;
    if (day.balance_in_minor_units < lowest.balance_in_minor_units) lowest = day;
    if (day.balance_in_minor_units > highest.balance_in_minor_units) highest = day;
    credits += BigInt(day.credits_in_minor_units);
    debits += BigInt(day.debits_in_minor_units);
    transactions += day.transactions;
  }
  const opening = first.balance_in_minor_units - first.credits_in_minor_units + first.debits_in_minor_units;
  const closing = last.balance_in_minor_units;
  return {...{opening, closing, lowest, highest}, ...{credits, debits, transactions}};
}

/** How amounts of one currency are written; in minor units where its decimals are unknown. */
export interface CurrencyUnit {
  /** `USD`, or `minor units of XTS`. */
  name: string;
  /** Minor units in one unit of `amount`. */
  minor: number;
  /** `1,500.75` */
  amount: (minor: number | bigint) => string;
}

export function unitOf(currency: string): CurrencyUnit {
  const exponent = exponentOf(currency);
  if (exponent === undefined)
    return {name: `minor units of ${currency}`, minor: 1, amount: (n) => groupMajor(String(n))};
  return {
    name: currency,
    minor: 10 ** exponent,
    amount: (n) => groupMajor(formatMajor(BigInt(n), currency)),
  };
}
