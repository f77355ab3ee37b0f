import {systemClock, type Clock} from '../clock.ts';
import {LIFECYCLES} from '../contract/lifecycle.ts';
import type {OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import {normaliseBaseUrl} from './base-url.ts';
import {RequestBuilder, type Built, type Preview} from './built.ts';
import {debugTo, type OnDebug} from './debug.ts';
import {HttpTransport} from './http-transport.ts';
import {Listing, readPage, type ListOptions, type Page} from './pages.ts';
import {waitFor, type Waited} from './poll.ts';
import {holdsRecord, isAcknowledged, isRecord, unwrapRecord, type Readable} from './readable.ts';
import {
  resourceApi,
  type Answered,
  type CallInput,
  type CallOptions,
  type KeyedOptions,
  type ResourceApi,
  type Result,
} from './resource.ts';
import {DEFAULT_POLICY, settle, type RetryPolicy} from './retry.ts';
import {operationOf, type Overrides} from './routes.ts';
import type {Sanitizer} from '../sanitize/sanitizer.ts';
import type {Timeouts, Transport} from './transport.ts';

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
  /** Assumed routes and field names that are different at this service. */
  overrides?: Overrides | undefined;
  /** Redacted lines about every exchange. */
  onDebug?: OnDebug | undefined;
  userAgent?: string | undefined;
  /** Makes an idempotency key; a UUIDv4 by default. */
  newKey?: (() => string) | undefined;
  /** Removes secrets from errors and debug lines, including those seen in requests and answers; by default one per call. */
  sanitizer?: Sanitizer | undefined;
}

export interface WaitForOptions<T> {
  /** Any final status when absent. */
  until?: string | undefined;
  timeoutMs?: number | undefined;
  /** The record as a create or approve answered it. */
  initial?: T | undefined;
  signal?: AbortSignal | undefined;
  onChange?: ((record: T) => void) | undefined;
}

type WaitedFor = {payins: Answered<'Payin'>; payouts: Answered<'Payout'>};

/** Near the end of a wait a read still gets this long. */
const SHORTEST_READ_MS = 1_000;

