/**
 * One HTTP exchange: no retries, no redirects, no interpretation of the status.
 * There are two implementations, checked by one conformance test: `http-transport.ts` (node:http, for single commands) and
 * `pool-transport.ts` (undici Pool, for batches and long runs).
 */
export interface Transport {
  /**
   * Sends one request and reads the whole answer.
   * @throws {TransportFailure} when there is no complete answer; nothing else is thrown.
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Lets running exchanges end, then closes every socket. Safe to call twice. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: string;
  /** Path with query, beginning with one `/`; the transport has the base URL and puts its path prefix in front. */
  path: string;
  /** Lower-case names. Content-length is the transport's. */
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  timeouts: Timeouts;
  signal?: AbortSignal | undefined;
}

/** All finite, in milliseconds. */
export interface Timeouts {
  connectMs: number;
  /** From handing the request to an open socket to the end of the answer's headers. */
  headersMs: number;
  /** The whole exchange, body included. */
  totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {connectMs: 10_000, headersMs: 60_000, totalMs: 90_000};

/** Limit of an answer's body: far above any page, far below what would harm the process. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Node's default is 250 ms for each address of a host, which is too short on a slow link. */
export const ATTEMPT_FAMILY_MS = 2_500;

export interface TransportAnswer {
  status: number;
  /** Lower-case names; duplicates joined with a comma. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export type FailureKind =
  | 'refused'
  | 'dns'
  | 'connect-timeout'
  | 'tls'
  | 'reset'
  | 'timeout' // headers or whole exchange
  | 'cut' // the answer began and did not end
  | 'aborted' // by the caller's signal
  | 'other';

/** No whole answer. `sent` decides everything: false means that not one byte of the request left this machine. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  readonly sent: boolean;
  /** Present when headers had arrived before the answer was truncated (kind `cut`, or `timeout` while reading). */
  readonly status: number | undefined;
  /** The message, without the request that was tried. */
  readonly why: string;

  /** @param facts.what what was tried: `POST https://host/path` */
  constructor(
    kind: FailureKind,
    why: string,
    facts: {sent: boolean; what?: string; status?: number | undefined; cause?: unknown},
  ) {
    super(facts.what === undefined ? why : `${facts.what}: ${why}`, {cause: facts.cause});
    this.kind = kind;
    this.why = why;
    this.sent = facts.sent;
    this.status = facts.status;
  }
}
