import type {LookupFunction} from 'node:net';
import type * as undiciModule from 'undici';
import type {Dispatcher, Pool, buildConnector} from 'undici';
import {must} from '../../narrow.ts';
import {parseProxy, type Proxy} from '../../network/proxy.ts';
import {tlsOptions, type NetworkSettings, type Unsent} from '../../network/settings.ts';
import {Abortable, unwatch, watch} from './abort.ts';
import {checkBaseUrl, pathPrefix} from './base-url.ts';
import {Deadlines, type Timed} from './deadlines.ts';
import {decoded} from './decode.ts';
import {endedByUs, failureOf, unconnected, type Progress} from './failure.ts';
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

export interface PoolTransportOptions extends NetworkSettings {
  baseUrl: string;
  /** Maximum number of sockets; each carries one request at a time. */
  connections: number;
  /** Called when an exchange fails before it was sent. */
  onUnsent?: ((why: Unsent) => void) | undefined;
  /** A larger answer body is a failure of kind `cut`. */
  maxBodyBytes?: number | undefined;
  /** For tests; otherwise undici is loaded at the first request. @internal */
  dispatcher?: Dispatcher | undefined;
}

/**
 * An undici Pool, for batches and long runs. It uses raw handlers on one explicit dispatcher, because it sends a
 * million rows. Undici's own timers are coarse (300 ms fires after 800 ms and more), so every timeout is implemented
 * here.
 */
export class PoolTransport implements Transport {
  readonly #options: PoolTransportOptions;
  /** The origin of the base URL; `URL` would build it again on each access. */
  readonly #origin: string;
  readonly #prefix: string;
  readonly #proxy: Proxy | undefined;
  /** Host names that are being resolved. */
  #lookups = 0;
  readonly #connecting = new AbortController();
  #dispatcher: Dispatcher | undefined;
  #loading: Promise<Dispatcher> | undefined;
  readonly #deadlines = new Deadlines();
  #running = 0;
  #onIdle = () => {};
  #closing: Promise<void> | undefined;

  constructor(options: PoolTransportOptions) {
    this.#options = options;
    const base = checkBaseUrl(options.baseUrl);
    this.#origin = base.origin;
    this.#prefix = pathPrefix(base);
    const {proxy} = options;
    if (base.protocol === 'https:')
      this.#proxy = typeof proxy === 'string' ? parseProxy(proxy, 'the proxy') : proxy;
    this.#dispatcher = options.dispatcher;
  }

  send(request: TransportRequest): Promise<TransportAnswer> {
    const dispatcher = this.#dispatcher;
    if (dispatcher === undefined) return this.#load().then(() => this.send(request));
    return new Promise((resolve, reject) => {
      const exchange = new Exchange({
        request,
        origin: this.#origin,
        path: this.#prefix + request.path,
        maxBodyBytes: this.#options.maxBodyBytes ?? MAX_BODY_BYTES,
        deadlines: this.#deadlines,
        unconnected: this.#unconnected,
        ended: this.#ended,
        onUnsent: this.#options.onUnsent,
        resolve,
        reject,
      });
      // If all sockets are busy, the request waits for one; then only undici's own limit on connecting counts.
      const watchConnect = this.#running++ < this.#options.connections;
      exchange.start(dispatcher, watchConnect, this.#closing !== undefined);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  readonly #unconnected = () => unconnected({isResolving: this.#lookups > 0, proxy: this.#proxy});

  readonly #ended = (): void => {
    if (--this.#running === 0) this.#onIdle();
  };

  async #close(): Promise<void> {
    await this.#loading;
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#connecting.abort();
    // Not `close`, which also waits for abandoned connections.
    await this.#dispatcher?.destroy();
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= import('undici').then(async (undici) => {
      const connector = this.#connector(undici);
      const connect = this.#origin.startsWith('https:') ? await this.#overTls(connector) : connector;
      return (this.#dispatcher = this.#pool(undici.Pool, connect));
    });
    return this.#loading;
  }

  #pool(PoolClass: typeof Pool, connect: buildConnector.connector): Pool {
    return new PoolClass(this.#origin, {
      connections: this.#options.connections,
      pipelining: 1, // with more, a broken socket would take several rows down, some of them silently sent again
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
    });
  }

  #connector({buildConnector}: typeof undiciModule): buildConnector.connector {
    return buildConnector({
      timeout: DEFAULT_TIMEOUTS.connectMs,
      ...tlsOptions(this.#options),
      ...(this.#proxy === undefined ? {lookup: this.#countedLookup, ...FAMILIES} : {}),
    });
  }

  async #overTls(connector: buildConnector.connector): Promise<buildConnector.connector> {
    const {connectTls} = await import('./pool-connector.ts');
    return connectTls(connector, {
      proxy: this.#proxy,
      timeoutMs: DEFAULT_TIMEOUTS.connectMs,
      ca: this.#options.ca,
      signal: this.#connecting.signal,
    });
  }

  readonly #countedLookup: LookupFunction = (host, options, callback) => {
    this.#lookups++;
    process.getBuiltinModule('node:dns').lookup(host, options, (...found: Parameters<typeof callback>) => {
      this.#lookups--;
      callback(...found);
    });
  };
}

const FAMILIES = {autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_FAMILY_MS};

interface ExchangeOptions {
  request: TransportRequest;
  origin: string;
  path: string;
  maxBodyBytes: number;
  deadlines: Deadlines;
  /** Why a connection takes so long. */
  unconnected: () => {kind: FailureKind; words: string};
  onUnsent: PoolTransportOptions['onUnsent'];
  /** Called once, before either of the others. */
  ended: () => void;
  resolve: (answer: TransportAnswer) => void;
  reject: (failure: TransportFailure) => void;
}

/** One request as undici sees it. It ends once; what undici reports afterwards is ignored. */
class Exchange extends Abortable implements Dispatcher.DispatchHandler, Progress, Timed {
  sent = false;
  status: number | undefined;
  dueAt = Infinity;
  place = -1;
  readonly #options: ExchangeOptions;
  readonly #chunks: Buffer[] = [];
  #headers: Record<string, string> = {};
  #bytes = 0;
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  /** Monotonic times: for the whole answer, and for the next event. */
  #totalBy = Infinity;
  #phaseBy = Infinity;

