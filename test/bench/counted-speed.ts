import {ForwardedSpeed} from '../../src/batch/speed/forward.ts';
import type {Sending, Speed} from '../../src/batch/speed/speed.ts';

/** Another speed, and the moment at which so many requests have succeeded. */
export class CountedSpeed extends ForwardedSpeed {
  readonly #onAll: () => void;
  #left: number;

  constructor(speed: Speed, count: number, onAll: () => void) {
    super(speed);
    this.#left = count;
    this.#onAll = onAll;
  }

  override succeeded(now: number, sending: Sending): void {
    super.succeeded(now, sending);
    if (--this.#left === 0) this.#onAll();
  }
}
