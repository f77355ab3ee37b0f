import {operation} from './operation.ts';
import {assumed} from '../origin/origin.ts';

/** Assumption 11. */
export const subaccounts = {
  create: operation({
    summary: 'Create a subaccount',
    method: 'POST',
    path: '/api/subaccounts',
    origin: assumed(11),
    body: 'SubaccountCreate',
    ok: {201: 'Subaccount'},
    fails: [],
  }),
  list: operation({
    summary: 'List subaccounts',
    method: 'GET',
    path: '/api/subaccounts',
    origin: assumed(11),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'SubaccountPage'},
    fails: [],
  }),
  get: operation({
    summary: 'Show one subaccount with its balance',
    method: 'GET',
    path: '/api/subaccounts/{id}',
    origin: assumed(11),
    ok: {200: 'Subaccount'},
    fails: ['NOT_FOUND'],
  }),
} as const;
