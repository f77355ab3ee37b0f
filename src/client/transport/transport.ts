import type {OperationId} from '../../contract/operations/operations.ts';
import type {TlsTrouble} from '../../network/tls-trouble.ts';
import type {ProxyTrouble} from '../../network/tunnel.ts';

/**
 * One HTTP exchange: no retries, no redirects, no interpretation of the status.
 * There are two implementations, checked by one conformance test: `http-transport.ts` (node:http, for single
 * commands) and `pool-transport.ts` (undici Pool, for batches and long runs).
 */
export interface Transport {
  /**
   * Sends one request and reads the whole answer.
   * @throws {TransportFailure} if there is no complete answer; only a guard in front of it throws anything else.
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Waits for running exchanges, then closes every socket. Safe to call twice. */
  close(): Promise<void>;
}

export interface TransportRequest {
  method: string;
  /** Path with query and one leading `/`; the transport has the base URL and adds its path prefix. */
  path: string;
  /** Lower-case names. The transport sets content-length. */
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** The operation of the contract, if the request is one; transports ignore it. */
  operation?: OperationId | undefined;
  /** Identifies the code that built the request, for a guard that cannot compare each one; transports ignore it. */
  permit?: object | undefined;
  timeouts: Timeouts;
  signal?: AbortSignal | undefined;
}

/** All finite, in milliseconds. */
export interface Timeouts {
  connectMs: number;
  /** The time from handing the request to an open socket to the end of the answer's headers. */
  headersMs: number;
  /** The whole exchange, including the body. */
  totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {connectMs: 10_000, headersMs: 60_000, totalMs: 90_000};

/** Maximum size of an answer body: far above any page, far below what would harm the process. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/**
 * How long one address of a host may take before the next is tried (IPv6 and IPv4 take turns; the last may take as long as
 * the connection may). Node's default of 250 ms is too short on a slow link.
 */
export const ATTEMPT_FAMILY_MS = 1_000;

export interface TransportAnswer {
  status: number;
  /** Lower-case names; duplicates joined with a comma. */
  headers: Readonly<Record<string, string>>;
  /** Decoded, if the service compressed it. */
  body: Buffer;
  /** The body is still compressed, and this says why. */
  undecoded?: string | undefined;
}

export type FailureKind =
  | 'refused'
  | 'dns'
  | 'connect-timeout'
  | 'tls'
  | 'proxy'
  | 'reset'
  | 'timeout' // headers or the whole exchange
  | 'cut' // the answer began and did not end
  | 'aborted' // aborted by the caller's signal
  | 'other';

/**
 * There is no complete answer. `sent` is what matters: false means that not a single byte of the request left this
 * machine.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: FailureKind;
  readonly sent: boolean;
  /** Present if headers had arrived before the answer was truncated (kind `cut`, or `timeout` while reading). */
  readonly status: number | undefined;
  /** The message, without the request that was tried. */
  readonly why: string;
  /** The failure of TLS or the proxy, if it has a name. */
  readonly trouble: TlsTrouble | ProxyTrouble | undefined;

  /** @param facts.what what was tried: `POST https://host/path` */
  constructor(
    kind: FailureKind,
    why: string,
    facts: {
      sent: boolean;
      what?: string;
      status?: number | undefined;
      trouble?: TlsTrouble | ProxyTrouble | undefined;
      cause?: unknown;
    },
  ) {
    super(facts.what === undefined ? why : `${why} (${facts.what})`, {cause: facts.cause});
    this.kind = kind;
    this.why = why;
    this.sent = facts.sent;
    this.status = facts.status;
    this.trouble = facts.trouble;
  }
}
