import type {Clock} from '../../clock.ts';
import type {Halt} from './halt.ts';

/** The time until which a run sends nothing, in any phase. */
export class Gate {
  /** Monotonic time. */
  until = -Infinity;
  /** When it was closed. */
  since = 0;
  /** Set by the phase that is running. */
  onShut: (ms: number) => void = () => undefined;
  readonly #clock: Clock;
  readonly #halt: Halt;

  constructor(clock: Clock, halt: Halt) {
    this.#clock = clock;
    this.#halt = halt;
  }

  shut(ms: number): void {
    const now = this.#clock.monotonic();
    if (this.until <= now) this.since = now;
    this.until = Math.max(this.until, now + ms);
    this.onShut(ms);
  }

  /** Waits for the gate, for requests outside a dispatcher. Returns false as soon as the run is stopped. */
  async opened(): Promise<boolean> {
    while (this.#halt.stop === undefined && this.until > this.#clock.monotonic())
      await this.pause(this.until - this.#clock.monotonic());
    return this.#halt.stop === undefined;
  }

  /** Sleeps until the time is over or the run is stopped. */
  async pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#halt.signal).catch(() => undefined);
  }
}
