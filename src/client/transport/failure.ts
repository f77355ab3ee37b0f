import {codeOf, isObject} from '../../narrow.ts';
import {endsHandshake, sslCodeOf, TLS_WORDS, tlsTroubleOf} from '../../network/tls-trouble.ts';
import type {Proxy} from '../../network/proxy.ts';
import type {ProxyTrouble} from '../../network/tunnel.ts';
import {TransportFailure, type FailureKind} from './transport.ts';

/** How far an exchange had progressed when it failed. */
export interface ExchangeProgress {
  /** What was tried, for the message: `POST https://host/path`. */
  what: string;
  /** The request was handed to an open socket; from then on, bytes may have been sent. */
  sent: boolean;
  secure: boolean;
  /** Headers of an answer had arrived. */
  status?: number | undefined;
}

const DNS = /^(ENOTFOUND|EAI_[A-Z]+|EDNS|EDESTRUCTION|ENODATA|ESERVFAIL)$/;
const RESET =
  /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_ABORTED|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/;
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/;

/**
 * Names what a socket, node:http or undici reports. `sent` is decided by progress, never by an error code, with one
 * exception: a server that refuses the client's certificate with a TLS alert has not read the request, although with TLS
 * 1.3 that alert may arrive after it was sent.
 */
export function failureOf(cause: unknown, progress: ExchangeProgress): TransportFailure {
  const code = failureCodeOf(cause);
  if (isProxyFailure(cause))
    return new TransportFailure('proxy', cause.message, {
      ...{what: progress.what, sent: false, trouble: cause.trouble, cause},
    });
  if (code !== undefined && refusedHandshake(code, progress))
    return tlsFailure(code, {...progress, sent: false}, cause);
  const kind = progress.sent ? kindAfterSending(code, progress) : kindBeforeSending(code, progress);
  if (kind === 'tls' && code !== undefined) return tlsFailure(code, progress, cause);
  const words = speaksHttp2(cause)
    ? HTTP2_WORDS
    : isParseError(cause)
      ? 'the answer is not HTTP/1.1'
      : wordsOf(kind, code);
  return endedByUs(kind, `${words}${code === undefined ? '' : ` (${code})`}`, progress, cause);
}

/** A failure caused on this side: a timeout, the caller's signal, a limit. */
export function endedByUs(
  kind: FailureKind,
  why: string,
  progress: ExchangeProgress,
  cause?: unknown,
): TransportFailure {
  const {what, sent, status} = progress;
  return new TransportFailure(kind, why, {what, sent, status, cause});
}

/** What was still missing when the time for a connection was over. */
export function unconnected({isResolving, proxy}: {isResolving: boolean; proxy: Proxy | undefined}): {
  kind: FailureKind;
  words: string;
} {
  if (proxy !== undefined) return {kind: 'proxy', words: `no connection through the proxy ${proxy.shown}`};
  if (isResolving) return {kind: 'dns', words: 'the host name was not resolved'};
  return {kind: 'connect-timeout', words: 'no connection'};
}

function tlsFailure(code: string, {what, sent}: ExchangeProgress, cause: unknown): TransportFailure {
  const trouble = tlsTroubleOf(code);
  const words = trouble === undefined ? wordsOf('tls', code) : TLS_WORDS[trouble] + namesOf(cause);
  return new TransportFailure('tls', `${words} (${code})`, {what, sent, trouble, cause});
}

/** The names that the server's certificate is for. */
function namesOf(cause: unknown): string {
  const cert = isObject(cause) ? cause['cert'] : undefined; // of ERR_TLS_CERT_ALTNAME_INVALID
  const names = isObject(cert) ? cert['subjectaltname'] : undefined;
  if (typeof names !== 'string') return '';
  return `: ${names.replaceAll(/(DNS|IP Address):/g, '').slice(0, 200)}`;
}

const refusedHandshake = (code: string, {sent, secure, status}: ExchangeProgress): boolean =>
  sent && secure && status === undefined && endsHandshake(code);

function kindBeforeSending(code: string | undefined, {secure}: ExchangeProgress): FailureKind {
  if (code === undefined) return 'other';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect-timeout';
  if (DNS.test(code)) return 'dns';
  if (TLS.test(code) || (secure && RESET.test(code))) return 'tls'; // connected, but the handshake failed
  return RESET.test(code) ? 'reset' : 'other';
}

function kindAfterSending(code: string | undefined, {status}: ExchangeProgress): FailureKind {
  if (status !== undefined) return 'cut';
  if (code === 'ETIMEDOUT') return 'timeout'; // TCP itself gave up
  return code !== undefined && RESET.test(code) ? 'reset' : 'other';
}

const WORDS: Readonly<Record<FailureKind, string>> = {
  refused: 'connection refused',
  dns: 'the host name was not found',
  'connect-timeout': 'no connection in time',
  tls: 'no secure connection',
  proxy: 'no connection through the proxy',
  reset: 'the connection was closed without an answer',
  timeout: 'no answer in time',
  cut: 'the answer was truncated',
  aborted: 'aborted',
  other: 'failed',
};

function wordsOf(kind: FailureKind, code: string | undefined): string {
  if (kind === 'tls' && code !== undefined && RESET.test(code))
    return 'no secure connection: the connection was closed during the TLS handshake';
  if (code === 'EAI_AGAIN') return 'the host name could not be resolved: no answer from the name server';
  if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH') return 'no route to the host';
  return WORDS[kind];
}

const HTTP2_WORDS = 'the server answers in HTTP/2 only, and remit requires HTTP/1.1';

/** The bytes that the parser of HTTP/1.1 stopped at begin with a SETTINGS or GOAWAY frame (RFC 9113, 6.5 and 6.8). */
function speaksHttp2(cause: unknown): boolean {
  if (!isObject(cause) || !isParseError(cause)) return false;
  const {rawPacket, data} = cause; // of node:http and of undici
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.from(typeof data === 'string' ? data : '');
  return (
    bytes.length >= 9 && bytes[0] === 0 && (bytes[3] === 4 || bytes[3] === 7) && bytes.readUInt32BE(5) === 0
  );
}

/** undici gives some of these no code. */
const isParseError = (cause: unknown): boolean =>
  failureCodeOf(cause)?.startsWith('HPE_') === true ||
  (cause instanceof Error && cause.name === 'HTTPParserError');

type FromProxy = Error & {readonly trouble: ProxyTrouble};

/** Found by its code: the class itself is loaded only where there is a proxy. */
const isProxyFailure = (cause: unknown): cause is FromProxy => failureCodeOf(cause) === 'ERR_REMIT_PROXY';

function failureCodeOf(cause: unknown): string | undefined {
  const code = codeOf(cause);
  return code !== undefined && cause instanceof Error ? sslCodeOf(cause) : code;
}
