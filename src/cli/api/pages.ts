import {RemitError} from '../../errors.ts';
import {Listing} from '../../client/reading/listing.ts';
import {continued} from '../../client/reading/continued.ts';
import {readPage} from '../../client/reading/page.ts';
import type {FetchPage} from '../../client/reading/page-reader.ts';
import {eachWarningOnce} from '../../client/reading/warnings.ts';
import {Dialect} from '../../service/dialect.ts';
import {cursorNameOf, orderOf, sizeOnWire} from '../../service/paging.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {Context} from '../core/context.ts';
import {warnOf} from '../resources/reads.ts';
import type {JsonValue} from '../../narrow.ts';

interface AllItems {
  path: string;
  isRaw: boolean;
  /** Headers to send with each request. */
  headers: Readonly<Record<string, string>>;
  /** Where the pages have their items and cursors, if the path is that of the service. */
  service: ServiceFile;
}

/**
 * The items of all pages of a list, read and ended like every other list.
 * @throws RemitError UNAVAILABLE for an answer that is no list
 */
export function allItems(
  context: Pick<Context, 'client' | 'stop' | 'out' | 'effects'>,
  {path, isRaw, headers, service}: AllItems,
): Listing<JsonValue> {
  const {client, stop} = context;
  const warn = eachWarningOnce(warnOf(context));
  const {paging} = service;
  const form = isRaw ? service : {}; // the answers to other paths are canonical
  const [route = '', query = ''] = path.split('?');
  const params = new URLSearchParams(query);
  const name = cursorNameOf(form.paging);
  const {limit: limitName = 'limit'} = form.paging ?? {};
  const own: readonly string[] = [name, limitName, orderOf(form.paging).name ?? 'order'];
  const size = params.get(limitName);
  const isFiltered = [...params.keys()].some((param) => !own.includes(param));
  const dialect = new Dialect(form);
  const fetch: FetchPage<JsonValue> = async ({cursor, readBefore, signal: unwanted}) => {
    if (cursor !== undefined) params.set(name, cursor);
    const search = params.size === 0 ? '' : `?${params.toString()}`;
    const signal = AbortSignal.any([stop.signal, unwanted]);
    const answer = await client.request('GET', route + search, {isRaw, headers, signal, wantsHeaders: true});
    const page = readPage(dialect.pageFromWire(answer.data, route), answer.headers);
    if (page === undefined) throw noList(path, dialect.itemsOnWire(route) ?? 'data');
    if (answer.status === 207) warn(207, answer.warning);
    const limit = size === null ? undefined : sizeOnWire(Number(size), isRaw ? {} : paging);
    return continued(page, {cursor, limit, readBefore, isFiltered}, paging);
  };
  const onWarning = ({text}: {text: string | undefined}) => warn(200, text);
  return new Listing(fetch, {all: true, cursor: params.get(name) ?? undefined, onWarning});
}

const noList = (path: string, where: string): RemitError =>
  new RemitError(
    'UNAVAILABLE',
    `--paginate needs a list, but the answer of GET ${path} has none at ${JSON.stringify(where)}`,
    {
      hint: (commands) => commands.read('api', 'GET', path),
    },
  );
