import {checkOptions, mustBeNumber, mustBeText, type Checks} from '../../arguments.ts';
import {asksForApproval} from './approval.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {CANONICAL, type Codec} from './codec.ts';
import {checkExtraHeaders, checkKey, requestHeaders} from './headers.ts';
import {checkIdempotencyKey, newIdempotencyKey} from './idempotency.ts';
import {sensitiveValues} from '../../sanitize/protected-values.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {numberNames} from '../../service/sensitive.ts';
import type {AnyOptions, CallInput, KeyedOptions} from './resource.ts';
import {operationOf} from '../../service/routes.ts';
import {checkRequestPath, fillPath} from './routes.ts';
import {DEFAULT_TIMEOUTS, type Timeouts, type TransportRequest} from '../transport/transport.ts';
import type {Safety} from '../answers/verdict.ts';
import {ownJson, type Json, type JsonValue, type JsonFields} from '../../narrow.ts';

/** The parts of a call, with its body as JSON. */
export type SentInput = Omit<CallInput, 'body'> & {body?: Json};

/** One call, ready to be sent: everything that is the same for all its attempts. */
export interface Built {
  /** `POST https://host/path`. */
  what: string;
  request: TransportRequest;
  safety: Safety;
  idempotencyKey: string | undefined;
  /** The caller provided the key, so the same call again has the same key. */
  namesKey: boolean;
  /** It asks for the money to move at once. */
  approves: boolean;
  sanitizer: Sanitizer;
  options: KeyedOptions;
}

/** A request as it would be sent, with headers and sensitive fields masked. */
export interface Preview {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The body as parsed JSON; undefined without one. */
  body: Json;
  idempotencyKey?: string;
}

export interface BuilderOptions {
  /** Normalised. */
  baseUrl: string;
  key: string;
  codec?: Codec | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  userAgent?: string | undefined;
  newKey?: (() => string) | undefined;
  sanitizer?: Sanitizer | undefined;
}

/** The longest time of a timer: one above it fires immediately. */
export const LONGEST_MS = 0x7fff_ffff;

const limitMs = mustBeNumber(
  `a number of milliseconds above 0, up to ${LONGEST_MS}`,
  (ms) => ms > 0 && ms <= LONGEST_MS,
);
const TIMEOUTS: Checks<Timeouts> = {connectMs: limitMs, headersMs: limitMs, totalMs: limitMs};

/** Builds requests from operations: route, headers, one body text, as they leave this machine. */
export class RequestBuilder {
  readonly timeouts: Timeouts;
  readonly #options: BuilderOptions;
  /** The names that a profile gives to account and card numbers on the wire. */
  readonly #sensitiveNames: readonly string[];

  /** @throws {RemitError} BAD_KEY or USAGE */
  constructor(options: BuilderOptions) {
    checkKey(options.key);
    this.#options = options;
    const {timeouts = {}} = options;
    checkOptions(timeouts, TIMEOUTS, 'timeouts');
    this.timeouts = {...DEFAULT_TIMEOUTS, ...definedOnly(timeouts)};
    this.#sensitiveNames = numberNames(options.codec?.service ?? {}).map((name) => name.toLowerCase());
  }

