import {isObject, type JsonFields, ownJson} from '../../narrow.ts';
import {cursorNameOf} from '../../service/paging.ts';
import type {Paging, ServiceFile} from '../../service/service-file.ts';
import {LIMITS} from '../../contract/limits.ts';
import type {Outgoing} from '../outcomes/fault-answer.ts';

/** Whether a service sends pages without cursors of its own. */
export const isNumbered = ({paging: {by = 'cursor'} = {}}: ServiceFile): boolean =>
  by !== 'cursor' && by !== 'link';

/**
 * One page of a list at a service that counts pages or records, or names the last record. The sandbox has cursors only, so
 * the list is read up to the end of the page; for the number of all records, to its end.
 * @param search of the canonical request; its `cursor` is what this service counts
 * @param read answers the same request with another query
 */
export async function numberedPage(
  {paging = {}, envelopes}: ServiceFile,
  search: URLSearchParams,
  read: (search: URLSearchParams) => Promise<Outgoing>,
): Promise<Outgoing> {
  const limit = paging.by === 'none' ? Infinity : Number(search.get('limit') ?? LIMITS.pageSizeDefault);
  const wanted = new URLSearchParams(search);
  wanted.set('limit', String(LIMITS.pageSizeMax));
  wanted.delete('cursor');
  const all: JsonFields[] = [];
  for (;;) {
    const answer = await read(wanted);
    if (answer.status !== 200) return answer;
    const {data: records, next_cursor: next} = ownJson<SandboxPage>(answer.body ?? '{}');
    if (records === undefined) return answer; // a fault removed them
    all.push(...records);
    const from = startOf(paging, {cursor: search.get('cursor'), limit, all});
    if (Number.isNaN(from)) return read(search); // the sandbox refuses such a cursor
    const isEnough = envelopes?.total === undefined && all.length > from + limit;
    if (typeof next === 'string' && !isEnough) {
      wanted.set('cursor', next);
      continue;
    }
    const data = all.slice(from, from + limit);
    const isMore = all.length > from + limit;
    const body = {data, next_cursor: isMore ? 'next' : null, total: all.length};
    return {...answer, body: JSON.stringify(body)};
  }
}

interface SandboxPage {
  readonly data?: readonly JsonFields[];
  readonly next_cursor?: string | null;
}

/** How many records of the list come before the page; NaN for a position that cannot be read. */
function startOf(
  {by, first = 1}: Paging,
  {cursor, limit, all}: {cursor: string | null; limit: number; all: readonly JsonFields[]},
): number {
  if (cursor === null || by === 'none') return 0;
  if (by === 'id') return all.findIndex(({id}) => id === cursor) + 1 || Infinity;
  const at = /^\d{1,9}$/.test(cursor) ? Number(cursor) : Number.NaN;
  return by === 'page' ? (at - first) * limit : by === 'offset' ? at : 0;
}

/** The `Link` header of a page, at a service that sends its cursor there. */
export function linkTo({paging}: ServiceFile, address: URL, json: unknown): Record<string, string> {
  const next = isObject(json) ? json['next_cursor'] : undefined;
  if (paging?.by !== 'link' || typeof next !== 'string') return {};
  const to = new URL(address);
  to.searchParams.set(cursorNameOf(paging), next);
  return {link: `<${to.href}>; rel="next"`};
}
