import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';
import {TREASURY_PREFIX} from './treasury.ts';

/** Interface document, "Account transfer" and "Treasury"; assumptions 18 and 23 to 28. No read of one is documented. */
export const accountTransfers = {
  create: operation({
    summary: 'Create an account transfer between two treasury accounts',
    method: 'POST',
    path: `${TREASURY_PREFIX.path}/account-transfers`,
    origin: assumed(23),
    body: 'AccountTransferCreate',
    ok: {201: 'AccountTransfer', 202: 'AccountTransfer'}, // 202: approved, and bank processing goes on
    fails: ['NOT_FOUND'],
  }),
  approve: operation({
    summary: 'Approve an account transfer',
    method: 'POST',
    path: `${TREASURY_PREFIX.path}/account-transfers/{account_transfer_id}/approve`,
    origin: given('Treasury'),
    prefix: TREASURY_PREFIX,
    body: 'Empty',
    ok: {200: 'AccountTransfer', 202: 'AccountTransfer'},
    fails: ['NOT_FOUND'],
  }),
  list: operation({
    summary: 'List account transfers',
    method: 'GET',
    path: `${TREASURY_PREFIX.path}/account-transfers`,
    origin: assumed(27),
    pages: 'cursor',
    query: 'AccountTransferListQuery',
    ok: {200: 'AccountTransferPage'},
    fails: [],
  }),
} as const;
