import {nextTurn, type Clock} from '../../clock.ts';
import {Slots} from '../http/slots.ts';

/** How often the waits are checked within their limit. */
const CHECKS = 16;

/**
 * Limits waits that all have the same time limit. They share one timer, because thousands begin and end each second.
 */
export class Deadline {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #limitMs: number;
  readonly #waits = new Slots<{untilMs: number; giveUp: () => void}>();
  #isChecking = false;

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /**
   * Returns a function that calls `done` once: with its own value, or with `late` if the limit passes first, which
   * may be noticed a sixteenth of the limit late.
   * @param startMs when the limit begins, on the monotonic clock
   */
  bound<T>(done: (value: T) => void, late: T, startMs = this.#clock.monotonic()): (value: T) => void {
    const wait = {untilMs: startMs + this.#limitMs, giveUp: () => done(late)};
    const at = this.#waits.add(wait);
    if (!this.#isChecking) void this.#check();
    return (value) => {
      if (this.#waits.remove(at, wait)) done(value);
    };
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    while (this.#waits.size > 0) {
      await this.#clock.sleep(this.#limitMs / CHECKS);
      await nextTurn(); // the work continues even with a clock that does not wait
      const nowMs = this.#clock.monotonic();
      for (const [at, wait] of this.#waits)
        if (wait.untilMs <= nowMs && this.#waits.remove(at, wait)) wait.giveUp();
    }
    this.#isChecking = false;
  }
}
