import {allOperations, type OperationId} from '../contract/operations/operations.ts';
import {compile, type Compiled, type ForeignPlace} from './compiled.ts';
import {type Mapping, mapsNothing, toCanonical, toWire, Unwritable} from './mapping.ts';
import {isList, isObject, type Json, type JsonFields, type JsonValue} from '../narrow.ts';
import {leavesOf, type Path, pathOf, valueAt, withBeside, withoutValue, withValue} from './paths.ts';
import {paramsOf, type Route} from './routes.ts';
import {cursorNameOf, isPagingParam, itemsPathOf, orderOf, pagingFromWire, pagingToWire} from './paging.ts';
import type {ServiceFile} from './service-file.ts';

/** A request without its headers. The path has no query, and its parts are encoded. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined without a body. */
  readonly body: Json;
}

/**
 * Maps requests and answers of one service between the contract's shape and the wire's, in both directions. It is not
 * used without a service file.
 */
export class Dialect {
  readonly file: ServiceFile;
  readonly #compiled = new Map<OperationId, Compiled>();
  #ids: readonly OperationId[] | undefined;

  constructor(file: ServiceFile) {
    this.file = file;
  }

  route(id: OperationId): Route {
    return this.#of(id).wire;
  }

  /** The operation that a canonical request belongs to, if any. */
  operationAt(method: string, path: string): OperationId | undefined {
    return this.#find(
      ({canonical, canonicalPattern}) => canonical.method === method && canonicalPattern.test(path),
    );
  }

  /** The operation that a request on the wire belongs to. */
  operationOnWire(method: string, path: string, body: Json): OperationId | undefined {
    const fits = ({wire, wirePattern}: Compiled) => wire.method === method && wirePattern.test(path);
    return (
      this.#find((one) => fits(one) && isObject(one.body) && isSame(one.body, body)) ??
      this.#find((one) => fits(one) && !isObject(one.body))
    );
  }

  /** Request fields with another name at this service, with all wire names of the request's fields. */
  renamedFields(id: OperationId): {canonical: Path; wires: readonly string[]}[] {
    const names = this.#of(id).request.names.flat();
    const wires = names.map(({wire}) => wire.join('.'));
    return names.map(({canonical}) => ({canonical, wires}));
  }

  /** @throws {Unwritable} also for a body that is partly in the service's form: its fields would be sent unread */
  requestToWire(id: OperationId, {path, query, body}: PlainRequest): PlainRequest {
    const compiled = this.#of(id);
    const {canonicalPattern, hasParams, wire, wireParams, request, foreign, body: rule} = compiled;
    let sent = rule === undefined ? body : rule === 'none' ? undefined : rule;
    if (isObject(sent) && rule === undefined) {
      refuseForeign(sent, foreign);
      sent = toWire(sent, request);
    }
    let search = this.#queryToWire(query, compiled);
    if (!hasParams && wireParams.length === 0)
      return {method: wire.method, path: wire.path, query: search, body: sent};
    const params: PathParams = canonicalPattern.exec(path)?.groups ?? {};
    const left = Object.entries(params).filter(([name]) => !wireParams.includes(name));
    if (left.length > 0) search = new URLSearchParams(search);
    for (const [name, value] of left) {
      const decoded = decodeURIComponent(value ?? '');
      for (const leaf of paramsIn(toWire({[name]: decoded}, pick(request, name)))) search.set(...leaf);
    }
    const filled = wireParams.length === 0 ? wire.path : fill(wire.path, params);
    return {method: wire.method, path: filled, query: search, body: sent};
  }

  /** The canonical form of a request on the wire, as a service in this dialect would read it. */
  requestFromWire(id: OperationId, {path, query, body}: PlainRequest): PlainRequest {
    const compiled = this.#of(id);
    const {wirePattern, canonical, request, body: rule} = compiled;
    const params: Record<string, string | undefined> = {...wirePattern.exec(path)?.groups};
    let read = rule === undefined ? body : isObject(body) || rule === 'none' ? {} : body;
    if (isObject(read))
      read = toCanonical(isObject(body) ? (rule === undefined ? body : read) : read, request);
    let search = this.#queryFromWire(query, compiled);
    for (const name of paramsOf(canonical.path)) {
      if (params[name] !== undefined) continue;
      params[name] = encodeURIComponent(search.get(name) ?? '');
      search = new URLSearchParams([...search].filter(([field]) => field !== name));
    }
    return {method: canonical.method, path: fill(canonical.path, params), query: search, body: read};
  }

  /** The canonical form of a success answer. Anything unreadable stays as received. */
  answerFromWire(id: OperationId, json: Json): Json {
    const {isList, answer, idOnWire, wireItems, wireRecord, canonicalRecord} = this.#of(id);
    if (isList) return this.#listFromWire(json, wireItems, answer);
    if (!isObject(json)) return json;
    const hasId = (object: JsonFields) => valueAt(object, idOnWire) !== undefined;
    const envelope = wireRecord ?? (hasId(json) ? [] : ['data']); // `data` needs no service file
    const found = envelope.length === 0 ? undefined : valueAt(json, envelope);
    const isWrapped = isObject(found);
    const record = isWrapped ? found : json;
    const place: Path = isWrapped || hasId(record) ? [] : canonicalRecord;
    const inner = valueAt(record, place);
    if (!isObject(inner)) return json;
    const whole =
      id.startsWith('webhookEndpoints.') && isWrapped ? withBeside(inner, json, envelope[0]) : inner;
    const mapped = mapsNothing(answer) ? whole : toCanonical(whole, answer);
    const {warning} = json;
    if (canonicalRecord.length > 0)
      return withValue(
        warning === undefined ? {} : {warning},
        canonicalRecord,
        inner === json ? withoutValue(mapped, ['warning']) : mapped,
      );
    return warning === undefined || mapped['warning'] !== undefined ? mapped : {...mapped, warning};
  }

  /** A success answer of the contract as the service writes it. */
  answerToWire(id: OperationId, json: Json): Json {
    const {isList, answer, wireItems, wireRecord, canonicalRecord} = this.#of(id);
    if (isList) return this.#listToWire(json, wireItems, answer);
    if (!isObject(json)) return json;
    const record = valueAt(json, canonicalRecord);
    if (!isObject(record)) return json;
    const {warning} = json;
    const mapped = mapsNothing(answer) ? record : toWire(record, answer);
    const place = wireRecord ?? canonicalRecord;
    if (place.length === 0) return warning === undefined ? mapped : {...mapped, warning};
    return withValue(warning === undefined ? {} : {warning}, place, mapped);
  }

  /**
   * A page of a list in the canonical envelope; its items stay as received.
   * @param path of the list on the wire, without a query
   */
  pageFromWire(json: Json, path: string): Json {
    return this.#listFromWire(json, this.itemsOnWire(path), undefined);
  }

  /** Path to the items of the list at a path on the wire; undefined unless the service file sets it. */
  itemsOnWire(path: string): string | undefined {
    return itemsPathOf(this.operationOnWire('GET', path, undefined), this.file);
  }

  #listFromWire(json: Json, list: string | undefined, answer: Mapping | undefined): Json {
    const {next, more, total} = this.file.envelopes ?? {};
    const items = list === undefined ? (isObject(json) ? json['data'] : json) : valueAt(json, pathOf(list));
    if (!isList(items)) return json;
    const data = items.map((item) =>
      isObject(item) && answer !== undefined && !mapsNothing(answer) ? toCanonical(item, answer) : item,
    );
    if (!isObject(json)) return data;
    const all = total === undefined ? {} : {total: valueAt(json, pathOf(total))};
    if (list === undefined && next === undefined && more === undefined) return {...json, ...all, data};
    if (more === undefined && next === undefined) return {...withoutItems(json, list), ...all, data};
    const isMore = valueAt(json, pathOf(more ?? 'has_more'));
    const isEnd = more !== undefined && isWord(isMore, 'false');
    const found = valueAt(json, pathOf(next ?? 'next_cursor'));
    return {
      data,
      // The service file states where the cursor is, so the list ends where there is none.
      ...(isEnd || next !== undefined || found !== undefined
        ? {next_cursor: isEnd ? null : this.#cursorIn(found)}
        : {}),
      ...(isWord(isMore, 'true') ? {has_more: true} : {}),
      ...all,
    };
  }

  /**
   * A cursor, or the cursor within the address of the next page. An address without one is kept, although the list
   * cannot continue.
   */
  #cursorIn(value: Json): JsonValue {
    if (typeof value !== 'string' || !/^(https?:\/\/|\/|\?)/.test(value)) return value ?? null;
    const name = cursorNameOf(this.file.paging);
    return new URLSearchParams(value.split('?')[1]?.split('#')[0]).get(name);
  }

  #listToWire(json: Json, list = 'data', answer: Mapping): Json {
    if (!isObject(json) || !isList(json['data'])) return json;
    const items = json['data'].map((item) => (isObject(item) ? toWire(item, answer) : item));
    const {next, more, total} = this.file.envelopes ?? {};
    const {by = 'cursor'} = this.file.paging ?? {};
    const {next_cursor: cursor = null} = json;
    let wire = withValue({}, pathOf(list), items);
    if (total !== undefined && json['total'] !== undefined)
      wire = withValue(wire, pathOf(total), json['total']);
    if ('next_cursor' in json && by === 'cursor')
      wire = withValue(wire, pathOf(next ?? 'next_cursor'), cursor);
    return more === undefined ? wire : withValue(wire, pathOf(more), cursor !== null);
  }

  #queryToWire(query: URLSearchParams, {request, isList, isSorted, unsent}: Compiled): URLSearchParams {
    const {paging} = this.file;
    const isReversed = isSorted && orderOf(paging).default === 'asc' && !query.has('order');
    if (query.size === 0 && !isReversed) return query;
    if (isSorted && paging?.order === false && query.has('order')) throw new Unwritable('order', UNSORTED);
    const own = new URLSearchParams();
    if (isReversed) own.append(...pagingToWire.order('desc', paging)); // the newest come first
    for (const [name, value] of query) {
      if (unsent.includes(name)) continue;
      if (isList && isPagingParam(name)) own.append(...pagingToWire[name](value, paging));
      else for (const leaf of paramsIn(toWire({[name]: value}, request))) own.append(...leaf);
    }
    return own;
  }

  #queryFromWire(query: URLSearchParams, {request, isList, isSorted}: Compiled): URLSearchParams {
    const {paging} = this.file;
    const own = new URLSearchParams();
    const {name: orderName = 'order', default: usual} = orderOf(paging);
    if (isSorted && usual === 'asc' && !query.has(orderName)) own.append('order', 'asc');
    for (const [name, value] of query) {
      const page = isList ? pagingFromWire(name, value, paging) : undefined;
      if (page !== undefined) own.append(...page);
      else
        for (const leaf of paramsIn(toCanonical(withValue({}, pathOf(name), value), request)))
          own.append(...leaf);
    }
    return own;
  }

  /** A path without parameters comes first: `/webhooks/event-types` is not the endpoint with the id `event-types`. */
  #find(fits: (one: Compiled) => boolean): OperationId | undefined {
    this.#ids ??= allOperations()
      .map(({id}) => ({id, params: paramsOf(this.#of(id).wire.path).length}))
      .sort((a, b) => a.params - b.params)
      .map(({id}) => id);
    return this.#ids.find((id) => fits(this.#of(id)));
  }

  #of(id: OperationId): Compiled {
    let compiled = this.#compiled.get(id);
    if (compiled === undefined) this.#compiled.set(id, (compiled = compile(id, this.file)));
    return compiled;
  }
}

/** @throws {Unwritable} */
function refuseForeign(body: JsonFields, foreign: readonly ForeignPlace[]): void {
  const found = foreign.find(({place}) => valueAt(body, place) !== undefined);
  if (found === undefined) return;
  const canonical = found.canonical.join('.');
  const [wire, place] = [found.wire.join('.'), found.place.join('.')];
  const what = place === wire ? `${wire} is` : `${place} is part of ${wire},`;
  throw new Unwritable(canonical, `${what} the service's name for ${canonical}; write ${canonical}`);
}

const UNSORTED = 'the service cannot sort lists (paging.order is false in the service file)';

/** A flag, which some services send as text. */
const isWord = (value: Json, word: 'true' | 'false'): boolean =>
  (typeof value === 'boolean' || typeof value === 'string') && String(value).toLowerCase() === word;

/** The mapping of a single name. */
const pick = ({names}: Mapping, name: string): Mapping => ({
  names: names.map((level) => level.filter(({canonical}) => canonical.length === 1 && canonical[0] === name)),
  ...{units: [], words: [], reference: undefined},
});

/** The fields of a query, in which no value is a list. */
const paramsIn = (object: JsonFields): [name: string, value: string][] =>
  leavesOf(object).map(([name, value]) => [name, isList(value) ? '' : String(value)]);

type PathParams = Readonly<Record<string, string | undefined>>;

const fill = (path: string, params: PathParams): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');

const isSame = (rule: JsonFields, body: Json): boolean =>
  isObject(body) &&
  Object.entries(rule).every(([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value));

/** Cursor and flags of a list, without its items. */
const withoutItems = (json: JsonFields, list: string | undefined): JsonFields =>
  Object.fromEntries(Object.entries(json).filter(([name]) => name !== pathOf(list ?? 'data')[0]));
