import {checkOptions, mustBeObject, mustBeOneOf, mustBeText} from '../arguments.ts';
import {systemClock, type Clock} from '../clock.ts';
import {LIFECYCLES} from '../contract/lifecycle.ts';
import type {OperationId, Resource} from '../contract/operations/operations.ts';
import {RemitError} from '../errors.ts';
import {must, type JsonFields, type Json, type JsonValue, asObject, type Printable} from '../narrow.ts';
import {createThenRelease} from './create-then-release.ts';
import {asksForApproval} from './requests/approval.ts';
import type {CreateRequest} from './transfer-create.ts';
import type {ClientOptions, WaitForOptions} from './options.ts';
import {
  checkApproval,
  checkCall,
  checkParams,
  CLIENT_OPTIONS,
  LIST_OPTIONS,
  REQUEST_OPTIONS,
  WAIT_OPTIONS,
} from './option-checks.ts';
import {normaliseBaseUrl} from './transport/base-url.ts';
import {RequestBuilder, type Built, type Preview, type SentInput} from './requests/built.ts';
import {CANONICAL, codecOf, type Codec} from './requests/codec.ts';
import {debugTo, type OnDebug} from './transport/debug.ts';
import {eitherSignal} from './transport/abort.ts';
import {HttpTransport} from './transport/http-transport.ts';
import {Listing, type ListOptions} from './reading/listing.ts';
import {continued} from './reading/continued.ts';
import {otherOrder} from './reading/order.ts';
import {nameUnknownFields} from './reading/unknown-fields.ts';
import {readPage, type SentPage} from './reading/page.ts';
import type {FetchPage} from './reading/page-reader.ts';
import {checkFilters, filterHere} from './reading/filters.ts';
import {splitFilters, splitParams} from './reading/list-query.ts';
import {eachWarningOnce} from './reading/warnings.ts';
import {checkStatus, waitFor, type Waited} from './reading/poll.ts';
import {holdsRecord, isAcknowledged, isDeleted, isRecord, type Readable} from './answers/readable.ts';
import {unwrapRecord} from './answers/envelope.ts';
import {answeredRecord, type ServiceRecord} from './answers/record.ts';
import {
  resourceApi,
  type TransferCreation,
  type Answered,
  type CallInput,
  type CallOptions,
  type AnyOptions,
  type KeyedOptions,
  type RecordResult,
  type RequestMethod,
  type ResourceApi,
  type Result,
} from './requests/resource.ts';
import {bodyAsSent} from './requests/body.ts';
import {DEFAULT_POLICY, finish, type RetryPolicy} from './requests/retry.ts';
import {lastParam} from './requests/routes.ts';
import {refuseOtherSpelling} from './requests/spelling.ts';
import {paymentBody, type ReadRequest, readRequest} from '../service/read-request.ts';
import {operationOf} from '../service/routes.ts';
import {filtersHere, sizeOnWire} from '../service/paging.ts';
import {horizonMsOf} from '../service/service-file.ts';
import {GuardedTransport} from './transport/guarded-transport.ts';
import type {Transport, TransportAnswer, TransportRequest} from './transport/transport.ts';

/** When a request is not sent again, and whether its answer stays as the service sent it. */
type Repeating = Pick<CreateRequest, 'endsAtConflict' | 'lookUp'> & {isRaw?: boolean};

/** The requests of one create of a payin or payout. */
interface CreateRequests {
  operation: TransferCreation;
  /** The canonical body. */
  asked: JsonFields;
  options: KeyedOptions;
  build: (withoutApproval: boolean, options: KeyedOptions) => Built;
  send: (built: Built, how: Repeating) => Promise<Result<JsonValue>>;
  /** The answers stay as the service sent them. */
  isRaw: boolean;
}

type WaitedFor = {payins: Answered<'Payin'>; payouts: Answered<'Payout'>};

type ReadOne<T> = (params: {id: string}, options: CallOptions) => Promise<Result<T>>;

/** A read near the end of a wait still gets this much time. */
const SHORTEST_READ_MS = 1_000;

/**
 * The Money Movement Service, one method per operation of the contract. Every call resolves to a `Result` or throws a
 * `RemitError`. A write with an unknown outcome throws IN_DOUBT, with the idempotency key for a safe repetition in
 * its details.
 *
 * The client stores nothing: a call with a new key is a new payment, whatever became of an earlier one. Derive the key
 * from what is paid, or store it before the call.
 *
 * @example
 * const client = new RemitClient({baseUrl: 'https://api.example.com', key: process.env.REMIT_API_KEY});
 * const {data} = await client.payouts.create({payee_id, amount_in_minor_units: 12_500});
 * for await (const payout of client.payouts.list({status: 'created'})) console.log(payout.id);
 * await client.close();
 */
