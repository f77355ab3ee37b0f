import {TransportFailure, type FailureKind} from './transport.ts';

/** How far an exchange had progressed when it failed. */
export interface Progress {
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
 * Classifies what a socket, node:http or undici reports. `sent` depends only on the progress, never on an error code.
 */
export function failureOf(cause: unknown, progress: Progress): TransportFailure {
  const code = codeOf(cause);
  const kind = progress.sent ? kindAfterSending(code, progress) : kindBeforeSending(code, progress);
  return endedByUs(kind, `${WORDS[kind]}${code === undefined ? '' : ` (${code})`}`, progress, cause);
}

/** A failure caused on this side: a timeout, the caller's signal, a limit. */
export function endedByUs(
  kind: FailureKind,
  why: string,
  progress: Progress,
  cause?: unknown,
): TransportFailure {
  const {what, sent, status} = progress;
  return new TransportFailure(kind, why, {what, sent, status, cause});
}

function kindBeforeSending(code: string | undefined, {secure}: Progress): FailureKind {
  if (code === undefined) return 'other';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect-timeout';
  if (DNS.test(code)) return 'dns';
  if (TLS.test(code) || (secure && RESET.test(code))) return 'tls'; // connected, but the handshake failed
  return RESET.test(code) ? 'reset' : 'other';
}

function kindAfterSending(code: string | undefined, {status}: Progress): FailureKind {
  if (status !== undefined) return 'cut';
  if (code === 'ETIMEDOUT') return 'timeout'; // TCP itself gave up
  return code !== undefined && RESET.test(code) ? 'reset' : 'other';
}

const WORDS: Readonly<Record<FailureKind, string>> = {
  refused: 'connection refused',
  dns: 'the host name was not found',
  'connect-timeout': 'no connection in time',
  tls: 'no secure connection',
  reset: 'the connection was closed without an answer',
  timeout: 'no answer in time',
  cut: 'the answer was truncated',
  aborted: 'aborted',
  other: 'failed',
};

function codeOf(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined;
  const {code} = cause as {code?: unknown}; // errors of Node and undici have a string code
  return typeof code === 'string' ? code : undefined;
}
