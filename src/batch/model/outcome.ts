import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {DIFFERING_FIELDS} from './row-fields.ts';

/** What the journal stores about a row. A row without an outcome was never sent, unless a window covers it. */
export type RowState =
  | 'staged' // created, not approved; no money moves
  | 'held' // staged, but the record differs from the row in rail, currency or metadata
  | 'accepted' // approved or further
  | 'already_paid' // paid by another batch of the same namespace; never sent by this one
  | 'unapproved' // the record exists, but its approval failed
  | 'rejected' // definitely refused; no record exists
  | 'dead_key' // the key belongs to a failed or canceled record
  | 'conflict' // the registry has this reference for another payment or an unfinished batch
  | 'collision' // the service returned the record of another payment
  | 'in_doubt' // sent, outcome unknown
  | 'not_sent'; // certainly not accepted by the service

/** The eight buckets, in the order of the summary. Their counts add up to the planned rows. */
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
 * The `code` of outcomes decided by the registry, not by an answer. A row in doubt with this code is disputed:
 * another batch has its reference, and the row is not sent.
 */
export const REGISTRY_CODE = 'REGISTRY';

/**
 * The `code` of a row that is not sent because of an earlier record of its reference: one that is not sent or staged while
 * that record shows no end, and one in doubt if that record has settled after all.
 */
export const FORMER_CODE = 'FORMER_RECORD';

/** The same where the service reports that it has no such record any more: a later read shows no end either. */
export const FORMER_GONE_CODE = 'FORMER_GONE';

/** Whether a row was not sent, or not released, because of an earlier record of its reference that is not found. */
export const isLeftForFormer = ({state, code}: Pick<Outcome, 'state' | 'code'>): boolean =>
  ['not_sent', 'staged', 'held'].includes(state) && code === FORMER_GONE_CODE;

/**
 * The `code` of a conflict where this batch did not pay the row and another batch has since paid different content.
 */
export const PAID_ELSEWHERE_CODE = 'PAID_ELSEWHERE';

/**
 * A message as it is stored and shown. Registry messages name batches, so their digits are not masked as account
 * numbers.
 */
export const cleanMessage = (
  sanitizer: Sanitizer,
  {code, message}: {code: string | null; message: string | null},
): string | null => {
  if (message === null) return null;
  return code === REGISTRY_CODE ? sanitizer.line(message) : sanitizer.words(message);
};

/** How the message of a staged row begins whose release was refused or was too late. */
export const NOT_RELEASED = 'not released: ';

/** The `code` of a payment that was approved with another rail, currency or metadata than requested. */
export const DIFFERS_CODE = 'DIFFERS';

/** Message of the outcome for such a payment: it is made and can no longer be held. */
export const DIFFERS = {
  code: DIFFERS_CODE,
  message: `its record differs from the row in ${DIFFERING_FIELDS}, and can no longer be held back`,
} as const;

/** How the message of an accepted row begins whose reference may have two paid records. */
export const MAYBE_TWICE = 'check: may be paid twice';

/** Message of a row that a retry sends again with its key: answers may have been mixed up. */
export const RETURNED_OTHER = 'its key returned the record of another payment';

/** How the reason for a new key begins if the one before it returned the record of another payment. */
export const KEY_RETURNED = 'its key returned record ';

/** Ends the message of a row if the record of another payment came back to that second request too. */
export const CAME_AGAIN = '; it came back again';

/** Begins the message of a row in doubt whose last request was refused in a way that does not show what became of it. */
export const REFUSED_AFTER_DOUBT = 'it may have been sent before and is now refused';

export const mayBePaidTwice = ({code, message}: Pick<Outcome, 'code' | 'message'>): boolean =>
  code === DIFFERS_CODE && message?.startsWith(MAYBE_TWICE) === true;

/** The same in SQL, over outcomes. */
export const MAY_BE_PAID_TWICE = `(code = '${DIFFERS_CODE}' and message like '${MAYBE_TWICE}%')`;

const KNOWN_RECORD = '; its record ';
const PAYS_NOTHING: Readonly<Record<string, string>> = {
  failed: 'has failed',
  canceled: 'was canceled',
  created: 'is not approved any more',
  'not found': 'was not found',
};

/**
 * The message of a row that may be paid twice, with what has become of the record that is known. The row stays accepted,
 * whatever that is: the other record may have paid it, so nothing is sent for it until a person has looked.
 * @param is the status of the known record, or `not found`
 */
export function twiceText({id, message}: Outcome, is: string): string {
  const [text = MAYBE_TWICE] = (message ?? MAYBE_TWICE).split(KNOWN_RECORD);
  const end = PAYS_NOTHING[is];
  return end === undefined
    ? text
    : `${text}${KNOWN_RECORD}${id} ${end}. If no other one has paid the row, retry --row pays it`;
}

/** Direct mode: the record is younger than a request with its key that was not answered, and may have paid as well. */
export const MAYBE_PAID_TWICE = {
  code: DIFFERS_CODE,
  message: `${MAYBE_TWICE}. Its record was created more than ten minutes after a request that was not answered; look for an earlier record with this reference`,
} as const;

/**
 * Whether a GET of the record showed another payment. That is judged again by the next GET, unlike the difference with
 * which a payment was approved.
 */
export const wasReadAsOther = ({code, message}: Pick<Outcome, 'code' | 'message'>): boolean =>
  code === DIFFERS_CODE &&
  message?.startsWith(DIFFERS.message) !== true &&
  message?.startsWith(MAYBE_TWICE) !== true;

