import type {Dispatcher, Pool} from 'undici';
import {Abortable, unwatch, watch} from './abort.ts';
import {checkBaseUrl, pathPrefix} from './base-url.ts';
import {endedByUs, failureOf, type Progress} from './failure.ts';
import {
  ATTEMPT_FAMILY_MS,
  DEFAULT_TIMEOUTS,
  MAX_BODY_BYTES,
  type FailureKind,
  type Transport,
  type TransportAnswer,
  type TransportFailure,
  type TransportRequest,
} from './transport.ts';

export interface PoolTransportOptions {
  baseUrl: string;
  /** Sockets at most; one request at a time on each. */
  connections: number;
  /** An answer's body above this is a failure of kind `cut`. */
  maxBodyBytes?: number | undefined;
  /** For tests; without it undici is loaded at the first request. */
  dispatcher?: Dispatcher | undefined;
  /** Authorities to trust besides the system's, PEM; for a local server in tests. */
  ca?: string | undefined;
}

/**
 * An undici Pool, for batches and long runs: raw handlers on one explicit dispatcher, since a million rows pass here.
 * Undici's own timers are coarse (300 ms fires after 800 and more), so every time-out is ours.
 */
export class PoolTransport implements Transport {
  readonly #options: PoolTransportOptions;
  readonly #base: URL;
  readonly #prefix: string;
  #dispatcher: Dispatcher | undefined;
  #loading: Promise<Dispatcher> | undefined;
  #running = 0;
  #onIdle = () => {};
  #closing: Promise<void> | undefined;

  constructor(options: PoolTransportOptions) {
    this.#options = options;
    this.#base = checkBaseUrl(options.baseUrl);
    this.#prefix = pathPrefix(this.#base);
    this.#dispatcher = options.dispatcher;
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    const dispatcher = this.#dispatcher ?? (await this.#load());
    const path = this.#prefix + request.path;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange({
        request,
        what: `${request.method} ${this.#base.origin}${path}`,
        secure: this.#base.protocol === 'https:',
        maxBodyBytes: this.#options.maxBodyBytes ?? MAX_BODY_BYTES,
        // When all sockets are busy the request waits for one: then only undici's own limit on connecting counts.
        watchConnect: this.#running < this.#options.connections,
        resolve: (answer) => {
          this.#ended();
          resolve(answer);
        },
        reject: (failure) => {
          this.#ended();
          reject(failure);
        },
      });
      this.#running++;
      exchange.start(dispatcher, this.#base.origin, path, this.#closing !== undefined);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #ended(): void {
    if (--this.#running === 0) this.#onIdle();
  }

  async #close(): Promise<void> {
    await this.#loading;
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    // Not its close: that also waits for connections which we gave up on.
    await this.#dispatcher?.destroy();
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= import('undici').then((undici) => (this.#dispatcher = this.#pool(undici.Pool)));
    return this.#loading;
  }

  #pool(PoolClass: typeof Pool): Pool {
    return new PoolClass(this.#base.origin, {
      connections: this.#options.connections,
      pipelining: 1, // with more, a broken socket would take several rows down, some of them silently sent again
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: DEFAULT_TIMEOUTS.connectMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: ATTEMPT_FAMILY_MS,
        ...(this.#options.ca === undefined ? {} : {ca: this.#options.ca}),
      },
    });
  }
}

interface ExchangeOptions {
  request: TransportRequest;
  what: string;
  secure: boolean;
  maxBodyBytes: number;
  watchConnect: boolean;
  resolve: (answer: TransportAnswer) => void;
  reject: (failure: TransportFailure) => void;
}

/** One request as undici sees it. Settles once; what undici reports afterwards is ignored. */
class Exchange extends Abortable implements Dispatcher.DispatchHandler, Progress {
  sent = false;
  status: number | undefined;
  readonly what: string;
  readonly secure: boolean;
  readonly #options: ExchangeOptions;
  readonly #chunks: Buffer[] = [];
  #headers: Record<string, string> = {};
  #bytes = 0;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  #total: NodeJS.Timeout | undefined;
  #phase: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    super();
    this.what = options.what;
    this.secure = options.secure;
    this.#options = options;
  }

  start(dispatcher: Dispatcher, origin: string, path: string, closed: boolean): void {
    const {request, watchConnect} = this.#options;
    const {signal, timeouts} = request;
    if (closed) return this.#end('other', 'the transport is closed');
    if (signal?.aborted) return this.#end('aborted', 'aborted before it was sent', signal.reason);
    if (signal) watch(signal, this);
    this.#total = setTimeout(onTotal, timeouts.totalMs, this);
    if (watchConnect) this.#phase = setTimeout(onConnectTimeout, timeouts.connectMs, this);
    try {
      dispatcher.dispatch(
        {origin, path, method: request.method, headers: request.headers, body: request.body ?? null},
        this,
      );
    } catch (cause) {
      this.#fail(failureOf(cause, this)); // a header or path that undici refuses
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      controller.abort(new Error('given up while waiting for a connection')); // before its first byte is written
      return;
    }
    this.sent = true;
    clearTimeout(this.#phase);
    this.#phase = setTimeout(onHeadersTimeout, this.#options.request.timeouts.headersMs, this);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // 1xx: the answer is still to come
    clearTimeout(this.#phase);
    this.status = status;
    this.#headers = flatten(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.maxBodyBytes) {
      this.#end('cut', `the answer is larger than ${this.#options.maxBodyBytes} bytes`);
    } else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#options.resolve({status: this.status!, headers: this.#headers, body});
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(failureOf(cause, this));
  }

  timedOut(kind: FailureKind, why: string, ms: number): void {
    this.#end(kind, `${why} within ${ms} ms`);
  }

  get timeouts() {
    return this.#options.request.timeouts;
  }

  onAbort(reason: unknown): void {
    this.#end('aborted', 'aborted', reason);
  }

  #end(kind: FailureKind, why: string, cause?: unknown): void {
    this.#fail(endedByUs(kind, why, this, cause));
  }

  #fail(failure: TransportFailure): void {
    if (!this.#settle()) return;
    this.#options.reject(failure);
    if (this.#controller !== undefined && !this.#controller.aborted) this.#controller.abort(failure);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#total);
    clearTimeout(this.#phase);
    unwatch(this);
    return true;
  }
}

// Shared functions, so that a request costs no closure for its timers.
const onTotal = (exchange: Exchange) =>
  exchange.timedOut('timeout', 'no whole answer', exchange.timeouts.totalMs);
const onConnectTimeout = (exchange: Exchange) =>
  exchange.timedOut('connect-timeout', 'no connection', exchange.timeouts.connectMs);
const onHeadersTimeout = (exchange: Exchange) =>
  exchange.timedOut('timeout', 'no answer', exchange.timeouts.headersMs);

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>; // every list was joined; undici made the object for this answer alone
}
