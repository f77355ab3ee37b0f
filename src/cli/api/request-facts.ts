import {refuseOtherSpelling} from '../../client/requests/spelling.ts';
import {isId} from '../../contract/ids.ts';
import {asksForApproval} from '../../client/requests/approval.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {isObject, must, type Json, asObject} from '../../narrow.ts';
import {firstPart} from '../../service/paths.ts';
import {plainValue} from '../../output/records/view.ts';
import {ACCOUNT_TRANSFER} from '../resources/money/account-transfers.ts';
import type {Amount} from '../input/amounts.ts';
import {paramsAt, type ReadRequest} from '../../service/read-request.ts';
import type {Context} from '../core/context.ts';
import type {ApproveOrCancel, MoneyKind} from '../resources/money/money-kind.ts';
import {MOVE} from '../resources/money/moves.ts';
import {PAYIN, PAYOUT} from '../resources/money/transfer-kinds.ts';
import {accountTransferDetails, moveDetails} from '../write/account-details.ts';
import {amountOfBody, hasAmount, type AmountRead} from '../guard/amount-read.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {needsFacts, recordFacts, statedFacts} from '../write/record-facts.ts';
import {creationDetails} from '../write/transfer-details.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';

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

/** Creates that move money or make a record that will; the body contains the amount. */
const CREATIONS: readonly OperationId[] = [
  'payins.create',
  'payouts.create',
  'moves.create',
  'accountTransfers.create',
  'treasury.simulateInboundCredit',
];
/** Operations on a record that has the amount. */
const ON_RECORDS: readonly OperationId[] = [
  'payins.approve',
  'payins.cancel',
  'payouts.approve',
  'payouts.cancel',
  'moves.approve',
  'accountTransfers.approve',
];

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
  if (operation !== undefined && ON_RECORDS.includes(operation))
    return onRecord(context, operation, request, plain.operation);
  if (operation !== undefined) refuseLongerPath(operation, request);
  if (operation !== undefined && !CREATIONS.includes(operation))
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
    details: detailsOf(context, operation, body),
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
  operation: OperationId,
  {method, stated, read: {path, body}}: TypedRequest,
  label: string,
): Promise<WriteFacts> {
  const [id = ''] = Object.values(paramsAt(operation, path));
  const verb = operation.endsWith('.cancel') ? 'cancel' : 'approve';
  const write = {verb, id, stated} as const;
  const isEmpty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
  const takesBody = verb === 'approve' && amountOfBody(body).kind === 'absent';
  const isPlain = !path.includes('?') && (isEmpty || takesBody);
  const facts = await recordFacts(context, {...write, ...readerOf(context, operation, verb, id)});
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

const KINDS: readonly MoneyKind[] = [PAYIN, PAYOUT, MOVE, ACCOUNT_TRANSFER];

function readerOf(context: Context, operation: OperationId, verb: ApproveOrCancel, id: string) {
  const kind = must(
    KINDS.find(({resource}) => resource === firstPart(operation)),
    'kind of the record',
  );
  return {
    noun: kind.noun,
    read: () => kind.read(context, id),
    details: (record: ServiceRecord) => kind.details(context, verb, record),
  };
}

function detailsOf(context: Context, operation: OperationId | undefined, body: Json): WriteFacts['details'] {
  const fields = asObject(body);
  if (operation === 'payins.create') return () => creationDetails(context, PAYIN, fields);
  if (operation === 'payouts.create') return () => creationDetails(context, PAYOUT, fields);
  if (operation === 'moves.create') return () => moveDetails(context, asRecord(body), 'wait');
  if (operation === 'accountTransfers.create')
    return () => accountTransferDetails(context, asRecord(body), asksForApproval(fields) ? 'now' : 'wait');
  return undefined;
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
