import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Interface document, "Payout", "Idempotency on create payin and create payout"; assumptions 1, 2, 4, 5. */
export const payouts = {
  create: operation({
    summary: 'Create a payout',
    method: 'POST',
    path: '/api/payouts',
    origin: assumed(1),
    key: 'optional',
    body: 'PayoutCreate',
    ok: {200: 'Payout', 201: 'Payout', 202: 'Payout', 207: 'Payout'}, // replayed, created, still running, warned
    fails: ['NOT_FOUND', 'IDEMPOTENCY_KEY_CONFLICT', 'INVALID_PAYMENT_DETAILS', 'SERVICE_UNAVAILABLE'],
  }),
  get: operation({
    summary: 'Show one payout',
    method: 'GET',
    path: '/api/payouts/{id}',
    origin: given('Endpoints'),
    ok: {200: 'Payout'},
    fails: ['NOT_FOUND'],
  }),
  list: operation({
    summary: 'List payouts',
    method: 'GET',
    path: '/api/payouts',
    origin: assumed(5),
    pages: 'cursor',
    query: 'PayoutListQuery',
    ok: {200: 'PayoutPage'},
    fails: [],
  }),
  approve: operation({
    summary: 'Approve a payout',
    method: 'POST',
    path: '/api/payouts/{id}/approve',
    origin: assumed(2),
    body: 'Empty',
    ok: {200: 'Payout', 201: 'Payout', 202: 'Payout'},
    fails: ['NOT_FOUND', 'INVALID_PAYMENT_DETAILS'],
  }),
  cancel: operation({
    summary: 'Cancel a payout',
    method: 'POST',
    path: '/api/payouts/{id}/cancel',
    origin: assumed(4),
    body: 'Empty',
    ok: {200: 'Payout'},
    fails: ['NOT_FOUND'],
  }),
} as const;
