import {operation} from './operation.ts';
import {assumed} from '../origin/origin.ts';
import {payins} from './payins.ts';

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
  get: operation({...payins.get, summary: 'Show one payout', path: '/api/payouts/{id}', ok: {200: 'Payout'}}),
  list: operation({
    ...payins.list,
    summary: 'List payouts',
    path: '/api/payouts',
    query: 'PayoutListQuery',
    ok: {200: 'PayoutPage'},
  }),
  approve: operation({
    ...payins.approve,
    summary: 'Approve a payout',
    path: '/api/payouts/{id}/approve',
    ok: {200: 'Payout', 201: 'Payout', 202: 'Payout'},
  }),
  cancel: operation({
    ...payins.cancel,
    summary: 'Cancel a payout',
    path: '/api/payouts/{id}/cancel',
    ok: {200: 'Payout'},
  }),
} as const;
