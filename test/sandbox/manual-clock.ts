import type {Clock} from '../../src/clock.ts';

/** A clock that moves only when told to; sleeping moves it. */
export class ManualClock implements Clock {
  #ms: number;

  constructor(start: string) {
    this.#ms = Date.parse(start);
  }

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  async sleep(ms: number): Promise<void> {
    this.#ms += ms;
  }

  /** Milliseconds. */
  pass(ms: number): void {
    this.#ms += ms;
  }
}
