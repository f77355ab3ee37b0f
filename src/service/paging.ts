import type {OperationId} from '../contract/operations/operations.ts';
import type {PagedBy, Paging, ServiceFile} from './service-file.ts';

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

/** Filters that a service does not have: the records are filtered after they were read. */
export function filtersHere(id: OperationId, {filters = {}}: ServiceFile): string[] {
  const [resource = ''] = id.split('.');
  const own = Object.hasOwn(filters, resource) ? (filters[resource] ?? {}) : {};
  return Object.keys(own).filter((name) => own[name] === false);
}
