import type {Speed} from '../../src/batch/speed/speed.ts';

/** The same number in flight from the first request to the last: what the bare loop does. */
export class FixedSpeed implements Speed {
  readonly #inFlight: number;

  constructor(inFlight: number) {
    this.#inFlight = inFlight;
  }

  limit(): number {
    return this.#inFlight;
  }
  earliest(now: number): number {
    return now;
  }
  sent(): void {}
  succeeded(): void {}
  answered(): void {}
  refused(): void {}
  failed(): void {}
  tooMany(): void {}
  admitsNewRows(): boolean {
    return true;
  }
}
