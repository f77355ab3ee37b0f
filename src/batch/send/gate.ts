import type {Clock} from '../../clock.ts';
import type {Halt} from './halt.ts';

/** Until when a run sends nothing, in whatever phase. */
export class Gate {
  /** Monotonic time. */
  until = -Infinity;
  /** When it was shut. */
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

  /** For what is sent outside of a dispatcher. False when the run was stopped, at once also while it waited. */
  async opened(): Promise<boolean> {
    while (this.#halt.stop === undefined && this.until > this.#clock.monotonic())
      await this.pause(this.until - this.#clock.monotonic());
    return this.#halt.stop === undefined;
  }

  /** Sleeps, but not beyond a stop. */
  async pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#halt.signal).catch(() => undefined);
  }
}
