import type {Handler} from './handler.ts';
import {approveStoredMove, findMove, insertMove, storedMove, toMove, type Move} from '../transfers/move.ts';
import {storedPage} from './paging.ts';
import {text} from '../base/rows.ts';
import {invalid} from '../base/service-error.ts';
import {findSubaccount} from '../ledger/subaccount.ts';

/** Assumption 7: both subaccounts are the entity's, and a move does not change the currency. */
const create: Handler<'moves.create'> = ({entity, body}, context) =>
  context.store.write(async (queries) => {
    const [sourceId, destinationId] = [
      body.source_subaccount_id.toLowerCase(),
      body.destination_subaccount_id.toLowerCase(),
    ];
    const currency = text(await findSubaccount(queries, entity.id, sourceId), 'currency_code');
    const other = text(await findSubaccount(queries, entity.id, destinationId), 'currency_code');
    if (other !== currency || (body.currency_code ?? currency) !== currency)
      throw invalid('currency_code', `is not that of both subaccounts, ${currency}`);
    const now = context.clock.now();
    const move: Move = {
      entityId: entity.id,
      id: context.ids.next(now),
      sourceId,
      destinationId,
      amount: body.amount_in_minor_units,
      currency,
      status: 'CREATED',
      description: body.description ?? null,
      attempts: 0,
      createdMs: now,
      settledMs: null,
    };
    await insertMove(queries, move);
    return {status: 201, body: {data: toMove(move)}};
  });

const get: Handler<'moves.get'> = ({entity, params}, {store}) =>
  store.read(async (queries) => ({
    status: 200,
    body: {data: toMove(await findMove(queries, entity.id, params.move_id))},
  }));

const list: Handler<'moves.list'> = ({entity, query}, {store}) =>
  storedPage(store, query, {
    ...{name: 'moves', select: 'select * from moves', where: [['entity_id = ?', entity.id]]},
    toRecord: (row) => toMove(storedMove(row)),
  });

/** Interface document, "Approve move": 201 once it is settled, 207 with a warning if it is not. */
const approve: Handler<'moves.approve'> = ({entity, params}, context) =>
  context.store.write(async (queries) => {
    const {move, warning} = await approveStoredMove(
      queries,
      context,
      await findMove(queries, entity.id, params.move_id),
    );
    const data = toMove(move);
    return warning === undefined ? {status: 201, body: {data}} : {status: 207, body: {data, warning}};
  });

export const moveHandlers = {create, get, list, approve};
