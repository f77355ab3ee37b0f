import type {LineState, PeriodState} from './finding.ts';

/** A number of lines or payments, and their sum in minor units. */
export interface CountedSum {
  readonly count: number;
  readonly sum: bigint;
}

/**
 * The lines that one account has in a period and in one currency, and the payments that were open in it. If balances are
 * known, opening + matched + returned + internal + ignored + unexplained = closing, in sums of posted lines.
 */
export interface CurrencyTotals {
  /** Undefined for payments that may be of any account, and for sums of all accounts. */
  readonly account: string | undefined;
  readonly currency: string;
  readonly opening: bigint | undefined;
  readonly closing: bigint | undefined;
  /** `calculated`: from the balance that the service reports, less the lines since. */
  readonly balances: 'stated' | 'calculated' | 'unknown';
  /** The day for which the opening balance is stated, if that is not the first one. */
  readonly openingDay: string | undefined;
  readonly matched: CountedSum;
  readonly returned: CountedSum;
  readonly internal: CountedSum;
  /** Lines that a person ignores. */
  readonly ignored: CountedSum;
  /** Lines in every other state. */
  readonly unexplained: CountedSum;
  /** What lines are more than their payments, as a person has confirmed it; part of `matched` and `returned`. */
  readonly differences: CountedSum;
  /** Pending lines; they are in none of the above. */
  readonly pending: CountedSum;
  readonly lines: Readonly<Record<LineState, CountedSum>>;
  /** The sum of `payments`: those that were sent in the period, and those before it that were open or came back in it. */
  readonly planned: CountedSum;
  /** The part of `planned` that was sent before the period. */
  readonly carried: CountedSum;
  readonly payments: Readonly<Record<PeriodState, CountedSum>>;
}

/** What the lines and payments of a period add up to. */
export interface ReconcileTotals {
  /** False if balances or two sources contradict each other, so that a line may be missing. */
  readonly conclusive: boolean;
  /** Why it is not conclusive. */
  readonly why: readonly string[];
  /** By account and code of the currency. */
  readonly perCurrency: readonly CurrencyTotals[];
}
