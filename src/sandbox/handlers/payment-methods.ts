import type {OperationId} from '../../contract/operations/operations.ts';
import {MARKET_COUNTRIES, marketOf} from '../../contract/markets.ts';
import type {Input} from '../../contract/schemas/registry.ts';
import {must} from '../../narrow.ts';
import type {SandboxContext} from '../world/context.ts';
import type {HandlerCall, Handler} from './handler.ts';
import {storedPage} from './paging.ts';
import {findParty, type PartyKind} from '../records/party.ts';
import {storedMethod, insertMethod, makeDefault, toMethod} from '../transfers/payment-method.ts';
import {int, text} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';

/** Default rule 2. */
const NOT_DEFAULT = 'The payment method was added but not made the default, because it is not verified yet.';

type Operations<Verb extends string> = Extract<
  OperationId,
  `payeePaymentMethods.${Verb}` | `payerPaymentMethods.${Verb}`
>;
/** The owner of a method, payee or payer: each operation names one of the two in its path. */
interface Params {
  payee_id?: string;
  payer_id?: string;
  payment_method_id?: string;
}
type MethodHandler<Verb extends string> = (
  call: Omit<HandlerCall<Operations<Verb>>, 'params'> & {params: Params},
  context: SandboxContext,
) => ReturnType<Handler<Operations<Verb>>>;

const METHOD = 'payment method in the path';

/** Cards are those of the United States; bank accounts those of the known markets (assumption 86). */
function checkSupported({
  type,
  country_code: country,
  currency_code: currency,
}: Input<'PayeePaymentMethodAdd'>): void {
  const markets = type === 'card' ? ['US'] : MARKET_COUNTRIES;
  const market = markets.includes(country) ? marketOf(country) : undefined;
  if (market === undefined)
    throw invalid('country_code', `is not a supported market; supported: ${markets.join(', ')}`);
  if (currency !== market.currency)
    throw invalid('currency_code', `is not supported in this market; only ${market.currency} is`);
}

export function paymentMethodHandlers(kind: PartyKind) {
  const ownerOf = (params: Params): string => must(params[`${kind}_id`], `${kind} in the path`);
  const keyOf = (params: Params) => ({
    ownerId: ownerOf(params),
    kind,
    id: must(params.payment_method_id, METHOD),
  });

  const add: MethodHandler<'add'> = ({entity, params, body}, context) =>
    context.store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: ownerOf(params)});
      checkSupported(body);
      const id = await insertMethod(queries, context, {entity, kind, ownerId: ownerOf(params), body});
      const key = {ownerId: ownerOf(params), kind, id};
      const added = await storedMethod(queries, key);
      if (body.is_default !== true) return {status: 201, body: toMethod(added)};
      if (text(added, 'status') !== 'verified')
        return {status: 207, body: {...toMethod(added), warning: NOT_DEFAULT}};
      await makeDefault(queries, added, context.clock.now());
      return {status: 201, body: toMethod(await storedMethod(queries, key))};
    });

  const list: MethodHandler<'list'> = ({entity, params, query}, {store}) =>
    storedPage(store, query, {
      ...{name: `payment-methods/${ownerOf(params)}`, select: 'select * from payment_methods'},
      where: [
        ['owner_id = ?', ownerOf(params)],
        ['entity_id = ?', entity.id],
      ],
      ...{also: 'deleted_ms is null', toRecord: toMethod},
      check: (queries) => findParty(queries, {entityId: entity.id, kind, id: ownerOf(params)}),
    });

  const setDefault: MethodHandler<'setDefault' | 'update'> = ({entity, params}, {store, clock}) =>
    store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: ownerOf(params)});
      const key = keyOf(params);
      await makeDefault(queries, await storedMethod(queries, key), clock.now());
      return {status: 200, body: toMethod(await storedMethod(queries, key))};
    });

  const remove: MethodHandler<'delete'> = ({entity, params}, {store, clock}) =>
    store.write(async (queries) => {
      await findParty(queries, {entityId: entity.id, kind, id: ownerOf(params)});
      const row = await storedMethod(queries, keyOf(params));
      if (int(row, 'is_default') === 1)
        throw new ServiceError(
          'VALIDATION_ERROR',
          'the default payment method cannot be deleted; make another verified one the default first',
        );
      // Kept for audit: interface document, "Payment methods".
      await queries.run('update payment_methods set deleted_ms = ? where owner_id = ? and id = ?', [
        clock.now(),
        ownerOf(params),
        keyOf(params).id,
      ]);
      return {status: 204, body: null};
    });

  return {add, list, setDefault, update: setDefault, delete: remove};
}
