import {randomBytes} from 'node:crypto';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext} from '../world/context.ts';
import type {Handler} from './handler.ts';
import {storedPage} from './paging.ts';
import {int, iso, json, text, textOrNull} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {cancelDeliveries} from '../webhooks/deliveries.ts';

/** Leaves out the signing secret, which only the answer to create contains (assumption 31). */
function toEndpoint(row: SqlRow): Output<'WebhookEndpoint'> {
  return {
    id: text(row, 'id'),
    url: text(row, 'url'),
    event_types: json(row, 'event_types'),
    is_active: int(row, 'is_active') === 1,
    description: textOrNull(row, 'description'),
    created_at: iso(int(row, 'created_ms')),
    updated_at: iso(int(row, 'updated_ms')),
  };
}

async function find(queries: Queries, entityId: string, id: string): Promise<SqlRow> {
  const row = await queries.get(
    'select * from webhook_endpoints where entity_id = ? and id = ? and deleted_ms is null',
    [entityId, id],
  );
  if (!row) throw new ServiceError('NOT_FOUND', `no webhook endpoint ${id}`);
  return row;
}

/**
 * Checks that the schema of a URL does not cover. No request is made: whether a server answers there shows at the
 * first delivery.
 */
function checkUrl(url: string | undefined): void {
  if (url === undefined) return;
  if (url.includes('\0')) throw invalid('url', 'must not contain U+0000'); // URLs escape it, databases reject it
  const {username, password, hash} = new URL(url); // the schema has parsed it
  if (username !== '' || password !== '') throw invalid('url', 'must not contain a user name or password');
  if (hash !== '') throw invalid('url', 'must not contain a fragment');
}

/** The types without repetitions, in the given order. */
function checkTypes(types: readonly string[] | undefined): string[] | undefined {
  const unknown = types?.find((type) => !EVENT_TYPE_NAMES.some((known) => known === type));
  if (unknown !== undefined)
    throw invalid(
      'event_types',
      `${JSON.stringify(unknown)} is not an event type; the types are ${EVENT_TYPE_NAMES.join(', ')}`,
    );
  return types && [...new Set(types)];
}

/** Assumption 38. Never derived from the seed: anyone with the seed could sign. */
const newSecret = () => `whsec_${randomBytes(32).toString('hex')}`;

const create: Handler<'webhookEndpoints.create'> = ({entity, body}, {store, clock, ids}) => {
  checkUrl(body.url);
  const types = checkTypes(body.event_types);
  const secret = newSecret();
  return store.write(async (queries) => {
    const now = clock.now();
    const id = ids.next(now);
    await queries.run(
      `insert into webhook_endpoints (entity_id, id, url, event_types, is_active, secret, description, created_ms,
         updated_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        entity.id,
        id,
        body.url,
        JSON.stringify(types),
        body.is_active === false ? 0 : 1,
        secret,
        body.description ?? null,
        now,
        now,
      ],
    );
    const made = toEndpoint(await find(queries, entity.id, id));
    return {status: 201, body: {...made, signing_secret: secret}};
  });
};

const list: Handler<'webhookEndpoints.list'> = ({entity, query}, {store}) =>
  storedPage(store, query, {
    ...{name: 'webhook_endpoints', select: 'select * from webhook_endpoints'},
    ...{where: [['entity_id = ?', entity.id]], also: 'deleted_ms is null', toRecord: toEndpoint},
  });

const get: Handler<'webhookEndpoints.get'> = ({entity, params}, {store}) =>
  store.read(async (queries) => ({
    status: 200,
    body: toEndpoint(await find(queries, entity.id, params.id)),
  }));

/** Waiting deliveries keep their place: the next attempt uses the endpoint as it is then. */
async function change(
  {store, clock, deliveryAdded}: SandboxContext,
  key: {entityId: string; id: string},
  edit: (old: Output<'WebhookEndpoint'>) => Partial<Output<'WebhookEndpoint'>>,
): Promise<Output<'WebhookEndpoint'>> {
  return store.write(async (queries) => {
    const old = toEndpoint(await find(queries, key.entityId, key.id));
    const {url, event_types, is_active, description} = {...old, ...edit(old)};
    const now = clock.now();
    await queries.run(
      `update webhook_endpoints set url = ?, event_types = ?, is_active = ?, description = ?, updated_ms = ?
       where entity_id = ? and id = ?`,
      [url, JSON.stringify(event_types), is_active ? 1 : 0, description ?? null, now, key.entityId, key.id],
    );
    if (is_active && !old.is_active) deliveryAdded(now); // waiting deliveries continue
    return toEndpoint(await find(queries, key.entityId, key.id));
  });
}

const update: Handler<'webhookEndpoints.update'> = async ({entity, params, body}, context) => {
  checkUrl(body.url);
  const types = checkTypes(body.event_types);
  const given = {...body, ...(types === undefined ? {} : {event_types: types})};
  return {status: 200, body: await change(context, {entityId: entity.id, id: params.id}, () => given)};
};

/** Assumption 32. */
const toggle: Handler<'webhookEndpoints.toggle'> = async ({entity, params, body}, context) => ({
  status: 200,
  body: await change(context, {entityId: entity.id, id: params.id}, (old) => ({
    is_active: body.is_active ?? !old.is_active,
  })),
});

/**
 * Interface document, "Delivery", rule 4: from now on it receives no events. The record is kept for the deliveries.
 */
const remove: Handler<'webhookEndpoints.delete'> = ({entity, params}, {store, clock}) =>
  store.write(async (queries) => {
    await find(queries, entity.id, params.id);
    const now = clock.now();
    await queries.run(
      'update webhook_endpoints set deleted_ms = ?, is_active = 0 where entity_id = ? and id = ?',
      [now, entity.id, params.id],
    );
    await cancelDeliveries(queries, params.id, now);
    return {status: 204, body: null};
  });

export const webhookEndpointHandlers = {create, list, get, update, delete: remove, toggle};
