import {refuseOtherSpelling} from '../../client/requests/spelling.ts';
import {isId} from '../../contract/ids.ts';
import {asksForApproval} from '../../client/requests/approval.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {asObject, isObject, type Json} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Amount} from '../input/amounts.ts';
import {paramsAt, type ReadRequest} from '../../service/read-request.ts';
import type {Context} from '../core/context.ts';
import {moneyKindOf} from '../resources/money/kinds.ts';
import type {MoneyKind} from '../resources/money/money-kind.ts';
import {changesStatus} from '../write/compare.ts';
import {amountOfBody, hasAmount, type AmountRead} from '../guard/amount-read.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {needsFacts, recordFacts, statedFacts} from '../write/record-facts.ts';
import {asRecord} from '../../client/answers/record.ts';

/** A request typed for `remit api`. */
export interface TypedRequest {
  method: string;
  /** As it was typed. */
  path: string;
  /** As remit reads it. */
  read: ReadRequest;
  /** --amount and --currency. */
  stated: Amount | undefined;
}

/**
 * The facts that the guard can read from a typed request. An operation of the contract is read like its own command;
 * for any other request the body must show the amount, or the operator must state one.
 * @throws RemitError GUARD_TARGET for another spelling of a known path, whose amount would not be found
 */
export async function requestFacts(context: Context, request: TypedRequest): Promise<WriteFacts> {
  const {method} = request;
  const {operation, path, body, isPartly} = request.read;
  const plain: WriteFacts = {
    operation: `${method} ${plainValue(request.path)}`,
    party: partyOf(body),
    source: 'body',
  };
  const isChecked = needsFacts(context) || request.stated !== undefined;
  if (operation === undefined && (isChecked || asksForApproval(body)))
    refuseOtherSpelling(request, context.profile.service);
  if (!isChecked) return plain;
  const kind = moneyKindOf(operation);
  if (operation !== undefined && kind !== undefined && changesStatus(operation))
    return onRecord(context, {operation, kind, label: plain.operation}, request);
  if (operation !== undefined) refuseLongerPath(operation, request);
  // A create, whose body contains the amount, or a request that is not in the contract.
  const mayMove = kind !== undefined || operation === 'treasury.simulateInboundCredit';
  if (operation !== undefined && !mayMove)
    return hasAmount(body) ? {...plain, unread: {why: NO_AMOUNT_HERE, absent: false}} : plain;
  const read = path.includes('?') ? QUERY : isPartly ? PARTLY : amountOfBody(body);
  const {rail} = asRecord(body);
  return {
    ...plain,
    ...statedFacts(plain.operation, read, request.stated, 'the request'),
    ...(operation === undefined && read.kind === 'absent' && request.stated === undefined
      ? {unread: {why: 'the request has no amount', absent: true, mayMoveNothing: true}}
      : {}),
    ...(operation === 'moves.create' || operation === 'treasury.simulateInboundCredit'
      ? {}
      : {rail: {value: rail && plainValue(rail)}}),
    details: kind && (() => kind.creates.details(context, asObject(body))),
  };
}

const NO_AMOUNT_HERE = 'the body has an amount, which this path does not take';
const QUERY: AmountRead = {kind: 'unreadable', why: 'the query string may name an amount'};
const PARTLY: AmountRead = {
  kind: 'unreadable',
  why: 'the body has fields that the service file does not describe',
};

async function onRecord(
  context: Context,
  {operation, kind, label}: {operation: OperationId; kind: MoneyKind; label: string},
  {method, stated, read: {path, body}}: TypedRequest,
): Promise<WriteFacts> {
  const [id = ''] = Object.values(paramsAt(operation, path));
  const verb = operation.endsWith('.cancel') ? 'cancel' : 'approve';
  const isEmpty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
  const takesBody = verb === 'approve' && amountOfBody(body).kind === 'absent';
  const isPlain = !path.includes('?') && (isEmpty || takesBody);
  const facts = await recordFacts(context, {
    ...{verb, id, stated, noun: kind.noun, read: () => kind.read(context, id)},
    details: (record) => kind.details(context, verb, record),
  });
  return {
    ...facts,
    operation: label,
    ...(isPlain
      ? {}
      : {
          cancels: false, // it may do something else
          unread: {
            why: `${method} of this path takes neither a query nor ${verb === 'cancel' ? 'a body' : 'an amount'}`,
            absent: false,
          },
        }),
  };
}

function partyOf(body: Json): WriteFacts['party'] {
  const {payee_id: payee, payer_id: payer} = asRecord(body);
  if (payee !== undefined) return ['payee', plainValue(payee)];
  return payer === undefined ? undefined : ['payer', plainValue(payer)];
}

/** `/api/payees/x%2F..%2F..%2Fpayouts%23/payment-methods`: a service that decodes it first creates a payout. */
function refuseLongerPath(operation: OperationId, {method, path, read}: TypedRequest): void {
  const wrong = Object.values(paramsAt(operation, read.path)).find((id) => !isId(id, 'any'));
  if (wrong === undefined) return;
  throw new RemitError(
    'GUARD_TARGET',
    `refused ${method} ${plainValue(path)}: ${JSON.stringify(plainValue(wrong))} is not an id, and may be read as another path`,
    {hint: 'write the id as the service shows it'},
  );
}