  constructor(options: ExchangeOptions) {
    super();
    this.#options = options;
  }

  get what(): string {
    const {request, origin, path} = this.#options;
    return `${request.method} ${origin}${path}`;
  }

  get secure(): boolean {
    return this.#options.origin.startsWith('https:');
  }

  /** `watchConnect`: it has a socket, or one is being opened. */
  start(dispatcher: Dispatcher, watchConnect: boolean, closed: boolean): void {
    const {request, origin, path, deadlines} = this.#options;
    const {signal, timeouts} = request;
    if (closed) return this.#end('other', 'the transport is closed');
    if (signal?.aborted) return this.#end('aborted', 'aborted before it was sent', signal.reason);
    if (signal) watch(signal, this);
    const now = performance.now();
    this.#totalBy = now + timeouts.totalMs;
    this.#waitUntil(watchConnect ? now + timeouts.connectMs : Infinity);
    deadlines.add(this);
    try {
      dispatcher.dispatch(
        {origin, path, method: request.method, headers: request.headers, body: request.body ?? null},
        this,
      );
    } catch (cause) {
      this.#fail(failureOf(cause, this)); // a header or path that undici refuses
    }
  }

  #waitUntil(phaseBy: number): void {
    this.#phaseBy = phaseBy;
    this.dueAt = Math.min(phaseBy, this.#totalBy);
  }

  onDue(): void {
    const {request, unconnected} = this.#options;
    const {connectMs, headersMs, totalMs} = request.timeouts;
    if (this.#totalBy <= this.#phaseBy) this.#timedOut('timeout', 'no complete answer', totalMs);
    else if (this.sent) this.#timedOut('timeout', 'no answer', headersMs);
    else {
      const {kind, words} = unconnected();
      this.#timedOut(kind, words, connectMs);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      controller.abort(new Error('given up while waiting for a connection')); // before its first byte is written
      return;
    }
    this.sent = true;
    this.#waitUntil(performance.now() + this.#options.request.timeouts.headersMs);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // 1xx: the answer is still to come
    this.#waitUntil(Infinity);
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
    const [first] = this.#chunks;
    const isWhole = this.#chunks.length === 1 && first !== undefined;
    const body = isWhole ? first : Buffer.concat(this.#chunks);
    const answer = {
      status: must(this.status, 'status of an answer that has ended'),
      headers: this.#headers,
      body,
    };
    this.#options.resolve(decoded(answer, this.#options.maxBodyBytes));
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(failureOf(cause, this));
  }

  #timedOut(kind: FailureKind, why: string, ms: number): void {
    this.#end(kind, `${why} within ${ms} ms`);
  }

  onAbort(reason: unknown): void {
    this.#end('aborted', 'aborted', reason);
  }

  #end(kind: FailureKind, why: string, cause?: unknown): void {
    this.#fail(endedByUs(kind, why, this, cause));
  }

  #fail(failure: TransportFailure): void {
    if (!this.#settle()) return;
    if (!failure.sent) this.#options.onUnsent?.({failure: failure.kind, reason: failure.trouble});
    this.#options.reject(failure);
    if (this.#controller !== undefined && !this.#controller.aborted) this.#controller.abort(failure);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    unwatch(this);
    this.#options.deadlines.remove(this);
    this.#options.ended();
    return true;
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>; // each list is joined; undici created the object for this answer alone
}
