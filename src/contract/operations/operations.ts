import {accountTransfers} from './account-transfers.ts';
import {moves} from './moves.ts';
import type {Operation} from './operation.ts';
import {payeePaymentMethods, payees, payerPaymentMethods, payers} from './parties.ts';
import {payins} from './payins.ts';
import {payouts} from './payouts.ts';
import {subaccounts} from './subaccounts.ts';
import {treasury} from './treasury.ts';
import {eventTypes, webhookEndpoints} from './webhooks.ts';

/**
 * The whole service, by resource and verb. Client, sandbox routing, flag checks and reference pages read this. Routes
 * are matched in this order: `/api/subaccounts/move` comes before `/api/subaccounts/{id}`. In the bundle, a resource is
 * loaded when it is first used.
 */
export const OPERATIONS = {
  get payins() {
    return payins;
  },
  get payouts() {
    return payouts;
  },
  get moves() {
    return moves;
  },
  get subaccounts() {
    return subaccounts;
  },
  get payees() {
    return payees;
  },
  get payers() {
    return payers;
  },
  get payeePaymentMethods() {
    return payeePaymentMethods;
  },
  get payerPaymentMethods() {
    return payerPaymentMethods;
  },
  get treasury() {
    return treasury;
  },
  get accountTransfers() {
    return accountTransfers;
  },
  get webhookEndpoints() {
    return webhookEndpoints;
  },
  get eventTypes() {
    return eventTypes;
  },
} as const satisfies Record<string, Record<string, Operation>>;

export type Resource = keyof typeof OPERATIONS;
/** `payouts.create`: the name of an operation in profiles, docs and tests. */
export type OperationId = {[R in Resource]: `${R}.${keyof (typeof OPERATIONS)[R] & string}`}[Resource];

/** Every operation with its id, in declaration order. */
export function allOperations(): {id: OperationId; operation: Operation}[] {
  return Object.entries<Readonly<Record<string, Operation>>>(OPERATIONS).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({
      id: `${resource}.${verb}` as OperationId, // Object.entries widens the literal keys to string
      operation,
    })),
  );
}
