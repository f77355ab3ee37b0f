import type {Clock} from '../../src/clock.ts';

/** A clock that jumps instead of waiting and remembers how long it was asked to. */
export class RecordingClock implements Clock {
  readonly sleeps: number[] = [];
  /** Called at the start of each sleep, before the time moves. */
  onSleep: (nth: number) => void = () => {};
  #ms: number;

  constructor(startMs = 1_700_000_000_000) {
    this.#ms = startMs;
  }

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    this.onSleep(this.sleeps.length - 1);
    if (signal?.aborted) throw signal.reason instanceof Error ? signal.reason : new Error('aborted');
    this.#ms += ms;
  }
}
