/**
 * How fast a run may go. The dispatcher asks before each send and reports each end; all the judgement lies here, so that
 * the next controller only replaces this. Times are monotonic milliseconds.
 */
export interface Speed {
  /** How many requests may be in flight now. */
  limit(): number;
  /** Earliest time at which the next request may leave. */
  earliest(now: number): number;
  sent(now: number, retry: boolean): void;
  /** A whole answer that was not a refusal for load. */
  succeeded(now: number, latencyMs: number): void;
  /** 429, or any answer with a Retry-After. */
  refused(now: number): void;
  /** False while retries take too large a share of the sends: no new row is begun then, unless nothing else is going on. */
  admitsNewRows(now: number): boolean;
  readonly hasSucceeded: boolean;
}

export interface SpeedLimits {
  maxInFlight: number;
  /** Requests per second, or undefined for no limit of the user's. */
  maxRps?: number | undefined;
}

const FIRST_WINDOW = 4;
const RETRY_SHARE = 0.1;
const RETRY_SPAN_MS = 10_000;

/**
 * One at a time until something succeeds, then four, doubling with each window of successes; halved by a refusal.
 */
export class SimpleSpeed implements Speed {
  readonly #limits: SpeedLimits;
  #window = 1;
  #successes = 0;
  #next = 0;
  #sends: {at: number; all: number; retries: number}[] = [];
  hasSucceeded = false;

  constructor(limits: SpeedLimits) {
    this.#limits = limits;
  }

  limit(): number {
    return Math.min(this.#window, this.#limits.maxInFlight);
  }

  earliest(now: number): number {
    return this.#limits.maxRps === undefined ? now : Math.max(now, this.#next);
  }

  sent(now: number, retry: boolean): void {
    if (this.#limits.maxRps !== undefined)
      this.#next = Math.max(now, this.#next) + 1000 / this.#limits.maxRps;
    const second = now - (now % 1000);
    let bucket = this.#sends.at(-1);
    if (bucket?.at !== second) {
      bucket = {at: second, all: 0, retries: 0};
      this.#sends.push(bucket);
      while (this.#sends.length > 0 && this.#sends[0]!.at < now - RETRY_SPAN_MS) this.#sends.shift();
    }
    bucket.all++;
    if (retry) bucket.retries++;
  }

  succeeded(): void {
    if (!this.hasSucceeded) {
      this.hasSucceeded = true;
      this.#window = FIRST_WINDOW;
      return;
    }
    if (++this.#successes < this.#window) return;
    this.#successes = 0;
    this.#window = Math.min(this.#window * 2, this.#limits.maxInFlight);
  }

  refused(): void {
    this.#successes = 0;
    if (this.hasSucceeded) this.#window = Math.max(1, this.#window >> 1);
  }

  admitsNewRows(): boolean {
    let all = 0;
    let retries = 0;
    for (const bucket of this.#sends) {
      all += bucket.all;
      retries += bucket.retries;
    }
    return retries <= Math.max(1, all * RETRY_SHARE);
  }
}
