import type {Handler} from '../handler.ts';
import {unbuilt} from './unbuilt.ts';

// The schema checks the form of event types only: create and update refuse one that is not in EVENT_TYPES (contract/events.ts).
const create: Handler<'webhookEndpoints.create'> = () => unbuilt('webhookEndpoints.create');
const list: Handler<'webhookEndpoints.list'> = () => unbuilt('webhookEndpoints.list');
const get: Handler<'webhookEndpoints.get'> = () => unbuilt('webhookEndpoints.get');
const update: Handler<'webhookEndpoints.update'> = () => unbuilt('webhookEndpoints.update');
const remove: Handler<'webhookEndpoints.delete'> = () => unbuilt('webhookEndpoints.delete');
const toggle: Handler<'webhookEndpoints.toggle'> = () => unbuilt('webhookEndpoints.toggle');

export const webhookEndpointHandlers = {create, list, get, update, delete: remove, toggle};
