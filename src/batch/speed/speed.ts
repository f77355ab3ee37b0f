/** A request as it was sent, for the report of its end. */
export interface Sending {
  at: number;
  /** Requests in flight then, this one among them. */
  inFlight: number;
}

/**
 * How fast a run may go. The dispatcher asks before each send, and each end is reported; all the judgement lies here.
 * Times are monotonic milliseconds.
 */
export interface Speed {
  readonly hasSucceeded: boolean;
  /** How many requests may be in flight now. */
  limit(): number;
  /** Earliest time at which the next request may leave. */
  earliest(now: number): number;
  /** A request leaves; `inFlight` counts it. */
  sent(now: number, inFlight: number): void;
  /** A 2xx. */
  succeeded(now: number, sending: Sending): void;
  /** Another complete answer, about the request and not the load of the service: it counts as work done. */
  answered(now: number, sending: Sending): void;
  /** 429, or any answer with a Retry-After. The dispatcher holds requests back for that time. */
  refused(now: number, sending: Sending, retryAfterMs?: number): void;
  /** A 5xx, or no answer to what was sent: it will be tried again, and is no evidence about speed. */
  failed(now: number): void;
  /** False while retries take too large a share of the sends: no new row is begun then, unless nothing else is going on. */
  admitsNewRows(now: number): boolean;
}

export interface SpeedLimits {
  maxInFlight: number;
  /** Requests per second, or undefined for no limit of the user's. */
  maxRps?: number | undefined;
}

/** Sockets that a run opens at most, one a request in flight. */
export const MAX_IN_FLIGHT = 1024;
