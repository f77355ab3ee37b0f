import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Assumption 18: some treasury paths are given relative to a prefix that is not given. */
export const TREASURY_PREFIX = {path: '/api/treasury', origin: assumed(18)} as const;

/** Interface document, "Treasury"; assumptions 18 to 22 and 29. */
export const treasury = {
  accounts: operation({
    summary: 'List treasury accounts',
    method: 'GET',
    path: `${TREASURY_PREFIX.path}/accounts`,
    origin: assumed(19),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'TreasuryAccountPage'},
    fails: [],
  }),
  balance: operation({
    summary: 'Show the latest reported balance of a treasury account',
    method: 'GET',
    path: `${TREASURY_PREFIX.path}/accounts/{account_id}/balance`,
    origin: assumed(20),
    ok: {200: 'TreasuryBalance'},
    fails: ['NOT_FOUND'], // also for an account without a reported balance
  }),
  transactions: operation({
    summary: 'List the bank-reported transactions of a treasury account',
    method: 'GET',
    path: `${TREASURY_PREFIX.path}/accounts/{account_id}/transactions`,
    origin: assumed(21),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'BankTransactionPage'},
    fails: ['NOT_FOUND'],
  }),
  updateLabel: operation({
    summary: 'Change the label of a treasury account',
    method: 'POST',
    path: `${TREASURY_PREFIX.path}/accounts/{account_id}/update-label`,
    origin: given('Treasury'),
    prefix: TREASURY_PREFIX,
    body: 'AccountLabelUpdate',
    ok: {200: 'TreasuryAccount'},
    fails: ['NOT_FOUND'],
  }),
  simulateInboundCredit: operation({
    summary: 'Simulate an inbound credit to a SIM treasury account of a test entity',
    method: 'POST',
    path: `${TREASURY_PREFIX.path}/accounts/{account_id}/simulate-inbound-credit`,
    origin: given('Treasury'),
    prefix: TREASURY_PREFIX,
    body: 'InboundCreditSimulate',
    ok: {201: 'BankTransaction'},
    fails: ['NOT_FOUND'],
  }),
} as const;
