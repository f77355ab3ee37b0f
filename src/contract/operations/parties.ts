import {operation, type Operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Assumption 10: records of payees and payers. */
export const payees = {
  create: operation({
    summary: 'Create a payee',
    method: 'POST',
    path: '/api/payees',
    origin: assumed(10),
    body: 'PartyCreate',
    ok: {201: 'Party'},
    fails: [],
  }),
  get: operation({
    summary: 'Show one payee',
    method: 'GET',
    path: '/api/payees/{id}',
    origin: assumed(10),
    ok: {200: 'Party'},
    fails: ['NOT_FOUND'],
  }),
  list: operation({
    summary: 'List payees',
    method: 'GET',
    path: '/api/payees',
    origin: assumed(10),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'PartyPage'},
    fails: [],
  }),
  update: operation({
    summary: 'Change a payee',
    method: 'PATCH',
    path: '/api/payees/{id}',
    origin: assumed(10),
    body: 'PartyUpdate',
    ok: {200: 'Party'},
    fails: ['NOT_FOUND'],
  }),
} as const;

/** Assumption 10. */
export const payers = {
  create: operation({...payees.create, summary: 'Create a payer', path: '/api/payers'}),
  get: operation({
    ...payees.get,
    summary: 'Show one payer',
    path: '/api/payers/{id}',
    fails: ['PAYER_NOT_FOUND'],
  }),
  list: operation({...payees.list, summary: 'List payers', path: '/api/payers'}),
  update: operation({
    ...payees.update,
    summary: 'Change a payer',
    path: '/api/payers/{id}',
    fails: ['PAYER_NOT_FOUND'],
  }),
} as const;

/**
 * Interface document, "Payment methods"; assumptions 12 to 14. Only the two deletes are given. A payee can have bank
 * accounts and cards, a payer only bank accounts.
 */
export const payeePaymentMethods = {
  add: operation({
    summary: 'Add a payment method to a payee',
    method: 'POST',
    path: '/api/payees/{payee_id}/payment-methods',
    origin: assumed(12),
    body: 'PayeePaymentMethodAdd',
    ok: {201: 'PaymentMethod', 207: 'PaymentMethod'},
    fails: ['NOT_FOUND', 'INVALID_PAYMENT_DETAILS'],
  }),
  list: operation({
    summary: 'List the payment methods of a payee',
    method: 'GET',
    path: '/api/payees/{payee_id}/payment-methods',
    origin: assumed(13),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'PaymentMethodPage'},
    fails: ['NOT_FOUND'],
  }),
  setDefault: operation({
    summary: 'Make a payment method the default of a payee',
    method: 'POST',
    path: '/api/payees/{payee_id}/payment-methods/{payment_method_id}/set-default',
    origin: assumed(14),
    body: 'Empty',
    ok: {200: 'PaymentMethod'},
    fails: ['NOT_FOUND'],
  }),
  update: operation({
    summary: 'Change a payment method of a payee: {is_default: true}',
    method: 'PATCH',
    path: '/api/payees/{payee_id}/payment-methods/{payment_method_id}',
    origin: assumed(14),
    body: 'PaymentMethodUpdate',
    ok: {200: 'PaymentMethod'},
    fails: ['NOT_FOUND'],
  }),
  delete: operation({
    summary: 'Delete a payment method of a payee',
    method: 'DELETE',
    path: '/api/payees/{payee_id}/payment-methods/{payment_method_id}',
    origin: given('Payment methods'),
    ok: {204: null},
    fails: ['NOT_FOUND'],
  }),
} as const;

export const payerPaymentMethods = {
  add: operation({
    ...payeePaymentMethods.add,
    summary: 'Add a payment method to a payer',
    path: '/api/payers/{payer_id}/payment-methods',
    body: 'PayerPaymentMethodAdd',
    fails: ['PAYER_NOT_FOUND', 'INVALID_PAYMENT_DETAILS'],
  }),
  list: operation({
    ...payeePaymentMethods.list,
    summary: 'List the payment methods of a payer',
    path: '/api/payers/{payer_id}/payment-methods',
    fails: ['PAYER_NOT_FOUND'],
  }),
  setDefault: operation({
    ...payeePaymentMethods.setDefault,
    summary: 'Make a payment method the default of a payer',
    path: '/api/payers/{payer_id}/payment-methods/{payment_method_id}/set-default',
    fails: ['PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'],
  }),
  update: operation({
    ...payeePaymentMethods.update,
    summary: 'Change a payment method of a payer: {is_default: true}',
    path: '/api/payers/{payer_id}/payment-methods/{payment_method_id}',
    fails: ['PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'],
  }),
  delete: operation({
    ...payeePaymentMethods.delete,
    summary: 'Delete a payment method of a payer',
    path: '/api/payers/{payer_id}/payment-methods/{payment_method_id}',
    fails: ['PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'],
  }),
} as const satisfies Record<string, Operation>;
