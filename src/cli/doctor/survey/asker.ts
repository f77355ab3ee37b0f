import {readAnswer} from '../../../client/answers/answer.ts';
import {RequestBuilder} from '../../../client/requests/built.ts';
import {Codec} from '../../../client/requests/codec.ts';
import {
  type Transport,
  TransportFailure,
  type TransportRequest,
} from '../../../client/transport/transport.ts';
import type {Assumption} from '../../../service/file/assumption.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {Dialect} from '../../../service/dialect.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {isList, isObject, type Json, type JsonFields} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';

/** The result of one request: the answer in the service's form and in canonical form. */
export interface ServiceReply {
  /** Method and path, without the query and with the names of ids: `GET /api/payouts/{id}`. */
  readonly asked: string;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as received; undefined if it is neither an object nor a list. */
  readonly wire: JsonShape | undefined;
  /** The body in canonical form. */
  readonly json: JsonShape | undefined;
  /** What the body is instead of JSON: `text/html`, or `nothing`. */
  readonly body: string | undefined;
  readonly errorCode: string | undefined;
  readonly message: string | undefined;
  /** What may explain a refusal. */
  readonly assumption: Assumption | undefined;
  readonly ms: number;
  /** Why there was no answer. */
  readonly failure: TransportFailure | undefined;
}

type JsonShape = JsonFields | readonly Json[];

const shapeIn = (json: Json): JsonShape | undefined => (isObject(json) || isList(json) ? json : undefined);

export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: JsonFields;
  readonly key?: string;
}

/** Statuses of a busy service; the request is repeated once after a pause. */
const BUSY = new Set([429, 502, 503, 504]);
const PAUSE_MS = 1_000;

/** Sends requests one at a time, and counts them. Only GETs are repeated. */
export class Asker {
  requests = 0;
  readonly #context: Context;
  #transport: Promise<Transport> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Sends the request of an operation in the form that a service file describes. */
  async operation(id: OperationId, file: ServiceFile, question: RequestParts = {}): Promise<ServiceReply> {
    const codec = new Codec(file);
    const {params = {}, query = {}, body, key} = question;
    const options = key === undefined ? {} : {idempotencyKey: key};
    const {request} = this.#builder(codec).operation(id, {params, query, body, options});
    return this.#send(request, codec, {operation: id, asked: routeText(id, file)});
  }

  /** Sends a GET for a path of the service, without any mapping. */
  async path(path: string, {headers = {}}: ServiceFile): Promise<ServiceReply> {
    const codec = new Codec({headers});
    const {request} = this.#builder(codec).any('GET', path, {isRaw: true});
    return this.#send(request, codec, {operation: undefined, asked: `GET ${path}`});
  }

  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  #builder(codec: Codec): RequestBuilder {
    const {profile, out, flags, runtime} = this.#context;
    return new RequestBuilder({
      ...{baseUrl: profile.baseUrl, key: profile.key, codec, sanitizer: out.sanitizer, newKey: runtime.uuid},
      timeouts: {totalMs: flags['request-timeout'] ?? 20_000},
    });
  }

  async #send(
    request: TransportRequest,
    codec: Codec,
    {operation, asked}: {operation: OperationId | undefined; asked: string},
  ): Promise<ServiceReply> {
    const {clock, stop, out, flags} = this.#context;
    const mayRepeat = request.method === 'GET';
    for (let attempt = 0; ; attempt += 1) {
      stop.signal.throwIfAborted();
      this.requests += 1;
      const began = clock.monotonic();
      const reply = await this.#once(request, codec, operation);
      const ms = clock.monotonic() - began;
      if (flags.debug) out.debug(`${request.method} ${request.path} ${reply.status} (${Math.round(ms)} ms)`);
      out.sanitizer.learn(reply.wire);
      const isBusy = BUSY.has(reply.status) || reply.failure !== undefined;
      if (!isBusy || !mayRepeat || attempt >= (flags.retries ?? 1)) return {...reply, asked, ms};
      await clock.sleep(PAUSE_MS);
    }
  }

  async #once(
    request: TransportRequest,
    codec: Codec,
    operation: OperationId | undefined,
  ): Promise<Omit<ServiceReply, 'asked' | 'ms'>> {
    const {transportFor, clock, stop} = this.#context;
    this.#transport ??= transportFor('one-shot');
    try {
      const raw = await (await this.#transport).send({...request, operation, signal: stop.signal});
      const {json: wire, unreadable, empty} = readAnswer(raw, clock.now());
      const {json, errorCode, message, assumption} = codec.read({operation}, raw, clock.now());
      const body = empty ? 'nothing' : unreadable?.what;
      return {
        status: raw.status,
        headers: raw.headers,
        wire: shapeIn(wire),
        json: shapeIn(json),
        body,
        errorCode,
        assumption,
        message: assumption === undefined ? message : message?.replace(` (${assumption.text})`, ''),
        failure: undefined,
      };
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      stop.signal.throwIfAborted();
      const nothing = {
        wire: undefined,
        json: undefined,
        body: undefined,
        errorCode: undefined,
        message: undefined,
      };
      return {status: 0, headers: {}, ...nothing, assumption: undefined, failure: error};
    }
  }
}

/** `GET /api/payouts returned 404` */
export const replyOutcome = ({asked, status}: Pick<ServiceReply, 'asked' | 'status'>): string =>
  status === 0 ? `no answer to ${asked}` : `${asked} returned ${status}`;

/** `GET /api/payouts returned 400 (limit is unknown)`, or `… returned 200 with text/html instead of a list` */
export function failedReplyText(reply: ServiceReply, noun: string): string {
  const {status, message, body} = reply;
  const good = status >= 200 && status < 300;
  const words = !good
    ? message === undefined
      ? ''
      : ` (${message})`
    : body === undefined
      ? ` without ${noun}`
      : ` with ${body} instead of ${noun}`;
  return replyOutcome(reply) + words;
}

/** Marks a path that no service has. */
export const NOWHERE = '-remit-doctor';

/**
 * What a refusal says, apart from what differs between any two answers: ids, times, numbers and paths. Equal for a path
 * and for one that does not exist, it shows nothing about the path.
 */
export function refusalWords({status, errorCode = '', message = ''}: ServiceReply): string {
  const words = message
    .slice(0, LONGEST_MESSAGE)
    .replaceAll(NOWHERE, '')
    .replaceAll(/\/\S*/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/\d/.test(word));
  return [status, errorCode, ...words].join(' ');
}

const LONGEST_MESSAGE = 500;

/** Method and path of an operation under a service file: `GET /v1/payouts`. */
export function routeText(id: OperationId, file: ServiceFile): string {
  const {method, path} = new Dialect(file).route(id);
  return `${method} ${path}`;
}
