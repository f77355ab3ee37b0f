import type {LineState, PaymentState} from './finding.ts';

/** A number of lines or payments, and their sum in minor units. */
export interface CountedSum {
  readonly count: number;
  readonly sum: bigint;
}

/**
 * All lines and payments of one currency. If the bank stated balances, opening + matched + returned + internal +
 * unexplained = closing, in sums of posted lines.
 */
export interface CurrencyTotals {
  readonly currency: string;
  /** Undefined without stated balances that cover every account of the currency. */
  readonly opening: bigint | undefined;
  readonly closing: bigint | undefined;
  readonly matched: CountedSum;
  readonly returned: CountedSum;
  readonly internal: CountedSum;
  /** Lines in every other state, also those that a person ignores. */
  readonly unexplained: CountedSum;
  /** Pending lines; they are in none of the above. */
  readonly pending: CountedSum;
  readonly lines: Readonly<Record<LineState, CountedSum>>;
  /** The sum of `payments`. */
  readonly planned: CountedSum;
  readonly payments: Readonly<Record<PaymentState, CountedSum>>;
}

/** What a match of everything in the book adds up to. */
export interface ReconcileTotals {
  /** False if balances or two sources contradict each other, so that a line may be missing. */
  readonly conclusive: boolean;
  /** Why it is not conclusive. */
  readonly why: readonly string[];
  /** In the order of their codes. */
  readonly perCurrency: readonly CurrencyTotals[];
}