export class RemitClient {
  /** The URL without a trailing slash. */
  readonly baseUrl: string;

  readonly #transport: Transport;
  readonly #builder: RequestBuilder;
  readonly #codec: Codec;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #policy: RetryPolicy;
  readonly #onDebug: OnDebug | undefined;
  readonly #approvesById: boolean;
  /** Made when they are first used: most programs use few. */
  readonly #resources: {[R in Resource]?: ResourceApi<R>} = {};

  /** @throws {RemitError} BAD_KEY, USAGE or GUARD_TARGET for invalid options */
  constructor(options: ClientOptions) {
    checkOptions(options, CLIENT_OPTIONS, 'the options of RemitClient');
    this.baseUrl = normaliseBaseUrl(options.baseUrl);
    this.#codec = options.service === undefined ? CANONICAL : codecOf(options.service);
    this.#builder = new RequestBuilder({...options, baseUrl: this.baseUrl, codec: this.#codec});
    const transport = options.transport ?? new HttpTransport({baseUrl: this.baseUrl});
    const mayWrite = options.live === true || !options.key.startsWith('live_');
    this.#transport = mayWrite ? transport : new GuardedTransport(transport, this.#refuseWrite);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#policy = {
      retries: options.retries ?? DEFAULT_POLICY.retries,
      maxWaitMs: options.maxWaitMs ?? DEFAULT_POLICY.maxWaitMs,
    };
    this.#onDebug = options.onDebug;
    this.#approvesById = options.approveById === true;
  }

  get payins(): ResourceApi<'payins'> {
    return this.#resource('payins');
  }

  get payouts(): ResourceApi<'payouts'> {
    return this.#resource('payouts');
  }

  get moves(): ResourceApi<'moves'> {
    return this.#resource('moves');
  }

  get subaccounts(): ResourceApi<'subaccounts'> {
    return this.#resource('subaccounts');
  }

  get payees(): ResourceApi<'payees'> {
    return this.#resource('payees');
  }

  get payers(): ResourceApi<'payers'> {
    return this.#resource('payers');
  }

  get payeePaymentMethods(): ResourceApi<'payeePaymentMethods'> {
    return this.#resource('payeePaymentMethods');
  }

  get payerPaymentMethods(): ResourceApi<'payerPaymentMethods'> {
    return this.#resource('payerPaymentMethods');
  }

  get treasury(): ResourceApi<'treasury'> {
    return this.#resource('treasury');
  }

  get accountTransfers(): ResourceApi<'accountTransfers'> {
    return this.#resource('accountTransfers');
  }

  get webhookEndpoints(): ResourceApi<'webhookEndpoints'> {
    return this.#resource('webhookEndpoints');
  }

  get eventTypes(): ResourceApi<'eventTypes'> {
    return this.#resource('eventTypes');
  }

  /** Calls an operation by its id. The methods of the resources are typed versions of it. */
  async call(id: OperationId, given: CallInput = {}): Promise<Result<JsonValue>> {
    const result = await this.#call(id, checkedCall(id, given));
    nameUnknownFields(id, result.data);
    return result;
  }

  /** @internal Like `call`, for the record in the answer; `answer` is the whole answer. */
  async record(id: OperationId, given: CallInput = {}): Promise<RecordResult> {
    const result = await this.call(id, given);
    return {...result, data: answeredRecord(result.data), answer: result.data};
  }

  async #call(id: OperationId, input: SentInput): Promise<Result<JsonValue>> {
    const {method, key, path} = operationOf(id);
    if (isTransferCreation(id)) return this.#callCreation(id, input);
    const built = this.#builder.operation(id, input);
    if (method === 'GET') {
      const recordId = lastParam(path, input.params ?? {});
      return this.#finish({...built, options: {...built.options, recordId}}, isRecord(recordId));
    }
    if (key === undefined) return this.#finish(built, method === 'DELETE' ? isDeleted : isAcknowledged);
    const result = await this.#finish(built, holdsRecord(built.sanitizer));
    return {...result, data: unwrapRecord(result.data), replayed: result.status === 200};
  }

  #callCreation(operation: TransferCreation, input: SentInput): Promise<Result<JsonValue>> {
    const {body, options = {}} = input;
    const asked = paymentBody({path: operationOf(operation).path, body});
    const bodyOf = (withoutApproval: boolean) =>
      withoutApproval ? this.#codec.withoutApproval(operation, asked, false) : asked;
    return this.#createTransfer({
      ...{operation, asked, options, isRaw: false},
      build: (withoutApproval, one) =>
        this.#builder.operation(operation, {...input, body: bodyOf(withoutApproval), options: one}),
      send: async (one, how) => {
        const result = await this.#finish(one, holdsRecord(one.sanitizer), how);
        return {...result, data: unwrapRecord(result.data)};
      },
    });
  }

  /** A create of a payin or payout, named by its operation or by its path. */
  #createTransfer(create: CreateRequests): Promise<Result<JsonValue>> {
    const {operation, asked, options, isRaw} = create;
    const requested = create.build(false, options);
    const idempotencyKey = must(requested.idempotencyKey, 'idempotency key of a create');
    const approves = asksForApproval(asked); // after a lost answer no refusal is believed, whichever request it was
    return createThenRelease({
      ...{operation, asked, options, idempotencyKey, sanitizer: requested.sanitizer},
      isOwnKey: !requested.namesKey,
      recordIn: this.#recordIn(operation, isRaw),
      horizonMs: horizonMsOf(this.#codec.service),
      monotonic: () => this.#clock.monotonic(),
      send: ({withoutApproval = false, recordId, ...how}) => {
        const built = withoutApproval ? create.build(true, {...options, idempotencyKey}) : requested;
        return create.send({...built, approves, options: {...built.options, recordId}}, how);
      },
      read: (id) => this.#act(create, 'get', id),
      approve: this.#approvesById ? (id) => this.#act(create, 'approve', id) : undefined,
    });
  }

  /** Reads or approves the record of a create by its id, and answers in the same form. */
  #act({operation, options, isRaw}: CreateRequests, verb: 'get' | 'approve', id: string) {
    const {signal, hint} = options;
    const resource = operation === 'payins.create' ? 'payins' : 'payouts';
    const input = {params: {id}, options: {signal, hint, recordId: id}};
    if (!isRaw) return this.call(`${resource}.${verb}`, input);
    const recordIn = this.#recordIn(operation, true);
    const readable = verb === 'get' ? isRecord(id) : isAcknowledged;
    const built = this.#builder.operation(`${resource}.${verb}`, input);
    return this.#finish(built, (answer) => readable({...answer, json: recordIn(answer.json)}), {isRaw});
  }

  /** Finds the canonical record in an answer. */
  #recordIn(operation: OperationId, isRaw: boolean): (data: Json) => JsonFields {
    return (data) => asObject(unwrapRecord(isRaw ? this.#codec.recordIn(operation, data) : data));
  }

  /** Calls a list operation by its id; path parameters are part of the query. */
  list(id: OperationId, query: JsonFields = {}, options: ListOptions & CallOptions = {}): Listing<JsonValue> {
    return this.#list(id, {query, options}, (item) => item);
  }

  /** @internal Like `list`, for records. */
  records(
    id: OperationId,
    query: JsonFields = {},
    options: ListOptions & CallOptions = {},
  ): Listing<ServiceRecord> {
    return this.#list(id, {query, options}, answeredRecord);
  }

  #list<T extends Json>(
    id: OperationId,
    {query, options}: {query: JsonFields; options: ListOptions & CallOptions},
    readItem: (item: JsonValue) => T,
  ): Listing<T> {
    mustBeText(id, 'the operation');
    mustBeObject(query, 'the filters');
    checkOptions(options, LIST_OPTIONS, `the options of ${id}`);
    const {params, filters} = splitParams(operationOf(id).path, query);
    const {paging} = this.#codec.service;
    const {own, sent} = splitFilters(filters, filtersHere(id, this.#codec.service));
    const isFiltered = Object.keys(sent).some((name) => name !== 'order');
    let passes: ((item: Json) => boolean) | undefined;
    let stop: AbortSignal | undefined; // one for all pages of the list
    const warn = eachWarningOnce(options.onWarning);
    const fetch: FetchPage<T> = async ({cursor, limit, readBefore, signal}) => {
      stop ??= options.signal === undefined ? signal : eitherSignal(options.signal, signal);
      const query = {...filters, limit, cursor};
      const built = this.#builder.operation(id, {params, query, options: {...options, signal: stop}});
      let page: SentPage | undefined;
      const answer = await this.#finish(
        built,
        ({json, headers}) => (page = readPage(json, headers)) !== undefined,
      );
      warn(answer.status, answer.warning);
      const read: SentPage = must(page, 'page in an answer that was read as one');
      if (options.checksFilters === true)
        checkFilters(id, {...params, ...sent}, {items: read.items, sanitizer: built.sanitizer});
      warn(200, otherOrder(id, filters['order'], read.items, paging));
      for (const item of read.items) nameUnknownFields(id, item);
      passes ??= filterHere(id, own, built.sanitizer);
      const asked = {cursor, limit: sizeOnWire(limit, paging), readBefore, isFiltered};
      const {items, ...rest} = continued(read, asked, paging);
      return {...rest, items: items.map(readItem)};
    };
    const keeps = isEmpty(own) ? undefined : (item: T) => passes?.(item) === true;
    return new Listing(fetch, options, {isFixedSize: paging?.by === 'page', ...(keeps && {keeps})});
  }

  /**
   * Sends any request under the base URL, with the usual key, retries and errors. A write that may have been accepted
   * is repeated only if it has an idempotency key. A create of a payin or payout is sent and compared like
   * `payouts.create`.
   *
   * @throws {RemitError} GUARD_TARGET for another spelling of the path of such a create
   */
  request(
    method: RequestMethod,
    path: string,
    given?: {body?: Printable} & AnyOptions,
  ): Promise<Result<JsonValue>>;
  /** @internal The command has checked its method. */
  request(method: string, path: string, given?: {body?: Printable} & AnyOptions): Promise<Result<JsonValue>>;
  async request(
    method: string,
    path: string,
    given: {body?: Printable} & AnyOptions = {},
  ): Promise<Result<JsonValue>> {
    const input = this.#checkRequest(method, path, given);
    const {operation, isRaw, body} = this.#readRequest(method, path, input);
    if (operation === undefined || !isTransferCreation(operation)) {
      const key =
        operation !== undefined && operationOf(operation).key === undefined ? 'ignored' : 'as given';
      const built = this.#builder.any(method, path, {...input, isRaw}, key);
      const recordIn = operation === undefined ? unwrapRecord : this.#recordIn(operation, isRaw);
      return this.#send(built, input, {recordIn});
    }
    const asked = paymentBody({path, body});
    const recordIn = this.#recordIn(operation, isRaw);
    const bodyOf = (withoutApproval: boolean) =>
      withoutApproval ? this.#codec.withoutApproval(operation, input.body, isRaw) : input.body;
    return this.#createTransfer({
      ...{operation, asked, options: input, isRaw},
      build: (withoutApproval, options) =>
        this.#builder.any(method, path, {...options, isRaw, body: bodyOf(withoutApproval)}, 'always'),
      send: (built, how) => this.#send(built, {...input, returnsRecord: true}, {...how, recordIn}),
    });
  }

  #checkRequest(
    method: string,
    path: string,
    given: {body?: Printable} & AnyOptions,
  ): {body: Json} & AnyOptions {
    mustBeText(method, 'method');
    mustBeText(path, 'path');
    checkOptions(given, REQUEST_OPTIONS, 'the options of request');
    return {...given, body: bodyAsSent(given.body)};
  }

  #readRequest(method: string, path: string, {body, isRaw = false}: {body: Json} & AnyOptions): ReadRequest {
    const typed = {method: method.toUpperCase(), path, body, isRaw};
    const read = readRequest(typed, this.#codec.service);
    if (read.operation === undefined) refuseOtherSpelling(typed, this.#codec.service, isTransferCreation);
    return read;
  }

  async #send(
    built: Built,
    {wantsHeaders, returnsRecord}: AnyOptions,
    {recordIn, ...repeating}: Repeating & {recordIn: (json: Json) => Json},
  ): Promise<Result<JsonValue>> {
    let headers: Readonly<Record<string, string>> = {};
    const holds = holdsRecord(built.sanitizer);
    const readable: Readable =
      returnsRecord === true
        ? (answer) => holds({...answer, json: recordIn(answer.json)})
        : built.request.method === 'DELETE'
          ? isDeleted
          : isAcknowledged;
    const result = await this.#finish(built, readable, repeating, (answer) => (headers = answer.headers));
    if (wantsHeaders !== true) return result;
    const shown = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      built.sanitizer.field(name, value),
    ]);
    return {...result, headers: Object.fromEntries(shown)};
  }

  /** What a call would send, for a dry run; nothing is sent. */
  preview(id: OperationId, input: CallInput = {}): Preview {
    return this.#builder.preview(this.#builder.operation(id, checkedCall(id, input)));
  }

  /** What `request` would send. */
  previewRequest(method: RequestMethod, path: string, given?: {body?: Printable} & AnyOptions): Preview;
  /** @internal The command has checked its method. */
  previewRequest(method: string, path: string, given?: {body?: Printable} & AnyOptions): Preview;
  previewRequest(method: string, path: string, given: {body?: Printable} & AnyOptions = {}): Preview {
    const input = this.#checkRequest(method, path, given);
    const {operation} = this.#readRequest(method, path, input);
    const takesKey = operation !== undefined && isTransferCreation(operation);
    return this.#builder.preview(this.#builder.any(method, path, input, takesKey ? 'always' : 'as given'));
  }

  /**
   * Waits until a payin or payout has a given status, or any final one. Failed reads are repeated until the wait
   * ends.
   *
   * @throws {RemitError} USAGE if `until` is not a status; nothing is read. INTERRUPTED if the signal fired
   */
  async wait<R extends keyof WaitedFor>(
    resource: R,
    params: {id: string},
    options: WaitForOptions<WaitedFor[R]> = {},
  ): Promise<Waited<WaitedFor[R]>> {
    mustBeOneOf(['payins', 'payouts'])(resource, 'what is waited for');
    checkParams(params);
    checkOptions(options, WAIT_OPTIONS, 'the options of wait');
    const {id} = params;
    if (options.until !== undefined) checkStatus(options.until);
    const readers: {[Name in keyof WaitedFor]: ReadOne<WaitedFor[Name]>} = {
      ...{payins: this.payins.get, payouts: this.payouts.get},
    };
    return waitFor({
      ...options,
      lifecycle: LIFECYCLES[resource === 'payins' ? 'payin' : 'payout'],
      clock: this.#clock,
      random: this.#random,
      read: async ({timeoutMs}) => {
        const once = {
          ...{signal: options.signal, retries: 0},
          totalMs: Math.max(timeoutMs, SHORTEST_READ_MS),
        };
        return (await readers[resource]({id}, once)).data;
      },
    });
  }

  /** Waits for running requests, then closes every socket. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #resource<R extends Resource>(name: R): ResourceApi<R> {
    const resources: {[K in R]?: ResourceApi<K>} = this.#resources;
    return (resources[name] ??= resourceApi(name, this));
  }

  readonly #refuseWrite = ({method, path}: TransportRequest): never => {
    const [route = ''] = path.split('?');
    throw new RemitError(
      'GUARD_LIVE',
      `${method} ${this.baseUrl}${route}: refused with a live key, because the client was created without live: true`,
      {hint: 'to write to the live service, create the client with {live: true}'},
    );
  };

  async #finish(
    built: Built,
    readable: Readable,
    {endsAtConflict, lookUp, isRaw = false}: Repeating = {},
    onAnswer?: (answer: TransportAnswer) => void,
  ): Promise<Result<JsonValue>> {
    const {idempotencyKey, options, sanitizer} = built;
    const {answer, attempts} = await finish({
      ...built,
      readable,
      read: (raw, nowMs) => {
        onAnswer?.(raw);
        return this.#codec.read(isRaw ? {} : built.request, raw, nowMs);
      },
      transport: this.#transport,
      clock: this.#clock,
      random: this.#random,
      policy: options.retries === undefined ? this.#policy : {...this.#policy, retries: options.retries},
      debug: debugTo(this.#onDebug, this.baseUrl, built.sanitizer),
      hint: options.hint,
      recordId: options.recordId,
      endsAtConflict,
      lookUp:
        lookUp &&
        (async (answered) => {
          const found = await lookUp(answered);
          return found && {status: found.status, json: found.data};
        }),
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

function checkedCall(id: OperationId, given: CallInput): SentInput {
  checkCall(id, given);
  const body = bodyAsSent(given.body);
  checkApproval(body);
  return {...given, body};
}

const isTransferCreation = (id: OperationId): id is TransferCreation =>
  id === 'payins.create' || id === 'payouts.create';

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;
