import type {OperationId} from '../contract/operations/operations.ts';
import {firstPart} from './paths.ts';
import type {PagedBy, Paging, ServiceFile, SortOrder} from './service-file.ts';

const CURSOR_NAMES: Readonly<Record<PagedBy, string>> = {
  cursor: 'cursor',
  page: 'page',
  offset: 'offset',
  id: 'starting_after',
  link: 'cursor',
  none: 'cursor',
};

/** The query parameter that leads to the next page. */
export const cursorNameOf = ({by = 'cursor', cursor}: Paging = {}): string => cursor ?? CURSOR_NAMES[by];

/** The page size that is sent for a wanted one. */
export const sizeOnWire = (size: number, {min = 1, max = Infinity}: Paging = {}): number =>
  Math.max(min, Math.min(size, max));

/** Name and values of the sort order; empty if the service has none. */
export const orderOf = ({order = {}}: Paging = {}): SortOrder => (order === false ? {} : order);

/** The query of a list with the newest records first; empty if the service cannot sort. */
export const newestFirst = ({order}: Paging = {}): {order?: 'desc'} =>
  order === false ? {} : {order: 'desc'};

type ToWire = (value: string, paging?: Paging) => readonly [name: string, value: string];

/** The parameters of a list on the wire, by canonical name. */
export const pagingToWire = {
  cursor: (value, paging) => [cursorNameOf(paging), value],
  limit: (value, paging = {}) => [paging.limit ?? 'limit', String(sizeOnWire(Number(value), paging))],
  order: (value, paging) => {
    const {name = 'order', asc = 'asc', desc = 'desc'} = orderOf(paging);
    return [name, value === 'asc' ? asc : value === 'desc' ? desc : value];
  },
} satisfies Readonly<Record<string, ToWire>>;

export const isPagingParam = (name: string): name is keyof typeof pagingToWire =>
  Object.hasOwn(pagingToWire, name);

/** The canonical form of such a parameter; undefined for other parameters. */
export function pagingFromWire(
  name: string,
  value: string,
  paging: Paging = {},
): readonly [name: string, value: string] | undefined {
  const {name: orderName = 'order', asc, desc} = orderOf(paging);
  if (name === cursorNameOf(paging)) return ['cursor', value];
  if (name === (paging.limit ?? 'limit')) return ['limit', value];
  if (name !== orderName) return undefined;
  return ['order', value === asc ? 'asc' : value === desc ? 'desc' : value];
}

/** Path to the items of a list: of all lists, of this one, or of those of its resource. Undefined if none is set. */
export function itemsPathOf(id: OperationId | undefined, {envelopes}: ServiceFile): string | undefined {
  const list = envelopes?.list;
  if (typeof list === 'string' || list === undefined || id === undefined)
    return typeof list === 'string' ? list : undefined;
  return list[id] ?? list[firstPart(id)];
}

/** Filters that a service does not have: the records are filtered after they were read. */
export function filtersHere(id: OperationId, {filters = {}}: ServiceFile): string[] {
  const [resource = ''] = id.split('.');
  const own = Object.hasOwn(filters, resource) ? (filters[resource] ?? {}) : {};
  return Object.keys(own).filter((name) => own[name] === false);
}
