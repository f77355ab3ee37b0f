import type {OperationId} from '../../contract/operations/operations.ts';
import type {Handler} from './handler.ts';
import {storedPage} from './paging.ts';
import {findParty, toParty, type PartyKind} from '../records/party.ts';
import {text, textOrNull} from '../base/rows.ts';

type PartyOperation<Verb extends string> = Extract<OperationId, `payees.${Verb}` | `payers.${Verb}`>;
type PartyHandler<Verb extends string> = Handler<PartyOperation<Verb>>;

export function partyHandlers(kind: PartyKind) {
  const create: PartyHandler<'create'> = ({entity, body}, {store, clock, ids}) =>
    store.write(async (queries) => {
      const now = clock.now();
      const id = ids.next(now);
      await queries.run(
        `insert into parties (entity_id, kind, id, name, email, type, metadata, created_ms, updated_ms)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          entity.id,
          kind,
          id,
          body.name,
          body.email ?? null,
          body.type ?? 'business',
          JSON.stringify(body.metadata ?? {}),
          now,
          now,
        ],
      );
      return {status: 201, body: toParty(await findParty(queries, {entityId: entity.id, kind, id}))};
    });

  const get: PartyHandler<'get'> = ({entity, params}, {store}) =>
    store.read(async (queries) => ({
      status: 200,
      body: toParty(await findParty(queries, {entityId: entity.id, kind, id: params.id})),
    }));

  const list: PartyHandler<'list'> = ({entity, query}, {store}) =>
    storedPage(store, query, {
      ...{name: `${kind}s`, select: 'select * from parties', toRecord: toParty},
      where: [
        ['entity_id = ?', entity.id],
        ['kind = ?', kind],
      ],
    });

  const update: PartyHandler<'update'> = ({entity, params, body}, {store, clock}) =>
    store.write(async (queries) => {
      const key = {entityId: entity.id, kind, id: params.id};
      const old = await findParty(queries, key);
      await queries.run(
        `update parties set name = ?, email = ?, type = ?, metadata = ?, updated_ms = ?
         where entity_id = ? and kind = ? and id = ?`,
        [
          body.name ?? text(old, 'name'),
          body.email ?? textOrNull(old, 'email'),
          body.type ?? text(old, 'type'),
          body.metadata === undefined ? text(old, 'metadata') : JSON.stringify(body.metadata),
          clock.now(),
          entity.id,
          kind,
          params.id,
        ],
      );
      return {status: 200, body: toParty(await findParty(queries, key))};
    });

  return {create, get, list, update};
}
