import type {Clock} from '../clock.ts';
import type {TransferStatus} from '../contract/lifecycle.ts';
import type {RemitError} from '../errors.ts';
import type {Sanitizer} from '../sanitize/sanitizer.ts';
import type {ServiceFile} from '../service/service-file.ts';
import type {OnDebug} from './transport/debug.ts';
import type {Timeouts, Transport} from './transport/transport.ts';

export interface ClientOptions {
  /** https, or http to loopback; a path is a prefix of every route. */
  baseUrl: string;
  /** `test_…` or `live_…`; determines the mode. */
  key: string;
  /** Required for writes with a live key; reads need no permission. */
  live?: boolean | undefined;
  /**
   * Lets a create with `auto_approve` approve its record by id, if the service answers 409 to the repeated create
   * because it compares request bodies.
   */
  approveById?: boolean | undefined;
  /** node:http(s) if absent; `close()` closes it in either case. */
  transport?: Transport | undefined;
  clock?: Clock | undefined;
  /** Uniform in [0, 1), for jitter. */
  random?: (() => number) | undefined;
  /** Attempts after the first, 0 to 20; default 2. */
  retries?: number | undefined;
  /** The longest Retry-After to wait for, 0 to 2147483647; default 60 s. */
  maxWaitMs?: number | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** How this service differs from the contract. */
  service?: ServiceFile | undefined;
  /** Redacted lines about every exchange. */
  onDebug?: OnDebug | undefined;
  userAgent?: string | undefined;
  /** Generates an idempotency key; a UUIDv4 by default. */
  newKey?: (() => string) | undefined;
  /**
   * @internal
   * Removes secrets from errors and debug lines, including those seen in requests and answers; by default one per
   * call.
   */
  sanitizer?: Sanitizer | undefined;
}

export interface WaitForOptions<T> {
  /** Any final status if absent. */
  until?: TransferStatus | undefined;
  timeoutMs?: number | undefined;
  /** The record as returned by a create or approve. */
  initial?: T | undefined;
  signal?: AbortSignal | undefined;
  onChange?: ((record: T) => void) | undefined;
  /** Called after every read, with its error if it failed and will be repeated. */
  onRead?: ((error: RemitError | undefined) => void) | undefined;
}
