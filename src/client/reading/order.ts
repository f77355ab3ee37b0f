import type {OperationId} from '../../contract/operations/operations.ts';
import {isObject, type Json, type JsonValue} from '../../narrow.ts';
import {assumedKey} from '../../service/file/assumption.ts';
import type {Paging} from '../../service/service-file.ts';
import {timeOf} from './filters.ts';

/** Lists whose newest record comes first unless another order is requested. */
const NEWEST_FIRST: readonly OperationId[] = [
  ...(['payouts.list', 'payins.list', 'moves.list', 'payees.list', 'payers.list'] as const),
  'accountTransfers.list',
];

/**
 * Why the records of a page are not in the requested order, or with the newest first, in words: the first and the last are
 * the other way round. Undefined if they are in order, or do not state their times.
 */
export function otherOrder(
  id: OperationId,
  order: Json,
  items: readonly JsonValue[],
  paging: Paging = {},
): string | undefined {
  const isUnordered = order === undefined && NEWEST_FIRST.includes(id);
  if (order !== 'asc' && order !== 'desc' && !isUnordered) return undefined;
  const [first, last] = [items[0], items.at(-1)].map((item) =>
    isObject(item) ? timeOf(item[id === 'treasury.transactions' ? 'posted_at' : 'created_at']) : Number.NaN,
  );
  if (first === undefined || last === undefined) return undefined;
  if (!(order === 'asc' ? first > last : first < last)) return undefined;
  if (isUnordered && paging.order === false)
    return 'the oldest records come first, and the service file states that the service cannot sort';
  const {text} = isUnordered
    ? assumedKey(40, 'paging.order.default', 'that the newest come first is assumed')
    : assumedKey(40, 'paging.order', 'the sort order values are assumed');
  return isUnordered
    ? `the oldest records come first in the list (${text})`
    : `the list was requested with order ${order}, but its records are in another order (${text})`;
}
