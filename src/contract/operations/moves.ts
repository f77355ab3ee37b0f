import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Interface document, "Move"; assumptions 7 to 9. Only the approval is given. Answers come in an envelope. */
export const moves = {
  create: operation({
    summary: 'Create a move between two subaccounts',
    method: 'POST',
    path: '/api/subaccounts/move',
    origin: assumed(7),
    body: 'MoveCreate',
    ok: {201: 'MoveEnvelope'},
    fails: ['NOT_FOUND'],
  }),
  get: operation({
    summary: 'Show one move',
    method: 'GET',
    path: '/api/subaccounts/move/{move_id}',
    origin: assumed(7),
    ok: {200: 'MoveEnvelope'},
    fails: ['NOT_FOUND'],
  }),
  list: operation({
    summary: 'List moves',
    method: 'GET',
    path: '/api/subaccounts/move',
    origin: assumed(7),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'MovePage'},
    fails: [],
  }),
  approve: operation({
    summary: 'Approve a move: it settles at once',
    method: 'POST',
    path: '/api/subaccounts/move/{move_id}/approve',
    origin: given('Endpoints'),
    body: 'Empty',
    ok: {201: 'MoveEnvelope', 207: 'MoveEnvelope'}, // settled; accepted, but settling hit a recoverable issue
    fails: ['NOT_FOUND'],
  }),
} as const;
