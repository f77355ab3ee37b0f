import type {Sending, Speed} from '../../src/batch/speed.ts';

/** Another speed, and the moment at which so many requests have succeeded. */
export class CountedSpeed implements Speed {
  readonly #speed: Speed;
  readonly #onAll: () => void;
  #left: number;

  constructor(speed: Speed, count: number, onAll: () => void) {
    this.#speed = speed;
    this.#left = count;
    this.#onAll = onAll;
  }

  get hasSucceeded(): boolean {
    return this.#speed.hasSucceeded;
  }
  succeeded(now: number, sending: Sending): void {
    this.#speed.succeeded(now, sending);
    if (--this.#left === 0) this.#onAll();
  }
  limit(): number {
    return this.#speed.limit();
  }
  earliest(now: number): number {
    return this.#speed.earliest(now);
  }
  sent(now: number, inFlight: number): void {
    this.#speed.sent(now, inFlight);
  }
  answered(now: number, sending: Sending): void {
    this.#speed.answered(now, sending);
  }
  refused(now: number, sending: Sending, retryAfterMs?: number): void {
    this.#speed.refused(now, sending, retryAfterMs);
  }
  failed(now: number): void {
    this.#speed.failed(now);
  }
  admitsNewRows(now: number): boolean {
    return this.#speed.admitsNewRows(now);
  }
}
