import {systemClock, type Clock} from '../clock.ts';
import {LIFECYCLES} from '../contract/lifecycle.ts';
import {allOperations, type OperationId, type Resource} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import {isObject, type Answer} from './answer.ts';
import {normaliseBaseUrl} from './base-url.ts';
import {debugTo, type OnDebug} from './debug.ts';
import {checkKey, requestHeaders} from './headers.ts';
import {HttpTransport} from './http-transport.ts';
import {checkIdempotencyKey, newIdempotencyKey} from './idempotency.ts';
import {Listing, readPage, type ListOptions, type Page} from './pages.ts';
import {waitFor, type Waited} from './poll.ts';
import {redactor, sensitiveValues} from './redact.ts';
import type {Answered, CallInput, CallOptions, KeyedOptions, ResourceApi, Result} from './resource.ts';
import {DEFAULT_POLICY, settle} from './retry.ts';
import {
  checkOverrides,
  checkRequestPath,
  fillPath,
  operationOf,
  renameFields,
  resolveRoute,
  type Overrides,
} from './routes.ts';
import {DEFAULT_TIMEOUTS, type Timeouts, type Transport, type TransportRequest} from './transport.ts';
import type {Safety} from './verdict.ts';

export interface ClientOptions {
  /** https, or http to loopback; a path is a prefix of every route. */
  baseUrl: string;
  /** `test_…` or `live_…`; decides the mode. */
  key: string;
  /** node:http(s) when absent; closed by `close()` either way. */
  transport?: Transport | undefined;
  clock?: Clock | undefined;
  /** Uniform in [0, 1), for jitter. */
  random?: (() => number) | undefined;
  /** Attempts after the first; 2 by default. */
  retries?: number | undefined;
  /** The longest Retry-After that is waited for; 60 s by default. */
  maxWaitMs?: number | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** Assumed routes and field names that this service has otherwise. */
  overrides?: Overrides | undefined;
  /** Redacted lines about every exchange. */
  onDebug?: OnDebug | undefined;
  userAgent?: string | undefined;
  newKey?: (() => string) | undefined;
}

/** A request as it would be sent; headers masked. */
export interface Preview {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** As parsed JSON, sensitive fields masked; undefined without a body. */
  body: unknown;
  idempotencyKey?: string;
}

export interface WaitForOptions<T> {
  until?: string | undefined;
  timeoutMs?: number | undefined;
  initial?: T | undefined;
  signal?: AbortSignal | undefined;
  onChange?: ((record: T) => void) | undefined;
}

/** Everything about a call that does not depend on what came of an earlier one. */
interface Built {
  what: string;
  request: TransportRequest;
  safety: Safety;
  idempotencyKey?: string | undefined;
  /** Numbers in the body, which no error or debug line may repeat. */
  secrets: readonly string[];
  options: KeyedOptions;
}

/**
 * The Money Movement Service, one method per operation of the contract. Every call resolves to a `Result` or throws a
 * `RemitError`; a write whose outcome is unknown throws IN_DOUBT with the key that repeats it safely.
 *
 * @example
 * const client = new RemitClient({baseUrl: 'https://api.example.com', key: process.env.REMIT_API_KEY});
 * const {data} = await client.payouts.create({payee_id, amount_in_minor_units: 12_500});
 * for await (const payout of client.payouts.list({status: 'created'})) console.log(payout.id);
 * await client.close();
 */
export class RemitClient {
  readonly payins: ResourceApi<'payins'>;
  readonly payouts: ResourceApi<'payouts'>;
  readonly payees: ResourceApi<'payees'>;
  readonly payers: ResourceApi<'payers'>;
  readonly payeePaymentMethods: ResourceApi<'payeePaymentMethods'>;
  readonly payerPaymentMethods: ResourceApi<'payerPaymentMethods'>;
  /** Without a slash at the end. */
  readonly baseUrl: string;

  readonly #options: ClientOptions;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #timeouts: Timeouts;

  /** @throws {RemitError} BAD_KEY, USAGE or GUARD_TARGET for options that cannot work */
  constructor(options: ClientOptions) {
    checkKey(options.key);
    checkOverrides(options.overrides ?? {});
    this.baseUrl = normaliseBaseUrl(options.baseUrl);
    this.#timeouts = checkTimeouts({...DEFAULT_TIMEOUTS, ...definedOnly(options.timeouts ?? {})});
    this.#options = options;
    this.#transport = options.transport ?? new HttpTransport({baseUrl: this.baseUrl});
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.payins = this.#resource('payins');
    this.payouts = this.#resource('payouts');
    this.payees = this.#resource('payees');
    this.payers = this.#resource('payers');
    this.payeePaymentMethods = this.#resource('payeePaymentMethods');
    this.payerPaymentMethods = this.#resource('payerPaymentMethods');
  }

