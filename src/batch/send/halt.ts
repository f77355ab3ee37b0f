import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Stop} from '../model/stop.ts';

/** Whether a run continues, and if not, why. The first reason counts. */
export class Halt {
  stop: Stop | undefined;
  /** Set by the phase that is running. */
  onStop: () => void = () => undefined;
  /** The service refused the replay of a staged row, or returned another record for it. */
  isProbeRefused = false;
  readonly #sanitizer: Sanitizer;
  readonly #stopped = new AbortController();

  constructor(sanitizer: Sanitizer) {
    this.#sanitizer = sanitizer;
  }

  /** Aborted when the run stops, which ends all waits. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  stopFor(reason: Stop['reason'], message: string): void {
    if (this.stop !== undefined) return;
    this.stop = {reason, message: this.#sanitizer.line(message)};
    this.#stopped.abort();
    this.onStop();
  }
}
