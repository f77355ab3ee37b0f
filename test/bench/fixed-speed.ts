import type {Speed} from '../../src/batch/speed.ts';

/** The same number in flight from the first request to the last: what the bare loop does. */
export class FixedSpeed implements Speed {
  readonly hasSucceeded = true;
  readonly #inFlight: number;
  readonly #onSucceeded: () => void;

  constructor(inFlight: number, onSucceeded: () => void = () => {}) {
    this.#inFlight = inFlight;
    this.#onSucceeded = onSucceeded;
  }

  limit(): number {
    return this.#inFlight;
  }
  earliest(now: number): number {
    return now;
  }
  sent(): void {}
  succeeded(): void {
    this.#onSucceeded();
  }
  answered(): void {}
  refused(): void {}
  failed(): void {}
  admitsNewRows(): boolean {
    return true;
  }
}
