import {fullJitter} from '../../client/requests/backoff.ts';
import type {Clock} from '../../clock.ts';

const FAILING_CAP_MS = 10_000;
const THROTTLED_CAP_MS = 20_000;

/** Holds back all reads for a time: while the service fails, answers 429, or has asked for a pause. */
export class Gate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #until = 0;
  #failures = 0;
  #throttles = 0;
  #dispatcher: {closeGate(ms: number): void} | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Failures in a row for which it was closed. */
  get failures(): number {
    return this.#failures;
  }

  /** The next pass also waits for the rest of the time. */
  holdsBack(dispatcher: {closeGate(ms: number): void}): void {
    this.#dispatcher = dispatcher;
    dispatcher.closeGate(Math.max(0, this.#until - this.#clock.monotonic()));
  }

  succeeded(): void {
    this.#failures = this.#throttles = 0;
  }

  /** Returns false if it was closed already. */
  failed(): boolean {
    return this.#close(() => this.pauseMs(this.#failures++));
  }

  throttled(): void {
    this.#close(() =>
      fullJitter({
        attempt: this.#throttles++,
        baseMs: 1000,
        capMs: THROTTLED_CAP_MS,
        random: this.#random,
      }),
    );
  }

  /** A pause that the service has asked for. */
  waitFor(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock.monotonic() + ms);
    this.#dispatcher?.closeGate(ms);
  }

  /** Grows with each attempt at a service that fails. */
  pauseMs(attempt: number): number {
    return fullJitter({attempt, baseMs: 250, capMs: FAILING_CAP_MS, random: this.#random});
  }

  /** Requests that were in flight together fail together; only the first failure closes the gate and counts. */
  #close(ms: () => number): boolean {
    const now = this.#clock.monotonic();
    if (now < this.#until) return false;
    const wait = Math.max(1, ms());
    this.#until = now + wait;
    this.#dispatcher?.closeGate(wait);
    return true;
  }
}
