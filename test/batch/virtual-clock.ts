import type {Clock} from '../../src/clock.ts';

/** A clock that jumps to the next sleeper whenever nothing else is left to do, so that waiting takes no time. */
export class VirtualClock implements Clock {
  /** Since the start: small numbers are exact enough for a wait to end when it shall, and not a hair before, for ever. */
  #elapsed = 0;
  readonly #start: number;
  readonly #sleepers: {at: number; wake: () => void; seq: number}[] = [];
  #seq = 0;
  #asleep = 0;
  #scheduled = false;

  constructor(startMs = Date.parse('2026-03-02T15:00:00Z')) {
    this.#start = startMs;
  }

  /** Whole milliseconds, as of a real clock. */
  now(): number {
    return Math.floor(this.#start + this.#asleep + this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** The machine sleeps: the wall clock goes on, the monotonic one does not. */
  suspend(ms: number): void {
    this.#asleep += ms;
  }

  /** Moves time forward without waking anybody earlier than their turn. */
  advance(ms: number): void {
    this.#elapsed += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new Error('aborted', {cause: signal.reason}));
        return;
      }
      const onAbort = () => {
        const index = this.#sleepers.indexOf(sleeper);
        if (index >= 0) this.#sleepers.splice(index, 1);
        reject(new Error('aborted', {cause: signal!.reason}));
      };
      const wake = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = {at: this.#elapsed + Math.max(0, ms), wake, seq: this.#seq++};
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, {once: true});
      this.#schedule();
    });
  }

  /** Runs after everything that is ready now: setImmediate comes behind promises and I/O callbacks. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#sleepers.sort((a, b) => a.at - b.at || a.seq - b.seq);
      const next = this.#sleepers.shift();
      if (next === undefined) return;
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.wake();
      if (this.#sleepers.length > 0) this.#schedule();
    });
  }
}
