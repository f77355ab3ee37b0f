import {operationOf} from '../../service/routes.ts';
import type {OperationId} from '../../contract/operations/operations.ts';

/** Which operations of the service a command calls. Shown in its help, and compared with its flags. */
export const COMMAND_OPERATIONS: Readonly<Record<string, readonly OperationId[]>> = {
  'payouts:create': ['payouts.create'],
  'payouts:get': ['payouts.get'],
  'payouts:list': ['payouts.list'],
  'payouts:approve': ['payouts.approve'],
  'payouts:cancel': ['payouts.cancel'],
  'payouts:wait': ['payouts.get'],
  'payins:create': ['payins.create'],
  'payins:get': ['payins.get'],
  'payins:list': ['payins.list'],
  'payins:approve': ['payins.approve'],
  'payins:cancel': ['payins.cancel'],
  'payins:wait': ['payins.get'],
  'payees:create': ['payees.create'],
  'payees:get': ['payees.get'],
  'payees:list': ['payees.list'],
  'payees:update': ['payees.update'],
  'payers:create': ['payers.create'],
  'payers:get': ['payers.get'],
  'payers:list': ['payers.list'],
  'payers:update': ['payers.update'],
  'payment-methods:add': ['payeePaymentMethods.add', 'payerPaymentMethods.add'],
  'payment-methods:list': ['payeePaymentMethods.list', 'payerPaymentMethods.list'],
  'payment-methods:set-default': ['payeePaymentMethods.setDefault', 'payerPaymentMethods.setDefault'],
  'payment-methods:delete': ['payeePaymentMethods.delete', 'payerPaymentMethods.delete'],
  'moves:create': ['moves.create'],
  'moves:get': ['moves.get'],
  'moves:list': ['moves.list'],
  'moves:approve': ['moves.approve'],
  'subaccounts:create': ['subaccounts.create'],
  'subaccounts:get': ['subaccounts.get'],
  'subaccounts:list': ['subaccounts.list'],
  'treasury:accounts:list': ['treasury.accounts'],
  'treasury:accounts:get': ['treasury.accounts'],
  'treasury:balance': ['treasury.balance'],
  'treasury:transactions': ['treasury.transactions'],
  'treasury:label': ['treasury.updateLabel'],
  'treasury:simulate-credit': ['treasury.simulateInboundCredit'],
  'transfers:create': ['accountTransfers.create'],
  'transfers:approve': ['accountTransfers.approve'],
  'transfers:list': ['accountTransfers.list'],
  'transfers:get': ['accountTransfers.list'],
  'transfers:wait': ['accountTransfers.list'],
  'webhooks:endpoints:create': ['webhookEndpoints.create'],
  'webhooks:endpoints:list': ['webhookEndpoints.list'],
  'webhooks:endpoints:get': ['webhookEndpoints.get'],
  'webhooks:endpoints:update': ['webhookEndpoints.update'],
  'webhooks:endpoints:rotate': ['webhookEndpoints.create', 'webhookEndpoints.delete'],
  'webhooks:endpoints:delete': ['webhookEndpoints.delete'],
  'webhooks:endpoints:enable': ['webhookEndpoints.toggle'],
  'webhooks:endpoints:disable': ['webhookEndpoints.toggle'],
  'webhooks:event-types': ['eventTypes.list'],
};

/**
 * `POST /api/payouts (assumed)`: the routes behind a command, and whether they are given by the interface document.
 */
export function routesOf(command: string): string[] {
  return (COMMAND_OPERATIONS[command] ?? []).map((id) => {
    const {method, path, origin} = operationOf(id);
    return `${method} ${path} (${origin.kind})`;
  });
}
