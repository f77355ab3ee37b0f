import type {Sending, Speed} from './speed.ts';

/** A speed with a bound of this machine on what is in flight, found when no socket could be opened. */
export class CappedSpeed implements Speed {
  readonly #speed: Speed;
  #most = Infinity;

  constructor(speed: Speed) {
    this.#speed = speed;
  }

  /** That many at a time were too many here. */
  tooMany(inFlight: number): void {
    this.#most = Math.max(1, Math.min(this.#most, inFlight - 1));
  }

  get hasSucceeded(): boolean {
    return this.#speed.hasSucceeded;
  }

  limit(): number {
    return Math.min(this.#speed.limit(), this.#most);
  }

  earliest(now: number): number {
    return this.#speed.earliest(now);
  }

  sent(now: number, inFlight: number): void {
    this.#speed.sent(now, inFlight);
  }

  succeeded(now: number, sending: Sending): void {
    this.#speed.succeeded(now, sending);
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
