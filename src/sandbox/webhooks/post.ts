import {lookup} from 'node:dns/promises';
import type {IncomingMessage} from 'node:http';
import type {RequestOptions} from 'node:https';
import {isIP, type LookupFunction} from 'node:net';
import type {SecureContext} from 'node:tls';
import {LIMITS} from '../../contract/limits.ts';
import {must} from '../../narrow.ts';
import {addressKind, mayConnect, type AddressPolicy} from './address-policy.ts';

/** One delivery to send; the body is sent byte for byte. */
export interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type PostErrorCode = 'timeout' | 'dns' | 'address' | 'connection' | 'tls' | 'aborted';

export interface Posted {
  /** The time from the start of the connection to the end of the answer's headers, or to the failure. */
  elapsedMs: number;
  /** Null if no answer arrived. */
  status: number | null;
  retryAfter?: string | undefined;
  /** The first bytes of the answer's body, as text. */
  response: string;
  error?: {code: PostErrorCode; message: string};
}

/** Sends one delivery; never rejects. */
export type PostWebhook = (post: Post, signal: AbortSignal) => Promise<Posted>;

export interface PosterOptions {
  policy: AddressPolicy;
  /** Accepted certificates: the system's, and on loopback also the local authority's. */
  trust: (loopback: boolean) => Promise<SecureContext>;
  timeoutMs?: number;
  resolve?: (host: string) => Promise<{address: string; family: number}[]>;
}

/** How much of an answer is kept, and how long its body may take; neither decides whether the delivery succeeded. */
const RESPONSE_BYTES = 2048;
const BODY_MS = 2000;

class PostFailure extends Error {
  readonly code: PostErrorCode;

  constructor(code: PostErrorCode, message: string, cause?: unknown) {
    super(message, {cause});
    this.code = code;
  }
}

/**
 * Sends over HTTPS: resolves the name once, refuses forbidden addresses, and connects to those that it checked, so
 * that a name cannot lead elsewhere the second time. Redirects count as any other answer. No connection is kept
 * alive.
 */
export function httpsPoster(options: PosterOptions): PostWebhook {
  const {policy, trust, timeoutMs = LIMITS.webhookResponseMs} = options;
  const resolve = options.resolve ?? ((host) => lookup(host, {all: true}));
  return async (post, signal) => {
    let startedMs = performance.now();
    try {
      const url = new URL(post.url);
      const limited = (host: string) => within(timeoutMs, signal, resolve(host));
      const addresses = await allowedAddresses(url, policy, limited);
      const loopback = addresses.every(({address}) => addressKind(address) === 'loopback');
      const secureContext = await trust(loopback);
      startedMs = performance.now();
      const answer = await send(url, post, {addresses, secureContext, timeoutMs, signal});
      const elapsedMs = performance.now() - startedMs;
      return {
        elapsedMs,
        status: must(answer.statusCode, 'status of an answer'),
        retryAfter: answer.headers['retry-after'],
        response: await firstBytes(answer),
      };
    } catch (error) {
      const {code, message} = describeFailure(error, timeoutMs);
      return {
        elapsedMs: performance.now() - startedMs,
        status: null,
        response: '',
        error: {code, message},
      };
    }
  };
}

type Addresses = {address: string; family: number}[];

async function allowedAddresses(
  url: URL,
  policy: AddressPolicy,
  resolve: (host: string) => Promise<Addresses>,
): Promise<Addresses> {
  if (url.protocol !== 'https:') throw new PostFailure('address', 'deliveries are sent only over https');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses = family === 0 ? await resolveName(host, resolve) : [{address: host, family}];
  const refused = addresses.find(({address}) => !mayConnect(address, policy));
  if (refused)
    throw new PostFailure(
      'address',
      `${host} leads to ${refused.address}, a ${addressKind(refused.address)} address, which is not allowed`,
    );
  return addresses;
}

