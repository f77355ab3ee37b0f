import {LIMITS} from '../../contract/limits.ts';
import {type Json, parseJson} from '../../narrow.ts';
import {operationOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import {WireSide} from '../../service/wire-side.ts';
import {isNumbered, linkTo, numberedPage} from './numbered-pages.ts';
import {NO_HEADERS, type Outgoing} from '../outcomes/fault-answer.ts';
import type {SentAs} from '../outcomes/faults.ts';
import type {Exchange} from './exchange.ts';
import {modeOfKey} from '../world/keys.ts';
import type {RequestHeaders, SandboxRequest} from './request.ts';
import type {ApiRoutes} from './routing.ts';

/** Does what is done around every request, also one that is refused. */
type Around = Exchange['run'];

/** Lets the sandbox speak as the service of a service file does: it takes nothing else, and answers in no other way. */
export class SandboxDialect {
  readonly #service: ServiceFile;
  readonly #wire: WireSide;
  readonly #handle: ApiRoutes;
  readonly #around: Around;

  constructor(service: ServiceFile, handle: ApiRoutes, around: Around) {
    this.#service = service;
    this.#wire = new WireSide(service);
    this.#handle = handle;
    this.#around = around;
  }

  async answer(request: SandboxRequest): Promise<Outgoing> {
    const address = new URL(request.url);
    const {pathname, search, origin} = address;
    const text = await request.text();
    const body = parsed(text);
    const isUnreadable = body === undefined && text !== '';
    const headers = Object.fromEntries(request.headers);
    const read = this.#wire.read({method: request.method, path: pathname + search, headers, body});
    const sent = {method: request.method, path: pathname};
    if ('refused' in read) return this.#refuse(read.refused, sent, headers['x-api-key']);
    const {operation, request: canonical} = read;
    const written = isUnreadable ? text : canonical.body === undefined ? '' : JSON.stringify(canonical.body);
    const url = new URL(canonical.path, origin);
    const ask = (query: URLSearchParams) =>
      this.#handle(
        {
          method: canonical.method,
          url: new URL(query.size === 0 ? url.pathname : `${url.pathname}?${query.toString()}`, origin).href,
          headers: headersOf(canonical.headers, written),
          text: async () => (canonical.method === 'GET' ? '' : written),
        },
        sent,
      );
    const isPage = operationOf(operation).pages === 'cursor';
    const size = url.searchParams.get('limit');
    if (
      isPage &&
      Number(this.#service.paging?.min ?? 0) > LIMITS.pageSizeMax &&
      size !== null &&
      !isNumbered(this.#service)
    )
      // a page may be smaller than requested
      url.searchParams.set('limit', String(Math.min(Number(size), LIMITS.pageSizeMax)));
    const answer =
      isPage && isNumbered(this.#service)
        ? await numberedPage(this.#service, url.searchParams, ask)
        : await ask(url.searchParams);
    const link = isPage ? linkTo(this.#service, address, parsed(answer.body ?? '')) : {};
    return {
      ...answer,
      headers: {...this.#wire.answerHeaders(answer.headers), ...link},
      body: this.#written(operation, answer),
    };
  }

  async #refuse(
    {status, body}: {status: number; body: object},
    sent: SentAs,
    key: string | undefined,
  ): Promise<Outgoing> {
    const answer = {caller: null, status, body: JSON.stringify(body), headers: NO_HEADERS};
    const outgoing = await this.#around(
      {...sent, operation: null, mode: modeOfKey(key)},
      async (before) => (await before, answer),
    );
    return {...outgoing, headers: this.#wire.answerHeaders(outgoing.headers)};
  }

  #written(operation: Parameters<WireSide['answer']>[0], {status, body}: Outgoing): string | null {
    if (body === null) return null;
    const json = parsed(body);
    return json === undefined ? body : JSON.stringify(this.#wire.answer(operation, status, json));
  }
}

/** The headers of a request whose body was written again. */
function headersOf(given: Readonly<Record<string, string>>, body: string): RequestHeaders {
  const all = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  if (body !== '') all.set('content-type', 'application/json');
  all.set('content-length', String(Buffer.byteLength(body)));
  return {get: (name) => all.get(name) ?? null, [Symbol.iterator]: () => all.entries()};
}

/** Undefined for text that is not JSON. */
function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
