import type {OperationId} from '../../contract/operations.ts';
import type {Handler} from '../handler.ts';
import {envelope, pageQuery, position} from '../paging.ts';
import {findParty, type PartyKind} from '../party.ts';
import {findMethod, insertMethod, makeDefault, toMethod} from '../payment-method.ts';
import {int, text} from '../rows.ts';
import {ServiceError, invalid} from '../service-error.ts';

/** Default rule 2. */
const NOT_DEFAULT = 'The payment method was added but not made the default, because it is not verified yet.';

type Operations<Verb extends string> = Extract<
  OperationId,
  `payeePaymentMethods.${Verb}` | `payerPaymentMethods.${Verb}`
>;
type MethodHandler<Verb extends string> = Handler<Operations<Verb>>;

export function paymentMethodHandlers(kind: PartyKind) {
  const add: MethodHandler<'add'> = ({entity, params, body}, context) =>
    context.store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: params.owner_id});
      if (body.country_code !== 'US') throw invalid('country_code', 'is not a supported market; only US is');
      if (body.currency_code !== 'USD')
        throw invalid('currency_code', 'is not supported in this market; only USD is');
      const id = await insertMethod(queries, context, {entity, kind, ownerId: params.owner_id, body});
      const key = {ownerId: params.owner_id, kind, id};
      const added = await findMethod(queries, key);
      if (body.is_default !== true) return {status: 201, body: toMethod(added)};
      if (text(added, 'status') !== 'verified')
        return {status: 207, body: {...toMethod(added), warning: NOT_DEFAULT}};
      await makeDefault(queries, added, context.clock.now());
      return {status: 201, body: toMethod(await findMethod(queries, key))};
    });

  const list: MethodHandler<'list'> = ({entity, params, query}, {store}) => {
    const name = `payment-methods/${params.owner_id}`;
    const at = position(name, query);
    const page = pageQuery(
      'select * from payment_methods',
      [
        ['owner_id = ?', params.owner_id],
        ['entity_id = ?', entity.id],
      ],
      at,
      'deleted_ms is null',
    );
    return store.read(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: params.owner_id});
      return {status: 200, body: envelope(name, at, await queries.all(page.sql, page.params), toMethod)};
    });
  };

  const setDefault: Handler<Operations<'setDefault'> | Operations<'update'>> = (
    {entity, params},
    {store, clock},
  ) =>
    store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: params.owner_id});
      const key = {ownerId: params.owner_id, kind, id: params.id};
      await makeDefault(queries, await findMethod(queries, key), clock.now());
      return {status: 200, body: toMethod(await findMethod(queries, key))};
    });

  const remove: MethodHandler<'delete'> = ({entity, params}, {store, clock}) =>
    store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: params.owner_id});
      const row = await findMethod(queries, {ownerId: params.owner_id, kind, id: params.id});
      if (int(row, 'is_default') === 1)
        throw new ServiceError(
          'VALIDATION_ERROR',
          'the default payment method cannot be deleted; make another verified one the default first',
        );
      // Kept for audit: interface document, "Payment methods".
      await queries.run('update payment_methods set deleted_ms = ? where owner_id = ? and id = ?', [
        clock.now(),
        params.owner_id,
        params.id,
      ]);
      return {status: 204, body: null};
    });

  return {add, list, setDefault, update: setDefault, delete: remove};
}