async function resolveName(host: string, resolve: (host: string) => Promise<Addresses>): Promise<Addresses> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (error instanceof PostFailure) throw error;
    throw new PostFailure('dns', `${host} has no address (${codeOf(error)})`, error);
  }
  throw new PostFailure('dns', `${host} has no address`);
}

/** A resolver has timeouts of its own, of half a minute and more, and cannot be stopped, so it is not waited for. */
function within<T>(ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new PostFailure('aborted', 'the sandbox stopped'));
    const late = setTimeout(
      () => reject(new PostFailure('dns', `the name was not resolved within ${ms / 1000} s`)),
      ms,
    );
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, {once: true});
    work.then(resolve, reject).finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', aborted);
    });
  });
}

interface Sending {
  addresses: Addresses;
  secureContext: SecureContext;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Resolves with the answer once its headers have ended. */
async function send(url: URL, post: Post, sending: Sending): Promise<IncomingMessage> {
  const {addresses, secureContext, timeoutMs, signal} = sending;
  const {request} = await import('node:https');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const body = Buffer.from(post.body);
  // secureContext is passed on to tls.connect; the types of https do not declare it.
  const options: RequestOptions & {secureContext: SecureContext} = {
    method: 'POST',
    host,
    port: url.port === '' ? 443 : Number(url.port),
    path: url.pathname + url.search,
    headers: {...post.headers, 'content-length': body.length},
    agent: false,
    signal,
    lookup: pinned(addresses),
    secureContext,
    ...(isIP(host) === 0 ? {servername: host} : {}),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(options);
    const late = setTimeout(() => outgoing.destroy(new PostFailure('timeout', '')), timeoutMs);
    outgoing.once('response', (answer) => {
      clearTimeout(late);
      resolve(answer);
    });
    outgoing.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    outgoing.end(body);
  });
}

/** The addresses that were checked, whatever the resolver would return now. */
const pinned =
  (addresses: Addresses): LookupFunction =>
  (_host, {all}, callback) => {
    const [first] = addresses;
    if (all) callback(null, addresses);
    else callback(null, must(first, 'address').address, first?.family);
  };

/** Reads until there is enough, then disconnects. A body that is cut off or never ends does not change the result. */
function firstBytes(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => {
      clearTimeout(late);
      answer.destroy();
      resolve(Buffer.concat(chunks).subarray(0, RESPONSE_BYTES).toString('utf8'));
    };
    const late = setTimeout(end, BODY_MS);
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if ((size += chunk.length) >= RESPONSE_BYTES) end();
    });
    answer.once('end', end);
    answer.once('error', end);
    answer.once('close', end);
  });
}

const codeOf = (error: unknown): string =>
  String((error as {code?: unknown} | null)?.code ?? (error instanceof Error ? error.message : error));

const CONNECTION = /^(E(CONN|HOST|NET|PIPE|ADDR|TIMEDOUT|AI_)|HPE_|ERR_STREAM|UND_)/;

const CERTIFICATE = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|UNSPECIFIED/;

/** Matches `write EPROTO 80…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…:350:` */
const OPENSSL_REASON = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/;

function describeFailure(error: unknown, timeoutMs: number): {code: PostErrorCode; message: string} {
  // If several addresses were tried, the first failure is reported.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (one instanceof PostFailure)
    return one.code === 'timeout'
      ? {code: 'timeout', message: `no answer within ${timeoutMs / 1000} s`}
      : {code: one.code, message: one.message};
  const code = codeOf(one);
  if (code === 'ABORT_ERR') return {code: 'aborted', message: 'the sandbox stopped'};
  const message = one instanceof Error ? one.message : String(one);
  if (CONNECTION.test(code))
    return {code: 'connection', message: code === 'ECONNRESET' ? `the connection broke (${code})` : message};
  const what = CERTIFICATE.test(code) ? 'the certificate is not accepted' : 'TLS failed';
  const [, reason = message] = OPENSSL_REASON.exec(message) ?? [];
  const advice = reason === 'wrong version number' ? ': the receiver does not speak HTTPS on this port' : '';
  return {code: 'tls', message: `${what}${advice}: ${reason} (${code})`};
}
