import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Interface document, "Payin", "Idempotency on create payin and create payout"; assumptions 1, 2, 4, 5. */
export const payins = {
  create: operation({
    summary: 'Create a payin',
    method: 'POST',
    path: '/api/payins',
    origin: assumed(1),
    key: 'optional',
    body: 'PayinCreate',
    ok: {200: 'Payin', 201: 'Payin', 202: 'Payin', 207: 'Payin'}, // replayed, created, still running, warned
    fails: [
      'PAYER_NOT_FOUND',
      'PAYMENT_METHOD_NOT_FOUND',
      'NOT_FOUND',
      'IDEMPOTENCY_KEY_CONFLICT',
      'INVALID_PAYMENT_DETAILS',
      'SERVICE_UNAVAILABLE',
    ],
  }),
  get: operation({
    summary: 'Show one payin',
    method: 'GET',
    path: '/api/payins/{id}',
    origin: given('Endpoints'),
    ok: {200: 'Payin'},
    fails: ['NOT_FOUND'],
  }),
  list: operation({
    summary: 'List payins',
    method: 'GET',
    path: '/api/payins',
    origin: assumed(5),
    pages: 'cursor',
    query: 'PayinListQuery',
    ok: {200: 'PayinPage'},
    fails: [],
  }),
  approve: operation({
    summary: 'Approve a payin',
    method: 'POST',
    path: '/api/payins/{id}/approve',
    origin: assumed(2),
    body: 'Empty',
    ok: {200: 'Payin', 201: 'Payin', 202: 'Payin'},
    fails: ['NOT_FOUND', 'INVALID_PAYMENT_DETAILS'],
  }),
  cancel: operation({
    summary: 'Cancel a payin',
    method: 'POST',
    path: '/api/payins/{id}/cancel',
    origin: assumed(4),
    body: 'Empty',
    ok: {200: 'Payin'},
    fails: ['NOT_FOUND'],
  }),
} as const;
