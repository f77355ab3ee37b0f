import type {TroubleKind} from '../standing/activity.ts';
/**
 * How long a run continues without a readable success while connections are refused, answers are lost or servers
 * fail.
 */
const OUTAGE_MS = 120_000;
/** The same before the first readable success of the run, when the address is probably wrong. */
const OUTAGE_AT_FIRST_MS = 10_000;
/** How long a run continues while the service asks it to slow down, and the longest Retry-After it waits for. */
export const MAX_WAIT_MS = 15 * 60_000;
const UNREADABLE_AT_FIRST = 3;
const UNREADABLE_LATER = 16;

/** A period without a readable success. Monotonic milliseconds. */
export interface Trouble {
  kind: TroubleKind;
  since: number;
}

/**
 * Decides how long a run waits for a failing service. A run is ended by time, never by a number of requests: a
 * service that restarts fails everything in flight at once. Only a success with a readable record shows that it works
 * again.
 */
export class Patience {
  /** Readable successes of this run. */
  successes = 0;
  /** Monotonic time of the last success, or of the start of the run before the first one. */
  lastGood: number;
  trouble: Trouble | undefined;
  readonly #maxWaitMs: number | undefined;
  #unreadable = 0;

  /** @param maxWaitMs `--max-wait`; if given, it replaces all time limits */
  constructor(now: number, maxWaitMs: number | undefined) {
    this.lastGood = now;
    this.#maxWaitMs = maxWaitMs;
  }

  /** The longest Retry-After that the run waits for. */
  get maxWaitMs(): number {
    return this.#maxWaitMs ?? MAX_WAIT_MS;
  }

  get outageMs(): number {
    return this.#maxWaitMs ?? (this.successes === 0 ? OUTAGE_AT_FIRST_MS : OUTAGE_MS);
  }

  succeeded(now: number): void {
    this.successes++;
    this.lastGood = now;
    this.trouble = undefined;
    this.#unreadable = 0;
  }

  /**
   * A request that was sent at `sentAt` has failed.
   * @returns since when the service has been failing, if that is too long
   */
  failed(kind: 'unreachable' | 'failing', sentAt: number, now: number): number | undefined {
    // A single long request, for example while the machine sleeps, does not use up the whole time.
    const began = Math.max(sentAt, this.lastGood, now - this.outageMs / 2);
    const since =
      this.trouble === undefined || this.trouble.kind === 'throttled' ? began : this.trouble.since;
    this.trouble = {kind, since};
    return now - since >= this.outageMs ? since : undefined;
  }

  /**
   * The service answered 429, or asked to wait. It is reachable, so any outage is over.
   * @returns whether it has answered nothing else for too long
   */
  throttled(now: number): boolean {
    if (this.trouble?.kind !== 'throttled') this.trouble = {kind: 'throttled', since: now};
    return now - this.lastGood > this.maxWaitMs;
  }

  /**
   * A success without a readable record.
   * @returns whether there were too many in a row
   */
  unreadable(): boolean {
    return ++this.#unreadable >= (this.successes === 0 ? UNREADABLE_AT_FIRST : UNREADABLE_LATER);
  }
}
