import {LIMITS} from '../../contract/limits.ts';
import type {Queries, SqlRow, SqlValue, Store} from '../../store/port/port.ts';
import {text} from '../base/rows.ts';
import {invalid} from '../base/service-error.ts';

/** Interface document, "Pagination"; assumptions 39 to 41. */
export interface PageRequest {
  cursor?: string | undefined;
  limit?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** Where a page starts: strictly after `after` in the given order. */
export interface Position {
  order: 'asc' | 'desc';
  limit: number;
  after: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A cursor is opaque: list, order and the last id, in base64url. It is valid only for the list that issued it. */
function encodeCursor(list: string, order: 'asc' | 'desc', id: string): string {
  return Buffer.from(`${list}\n${order === 'asc' ? 'a' : 'd'}${id}`).toString('base64url');
}

/**
 * @param list name of the list, so that a cursor of another list is refused
 * @throws {ServiceError} VALIDATION_ERROR for a cursor that this list did not issue, or one issued for the other
 *   order.
 */
function position(list: string, page: PageRequest): Position {
  const limit = page.limit ?? LIMITS.pageSizeDefault;
  if (page.cursor === undefined) return {order: page.order ?? 'desc', limit, after: undefined};
  const state = Buffer.from(page.cursor, 'base64url').toString('utf8').split('\n')[1] ?? '';
  const order = state.startsWith('a') ? 'asc' : 'desc';
  const after = state.slice(1);
  // Decoding ignores stray characters, so the text must be exactly what we would have issued.
  if (!UUID.test(after) || encodeCursor(list, order, after) !== page.cursor)
    throw invalid('cursor', 'is not a cursor of this list');
  if (page.order !== undefined && page.order !== order)
    throw invalid('order', 'differs from the order in which the cursor was given');
  return {order, limit, after};
}

type Conditions = readonly [condition: string, value: SqlValue][];

/** A list of a store: its name, so that a cursor of another list is refused, and its rows. */
export interface StoredList<T> {
  readonly name: string;
  readonly select: string;
  readonly where: Conditions | ((at: Position) => Conditions);
  /** A condition without a value. */
  readonly also?: string;
  readonly toRecord: (row: SqlRow) => T;
  /** Throws if what has the list does not exist. */
  readonly check?: (queries: Queries) => Promise<object>;
}

/**
 * A page of a list in the documented envelope, ordered by id. One row more than the page is read, to detect whether
 * another follows.
 * @throws {ServiceError} VALIDATION_ERROR, see `position`
 */
export function storedPage<T>(
  store: Store,
  query: PageRequest,
  {name, select, where, also = '1 = 1', toRecord, check}: StoredList<T>,
): Promise<{status: 200; body: {data: T[]; next_cursor: string | null}}> {
  const at = position(name, query);
  const {after, order, limit} = at;
  const own = typeof where === 'function' ? where(at) : where;
  const bounded: Conditions =
    after === undefined ? own : [...own, [order === 'asc' ? 'id > ?' : 'id < ?', after]];
  const conditions = bounded.map(([condition]) => condition).join(' and ');
  return store.read(async (queries) => {
    await check?.(queries);
    const rows = await queries.all(`${select} where ${conditions} and ${also} order by id ${order} limit ?`, [
      ...bounded.map(([, value]) => value),
      limit + 1,
    ]);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next =
      rows.length > limit && last !== undefined ? encodeCursor(name, order, text(last, 'id')) : null;
    return {status: 200, body: {data: shown.map(toRecord), next_cursor: next}};
  });
}
