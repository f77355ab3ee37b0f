import type {Order} from './main.ts';

/** Long enough that handing them out costs nothing, short enough that all end at about the same time. */
const SCHEDULES_AN_ORDER = 50;

/** Ranges of seeds: `count` of them from `first` on. */
export function* ordersFrom(
  first: number,
  count: number,
  rest: Omit<Order, 'from' | 'count'> = {},
): Generator<Order> {
  for (let from = first; from < first + count; from += SCHEDULES_AN_ORDER)
    yield {from, count: Math.min(SCHEDULES_AN_ORDER, first + count - from), ...rest};
}
