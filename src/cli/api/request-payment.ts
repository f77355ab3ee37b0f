import type {OperationId} from '../../contract/operations/operations.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {plainValue} from '../../output/records/view.ts';
import type {PaymentKind} from '../../doubts/open-payment.ts';
import type {Context} from '../core/context.ts';
import type {ChosenKey} from '../doubts/memory.ts';
import {NO_MEMORY, type Payment} from '../doubts/payment.ts';
import type {Typed} from '../line/command-line.ts';
import {paramsAt, paymentBody, type ReadRequest} from '../../service/read-request.ts';

export type KeyOrigin = Omit<ChosenKey, 'idempotencyKey'>;

/** A request that is not remembered, with a key that was typed, was made for it, or is absent. */
export const unremembered = (isOwn: boolean): KeyOrigin => ({
  ...{isRepeat: false, isOwn, earlier: undefined},
  memory: NO_MEMORY,
});

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
  operation !== undefined && operation.endsWith('.create') && PAYMENTS[operation] !== undefined;

/** The payment that a typed request would make; undefined if it makes none. What cannot be read may be any. */
export function paymentOf(
  {operation, path, body: given}: ReadRequest,
  typed: {accepts: readonly string[]; typed: Typed},
): Payment | undefined {
  const known = operation === undefined ? undefined : PAYMENTS[operation];
  if (operation === undefined || known === undefined) return undefined;
  const body = paymentBody({path, body: given});
  const fields = {...paramsAt(operation, path), ...body};
  const [named, source] = [fields[known.party], known.source === undefined ? null : fields[known.source]];
  const party = plainValue(named);
  const currency = fields['currency_code'];
  return {
    ...{kind: known.kind, party, source: typeof source === 'string' ? source : null, body},
    amountMinor: minorUnitsIn(body['amount_in_minor_units'] ?? body['amount_in_cents']) ?? null,
    currency: typeof currency === 'string' ? currency : null,
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
  if (!keyed) return sendWithoutKey(context, payment, () => send(given, unremembered(false)));
  return sendWithKey(context, payment, given, ({idempotencyKey, ...origin}) => send(idempotencyKey, origin));
}
