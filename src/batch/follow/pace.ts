import type {Pace} from '../speed/speed.ts';

/** Default number of GETs per second while a batch is followed. Following must not load the service. */
export const FOLLOW_RPS = 50;
const IN_FLIGHT = 16;
/**
 * Maximum number of rows waiting for another try. Above it no new row is started, so that memory does not grow with
 * the batch.
 */
const WAITING = 32;

/**
 * The speed of following: a fixed rate, halved by each refusal for load and slowly raised again. Fetching faster has
 * no benefit, so there is no optimal speed to search for.
 */
export class FollowPace implements Pace {
  readonly #maxRps: number;
  #rps: number;
  #next = 0;
  /** Rows that failed and wait for another try; maintained by Follow. */
  waiting = 0;
  #hasSucceeded = false;

  constructor(maxRps = FOLLOW_RPS) {
    this.#maxRps = maxRps;
    this.#rps = maxRps;
  }

  limit(): number {
    return this.#hasSucceeded ? IN_FLIGHT : 1;
  }

  earliest(now: number): number {
    return Math.max(now, this.#next);
  }

  sent(now: number): void {
    this.#next = Math.max(now, this.#next) + 1000 / this.#rps;
  }

  succeeded(): void {
    this.#hasSucceeded = true;
    this.#rps = Math.min(this.#maxRps, this.#rps * 1.02);
  }

  refused(): void {
    this.#rps = Math.max(Math.min(1, this.#maxRps), this.#rps / 2);
  }

  admitsNewRows(): boolean {
    return this.waiting < WAITING;
  }
}