/** The same in SQL, for `o`, the outcome of a row. */
export const READ_AS_OTHER = `(o.code = '${DIFFERS_CODE}' and coalesce(o.message, '') not like '${DIFFERS.message}%' and coalesce(o.message, '') not like '${MAYBE_TWICE}%')`;

/** Message of a row in doubt whose record the service does not know. */
export const LOST = 'the service no longer knows this record';

/** The `code` of a row whose record is not found: that of the 404, unless its difference was accepted, which stays so. */
export const lostCode = ({code}: Pick<Outcome, 'code'>, errorCode: string | undefined): string | null =>
  code === DIFFERS_AS_ACCEPTED.code ? code : (errorCode ?? null);

/** Whether the record of a row in doubt was approved when it was last read, and then not found. */
export const wasLost = ({state, status, http, message}: Outcome): boolean =>
  state === 'in_doubt' && http === 404 && message === LOST && status !== null && status !== 'created';

/** The `code` of a row in doubt whose last answer had no readable record: of a success, or of a redirect. */
export const UNREADABLE_CODE = 'UNREADABLE';

/** The `code` of a row in doubt whose key the service may have forgotten, whatever its age: no run sends it again. */
export const FORGOTTEN_CODE = 'KEY_FORGOTTEN';

/** Codes of rows in doubt of which the known record does not tell all. */
const OTHERS_RECORD: readonly string[] = [REGISTRY_CODE, FORGOTTEN_CODE, FORMER_CODE];

/**
 * Whether a GET of the known record may show what became of a row in doubt. It cannot if another batch has its reference,
 * or if another record may have paid it.
 */
export const isRecordedDoubt = ({state, code, id}: Pick<Outcome, 'state' | 'code' | 'id'>): boolean =>
  state === 'in_doubt' && id !== null && !(code !== null && OTHERS_RECORD.includes(code));

/** The same in SQL, over outcomes. */
export const RECORDED_DOUBT = `(state = 'in_doubt' and id is not null and coalesce(code, '') not in (${OTHERS_RECORD.map((code) => `'${code}'`).join(', ')}))`;

/**
 * The outcome of a row that direct mode sent without an answer, and for which staging made a new record long after. The
 * service may have forgotten the key, and have paid before.
 */
export const MAYBE_PAID_BEFORE = {
  code: FORGOTTEN_CODE,
  message:
    'it may have been paid: an earlier request with approval was not answered, and the service made a new record for its key more than ten minutes later. Look for an earlier record with this reference, then resolve the row; the new record is not approved',
} as const;

/**
 * Message of an unapproved row that had been accepted. A record may have several copies at the service, of which one is
 * behind, so following continues with these rows.
 */
export const APPROVAL_LOST = 'its record had been approved, and is now shown as created';

/** Message of a row whose record was canceled at the service after it had been approved. */
export const CANCELED_LATER = 'its record was canceled after it had been accepted';

/** Message of an accepted row whose record was shown with an earlier status than before, until it is final. */
export const wentBackText = (from: string, to: string): string => `${WENT_BACK}${from} to ${to}`;
const WENT_BACK = 'the status of its record went back from ';

export const hasGoneBack = ({code, message}: Pick<Outcome, 'code' | 'message'>): boolean =>
  code === DIFFERS_CODE && message?.startsWith(WENT_BACK) === true;

/** Message of a row that is not sent: direct mode could not tell a record of that request from a new one. */
export const DIRECT_WITH_USED_KEY =
  'an earlier request with other content used its key and was never answered; run the batch without --direct, which can tell the two apart';

/**
 * The outcome of a payment whose difference the operator accepted before its approval. A row whose release was not
 * answered keeps the code, so that the difference is not reported once its record is read.
 */
export const DIFFERS_AS_ACCEPTED = {
  code: 'DIFFERS_ACCEPTED',
  message: `its record differed from the row in ${DIFFERING_FIELDS}; the difference was accepted before the release`,
} as const;

/**
 * The `code` of a held row whose record lacks the party, amount or subaccount: what its release would pay is unknown, so
 * accepted differences do not cover it.
 */
export const NOT_COMPARED_CODE = 'NOT_COMPARED';

/**
 * The `code` of an already paid row whose payment has another party, amount or currency, as the operator accepted. The
 * outcome keeps in what it differs.
 */
export const REPLACED_CODE = 'REPLACED';

/** A field in which a record differs from its row. */
export interface FieldDifference {
  field: string;
  asked: string;
  /** Null if the answer lacks it. */
  answered: string | null;
}

export interface Outcome {
  n: number;
  state: RowState;
  /** Id of the record, once known. */
  id: string | null;
  /** Its status as last seen. */
  status: string | null;
  /** When the service may first have seen the key; the horizon counts from here. */
  stagedAt: number | null;
  http: number | null;
  code: string | null;
  message: string | null;
  requestId: string | null;
  /** Requests sent for this row by all runs so far. */
  attempts: number;
  /** Id of a record that was staged and then abandoned, because the service had forgotten the key. */
  orphan: string | null;
  /** Why the row is held, or in what its approved record differs. Stored, but not read with the row. */
  differences?: readonly FieldDifference[] | undefined;
}

export const KILLED = 'it may have been sent when an earlier run was killed';

/** Message for a row that a window covers and that has no outcome. */
export const openDoubt = (n: number, since: number): Outcome & {stagedAt: number} => ({
  ...{n, state: 'in_doubt', id: null, status: null, stagedAt: since, http: null, code: null},
  ...{message: KILLED, requestId: null, attempts: 0, orphan: null},
});
