/** A request as it was sent, needed to report its end. */
export interface Sending {
  at: number;
  /** Requests in flight at that time, including this one. */
  inFlight: number;
}

/** How fast requests may be sent, as the dispatcher asks before each send. Times are monotonic milliseconds. */
export interface Pace {
  /** How many requests may be in flight now. */
  limit(): number;
  /** Earliest time at which the next request may be sent. */
  earliest(now: number): number;
  /** A request is sent; `inFlight` includes it. */
  sent(now: number, inFlight: number): void;
  /**
   * False while retries are too large a share of the sends. Then no new row is started, unless nothing else is in
   * progress.
   */
  admitsNewRows(now: number): boolean;
}

/** A pace that is found from how requests end. All decisions are made here. */
export interface Speed extends Pace {
  /** A 2xx. */
  succeeded(now: number, sending: Sending): void;
  /** Another complete answer, about the request and not the load of the service: it counts as completed work. */
  answered(now: number, sending: Sending): void;
  /** 429, or any answer with a Retry-After. The dispatcher holds requests back for that time. */
  refused(now: number, sending: Sending, retryAfterMs?: number): void;
  /** A 5xx, or no answer to a request: it will be sent again, and is no evidence about speed. */
  failed(now: number): void;
  /** This machine could not open a socket while this many requests were in flight. */
  tooMany(inFlight: number): void;
}

export interface SpeedLimits {
  maxInFlight: number;
  /** Requests per second, or undefined if the user set no limit. */
  maxRps?: number | undefined;
}

/** Maximum number of sockets that a run opens, one per request in flight. */
export const MAX_IN_FLIGHT = 1024;
