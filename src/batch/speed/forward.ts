import type {Sending, Speed} from './speed.ts';

/** Forwards everything to another speed; the base of classes that add one rule to it. */
export abstract class ForwardedSpeed implements Speed {
  readonly #speed: Speed;

  constructor(speed: Speed) {
    this.#speed = speed;
  }

  get hasSucceeded(): boolean {
    return this.#speed.hasSucceeded;
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
