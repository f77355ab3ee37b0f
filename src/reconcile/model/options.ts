/** A fee that a bank takes from a line: a credit of 1000 less a fee of 25 arrives as 975, a debit leaves as 1025. */
export interface FeeRule {
  /** Undefined for every rail. */
  readonly rail: string | undefined;
  /** Positive minor units of a currency, or hundredths of a percent of the amount, rounded half up. */
  readonly fee: {readonly currency: string; readonly amount: bigint} | {readonly basisPoints: bigint};
}

/** How the rules are applied. */
export interface MatchOptions {
  /** `YYYY-MM-DD` in New York. */
  readonly today: string;
  /** The first banking day on or after `day`, plus `after` banking days. */
  readonly bankingDay: (day: string, after: number) => string;
  /** For a rail, the first and the last banking day after the day of a payment on which its line is expected. */
  readonly windows: Readonly<Record<string, readonly [first: number, last: number]>>;
  /** For payments without a rail, or with one that `windows` lacks. */
  readonly otherWindow: readonly [first: number, last: number];
  /** Undefined for those of the last match of this service. */
  readonly fees: readonly FeeRule[] | undefined;
  /** Whether a line is about money that stays with the owner, such as a simulated credit. */
  readonly isInternal?:
    ((line: {readonly texts: readonly {path: string; text: string}[]}) => boolean) | undefined;
}
