import type {OperationId} from '../../../contract/operations/operations.ts';
import {isUsableId} from '../../../client/answers/readable.ts';
import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {isObject, type JsonFields} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import type {ServiceReply} from '../survey/asker.ts';

/** A resource whose records can be created without approval and canceled. */
export interface ProbedKind {
  readonly noun: 'payout' | 'payin';
  readonly topic: 'payouts' | 'payins';
  /** The field of the other party, the list of its records, and the commands for it. */
  readonly party: 'payee_id' | 'payer_id';
  readonly parties: 'payees' | 'payers';
}

export const PROBED_PAYOUT: ProbedKind = {
  noun: 'payout',
  topic: 'payouts',
  party: 'payee_id',
  parties: 'payees',
};
export const PROBED_PAYIN: ProbedKind = {
  noun: 'payin',
  topic: 'payins',
  party: 'payer_id',
  parties: 'payers',
};

export const idOf = (kind: ProbedKind, verb: 'create' | 'get' | 'list' | 'cancel' | 'approve'): OperationId =>
  `${kind.topic}.${verb}`;

/** 1.00 in most currencies. The record is never approved. */
export const AMOUNT_MINOR = 100;
export const REFERENCE = 'remit-doctor';

/** What a create of the probe contains. */
export interface Money {
  /** Id of the payee or payer. */
  readonly party: string;
  readonly currency_code: string;
  /** Only for a payin, if the payer has no default. */
  readonly payment_method_id?: string | undefined;
}

export const bodyFor = (kind: ProbedKind, {party, currency_code, payment_method_id}: Money) => ({
  ...{[kind.party]: party, amount_in_minor_units: AMOUNT_MINOR, currency_code},
  ...(payment_method_id === undefined ? {} : {payment_method_id}),
  ...{metadata: {remit_reference: REFERENCE}, auto_approve: false},
});

export const recordIn = ({json}: ServiceReply): JsonFields => {
  const record = unwrapRecord(json);
  return isObject(record) ? record : {};
};

/** The id of a record that was created; undefined if the answer has none that can be used. */
export function probedIdIn(reply: ServiceReply, {out}: Context): string | undefined {
  const {id} = recordIn(reply);
  return isUsableId(id, out.sanitizer) ? id : undefined;
}
