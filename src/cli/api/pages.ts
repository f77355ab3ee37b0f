import {RemitError} from '../../errors.ts';
import {isList} from '../../narrow.ts';
import {valueAt} from '../../output/records/select.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {Context} from '../core/context.ts';

interface AllItems {
  path: string;
  isRaw: boolean;
  /** Headers to send with each request. */
  headers: Readonly<Record<string, string>>;
  /** Where the pages have their items and cursors; empty if the answers are canonical. */
  service: ServiceFile;
}

/**
 * The items of all pages of a list, page by page.
 * @throws RemitError UNAVAILABLE for an answer that is no list, CURSOR_REPEATED and LIST_CUT like every other list
 */
export async function* allItems(
  {client, stop}: Pick<Context, 'client' | 'stop'>,
  {path, isRaw, headers, service}: AllItems,
): AsyncGenerator<unknown> {
  const {envelopes = {}, paging = {}} = service;
  const [route = '', query = ''] = path.split('?');
  const params = new URLSearchParams(query);
  const seen = new Set<string>();
  for (;;) {
    const search = params.size === 0 ? '' : `?${params.toString()}`;
    const {data} = await client.request('GET', route + search, {isRaw, headers, signal: stop.signal});
    const items = isList(data) ? data : valueAt(data, envelopes.list ?? 'data');
    if (!isList(items)) throw noList(path, envelopes.list ?? 'data');
    yield* items;
    const next = isList(data) ? undefined : valueAt(data, envelopes.next ?? 'next_cursor');
    if (next === undefined || next === null || next === '') {
      if (envelopes.more !== undefined && valueAt(data, envelopes.more) === true)
        throw new RemitError(
          'LIST_CUT',
          `GET ${path}: more items exist, but the answer has no cursor for them`,
        );
      return;
    }
    if (typeof next !== 'string' && typeof next !== 'number')
      throw new RemitError(
        'LIST_CUT',
        `GET ${path}: the cursor of the next page is neither text nor a number`,
      );
    const cursor = String(next);
    if (seen.has(cursor))
      throw new RemitError('CURSOR_REPEATED', `GET ${path}: the service answered with the same cursor twice`);
    seen.add(cursor);
    params.set(paging.cursor ?? 'cursor', cursor);
  }
}

const noList = (path: string, where: string): RemitError =>
  new RemitError(
    'UNAVAILABLE',
    `--paginate needs a list, but the answer of GET ${path} has none at ${JSON.stringify(where)}`,
    {
      hint: (commands) => commands.read('api', 'GET', path),
    },
  );
