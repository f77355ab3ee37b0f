import {LIFECYCLES, type Lifecycle} from '../../contract/lifecycle.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {isObject, type JsonFields, type Json, parseJson, stringOf, isList} from '../../narrow.ts';
import {assumptionBehind} from '../../service/file/assumption.ts';
import {Dialect, type PlainRequest} from '../../service/dialect.ts';
import {Unwritable} from '../../service/mapping.ts';
import {leavesOf, type Path, pathOf, withBeside, withValue} from '../../service/paths.ts';
import {checkService} from '../../service/file/parse.ts';
import {isEmptyService, type ServiceFile} from '../../service/service-file.ts';
import {type Answer, type AnswerPlaces, isSuccess, readAnswer} from '../answers/answer.ts';
import {readNumberIds} from '../answers/number-ids.ts';
import {keyOnWire} from './idempotency.ts';
import type {TransportAnswer, TransportRequest} from '../transport/transport.ts';

const KEY_HEADER = 'idempotency-key';
const NO_QUERY = new URLSearchParams(); // never changed

/**
 * The boundary of the client: requests and answers are canonical on this side, and in the service's form on the
 * other. Everything is sent through a codec, and nothing else maps names or shapes.
 */
export class Codec {
  readonly service: ServiceFile;
  /** Undefined without a service file: then requests are sent unchanged. */
  readonly #dialect: Dialect | undefined;
  readonly #places: AnswerPlaces;
  readonly #sent: Readonly<Record<string, string>>;
  readonly #keyHeader: string;

