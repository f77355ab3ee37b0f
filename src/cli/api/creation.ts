import {asksForApproval} from '../../client/requests/approval.ts';
import type {AnyOptions, Result} from '../../client/requests/resource.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {isObject, type Json, type JsonValue} from '../../narrow.ts';
import type {Context} from '../core/context.ts';
import {PAYIN, PAYOUT} from '../resources/money/transfer-kinds.ts';
import type {EntryMemory} from '../doubts/payment.ts';
import {betweenSteps, mayFollow, rememberUnclear} from '../write/create-steps.ts';
import {unintendedStatus} from '../write/answered-status.ts';
import {noteCreated} from '../write/created-record.ts';
import type {ReadRequest} from '../../service/read-request.ts';
import {answeredRecord} from '../../client/answers/record.ts';

/** A typed request that creates a payin or payout. */
export interface TypedCreation {
  optionsFor: (
    idempotencyKey: string | undefined,
    repeat: string | undefined,
    memory: EntryMemory,
  ) => Pick<AnyOptions, 'onCreated' | 'showCommand'> | undefined;
  /** The operations that may follow it. */
  follows: readonly OperationId[];
  /** It may take two requests. */
  isInSteps: boolean;
  /** The body of the first of them. */
  unapprovedBody: Json;
  /** Returns what is wrong with the status of the record, and the command that reads it. */
  note: (
    result: Result<JsonValue>,
    memory: EntryMemory,
    isFreshKey: boolean,
  ) => {unintended: string | undefined; next: string | undefined};
}

/** Undefined for any other request. */
export function creationOf(
  context: Context,
  sent: Json,
  {operation, body, isRaw}: ReadRequest,
): TypedCreation | undefined {
  if ((operation !== 'payins.create' && operation !== 'payouts.create') || !isObject(body)) return undefined;
  const {noun, resource} = operation === 'payins.create' ? PAYIN : PAYOUT;
  const {codec, commands} = context;
  const meant = asksForApproval(body) ? 'approved' : 'created';
  return {
    optionsFor: (idempotencyKey, repeat, memory) =>
      idempotencyKey === undefined || repeat === undefined
        ? undefined
        : betweenSteps(context, {noun, resource, idempotencyKey, repeat, memory}),
    follows: mayFollow(context.profile, resource, body),
    isInSteps: asksForApproval(body),
    unapprovedBody: codec.withoutApproval(operation, sent, isRaw),
    note: (result, memory, isFreshKey) => {
      const record = answeredRecord(isRaw ? codec.recordIn(operation, result.data) : result.data);
      rememberUnclear(memory, {body, noun, result: {...result, data: record}});
      const isNew = isFreshKey || (result.status === 201 && meant === 'created');
      const tracked = {resource, lifecycle: LIFECYCLES[noun], noun, isNew};
      const next = record.id && commands.read(resource, 'get', record.id);
      noteCreated(context, {noun, resource, asked: body, record, next});
      return {unintended: unintendedStatus(meant, tracked, {data: record, status: result.status}), next};
    },
  };
}