  /** Calls an operation by its id; the methods of the resources are this, typed. */
  async call(id: OperationId, input: CallInput = {}): Promise<Result<unknown>> {
    const operation = operationOf(id);
    const read =
      operation.method === 'GET' ? isReadable : operation.key === undefined ? isAcknowledged : holdsRecord;
    const result = await this.#settle(this.#build(id, input), read);
    if (operation.key === undefined) return result;
    return {...result, data: unwrapRecord(result.data), replayed: result.status === 200};
  }

  /** A list operation by its id. */
  list(
    id: OperationId,
    query: Readonly<Record<string, unknown>> = {},
    options: ListOptions & CallOptions = {},
  ): Listing<unknown> {
    const names: readonly string[] = operationOf(id).path.match(/(?<=\{)\w+(?=\})/g) ?? [];
    const params = Object.fromEntries(names.map((name) => [name, textOf(query[name])]));
    const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
    const fetch = async ({
      cursor,
      limit,
    }: {
      cursor: string | undefined;
      limit: number;
    }): Promise<Page<unknown>> => {
      const built = this.#build(id, {params, query: {...filters, limit, cursor}, options});
      const {data} = await this.#settle(built, (answer) => readPage(answer.json) !== undefined);
      return readPage(data)!; // readable answers are pages
    };
    return new Listing(fetch, options);
  }

  /**
   * Any request on the base URL's origin, with the same key, retries and errors.
   * A POST is repeated only with an idempotency key.
   */
  async request(
    method: string,
    path: string,
    input: {body?: unknown} & KeyedOptions = {},
  ): Promise<Result<unknown>> {
    return this.#settle(this.#buildRequest(method, path, input), isAcknowledged);
  }

  /** What a call would send, for a dry run; nothing is sent. */
  preview(id: OperationId, input: CallInput = {}): Preview {
    return this.#preview(this.#build(id, input));
  }

  /** What `request` would send. */
  previewRequest(method: string, path: string, input: {body?: unknown} & KeyedOptions = {}): Preview {
    return this.#preview(this.#buildRequest(method, path, input));
  }