/**
 * The Money Movement Service, one method per operation of the contract. Every call resolves to a `Result` or throws a
 * `RemitError`; a write whose outcome is unknown throws IN_DOUBT, with the key that repeats it safely in its details.
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
  readonly moves: ResourceApi<'moves'>;
  readonly subaccounts: ResourceApi<'subaccounts'>;
  readonly payees: ResourceApi<'payees'>;
  readonly payers: ResourceApi<'payers'>;
  readonly payeePaymentMethods: ResourceApi<'payeePaymentMethods'>;
  readonly payerPaymentMethods: ResourceApi<'payerPaymentMethods'>;
  readonly treasury: ResourceApi<'treasury'>;
  readonly accountTransfers: ResourceApi<'accountTransfers'>;
  readonly webhookEndpoints: ResourceApi<'webhookEndpoints'>;
  readonly eventTypes: ResourceApi<'eventTypes'>;
  /** Without a slash at the end. */
  readonly baseUrl: string;

  readonly #transport: Transport;
  readonly #builder: RequestBuilder;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #policy: RetryPolicy;
  readonly #onDebug: OnDebug | undefined;

  /** @throws {RemitError} BAD_KEY, USAGE or GUARD_TARGET for options that cannot work */
  constructor(options: ClientOptions) {
    this.baseUrl = normaliseBaseUrl(options.baseUrl);
    this.#builder = new RequestBuilder({...options, baseUrl: this.baseUrl});
    this.#transport = options.transport ?? new HttpTransport({baseUrl: this.baseUrl});
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#policy = {
      retries: options.retries ?? DEFAULT_POLICY.retries,
      maxWaitMs: options.maxWaitMs ?? DEFAULT_POLICY.maxWaitMs,
    };
    this.#onDebug = options.onDebug;
    this.payins = resourceApi('payins', this);
    this.payouts = resourceApi('payouts', this);
    this.moves = resourceApi('moves', this);
    this.subaccounts = resourceApi('subaccounts', this);
    this.payees = resourceApi('payees', this);
    this.payers = resourceApi('payers', this);
    this.payeePaymentMethods = resourceApi('payeePaymentMethods', this);
    this.payerPaymentMethods = resourceApi('payerPaymentMethods', this);
    this.treasury = resourceApi('treasury', this);
    this.accountTransfers = resourceApi('accountTransfers', this);
    this.webhookEndpoints = resourceApi('webhookEndpoints', this);
    this.eventTypes = resourceApi('eventTypes', this);
  }

  /** Calls an operation by its id. The methods of the resources are typed versions of it. */
  async call(id: OperationId, input: CallInput = {}): Promise<Result<unknown>> {
    const {method, key, path} = operationOf(id);
    const built = this.#builder.operation(id, input);
    if (method === 'GET') {
      const recordId = lastParam(path, input.params ?? {});
      return this.#settle({...built, options: {...built.options, recordId}}, isRecord(recordId));
    }
    if (key === undefined) return this.#settle(built, isAcknowledged);
    const result = await this.#settle(built, holdsRecord(built.sanitizer));
    return {...result, data: unwrapRecord(result.data), replayed: result.status === 200};
  }

  /** A list operation by its id; path parameters are among the query. */
  list(
    id: OperationId,
    query: Readonly<Record<string, unknown>> = {},
    options: ListOptions & CallOptions = {},
  ): Listing<unknown> {
    const {params, filters} = splitParams(operationOf(id).path, query);
    const fetch = async ({
      cursor,
      limit,
    }: {
      cursor: string | undefined;
      limit: number;
    }): Promise<Page<unknown>> => {
      const built = this.#builder.operation(id, {params, query: {...filters, limit, cursor}, options});
      let page: Page<unknown> | undefined;
      await this.#settle(built, ({json, link}) => (page = readPage(json, link)) !== undefined);
      return page!; // the line above lets nothing else pass
    };
    return new Listing(fetch, options);
  }

  /**
   * Any request under the base URL, with the same key, retries and errors. A write is repeated after it may have been
   * taken only with an idempotency key.
   */
  async request(
    method: string,
    path: string,
    input: {body?: unknown} & KeyedOptions = {},
  ): Promise<Result<unknown>> {
    return this.#settle(this.#builder.any(method, path, input), isAcknowledged);
  }

  /** What a call would send, for a dry run; nothing is sent. */
  preview(id: OperationId, input: CallInput = {}): Preview {
    return this.#builder.preview(this.#builder.operation(id, input));
  }

  /** What `request` would send. */
  previewRequest(method: string, path: string, input: {body?: unknown} & KeyedOptions = {}): Preview {
    return this.#builder.preview(this.#builder.any(method, path, input));
  }

  /** Waits until a payin or payout has a status, or any final one. Failed reads are repeated until the wait ends. */
  wait<R extends keyof WaitedFor>(
    resource: R,
    {id}: {id: string},
    options: WaitForOptions<WaitedFor[R]> = {},
  ): Promise<Waited<WaitedFor[R]>> {
    return waitFor({
      ...options,
      lifecycle: LIFECYCLES[resource === 'payins' ? 'payin' : 'payout'],
      clock: this.#clock,
      random: this.#random,
      read: async ({timeoutMs}) => {
        const totalMs = Math.min(this.#builder.timeouts.totalMs, Math.max(timeoutMs, SHORTEST_READ_MS));
        const once = {signal: options.signal, retries: 0, totalMs};
        const {data} = await this.call(`${resource}.get`, {params: {id}, options: once});
        return data as WaitedFor[R]; // the type of the contract; an answer may differ from it
      },
    });
  }

  /** Lets running requests end and closes every socket. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #settle(built: Built, readable: Readable): Promise<Result<unknown>> {
    const {idempotencyKey, options, sanitizer} = built;
    const {answer, attempts} = await settle({
      ...built,
      readable,
      transport: this.#transport,
      clock: this.#clock,
      random: this.#random,
      policy: options.retries === undefined ? this.#policy : {...this.#policy, retries: options.retries},
      debug: debugTo(this.#onDebug, this.baseUrl, built.sanitizer),
      hint: options.hint,
      recordId: options.recordId,
    });
    sanitizer.learn(answer.json);
    return {
      data: answer.json ?? null,
      status: answer.status,
      ...(answer.requestId === undefined ? {} : {requestId: sanitizer.token(answer.requestId)}),
      ...(answer.warning === undefined ? {} : {warning: sanitizer.words(answer.warning)}),
      attempts,
      ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
      replayed: false,
    };
  }
}

/** The id at the end of a path such as `/api/payouts/{id}`: that of the record. */
function lastParam(path: string, params: Readonly<Record<string, unknown>>): string | undefined {
  const name = /\{(\w+)\}$/.exec(path)?.[1];
  return name === undefined ? undefined : String(params[name]);
}

function splitParams(path: string, query: Readonly<Record<string, unknown>>) {
  const names: readonly string[] = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
  const params: Record<string, string> = {};
  for (const name of names) {
    const value = query[name];
    if (typeof value !== 'string') throw new RemitError('USAGE', `${name} is missing`);
    params[name] = value;
  }
  return {params, filters};
}
