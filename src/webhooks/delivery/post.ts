import type {ClientRequest} from 'node:http';
import type {Agent, RequestOptions} from 'node:https';
import {messageOf} from '../../narrow.ts';
import {hostOf, lookupLocally} from '../../network/local.ts';
import {proxyFor, type Env, type Proxy} from '../../network/proxy.ts';
import type {HeaderPairs} from './delivery.ts';

export interface PostedAnswer {
  status: number | null;
  /** The time from the start to the end of the headers, or to the failure. */
  latencyMs: number;
  headers: readonly string[];
  /** The first bytes of the answer. */
  body: Buffer;
  /** Why there is no status, in plain words. */
  error: string | null;
}

export interface PostOptions {
  timeoutMs: number;
  /** Bytes of the answer to keep; the rest is read and dropped. */
  keepBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Certificates to trust besides those of the system. */
  ca?: readonly string[] | undefined;
  /** The proxy of this environment is used for targets that are not on this machine; without it none is. */
  env?: Env | undefined;
  /** Monotonic milliseconds. */
  monotonic?: (() => number) | undefined;
}

/** Hop-by-hop headers, which must not be passed on (RFC 9110, 7.6.1), and headers that are set here. */
const NOT_PASSED_ON = new Set(
  'host content-length connection keep-alive proxy-connection transfer-encoding te trailer upgrade expect'.split(
    ' ',
  ),
);

/** Headers to forward: names, order and values unchanged, without those of the connection. */
export function passedOn(headers: HeaderPairs): [string, string][] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase()));
  return headers
    .filter(([name]) => !NOT_PASSED_ON.has(name.toLowerCase()) && !named.includes(name.toLowerCase()))
    .map(([name, value]) => [name, value]);
}

/** POSTs bytes unchanged. Redirects are not followed. Never rejects. */
export async function postBytes(
  url: URL,
  headers: HeaderPairs,
  body: Uint8Array,
  options: PostOptions,
): Promise<PostedAnswer> {
  const monotonic = options.monotonic ?? (() => performance.now());
  const startMs = monotonic();
  const latencyMs = () => Math.round((monotonic() - startMs) * 10) / 10;
  const noAnswer = (error: string): PostedAnswer => ({
    ...{status: null, latencyMs: latencyMs(), headers: [], body: Buffer.alloc(0), error},
  });
  let way: Way;
  try {
    way = await wayTo(url, options);
  } catch (error) {
    return noAnswer(messageOf(error)); // a proxy that cannot be used
  }
  return new Promise((resolve) => {
    const failed = (error: string) => resolve(noAnswer(error));
    const all = [['Host', url.host], ...passedOn(headers), ['Content-Length', String(body.length)]];
    const flat = [...all, ...way.headers].flat();
    if (options.signal?.aborted) return failed('stopped');
    let sent: ClientRequest;
    try {
      sent = way.request({method: 'POST', headers: flat, signal: options.signal, ...way.options});
    } catch (error) {
      return failed(messageOf(error)); // a header that cannot be sent
    }
    const timer = setTimeout(() => sent.destroy(new NoAnswer()), options.timeoutMs);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      failed(wordsFor(error, options.timeoutMs));
    });
    sent.on('response', (answer) => {
      const answeredMs = latencyMs();
      const chunks: Buffer[] = [];
      let room = options.keepBytes ?? 0;
      answer.on('data', (chunk: Buffer) => {
        if (room > 0) chunks.push(chunk.subarray(0, room));
        room -= chunk.length;
      });
      answer.on('close', () => {
        clearTimeout(timer);
        const {statusCode = null, rawHeaders} = answer;
        resolve({
          status: statusCode,
          latencyMs: answeredMs,
          headers: rawHeaders,
          body: Buffer.concat(chunks),
          error: null,
        });
      });
      answer.on('error', () => undefined); // the status has been read
    });
    sent.end(body);
  });
}

/** How a request leaves this machine. */
interface Way {
  request: (options: RequestOptions) => ClientRequest;
  options: RequestOptions;
  /** The credentials for the proxy. */
  headers: readonly [string, string][];
}

/** Directly; through a tunnel for https; for http the proxy gets the request itself. */
async function wayTo(url: URL, {env = {}, ca, timeoutMs}: PostOptions): Promise<Way> {
  const proxy = proxyFor(url, env);
  const secure = url.protocol === 'https:';
  if (!secure && proxy !== undefined) {
    const {request} = await (proxy.secure ? import('node:https') : import('node:http'));
    const {authorization, host, port} = proxy;
    return {
      request,
      options: {host, port, path: url.href, agent: false},
      headers: authorization === undefined ? [] : [['Proxy-Authorization', authorization]],
    };
  }
  const {request} = await (secure ? import('node:https') : import('node:http'));
  const trusted = secure && ca !== undefined ? {ca: await withSystemCertificates(ca)} : {};
  const agent = proxy === undefined ? false : await tunnelTo(proxy, timeoutMs);
  const target = {
    host: hostOf(url),
    port: url.port || undefined,
    path: url.pathname + url.search,
    lookup: lookupLocally,
  };
  return {request, options: {...target, ...trusted, agent}, headers: []};
}

async function tunnelTo(proxy: Proxy, timeoutMs: number): Promise<Agent> {
  const {tunnelAgent} = await import('../../network/tunnel.ts');
  return tunnelAgent(proxy, {keepAlive: false, timeoutMs, tls: {}});
}

async function withSystemCertificates(own: readonly string[]): Promise<string[]> {
  const {rootCertificates} = await import('node:tls');
  return [...rootCertificates, ...own];
}

/** The time limit for an answer has passed. */
class NoAnswer extends Error {}

function wordsFor(error: NodeJS.ErrnoException, timeoutMs: number): string {
  if (error instanceof NoAnswer) return `no answer within ${timeoutMs / 1000} s`;
  if (error.name === 'AbortError') return 'stopped';
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'connection refused';
    case 'ENOTFOUND':
      return 'host not found';
    case 'ECONNRESET':
      return 'the connection was closed without an answer';
    default:
      return error.message || error.code || 'failed';
  }
}
