import {LIFECYCLES, isBadEnd} from '../contract/lifecycle.ts';
import type {Sanitizer} from '../sanitize/sanitizer.ts';
import type {ComparedRecord} from './answers/created-record.ts';
import {statusOf} from './reading/poll.ts';
import type {KeyedOptions, Result, TransferCreation} from './requests/resource.ts';
import type {JsonFields, Json, JsonValue} from '../narrow.ts';

/** How one request of a create is sent. */
export interface CreateRequest {
  /** Sends `auto_approve: false` instead of what was requested. */
  withoutApproval?: boolean;
  /** The record that an earlier request has shown. */
  recordId?: string;
  /** A 409 is not repeated. */
  endsAtConflict?: boolean;
  /** Reads the record before the request is repeated; a result replaces the repetition. */
  lookUp?: (answered: number | undefined) => Promise<Result<JsonValue> | undefined>;
}

/** One create of a payin or payout, and the requests that it may take. */
export interface TransferCreate {
  readonly operation: TransferCreation;
  /** The canonical body. */
  readonly asked: JsonFields;
  readonly idempotencyKey: string;
  /** The key was generated for this call. */
  readonly isOwnKey: boolean;
  readonly options: KeyedOptions;
  readonly sanitizer: Sanitizer;
  /** How long the service remembers a key. */
  readonly horizonMs: number;
  readonly monotonic: () => number;
  readonly send: (how: CreateRequest) => Promise<Result<JsonValue>>;
  /** The canonical record in the data of any of these results. */
  readonly recordIn: (data: Json) => JsonFields;
  readonly read: (id: string) => Promise<Result<JsonValue>>;
  /** The standalone approve; undefined if it may not be used. */
  readonly approve: ((id: string) => Promise<Result<JsonValue>>) | undefined;
}

/** The record of a create, as the first request has shown it. */
export interface KnownRecord {
  id: string;
  first: Result<JsonValue>;
  sentAtMs: number;
}

/** Whether a record is approved, as far as its status shows. */
export type Approval = 'open' | 'approved' | 'dead' | 'unknown';

export const nounOf = ({operation}: TransferCreate) => (operation === 'payins.create' ? 'payin' : 'payout');
export const partyFieldOf = ({operation}: TransferCreate) =>
  operation === 'payins.create' ? 'payer_id' : 'payee_id';

export const comparedWith = (create: TransferCreate, record: JsonFields): ComparedRecord => ({
  ...{noun: nounOf(create), asked: create.asked, record},
});

export function approvalOf(create: TransferCreate, record: JsonFields): Approval {
  const lifecycle = LIFECYCLES[nounOf(create)];
  const status = statusOf(record);
  if (status === lifecycle.initial) return 'open';
  if (status === undefined || !Object.hasOwn(lifecycle.next, status)) return 'unknown';
  return isBadEnd(lifecycle, status) ? 'dead' : 'approved';
}
