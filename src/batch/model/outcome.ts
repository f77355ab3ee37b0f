import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {DIFFERING_FIELDS} from './row-fields.ts';

/** What is known of a row, as it is journaled. A row without an outcome was never sent, or lies in a window. */
export type RowState =
  | 'staged' // created, not approved; no money moves
  | 'held' // staged, but the record differs in rail, currency or metadata from what was asked for
  | 'accepted' // approved or further
  | 'already_paid' // paid by another batch of the same namespace; never sent by this one
  | 'unapproved' // the record exists, its approval failed
  | 'rejected' // a definite refusal; no record exists
  | 'dead_key' // the key belongs to a failed or canceled record
  | 'conflict' // the registry has its reference for another payment or an unfinished batch
  | 'collision' // another record came back than the one asked for
  | 'in_doubt' // sent, unsettled
  | 'not_sent'; // surely never taken by the service

/** The eight buckets whose counts add up to the planned rows, in the order of the summary. */
export const BUCKETS = [
  'accepted',
  'already_paid',
  'staged',
  'unapproved',
  'rejected',
  'conflict',
  'in_doubt',
  'not_sent',
] as const;
export type Bucket = (typeof BUCKETS)[number];

export const bucketOf = (state: RowState): Bucket =>
  state === 'held' ? 'staged' : state === 'dead_key' || state === 'collision' ? 'conflict' : state;

/**
 * In the `code` of outcomes that no answer made, but the registry. With it a row in doubt is disputed: another batch has its
 * reference, and it is not sent.
 */
export const REGISTRY_CODE = 'REGISTRY';

/** In the `code` of a conflict: this batch did not pay the row, and another batch has paid other content since. */
export const PAID_ELSEWHERE_CODE = 'PAID_ELSEWHERE';

/** A message as it is stored and shown. The names of batches in those of the registry are no account numbers. */
export const cleanMessage = (
  sanitizer: Sanitizer,
  {code, message}: {code: string | null; message: string | null},
): string | null => {
  if (message === null) return null;
  return code === REGISTRY_CODE ? sanitizer.line(message) : sanitizer.words(message);
};

/** In the `code` of a payment that was approved with another rail, currency or metadata than was asked for. */
export const DIFFERS_CODE = 'DIFFERS';

/** What an outcome says of such a payment: it is made, and cannot be held any more. */
export const DIFFERS = {
  code: DIFFERS_CODE,
  message: `its record differs from the row in ${DIFFERING_FIELDS}, and cannot be held any more`,
} as const;

/** Message of a row that is not sent: in direct mode, a record of that request could not be told from a new one. */
export const DIRECT_WITH_USED_KEY =
  'an earlier request with other content used its key and was never answered; run the batch without --direct, which can tell the two apart';

/** What an outcome says of a payment whose difference the operator had accepted before it was approved. */
export const DIFFERS_AS_ACCEPTED = {
  code: 'DIFFERS_ACCEPTED',
  message: `its record differed from the row in ${DIFFERING_FIELDS}; this was accepted for its release`,
} as const;

export interface Outcome {
  n: number;
  state: RowState;
  /** Id of the record at the service, once known. */
  id: string | null;
  /** Its status as last seen. */
  status: string | null;
  /** Since when the service may know its key: the horizon counts from here. */
  stagedAt: number | null;
  http: number | null;
  code: string | null;
  message: string | null;
  requestId: string | null;
  /** Requests sent for this row by all runs so far. */
  attempts: number;
  /** Id of a record that was staged and then left behind, because the service had forgotten the key. */
  orphan: string | null;
}

export const KILLED = 'it may have been sent when an earlier run was killed';

/** What a window says of a row that has no outcome. */
export const openDoubt = (n: number, since: number): Outcome & {stagedAt: number} => ({
  ...{n, state: 'in_doubt', id: null, status: null, stagedAt: since, http: null, code: null},
  ...{message: KILLED, requestId: null, attempts: 0, orphan: null},
});
