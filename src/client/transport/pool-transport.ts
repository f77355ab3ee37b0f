import type {LookupFunction} from 'node:net';
import type * as undiciModule from 'undici';
import type {Dispatcher, Pool, buildConnector} from 'undici';
import {lookupLocally} from '../../network/local.ts';
import {parseProxy, type Proxy} from '../../network/proxy.ts';
import {tlsOptions, type NetworkSettings, type Unsent} from '../../network/settings.ts';
import {checkBaseUrl, pathPrefix} from './base-url.ts';
import {Deadlines} from './deadlines.ts';
import {unconnected} from './failure.ts';
import {PoolExchange} from './pool-exchange.ts';
import {
  ATTEMPT_FAMILY_MS,
  DEFAULT_TIMEOUTS,
  MAX_BODY_BYTES,
  type Transport,
  type TransportAnswer,
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
  /** Set by tests; otherwise undici is loaded at the first request. @internal */
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
      const exchange = new PoolExchange({
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
    lookupLocally(host, options, (...found: Parameters<typeof callback>) => {
      this.#lookups--;
      callback(...found);
    });
  };
}

const FAMILIES = {autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_FAMILY_MS};
