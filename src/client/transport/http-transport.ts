import http from 'node:http';
import {isIP, type Socket} from 'node:net';
import {must} from '../../narrow.ts';
import {hostOf, lookupLocally} from '../../network/local.ts';
import {parseProxy, type Proxy} from '../../network/proxy.ts';
import {tlsOptions, type NetworkSettings} from '../../network/settings.ts';
import type {TunnelRequest} from '../../network/tunnel.ts';
import {unwatch, waiter, watch} from './abort.ts';
import {checkBaseUrl, pathPrefix} from './base-url.ts';
import {decoded} from './decode.ts';
import {endedByUs, failureOf, unconnected, type ExchangeProgress} from './failure.ts';
import {
  ATTEMPT_FAMILY_MS,
  DEFAULT_TIMEOUTS,
  MAX_BODY_BYTES,
  type FailureKind,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

export interface HttpTransportOptions extends NetworkSettings {
  baseUrl: string;
  /** A larger answer body is a failure of kind `cut`. */
  maxBodyBytes?: number | undefined;
}

/** The connections for reads, and those for writes. */
interface Agents {
  shared: http.Agent;
  single: http.Agent;
}

/**
 * node:http(s), for single commands: undici takes 30 to 80 ms to load and close. Reads share kept-alive sockets,
 * which do not keep the process running. A write opens its own socket: if the server had just closed a kept-alive
 * one, the write would be in doubt for no reason.
 */
export class HttpTransport implements Transport {
  readonly #base: URL;
  readonly #prefix: string;
  #agents: Agents | undefined;
  #opening: Promise<Agents> | undefined;
  readonly #proxy: Proxy | undefined;
  readonly #options: HttpTransportOptions;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: HttpTransportOptions) {
    this.#base = checkBaseUrl(options.baseUrl);
    this.#prefix = pathPrefix(this.#base);
    this.#options = options;
    const {proxy} = options;
    if (this.#secure) this.#proxy = typeof proxy === 'string' ? parseProxy(proxy, 'the proxy') : proxy;
    if (this.#proxy === undefined) this.#agents = this.#direct();
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    const path = this.#prefix + request.path;
    const progress: ExchangeProgress = {
      what: `${request.method} ${this.#base.origin}${path}`,
      sent: false,
      secure: this.#secure,
    };
    if (this.#proxy !== undefined) this.#agents = await (this.#opening ??= this.#tunnels(this.#proxy));
    if (this.#closed) throw endedByUs('other', 'the transport is closed', progress);
    if (request.signal?.aborted)
      throw endedByUs('aborted', 'aborted before it was sent', progress, request.signal.reason);
    const exchange = this.#exchange(request, path, progress);
    this.#running.add(exchange);
    try {
      return await exchange;
    } finally {
      this.#running.delete(exchange);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
    this.#agents?.shared.destroy();
  }

  #direct(): Agents {
    const {Agent} = this.#driver;
    const connect = {
      autoSelectFamilyAttemptTimeout: ATTEMPT_FAMILY_MS,
      lookup: lookupLocally,
      ...(this.#secure ? {ALPNProtocols: ['http/1.1'], ...tlsOptions(this.#options)} : {}),
    };
    return {
      shared: new Agent({...connect, keepAlive: true}),
      single: new Agent({...connect, keepAlive: false}),
    };
  }

  async #tunnels(proxy: Proxy): Promise<Agents> {
    const {tunnelAgent} = await import('../../network/tunnel.ts');
    const options = {timeoutMs: DEFAULT_TIMEOUTS.connectMs, tls: this.#options};
    return {
      shared: await tunnelAgent(proxy, {...options, keepAlive: true}),
      single: await tunnelAgent(proxy, {...options, keepAlive: false}),
    };
  }

  get #secure(): boolean {
    return this.#base.protocol === 'https:';
  }

  /** node:https loads TLS, which plain http to this machine does not need. */
  get #driver(): Pick<typeof http, 'request' | 'Agent'> {
    return this.#secure ? process.getBuiltinModule('node:https') : http;
  }

  #open({method, headers, body}: TransportRequest, path: string, gaveUp?: AbortSignal): http.ClientRequest {
    const agents = this.#agents;
    const options: TunnelRequest = {
      host: hostOf(this.#base),
      port: this.#base.port || undefined,
      method,
      path,
      headers:
        body === undefined ? {...headers} : {...headers, 'content-length': String(Buffer.byteLength(body))},
      agent: method === 'GET' ? agents?.shared : agents?.single,
      joinDuplicateHeaders: true,
      gaveUp,
    };
    return this.#driver.request(options);
  }

  #exchange(request: TransportRequest, path: string, progress: ExchangeProgress): Promise<TransportAnswer> {
    const {timeouts, signal, body} = request;
    const maxBodyBytes = this.#options.maxBodyBytes ?? MAX_BODY_BYTES;
    return new Promise((resolve, reject) => {
      let sending: http.ClientRequest;
      const connecting = this.#proxy === undefined ? undefined : new AbortController();
      try {
        sending = this.#open(request, path, connecting?.signal);
      } catch (cause) {
        reject(failureOf(cause, progress)); // a header or path that node:http refuses
        return;
      }
      const fail = (failure: Error) => {
        end();
        reject(failure);
        connecting?.abort();
        sending.destroy();
      };
      const endBecause = (kind: FailureKind, why: string, cause?: unknown) =>
        fail(endedByUs(kind, why, progress, cause));
      const timer = (ms: number, onLate: () => void) => setTimeout(onLate, ms);
      const total = timer(timeouts.totalMs, () =>
        endBecause('timeout', `no complete answer within ${Math.round(timeouts.totalMs)} ms`),
      );
      let isResolving = false;
      let phase = timer(timeouts.connectMs, () => {
        const {kind, words} = unconnected({isResolving, proxy: this.#proxy});
        endBecause(kind, `${words} within ${timeouts.connectMs} ms`);
      });
      const abortable = waiter((reason) => endBecause('aborted', 'aborted', reason));
      if (signal) watch(signal, abortable);
      const end = () => {
        clearTimeout(total);
        clearTimeout(phase);
        unwatch(abortable);
      };
      const onOpen = () => {
        progress.sent = true;
        clearTimeout(phase);
        phase = timer(timeouts.headersMs, () =>
          endBecause('timeout', `no answer within ${timeouts.headersMs} ms`),
        );
      };

      sending.once('socket', (socket: Socket) => {
        isResolving = socket.connecting && this.#proxy === undefined && isIP(hostOf(this.#base)) === 0;
        // A connection that is used again has no look-up any more: a listener for each request would pile up.
        if (isResolving) socket.once('lookup', () => (isResolving = false));
        whenOpen(socket, sending.reusedSocket, this.#secure, onOpen);
      });
      sending.on('error', (cause) => fail(failureOf(cause, progress)));
      sending.on('upgrade', (_, socket: Socket) => {
        socket.destroy();
        endBecause('other', 'the service switched to another protocol');
      });
      sending.on('response', (response) => {
        clearTimeout(phase);
        progress.sent = true;
        progress.status = must(response.statusCode, STATUS);
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBodyBytes) endBecause('cut', `the answer is larger than ${maxBodyBytes} bytes`);
          else chunks.push(chunk);
        });
        response.on('error', (cause) => fail(failureOf(cause, progress)));
        response.on('end', () => {
          if (!response.complete) {
            endBecause('cut', 'the answer was truncated');
            return;
          }
          end();
          const {statusCode, headers} = response;
          const answer = {
            status: must(statusCode, STATUS),
            headers: flatten(headers),
            body: Buffer.concat(chunks),
          };
          resolve(decoded(answer, maxBodyBytes));
        });
      });
      sending.end(body);
    });
  }
}

/** Node gives every answer one. */
const STATUS = 'status of an answer';

/** Calls back when the socket can carry the request; over TLS that is after the handshake. */
function whenOpen(socket: Socket, reused: boolean, secure: boolean, onOpen: () => void): void {
  if (reused) onOpen();
  else if (secure) {
    if ('secureConnecting' in socket && socket.secureConnecting === false) onOpen();
    else socket.once('secureConnect', onOpen);
  } else if (socket.connecting) socket.once('connect', onOpen);
  else onOpen();
}

function flatten(headers: http.IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
