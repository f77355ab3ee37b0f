import type {OperationId} from '../../contract/operations/operations.ts';
import type {Handlers} from './handler.ts';
import {accountTransferHandlers} from './account-transfers.ts';
import {eventTypeHandlers} from './event-types.ts';
import {moveHandlers} from './moves.ts';
import {partyHandlers} from './parties.ts';
import {payinHandlers} from './payins.ts';
import {paymentMethodHandlers} from './payment-methods.ts';
import {payoutHandlers} from './payouts.ts';
import {subaccountHandlers} from './subaccounts.ts';
import {treasuryHandlers} from './treasury.ts';
import {webhookEndpointHandlers} from './webhook-endpoints.ts';

/** `{get}` of payouts -> `{'payouts.get'}`: handlers by the ids of their operations. */
function under<R extends string, T extends object>(resource: R, handlers: T) {
  const entries = Object.entries(handlers).map(([verb, handler]): [string, unknown] => [
    `${resource}.${verb}`,
    handler,
  ]);
  return Object.fromEntries(entries) as {[V in keyof T & string as `${R}.${V}`]: T[V]}; // fromEntries loses the keys
}

/** One handler per operation. The type reports a missing one, a test a superfluous one. */
export const HANDLERS: Handlers = {
  ...under('payins', payinHandlers),
  ...under('payouts', payoutHandlers),
  ...under('moves', moveHandlers),
  ...under('subaccounts', subaccountHandlers),
  ...under('payees', partyHandlers('payee')),
  ...under('payers', partyHandlers('payer')),
  ...under('payeePaymentMethods', paymentMethodHandlers('payee')),
  ...under('payerPaymentMethods', paymentMethodHandlers('payer')),
  ...under('treasury', treasuryHandlers),
  ...under('accountTransfers', accountTransferHandlers),
  ...under('webhookEndpoints', webhookEndpointHandlers),
  ...under('eventTypes', eventTypeHandlers),
} satisfies Record<OperationId, unknown>;
