import type {Handler} from './handler.ts';
import {storedPage} from './paging.ts';
import {SUBACCOUNTS, findSubaccount, openSubaccount, toSubaccount} from '../ledger/subaccount.ts';

const create: Handler<'subaccounts.create'> = ({entity, body}, context) =>
  context.store.write(async (queries) => {
    const wanted = {name: body.name, currency: body.currency_code};
    return {status: 201, body: toSubaccount(await openSubaccount(queries, context, entity, wanted))};
  });

const list: Handler<'subaccounts.list'> = ({entity, query}, {store}) =>
  storedPage(store, query, {
    ...{name: 'subaccounts', select: SUBACCOUNTS},
    ...{where: [['entity_id = ?', entity.id]], toRecord: toSubaccount},
  });

const get: Handler<'subaccounts.get'> = ({entity, params}, {store}) =>
  store.read(async (queries) => ({
    status: 200,
    body: toSubaccount(await findSubaccount(queries, entity.id, params.id)),
  }));

export const subaccountHandlers = {create, list, get};
