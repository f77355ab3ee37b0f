import {randomBytes} from 'node:crypto';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port.ts';
import type {Context} from '../world/context.ts';
import type {Handler} from './handler.ts';
import {envelope, pageQuery, position} from './paging.ts';
import {int, iso, json, text, textOrNull} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {cancelDeliveries} from '../webhooks/deliveries.ts';

const LIST = 'webhook_endpoints';

/** The signing secret is no part of it: only the answer to create carries that (assumption 31). */
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

/** What the schema cannot say of a URL. No call is made: whether anybody answers there shows at the first delivery. */
function checkUrl(url: string | undefined): void {
  if (url === undefined) return;
  if (url.includes('\0')) throw invalid('url', 'must not contain U+0000'); // URLs escape it, databases take none
  const {username, password, hash} = new URL(url); // the schema has parsed it
  if (username !== '' || password !== '') throw invalid('url', 'must not hold a user name or password');
  if (hash !== '') throw invalid('url', 'must not hold a fragment');
}

/** The types without repetitions, in the order given. */
function checkTypes(types: readonly string[] | undefined): string[] | undefined {
  const unknown = types?.find((type) => !(EVENT_TYPE_NAMES as readonly string[]).includes(type));
  if (unknown !== undefined)
    throw invalid(
      'event_types',
      `${JSON.stringify(unknown)} is not an event type; there are ${EVENT_TYPE_NAMES.join(', ')}`,
    );
  return types && [...new Set(types)];
}

/** Assumption 38. Never derived from the seed: anyone who has the seed could sign. */
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

const list: Handler<'webhookEndpoints.list'> = ({entity, query}, {store}) => {
  const at = position(LIST, query);
  const page = pageQuery(
    'select * from webhook_endpoints',
    [['entity_id = ?', entity.id]],
    at,
    'deleted_ms is null',
  );
  return store.read(async (queries) => ({
    status: 200,
    body: envelope(LIST, at, await queries.all(page.sql, page.params), toEndpoint),
  }));
};

const get: Handler<'webhookEndpoints.get'> = ({entity, params}, {store}) =>
  store.read(async (queries) => ({
    status: 200,
    body: toEndpoint(await find(queries, entity.id, params.id)),
  }));

/** Deliveries that wait keep their place: the next attempt goes by the endpoint as it is then. */
async function change(
  {store, clock, deliveryAdded}: Context,
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

/** Interface document, "Delivery", rule 4: events go to it until now, and no longer. The record stays for the deliveries. */
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