  /** A call of a declared operation. */
  operation(id: OperationId, {params = {}, query = {}, body, options = {}}: SentInput): Built {
    const declared = operationOf(id);
    const {method, path} = declared;
    const sent = declared.body === 'Empty' ? {} : declared.body === undefined ? undefined : (body ?? {});
    return this.#build({
      method,
      operation: id,
      path: fillPath(path, params) + queryText(query),
      body: sent,
      keyed: declared.key !== undefined,
      approves: asksForApproval(sent),
      options,
    });
  }

  /**
   * Any request.
   * @param key `always`: it gets one even if none is given; `ignored`: a given key is sent, but the operation takes
   *   none, so the request must not be repeated
   */
  any(
    method: string,
    path: string,
    {body, ...options}: {body?: Json} & AnyOptions,
    key: 'as given' | 'always' | 'ignored' = 'as given',
  ): Built {
    const keyed = givenKey(options) !== undefined || key === 'always';
    const verb = method.toUpperCase();
    const [route = ''] = path.split('?');
    return this.#build({
      ...{method: verb, path: checkRequestPath(path), body, keyed, ignoresKey: key === 'ignored', options},
      operation: options.isRaw ? undefined : this.#options.codec?.operationAt(verb, route),
      approves: asksForApproval(body),
      headers: checkExtraHeaders(options.headers ?? {}, this.#options.codec?.service.keys?.header),
    });
  }

  preview({request, idempotencyKey, sanitizer}: Built): Preview {
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, sanitizer.field(name, value)] as const,
    );
    return {
      method: request.method,
      url: sanitizer.line(this.#options.baseUrl + request.path),
      headers: Object.fromEntries(headers),
      body: request.body === undefined ? undefined : sanitizer.value(ownJson<JsonValue>(request.body)),
      ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
    };
  }

  #build(call: {
    method: string;
    path: string;
    operation: OperationId | undefined;
    body: Json;
    keyed: boolean;
    ignoresKey?: boolean;
    approves: boolean;
    options: KeyedOptions;
    /** Checked, in lower case. */
    headers?: Readonly<Record<string, string>>;
  }): Built {
    const {key, baseUrl, userAgent, newKey = newIdempotencyKey} = this.#options;
    const {method, path, operation, keyed, ignoresKey = false, approves, options} = call;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const given = givenKey(options);
    const idempotencyKey = keyed ? checkedKey(given ?? newKey()) : undefined;
    const {totalMs} = options;
    const encoded = (this.#options.codec ?? CANONICAL).encode({
      method,
      path,
      operation,
      headers: requestHeaders({key, hasBody: body !== undefined, idempotencyKey, userAgent}),
      body,
      timeouts:
        totalMs === undefined
          ? this.timeouts
          : {...this.timeouts, totalMs: Math.min(totalMs, this.timeouts.totalMs)},
      signal: options.signal,
    });
    const request = {...encoded, headers: {...encoded.headers, ...call.headers}};
    return {
      what: `${request.method} ${baseUrl}${request.path}`,
      request,
      safety: safetyOf(method, keyed && !ignoresKey),
      idempotencyKey,
      namesKey: given !== undefined && options.isFreshKey !== true,
      approves,
      sanitizer: this.#sanitizerFor(call.body),
      options,
    };
  }

  /** The caller's sanitizer if the caller also shows answers, otherwise one for this call. */
  #sanitizerFor(body: Json): Sanitizer {
    const fields = this.#sensitiveNames;
    const sanitizer = this.#options.sanitizer ?? new Sanitizer();
    sanitizer.protectNumbers(fields);
    sanitizer.conceal(this.#options.key, ...sensitiveValues(body, fields));
    return sanitizer;
  }
}

/** A program in plain JavaScript may pass null for a key that it does not have. */
const givenKey = ({idempotencyKey}: KeyedOptions): string | undefined => idempotencyKey ?? undefined;

/** A key such as `false` would be the same for all payments. */
function checkedKey(idempotencyKey: string): string {
  mustBeText(idempotencyKey, 'idempotencyKey');
  return checkIdempotencyKey(idempotencyKey);
}

function safetyOf(method: string, keyed: boolean): Safety {
  if (method === 'GET' || method === 'HEAD') return 'read';
  if (keyed) return 'keyed';
  return method === 'DELETE' ? 'delete' : 'bare';
}

function queryText(query: JsonFields): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) pairs.append(name, queryValue(name, value));
  }
  return pairs.size === 0 ? '' : `?${pairs.toString()}`;
}

function queryValue(name: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new RemitError('USAGE', `the query value ${name} is neither text nor a number nor a boolean`);
}

function definedOnly<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>; // fewer keys, same values
}