  constructor(service: ServiceFile = {}) {
    this.service = service;
    const {errors = {}, headers = {}} = service;
    this.#keyHeader = service.keys?.header?.toLowerCase() ?? KEY_HEADER;
    this.#dialect = isEmptyService(service) ? undefined : new Dialect(service);
    this.#places = {
      requestIdHeader: headers.requestId?.toLowerCase(),
      ...{code: path(errors.code), message: path(errors.message), details: path(errors.details)},
      codes: errors.codes,
    };
    const sent = Object.entries(headers.send ?? {}).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    this.#sent = Object.fromEntries(sent);
  }

  /** The operation that a canonical request belongs to. */
  operationAt(method: string, path: string): OperationId | undefined {
    return this.#dialect?.operationAt(method, path);
  }

  /**
   * The request in the form in which it is sent.
   * @throws {RemitError} LOCAL_VALIDATION if it cannot be written in the service's form
   */
  encode(request: TransportRequest): TransportRequest {
    if (this.#dialect === undefined) return request;
    const {operation} = request;
    const headers = this.#headersOf(request);
    if (operation === undefined) return {...request, headers};
    const wire = writeWire(this.#dialect, operation, request);
    const body = wire.body === undefined ? undefined : JSON.stringify(wire.body);
    if (body === undefined) delete headers['content-type'];
    else headers['content-type'] = 'application/json';
    const {method, path} = wire;
    return {
      ...request,
      method,
      path: wire.query.size === 0 ? path : `${path}?${wire.query.toString()}`,
      headers,
      body,
    };
  }

  /** A loop, because an object from which a property was deleted is slow, and a batch makes one for each row. */
  #headersOf({headers: usual}: TransportRequest): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const name of Object.keys(usual)) if (name !== KEY_HEADER) headers[name] = usual[name] ?? '';
    const key = usual[KEY_HEADER];
    for (const name of Object.keys(this.#sent))
      if (name !== KEY_HEADER || key === undefined) headers[name] = this.#sent[name] ?? '';
    if (key !== undefined) headers[this.#keyHeader] = keyOnWire(key, this.service.keys ?? {});
    return headers;
  }

  /**
   * The canonical answer. Anything unreadable stays as received, and the answer names the assumption that may explain
   * it.
   */
  read(
    {operation}: {operation?: OperationId | undefined},
    raw: TransportAnswer,
    nowMs: number,
  ): Answer<Json> {
    const answer = readAnswer(raw, nowMs, this.#places);
    if (operation === undefined) return answer;
    const isGood = isSuccess(answer.status);
    if (isGood && answer.json !== undefined) {
      if (this.#dialect !== undefined) answer.json = this.#dialect.answerFromWire(operation, answer.json);
      answer.json = tolerated(operation, answer.json);
      readNumberIds(operation, answer);
      if (answer.warning === undefined && isObject(answer.json) && typeof answer.json['warning'] === 'string')
        answer.warning = answer.json['warning'];
    }
    if (!isGood || isOdd(operation, answer)) this.#explain(operation, answer);
    return answer;
  }

  /** The canonical form of a success answer that was left as the service sent it. */
  recordIn(operation: OperationId, json: Json): Json {
    return tolerated(operation, this.#dialect?.answerFromWire(operation, json) ?? json);
  }

  /**
   * The body of a create with `auto_approve: false`.
   * @param isRaw the body is in the service's form
   */
  withoutApproval(operation: OperationId, body: Json, isRaw: boolean): Json {
    const own = {auto_approve: false};
    if (!isObject(body)) return body;
    if (!isRaw || this.#dialect === undefined) return {...body, ...own};
    const request = {method: 'POST', path: '', query: NO_QUERY, body: own};
    const wire = this.#dialect.requestToWire(operation, request).body;
    let sent: JsonFields = 'auto_approve' in body ? {...body, ...own} : body;
    for (const [name, value] of leavesOf(isObject(wire) ? wire : own))
      sent = withValue(sent, pathOf(name), value);
    return sent;
  }

  #explain(operation: OperationId, answer: Answer<Json>): void {
    const dialect = this.#dialect ?? new Dialect({});
    const assumption = assumptionBehind(operation, dialect.route(operation), answer);
    if (assumption === undefined) return;
    answer.assumption = assumption;
    if (isSuccess(answer.status)) return;
    answer.message =
      answer.message === undefined ? assumption.text : `${answer.message} (${assumption.text})`;
  }
}

/** The codec of a service that follows the contract. */
export const CANONICAL = new Codec();

/** Also checks a service file that a caller of the library built by hand. */
export const codecOf = (service: ServiceFile): Codec =>
  isObject(service) && isEmptyService(service) ? CANONICAL : new Codec(checkService(service, 'service'));

function path(text: string | undefined): Path | undefined {
  return text === undefined ? undefined : pathOf(text);
}

function writeWire(
  dialect: Dialect,
  operation: OperationId,
  {method, path, body}: TransportRequest,
): PlainRequest {
  const at = path.indexOf('?');
  const query = at < 0 ? NO_QUERY : new URLSearchParams(path.slice(at + 1));
  const plain = at < 0 ? path : path.slice(0, at);
  const json: Json = body === undefined ? undefined : parseJson(body);
  try {
    return dialect.requestToWire(operation, {method, path: plain, query, body: json});
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    throw new RemitError('LOCAL_VALIDATION', `${operation}: refused before it was sent: ${error.message}`, {
      cause: error,
      details: {fields: [{field: error.field, issue: error.message}]},
    });
  }
}

/** A success without a record or list, although the operation returns one. */
function isOdd(operation: OperationId, {json, empty}: Answer<Json>): boolean {
  if (empty || json === undefined) return false; // not JSON: no name or envelope explains that
  const verb = operation.slice(operation.indexOf('.') + 1);
  if (verb === 'list' || verb === 'accounts' || verb === 'transactions')
    return !(Array.isArray(json) || (isObject(json) && Array.isArray(json['data'])));
  if (verb !== 'create' && verb !== 'get') return false;
  const record = isObject(json) && isObject(json['data']) ? json['data'] : json;
  if (!isObject(record)) return true;
  if (verb === 'create' && (record['id'] === undefined || isUnechoed(operation, record))) return true;
  if (record['id'] === undefined) return true;
  const lifecycle = BY_RESOURCE[operation.slice(0, operation.indexOf('.'))];
  const {status} = record;
  return lifecycle !== undefined && !(typeof status === 'string' && Object.hasOwn(lifecycle.next, status));
}

/** A batch compares the metadata of a record with its row; the document promises that it comes back. */
const isUnechoed = (operation: OperationId, record: object): boolean =>
  (operation === 'payouts.create' || operation === 'payins.create') && !('client_metadata' in record);

const BY_RESOURCE: Readonly<Record<string, Lifecycle>> = {
  payins: LIFECYCLES.payin,
  payouts: LIFECYCLES.payout,
  moves: LIFECYCLES.move,
  accountTransfers: LIFECYCLES.accountTransfer,
};

/**
 * Shapes that need no service file: `{data: {…}}` around one record, and statuses in another case. Returns the same
 * value if nothing differs.
 */
function tolerated(operation: OperationId, json: Json): Json {
  const resource = operation.slice(0, operation.indexOf('.'));
  if (!isObject(json)) return json;
  const {data} = json;
  const lifecycle = BY_RESOURCE[resource];
  if (isList(data)) {
    if (lifecycle === undefined || !data.some((item) => hasOtherCase(item, lifecycle))) return json;
    return {...json, data: data.map((item: Json) => inUsualCase(item, lifecycle))};
  }
  if (!isObject(data) || json['id'] !== undefined) return inUsualCase(json, lifecycle);
  if (resource === 'webhookEndpoints') return withBeside(data, json, 'data');
  if (resource === 'moves')
    return hasOtherCase(data, lifecycle) ? {...json, data: inUsualCase(data, lifecycle)} : json;
  return inUsualCase(data, lifecycle);
}

function hasOtherCase(record: Json, lifecycle: Lifecycle | undefined): boolean {
  if (lifecycle === undefined || !isObject(record)) return false;
  const {status} = record;
  return (
    typeof status === 'string' &&
    !Object.hasOwn(lifecycle.next, status) &&
    usual(status, lifecycle) !== undefined
  );
}

const usual = (status: string, {next}: Lifecycle): string | undefined =>
  [status.toLowerCase(), status.toUpperCase()].find((word) => Object.hasOwn(next, word));

function inUsualCase(record: Json, lifecycle: Lifecycle | undefined): Json {
  if (!hasOtherCase(record, lifecycle) || lifecycle === undefined || !isObject(record)) return record;
  return {...record, status: usual(stringOf(record['status']), lifecycle)};
}
