import {setMaxListeners} from 'node:events';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {RunStop} from '../model/stop.ts';

/** Whether a run continues, and if not, why. The first reason counts. */
export class Halt {
  stop: RunStop | undefined;
  /** Set by the phase that is running. */
  onStop: () => void = () => undefined;
  /** The service refused the replay of a staged row, or returned another record for it. */
  isProbeRefused = false;
  /** The probe was answered as it should be, or there was nothing to probe. */
  hasProbed = false;
  readonly #sanitizer: Sanitizer;
  readonly #stopped = new AbortController();

  constructor(sanitizer: Sanitizer) {
    this.#sanitizer = sanitizer;
    setMaxListeners(0, this.#stopped.signal); // one for each row that waits: as many as are in flight
  }

  /** Aborted when the run stops, which ends all waits. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** The run was to end after the requests in flight, and a second signal has aborted some of them. */
  abortedRequests(): void {
    if (this.stop?.reason !== 'interrupted' && this.stop?.reason !== 'terminated') return;
    this.stop = {...this.stop, message: 'stopped by a second signal, which aborted the requests in flight'};
  }

  stopFor(reason: RunStop['reason'], message: string): void {
    if (this.stop !== undefined) return;
    this.stop = {reason, message: this.#sanitizer.line(message)};
    this.#stopped.abort();
    this.onStop();
  }
}
