import type {Clock} from '../../clock.ts';
import type {Pace} from '../speed/speed.ts';

/** How one step ended: the job is finished, or it continues after a pause. */
export type WorkEnd = {again: false} | {again: true; afterMs: number};

export interface DispatcherOptions<J> {
  speed: Pace;
  clock: Clock;
  /** The next new job, or undefined if there is none left. Called in order; may commit to disk. */
  next: () => J | undefined;
  /** Performs one step of a job: one request, one answer. A rejection is fatal for the whole run. */
  work: (job: J) => Promise<WorkEnd>;
  /** A job that was waiting for its next step when the run was stopped. */
  abandon: (job: J) => void;
}

/**
 * Keeps as many jobs in flight as the speed allows, keeps waiting jobs outside that number, and stops on request: no
 * new work starts, and work in flight is awaited. Memory holds only the jobs in flight and waiting.
 */
export class Dispatcher<J> {
  readonly #options: DispatcherOptions<J>;
  readonly #waiting: {job: J; due: number}[] = [];
  #inFlight = 0;
  #exhausted = false;
  #stopping = false;
  #gate = 0;
  #failure: {error: unknown} | undefined;
  #wake: {at: number; abort: AbortController} | undefined;
  #finish: (() => void) | undefined;

  constructor(options: DispatcherOptions<J>) {
    this.#options = options;
  }

  /**
   * Resolves when every job has ended or, after `stop()`, when nothing is in flight any more. Rejects with the first
   * fatal error.
   */
  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#pump();
    });
    this.#wake?.abort.abort();
    for (const {job} of this.#waiting.splice(0)) this.#options.abandon(job);
    if (this.#failure) throw this.#failure.error;
  }

  /** Starts no further request. */
  stop(): void {
    this.#stopping = true;
    this.#pump();
  }

  /** Starts no request until `ms` from now; a later gate is never shortened. */
  closeGate(ms: number): void {
    this.#gate = Math.max(this.#gate, this.#options.clock.monotonic() + ms);
  }

  #pump(): void {
    try {
      while (!this.#stopping && this.#inFlight < this.#options.speed.limit()) {
        const now = this.#options.clock.monotonic();
        const open = Math.max(this.#gate, this.#options.speed.earliest(now));
        if (open > now) {
          this.#wakeAt(open);
          break;
        }
        const job = this.#take(now);
        if (job === undefined) break;
        this.#launch(job, now);
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#inFlight > 0) return;
    if (this.#stopping || (this.#exhausted && this.#waiting.length === 0)) this.#finish?.();
  }

  #take(now: number): J | undefined {
    let earliest: {job: J; due: number} | undefined;
    for (const item of this.#waiting) if (earliest === undefined || item.due < earliest.due) earliest = item;
    if (earliest !== undefined && earliest.due <= now) {
      this.#waiting.splice(this.#waiting.indexOf(earliest), 1);
      return earliest.job;
    }
    // With nothing in flight and nothing waiting, a new row may always start; otherwise a run could never recover
    // from a bad start.
    const admits =
      this.#options.speed.admitsNewRows(now) || (this.#inFlight === 0 && this.#waiting.length === 0);
    if (!this.#exhausted && admits) {
      const job = this.#options.next();
      if (job !== undefined) return job;
      this.#exhausted = true;
    }
    if (earliest !== undefined) this.#wakeAt(earliest.due);
    return undefined;
  }

  #launch(job: J, now: number): void {
    this.#inFlight++;
    this.#options.speed.sent(now, this.#inFlight);
    this.#options.work(job).then(
      (end) => {
        this.#inFlight--;
        if (end.again) this.#waiting.push({job, due: this.#options.clock.monotonic() + end.afterMs});
        this.#pump();
      },
      (error: unknown) => {
        this.#inFlight--;
        this.#fail(error);
        this.#pump();
      },
    );
  }

  #fail(error: unknown): void {
    this.#failure ??= {error};
    this.#stopping = true;
  }

  #wakeAt(at: number): void {
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.abort.abort();
    const abort = new AbortController();
    const wake = {at, abort};
    this.#wake = wake;
    this.#options.clock.sleep(Math.max(0, at - this.#options.clock.monotonic()), abort.signal).then(
      () => {
        if (this.#wake === wake) this.#wake = undefined;
        this.#pump();
      },
      () => undefined, // replaced by an earlier waking, or the run has ended
    );
  }
}
