import {operation} from './operation.ts';
import {assumed, given} from '../origin/origin.ts';

/** Interface document, "Webhook endpoint and event"; assumptions 30 to 32. */
export const webhookEndpoints = {
  create: operation({
    summary: 'Register a webhook endpoint; only this answer contains its signing secret',
    method: 'POST',
    path: '/api/webhooks/endpoints',
    origin: assumed(30),
    body: 'WebhookEndpointCreate',
    ok: {201: 'WebhookEndpointCreated'},
    fails: [],
  }),
  list: operation({
    summary: 'List webhook endpoints',
    method: 'GET',
    path: '/api/webhooks/endpoints',
    origin: assumed(30),
    pages: 'cursor',
    query: 'PageQuery',
    ok: {200: 'WebhookEndpointPage'},
    fails: [],
  }),
  get: operation({
    summary: 'Show one webhook endpoint',
    method: 'GET',
    path: '/api/webhooks/endpoints/{id}',
    origin: assumed(30),
    ok: {200: 'WebhookEndpoint'},
    fails: ['NOT_FOUND'],
  }),
  update: operation({
    summary: 'Change a webhook endpoint',
    method: 'PATCH',
    path: '/api/webhooks/endpoints/{id}',
    origin: assumed(30),
    body: 'WebhookEndpointUpdate',
    ok: {200: 'WebhookEndpoint'},
    fails: ['NOT_FOUND'],
  }),
  delete: operation({
    summary: 'Delete a webhook endpoint',
    method: 'DELETE',
    path: '/api/webhooks/endpoints/{id}',
    origin: assumed(30),
    ok: {204: null},
    fails: ['NOT_FOUND'],
  }),
  toggle: operation({
    summary: 'Switch a webhook endpoint on or off',
    method: 'POST',
    path: '/api/webhooks/endpoints/{id}/toggle',
    origin: assumed(30),
    body: 'WebhookEndpointToggle',
    emptyBody: true,
    ok: {200: 'WebhookEndpoint'},
    fails: ['NOT_FOUND'],
  }),
} as const;

/** Assumption 33 for the answer. */
export const eventTypes = {
  list: operation({
    summary: 'List the event types that can be subscribed to',
    method: 'GET',
    path: '/api/webhooks/event-types',
    origin: given('Webhooks'),
    ok: {200: 'EventTypeList'},
    fails: [],
  }),
} as const;
