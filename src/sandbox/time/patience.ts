import {systemClock, type Clock} from '../../clock.ts';

/** A budget of machine time for waiting: used up only while waiting, over any number of waits. */
export class WaitBudget {
  readonly #machine: Clock;
  #leftMs: number;

  constructor(ms: number, machine: Clock = systemClock) {
    this.#machine = machine;
    this.#leftMs = ms;
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  /** Runs an action with a signal that tells it to stop waiting. */
  async during(work: (over: Promise<void>) => Promise<void>): Promise<void> {
    const done = new AbortController();
    const began = this.#machine.monotonic();
    const ending = this.isOver ? Promise.resolve() : this.#machine.sleep(this.#leftMs, done.signal);
    try {
      await work(
        ending.then(
          () => {
            this.#leftMs = 0;
          },
          () => undefined, // the wait is over
        ),
      );
    } finally {
      done.abort();
      this.#leftMs -= this.#machine.monotonic() - began;
    }
  }
}
