import type {OperationId} from '../../contract/operations/operations.ts';
import {isObject} from '../../narrow.ts';
import type {PaymentKind} from '../../doubts/open-payment.ts';
import type {Context} from '../core/context.ts';
import type {ChosenKey} from '../doubts/memory.ts';
import type {Payment} from '../doubts/payment.ts';
import {amountOfBody} from '../guard/amount-read.ts';
import type {Typed} from '../line/command-line.ts';
import {paramsAt, type ReadRequest} from '../../service/read-request.ts';

export type KeyOrigin = Pick<ChosenKey, 'isRepeat' | 'isOwn'>;

/** The operations that make a payment, and the fields of its two ends. */
const PAYMENTS: Readonly<Partial<Record<OperationId, {kind: PaymentKind; party: string; source?: string}>>> =
  {
    'payouts.create': {kind: 'payout', party: 'payee_id'},
    'payins.create': {kind: 'payin', party: 'payer_id'},
    'moves.create': {
      ...{kind: 'move', party: 'destination_subaccount_id', source: 'source_subaccount_id'},
    },
    'accountTransfers.create': {
      ...{kind: 'account transfer', party: 'destination_account_id', source: 'source_account_id'},
    },
    'treasury.simulateInboundCredit': {kind: 'bank transaction', party: 'account_id'},
  };

/** Whether an operation makes a payment and answers with its record; without one it would be lost. */
export const makesRecord = (operation: OperationId | undefined): boolean =>
  operation !== undefined && PAYMENTS[operation] !== undefined;

/** The payment that a typed request would make; undefined if it makes none, or has no party or readable amount. */
export function paymentOf(
  {operation, path, body}: ReadRequest,
  typed: {acceptsNew: boolean; typed: Typed},
): Payment | undefined {
  const known = operation === undefined ? undefined : PAYMENTS[operation];
  if (operation === undefined || known === undefined || !isObject(body)) return undefined;
  const fields = {...paramsAt(operation, path), ...body};
  const [party, source] = [fields[known.party], known.source === undefined ? null : fields[known.source]];
  const amount = amountOfBody(body);
  if (typeof party !== 'string' || amount.kind !== 'read') return undefined;
  return {
    ...{kind: known.kind, party, source: typeof source === 'string' ? source : null, body},
    ...{amountMinor: amount.minor, currency: amount.currency ?? null},
    parties:
      typeof source === 'string' ? `from ${source} to ${party}` : `${known.party.slice(0, -3)} ${party}`,
    ...typed,
  };
}

/**
 * Sends it with the memory of payments in doubt. A typed key counts only where the operation takes one: elsewhere the
 * service may ignore it.
 * @param keyed the operation takes an idempotency key
 */
export async function sendPayment<T>(
  context: Context,
  payment: Payment,
  {keyed, given}: {keyed: boolean; given: string | undefined},
  send: (idempotencyKey: string | undefined, origin: KeyOrigin) => Promise<T>,
): Promise<T> {
  const {sendWithKey, sendWithoutKey} = await import('../doubts/memory.ts');
  if (!keyed) return sendWithoutKey(context, payment, () => send(given, {isRepeat: false, isOwn: false}));
  return sendWithKey(context, payment, given, ({idempotencyKey, ...origin}) => send(idempotencyKey, origin));
}
