import {readAnswer} from '../../../client/answers/answer.ts';
import {RequestBuilder} from '../../../client/requests/built.ts';
import {Codec} from '../../../client/requests/codec.ts';
import {
  type Transport,
  TransportFailure,
  type TransportRequest,
} from '../../../client/transport/transport.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {Dialect} from '../../../service/dialect.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Context} from '../../core/context.ts';

/** What came back for one request: the answer as the service wrote it, and as remit reads it. */
export interface Said {
  /** `GET /api/payouts`: as it was sent, without its query. */
  readonly asked: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came; undefined where it is not JSON. */
  readonly wire: unknown;
  /** The same under canonical names. */
  readonly json: unknown;
  readonly errorCode: string | undefined;
  readonly message: string | undefined;
  readonly ms: number;
  /** Why no answer came. */
  readonly failure: TransportFailure | undefined;
}

export interface Question {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly key?: string;
}

/** A busy service, and a wait that is worth it. */
const BUSY = new Set([429, 502, 503, 504]);
const PAUSE_MS = 1_000;

/** Sends requests one at a time, and counts them. It changes nothing by itself: that is for its caller to decide. */
export class Asker {
  requests = 0;
  readonly #context: Context;
  #transport: Promise<Transport> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** An operation as a service file has it. */
  async operation(id: OperationId, file: ServiceFile, question: Question = {}): Promise<Said> {
    const codec = new Codec(file);
    const {params = {}, query = {}, body, key} = question;
    const options = key === undefined ? {} : {idempotencyKey: key};
    const {request} = this.#builder(codec).operation(id, {params, query, body, options});
    return this.#send(request, codec, id);
  }

  /** A path of the service itself. */
  async path(path: string): Promise<Said> {
    const codec = new Codec({headers: this.#context.profile.service.headers ?? {}});
    const {request} = this.#builder(codec).any('GET', path, {isRaw: true});
    return this.#send(request, codec, undefined);
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

  async #send(request: TransportRequest, codec: Codec, operation: OperationId | undefined): Promise<Said> {
    const {clock, stop, out, flags} = this.#context;
    const asked = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    const mayRepeat = request.method === 'GET';
    for (let attempt = 0; ; attempt += 1) {
      stop.signal.throwIfAborted();
      this.requests += 1;
      const began = clock.monotonic();
      const said = await this.#once(request, codec, operation);
      const ms = clock.monotonic() - began;
      if (flags.debug) out.debug(`${asked} ${said.status} (${Math.round(ms)} ms)`);
      out.sanitizer.learn(said.wire);
      const isBusy = BUSY.has(said.status) || said.failure !== undefined;
      if (!isBusy || !mayRepeat || attempt >= (flags.retries ?? 1)) return {...said, asked, ms};
      await clock.sleep(PAUSE_MS);
    }
  }

  async #once(
    request: TransportRequest,
    codec: Codec,
    operation: OperationId | undefined,
  ): Promise<Omit<Said, 'asked' | 'ms'>> {
    const {transportFor, clock, stop} = this.#context;
    this.#transport ??= transportFor('one-shot');
    try {
      const raw = await (await this.#transport).send({...request, operation, signal: stop.signal});
      const {json: wire} = readAnswer(raw, clock.now());
      const {json, errorCode, message} = codec.read({operation}, raw, clock.now());
      return {status: raw.status, headers: raw.headers, wire, json, errorCode, message, failure: undefined};
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      stop.signal.throwIfAborted();
      const nothing = {wire: undefined, json: undefined, errorCode: undefined, message: undefined};
      return {status: 0, headers: {}, ...nothing, failure: error};
    }
  }
}

/** `GET /v1/payouts`: where an operation is sent. */
export function routeText(id: OperationId, file: ServiceFile): string {
  const {method, path} = new Dialect(file).route(id);
  return `${method} ${path}`;
}
