/** What is known about a payment at the bank. */
export type PaymentState =
  | 'expected' // no line yet, and none is due
  | 'tentative' // a pending line
  | 'matched'
  | 'suggested' // a person decides
  | 'ambiguous' // several candidates
  | 'amount_differs' // a line has its id and another amount
  | 'duplicate' // two lines have its id
  | 'returned'
  | 'overdue'
  | 'contradicted'; // the service says failed and the bank paid, or settled and no line came in time

/**
 * The state of a payment at the end of a period. `booked_later`: by a line after it. `not_sent`: it failed, was canceled
 * or is not approved, and no line is expected.
 */
export type PeriodState = PaymentState | 'booked_later' | 'not_sent';

/** What is known about a line. */
export type LineState =
  | 'matched'
  | 'suggested'
  | 'ambiguous'
  | 'amount_differs'
  | 'duplicate'
  | 'returned'
  | 'internal' // moves, account transfers and simulated credits
  | 'statement_only' // the service was read for its day too, and has no such line
  | 'unexplained'
  | 'ignored' // by a person
  | 'changed'; // gone or altered since the last run

/** Why a line and a payment belong together, in the order in which the rules are applied. */
export type Rule =
  'id' | 'trace' | 'return' | 'group' | 'amount_and_day' | 'subset' | 'less_fee' | 'confirmed';

/** Lines and payments that belong together, or that may. */
export interface Match {
  readonly rule: Rule;
  readonly state: PaymentState;
  /** Keys. */
  readonly lines: readonly string[];
  readonly payments: readonly string[];
  /** The text that proves it, and where it stood; undefined for a rule without a text. */
  readonly proof: {readonly path: string; readonly text: string; readonly token: string} | undefined;
  /** Sum of the lines less sum of the payments, minor units; 0 unless a fee was taken. */
  readonly difference: bigint;
  readonly returnCode: string | undefined;
}

/** What a person decided about a line. It is never changed, only followed by another decision. */
export interface Decision {
  readonly line: string;
  readonly verb: 'confirm' | 'reject' | 'ignore';
  /** Keys; empty for `ignore`. */
  readonly payments: readonly string[];
  readonly note: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}
