import type {Order} from './main.ts';

/** Long enough that handing them out costs nothing, short enough that all end at about the same time. */
const SCHEDULES_AN_ORDER = 50;

/** Ranges of seeds, `total` of them from `first` on, `count` at a time. */
export function* ordersFrom(
  first: number,
  total: number,
  {count = SCHEDULES_AN_ORDER, ...rest}: Partial<Omit<Order, 'from'>> = {},
): Generator<Order> {
  for (let from = first; from < first + total; from += count)
    yield {from, count: Math.min(count, first + total - from), ...rest};
}