  /** Waits until a payin or payout stands at a status, or at any final one. */
  wait<R extends 'payins' | 'payouts'>(
    resource: R,
    id: string,
    options: WaitForOptions<RecordOf<R>> = {},
  ): Promise<Waited<RecordOf<R>>> {
    return waitFor<RecordOf<R>>({
      ...options,
      lifecycle: LIFECYCLES[resource === 'payins' ? 'payin' : 'payout'],
      clock: this.#clock,
      random: this.#random,
      read: async ({timeoutMs}) => {
        // The wait itself repeats; one read must not outlast it by much.
        const totalMs = Math.min(this.#timeouts.totalMs, Math.max(timeoutMs, SHORTEST_READ_MS));
        const {data} = await this.call(`${resource}.get`, {
          params: {id},
          options: {signal: options.signal, retries: 0, totalMs},
        });
        return data as RecordOf<R>; // an answer; its shape is the contract's word, not a promise
      },
    });
  }

  /** Lets running requests end and closes every socket. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #resource<R extends Resource>(resource: R): ResourceApi<R> {
    const methods: Record<string, unknown> = {};
    for (const {id, operation} of allOperations()) {
      if (!id.startsWith(`${resource}.`)) continue;
      const verb = id.slice(resource.length + 1);
      if (operation.pages === 'cursor') {
        methods[verb] = (query?: Record<string, unknown>, options?: ListOptions & CallOptions) =>
          this.list(id, query, options);
        continue;
      }
      const takesParams = operation.path.includes('{');
      const takesBody = operation.body !== undefined && operation.body !== 'Empty';
      methods[verb] = async (...args: unknown[]) => {
        const params = takesParams ? args.shift() : undefined;
        const body = takesBody ? args.shift() : undefined;
        return this.call(id, {params, body, options: args[0]} as CallInput); // typed by ResourceApi
      };
    }
    return methods as ResourceApi<R>; // built from the operations that the type is derived from
  }

  #build(id: OperationId, {params = {}, query = {}, body, options = {}}: CallInput): Built {
    const {overrides} = this.#options;
    const operation = operationOf(id);
    const {method, path} = resolveRoute(id, overrides);
    const sent = operation.body === 'Empty' ? {} : operation.body === undefined ? undefined : (body ?? {});
    return this.#assemble({
      method,
      path: fillPath(path, params) + queryText(renameFields(id, query, overrides)),
      body: isObject(sent) ? renameFields(id, sent, overrides) : sent,
      keyed: operation.key !== undefined,
      options,
    });
  }

  #buildRequest(method: string, path: string, {body, ...options}: {body?: unknown} & KeyedOptions): Built {
    const keyed = options.idempotencyKey !== undefined;
    return this.#assemble({method: method.toUpperCase(), path: checkRequestPath(path), body, keyed, options});
  }

  #assemble(call: {
    method: string;
    path: string;
    body: unknown;
    keyed: boolean;
    options: KeyedOptions;
  }): Built {
    const {method, path, keyed, options} = call;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const idempotencyKey = keyed
      ? checkIdempotencyKey(options.idempotencyKey ?? (this.#options.newKey ?? newIdempotencyKey)())
      : undefined;
    const headers = requestHeaders({
      key: this.#options.key,
      hasBody: body !== undefined,
      idempotencyKey,
      userAgent: this.#options.userAgent,
    });
    const timeouts =
      options.totalMs === undefined
        ? this.#timeouts
        : checkTimeouts({...this.#timeouts, totalMs: options.totalMs});
    return {
      what: `${method} ${this.baseUrl}${path}`,
      request: {method, path, headers, body, timeouts, signal: options.signal},
      safety:
        method === 'GET' || method === 'HEAD'
          ? 'read'
          : keyed
            ? 'keyed'
            : method === 'DELETE'
              ? 'delete'
              : 'bare',
      idempotencyKey,
      secrets: sensitiveValues(call.body, this.#sensitiveNames()),
      options,
    };
  }

  async #settle(built: Built, readable: (answer: Answer) => boolean): Promise<Result<unknown>> {
    const {request, safety, what, idempotencyKey, options} = built;
    const redact = this.#redactor(built);
    const {answer, attempts} = await settle({
      transport: this.#transport,
      clock: this.#clock,
      random: this.#random,
      policy: {
        retries: options.retries ?? this.#options.retries ?? DEFAULT_POLICY.retries,
        maxWaitMs: this.#options.maxWaitMs ?? DEFAULT_POLICY.maxWaitMs,
      },
      debug: debugTo(this.#options.onDebug, this.baseUrl, redact),
      hint: options.hint,
      ...{request, safety, readable, what, idempotencyKey, redact},
    });
    return {
      data: answer.json ?? null,
      status: answer.status,
      ...(answer.requestId === undefined ? {} : {requestId: answer.requestId}),
      ...(answer.warning === undefined ? {} : {warning: answer.warning}),
      attempts,
      ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
      replayed: false,
    };
  }

  #preview(built: Built): Preview {
    const {request, idempotencyKey} = built;
    const redact = this.#redactor(built);
    return {
      method: request.method,
      url: this.baseUrl + request.path,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, redact.text(value)]),
      ),
      body: request.body === undefined ? undefined : redact.value(JSON.parse(request.body)),
      ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
    };
  }

  #redactor({secrets}: Built) {
    return redactor({secrets: [this.#options.key, ...secrets], fields: this.#sensitiveNames()});
  }

  /** What a profile calls account and card numbers on the wire. */
  #sensitiveNames(): string[] {
    const renamed = Object.entries(this.#options.overrides?.fields ?? {});
    return renamed.filter(([name]) => /\.(\w*number)$/.test(name)).map(([, to]) => to.toLowerCase());
  }
}

type RecordOf<R extends 'payins' | 'payouts'> = R extends 'payins' ? Answered<'Payin'> : Answered<'Payout'>;

const SHORTEST_READ_MS = 1_000;

const isReadable = (answer: Answer) => answer.json !== undefined;
/** A write without a record to show for it: no body is fine, a page of HTML is not the service. */
const isAcknowledged = (answer: Answer) => answer.json !== undefined || answer.empty === true;
/** A create must say which record it made: without an id the record would be lost. */
const holdsRecord = (answer: Answer) => {
  const record = unwrapRecord(answer.json);
  return isObject(record) && typeof record['id'] === 'string' && record['id'] !== '';
};

/** The record itself, or out of an envelope, which moves have and others might. */
function unwrapRecord(json: unknown): unknown {
  return isObject(json) && json['id'] === undefined && isObject(json['data']) ? json['data'] : json;
}

function queryText(query: object): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) pairs.append(name, textOf(value));
  return pairs.size === 0 ? '' : `?${pairs.toString()}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value === undefined || value === null) return '';
  throw new RemitError('USAGE', 'a query value is text, a number or a boolean');
}

function checkTimeouts(timeouts: Timeouts): Timeouts {
  for (const [name, ms] of Object.entries(timeouts)) {
    // Above 2^31 - 1 a Node timer fires at once.
    if (!(ms > 0 && ms <= 0x7fffffff)) throw new RemitError('USAGE', `${name} is not a time-out: ${ms}`);
  }
  return timeouts;
}

function definedOnly<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}
