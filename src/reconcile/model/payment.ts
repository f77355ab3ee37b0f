import {LIFECYCLES, isBadEnd} from '../../contract/lifecycle.ts';
/** A payment that a bank line is expected for. */
export interface ExpectedPayment {
  /** The id of its record; of a row whose record is not known, its batch and reference: `batch:NAME/REFERENCE`. */
  readonly key: string;
  /** Undefined for a row in doubt whose record was not found. */
  readonly recordId: string | undefined;
  readonly kind: 'payout' | 'payin' | 'transfer';
  /** The treasury account in which it is expected, if that is known. */
  readonly account: string | undefined;
  /** Minor units, as the account sees it: a payout is negative, a payin positive. */
  readonly amount: bigint;
  readonly currency: string;
  readonly rail: string | undefined;
  /** As the service last showed it. */
  readonly status: string | undefined;
  /** `YYYY-MM-DD`, when the money was sent on its way, or is scheduled to be; the first day for a line. */
  readonly day: string;
  /** Trace number, end-to-end id, `remit_reference`: what a bank may repeat in a text. */
  readonly traces: readonly string[];
  /** The batch that planned it. A reference is unique in its namespace. */
  readonly row: {readonly batch: string; readonly reference: string; readonly namespace: string} | undefined;
  /** The groups that it is declared to be booked with, such as one ACH file; the amounts of all add up to one line. */
  readonly groups: readonly string[];
}

/** Whether money was sent, as far as the status of the record shows; the statuses of all kinds mean the same. */
export const isSent = (status: string | undefined): boolean =>
  status !== LIFECYCLES.payout.initial && !isBadEnd(LIFECYCLES.payout, status);

/** Whether a line goes in the other direction than its payment. */
export const isReturnOf = (line: {readonly amount: bigint}, payment: {readonly amount: bigint}): boolean =>
  line.amount < 0n !== payment.amount < 0n;
