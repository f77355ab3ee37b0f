import type {OperationId} from '../contract/operations/operations.ts';
import {Dialect, type PlainRequest} from './dialect.ts';
import {isObject, type Json, type JsonFields} from '../narrow.ts';
import {mapIds, ownId, pathWithUsualIds, queryWithUsualIds, canonicalId} from './other-ids.ts';
import {cursorNameOf, filtersHere, orderOf} from './paging.ts';
import {pathOf, valueAt, withValue} from './paths.ts';
import type {ServiceFile} from './service-file.ts';

export interface WireRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without a body. */
  readonly body: Json;
}

/** A request in the contract's form, or the answer with which the service rejects it. */
export type ReadFromWire =
  | {readonly operation: OperationId; readonly request: WireRequest}
  | {readonly refused: {readonly status: number; readonly body: JsonFields}};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The service's side of a dialect: reads requests and writes answers as such a service does. It rejects requests in any
 * other form.
 */
export class WireSide {
  readonly #file: ServiceFile;
  readonly #dialect: Dialect;

  /** Metadata is left unchanged, because the client chooses the key of its reference. */
  constructor(file: ServiceFile) {
    this.#file = {...file, metadata: {}};
    this.#dialect = new Dialect(this.#file);
  }

  read({method, path, headers, body}: WireRequest): ReadFromWire {
    const [route = '', search = ''] = path.split('?');
    const operation = this.#dialect.operationOnWire(method, route, body);
    // Row 67: a missing route, also if the path exists with another method.
    if (operation === undefined) return this.#refused(404, 'NOT_FOUND', `there is no ${method} ${route}`);
    const query = new URLSearchParams(search);
    const problem =
      this.#headerProblem(headers) ??
      this.#bodyProblem(operation, body) ??
      this.#queryProblem(operation, query);
    if (problem !== undefined) return this.#refused(400, 'VALIDATION_ERROR', problem);
    const read = this.#withUsualIds(
      this.#dialect.requestFromWire(operation, {method, path: route, query, body}),
    );
    if (this.#dialect.operationAt(read.method, read.path) !== operation)
      return this.#refused(400, 'VALIDATION_ERROR', 'the id in the path is malformed'); // it is a word of another path
    const canonical = read.query.size === 0 ? read.path : `${read.path}?${read.query.toString()}`;
    return {
      operation,
      request: {method: read.method, path: canonical, headers: this.#usualKey(headers), body: read.body},
    };
  }

  get #hasOwnIds(): boolean {
    return this.#file.ids?.format === 'any';
  }

  #withUsualIds(request: PlainRequest): PlainRequest {
    if (!this.#hasOwnIds) return request;
    const {method, path, query, body} = request;
    return {
      method,
      path: pathWithUsualIds(path),
      query: queryWithUsualIds(query),
      body: mapIds(body, canonicalId),
    };
  }

  /** An answer of the contract as this service writes it. */
  answer(operation: OperationId, status: number, json: Json): Json {
    if (status < 300)
      return this.#dialect.answerToWire(operation, this.#hasOwnIds ? mapIds(json, ownId) : json);
    return isObject(json) ? this.#error(json) : json;
  }

  /** Headers of an answer. */
  answerHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    const {requestId} = this.#file.headers ?? {};
    const {'x-request-id': id, ...others} = headers;
    return id === undefined || requestId === undefined ? {...headers} : {...others, [requestId]: id};
  }

  #refused(status: number, error_code: string, message: string): ReadFromWire {
    return {refused: {status, body: this.#error({error_code, message})}};
  }

  #error(body: JsonFields): JsonFields {
    const {
      code: codeAt = 'error_code',
      message: messageAt = 'message',
      details: detailsAt = 'details',
      codes = {},
    } = this.#file.errors ?? {};
    const {error_code: code, message, details, ...rest} = body;
    const own = Object.entries(codes).find(([, documented]) => documented === code)?.[0] ?? code;
    let error: JsonFields = rest;
    if (own !== undefined) error = withValue(error, pathOf(codeAt), own);
    if (message !== undefined) error = withValue(error, pathOf(messageAt), message);
    return details === undefined ? error : withValue(error, pathOf(detailsAt), details);
  }

  #headerProblem(headers: WireRequest['headers']): string | undefined {
    const {keys = {}, headers: {send = {}} = {}} = this.#file;
    const missing = Object.entries(send).find(([name, value]) => headers[name.toLowerCase()] !== value);
    if (missing !== undefined) return `the header ${missing[0]} is missing or wrong`;
    const name = (keys.header ?? 'idempotency-key').toLowerCase();
    if (name !== 'idempotency-key' && headers['idempotency-key'] !== undefined)
      return `unknown header Idempotency-Key; the idempotency key is in ${keys.header}`;
    const key = headers[name];
    if (key === undefined) return undefined;
    if (keys.format === 'uuid' && !UUID.test(key)) return 'the idempotency key must be a UUID';
    if (key.length > (keys.maxLength ?? Infinity))
      return `the idempotency key is longer than ${keys.maxLength} characters`;
    return undefined;
  }

  #usualKey(headers: WireRequest['headers']): Record<string, string> {
    const name = (this.#file.keys?.header ?? 'idempotency-key').toLowerCase();
    const {[name]: key, ...others} = headers;
    return key === undefined ? others : {...others, 'idempotency-key': key};
  }

  /** A canonical field name is rejected if this service uses another name for the field. */
  #bodyProblem(operation: OperationId, body: Json): string | undefined {
    if (this.#file.bodies?.[operation] === 'none' && isObject(body)) return 'this operation takes no body';
    if (!isObject(body)) return undefined;
    const field = this.#dialect.renamedFields(operation).find(({canonical, wires}) => {
      const name = canonical.join('.');
      // a name may also hold fields of its own: `label` is sent as `label.text`
      return (
        valueAt(body, canonical) !== undefined && !wires.some((wire) => `${wire}.`.startsWith(`${name}.`))
      );
    });
    return field === undefined ? undefined : `unknown field ${field.canonical.join('.')}`;
  }

  #queryProblem(operation: OperationId, query: URLSearchParams): string | undefined {
    const {max = Infinity, min = 1, limit = 'limit', order: sorting} = this.#file.paging ?? {};
    const order = orderOf(this.#file.paging);
    if (sorting === false && query.has('order')) return 'unknown parameter order';
    if (Number(query.get(limit)) > max) return `${limit} must be at most ${max}`;
    if (query.has(limit) && Number(query.get(limit)) < min) return `${limit} must be at least ${min}`;
    const filter = filtersHere(operation, this.#file).find((name) => query.has(name));
    if (filter !== undefined) return `unknown parameter ${filter}`;
    const names = {cursor: cursorNameOf(this.#file.paging), limit, order: order.name ?? 'order'};
    const other = Object.entries(names).find(([usual, own]) => usual !== own && query.has(usual));
    if (other !== undefined) return `unknown parameter ${other[0]}`;
    const word = query.get(names.order);
    if (order.asc !== undefined && word === 'asc')
      return `${names.order} must be ${order.asc} or ${order.desc}`;
    if (order.desc !== undefined && word === 'desc')
      return `${names.order} must be ${order.asc} or ${order.desc}`;
    const field = this.#dialect
      .renamedFields(operation)
      .find(({canonical, wires}) => query.has(canonical.join('.')) && !wires.includes(canonical.join('.')));
    return field === undefined ? undefined : `unknown parameter ${field.canonical.join('.')}`;
  }
}
