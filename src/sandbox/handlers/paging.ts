import {LIMITS} from '../../contract/limits.ts';
import type {SqlRow, SqlValue} from '../../store/port/port.ts';
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
export function position(list: string, page: PageRequest): Position {
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

/** The query of a page ordered by id: one row more than the page, to detect whether another follows. */
export function pageQuery(
  select: string,
  where: readonly [condition: string, value: SqlValue][],
  at: Position,
  also = '1 = 1',
): {sql: string; params: SqlValue[]} {
  const bounded =
    at.after === undefined ? where : [...where, [at.order === 'asc' ? 'id > ?' : 'id < ?', at.after]];
  const conditions = bounded.map(([condition]) => condition).join(' and ');
  return {
    sql: `${select} where ${conditions} and ${also} order by id ${at.order} limit ?`,
    params: [...bounded.map(([, value]) => value), at.limit + 1],
  };
}

/** The documented envelope, from the rows of `pageQuery`. */
export function envelope<T>(
  list: string,
  at: Position,
  rows: readonly SqlRow[],
  toRecord: (row: SqlRow) => T,
): {data: T[]; next_cursor: string | null} {
  const shown = rows.slice(0, at.limit);
  const last = shown.at(-1);
  const more = rows.length > at.limit && last !== undefined;
  return {
    data: shown.map(toRecord),
    next_cursor: more ? encodeCursor(list, at.order, text(last, 'id')) : null,
  };
}
