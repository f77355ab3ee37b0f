import {asksForApproval} from '../../client/create-then-release.ts';
import type {AnyOptions} from '../../client/requests/resource.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {isObject} from '../../narrow.ts';
import type {Context} from '../core/context.ts';
import {PAYIN, PAYOUT} from '../resources/transfer-kinds.ts';
import {betweenSteps} from '../write/create-steps.ts';
import {noteOtherWords} from '../write/created-record.ts';
import type {ReadRequest} from '../../service/read-request.ts';

/** A typed request that creates a payin or payout. */
export interface TypedCreation {
  optionsFor: (
    idempotencyKey: string | undefined,
    repeat: string | undefined,
    onKnown: (id: string) => void,
  ) => Pick<AnyOptions, 'onCreated' | 'showCommand'> | undefined;
  /** It may take two requests. */
  isInSteps: boolean;
  /** The body of the first of them. */
  unapprovedBody: unknown;
  note: (data: unknown) => void;
}

/** Undefined for any other request. */
export function creationOf(
  context: Context,
  sent: unknown,
  {operation, body, isRaw}: ReadRequest,
): TypedCreation | undefined {
  if ((operation !== 'payins.create' && operation !== 'payouts.create') || !isObject(body)) return undefined;
  const {noun, resource} = operation === 'payins.create' ? PAYIN : PAYOUT;
  const {codec, out} = context;
  return {
    optionsFor: (idempotencyKey, repeat, onKnown) =>
      idempotencyKey === undefined || repeat === undefined
        ? undefined
        : betweenSteps(context, {noun, resource, idempotencyKey, repeat, onKnown}),
    isInSteps: asksForApproval(body),
    unapprovedBody: codec.withoutApproval(operation, sent, isRaw),
    note: (data) => {
      const record = unwrapRecord(isRaw ? codec.recordIn(operation, data) : data);
      noteOtherWords(out, {noun, asked: body, record});
    },
  };
}
