import {isObject} from '../../narrow.ts';
import {assumedKey} from '../../service/file/assumption.ts';
import {timeOf} from './filters.ts';

/**
 * Why the records of a page are not in the requested order, in words: the first and the last are the other way round.
 * Undefined if they are in order, or do not state their times.
 */
export function otherOrder(order: unknown, items: readonly unknown[]): string | undefined {
  if (order !== 'asc' && order !== 'desc') return undefined;
  const [first, last] = [items[0], items.at(-1)].map((item) =>
    isObject(item) ? timeOf(item['created_at']) : Number.NaN,
  );
  if (first === undefined || last === undefined) return undefined;
  if (!(order === 'asc' ? first > last : first < last)) return undefined;
  const {text} = assumedKey(40, 'paging.order', 'the sort order values are assumed');
  return `the list was requested with order ${order}, but its records are in another order (${text})`;
}
