/** How far the clock of the service was ahead of ours, and when, by our wall clock. */
export interface ClockReading {
  at: number;
  aheadMs: number;
}

/** A difference below this is that of slow answers. */
const STEP_MS = 60_000;
/** Readings that are kept, the newest ones. */
const KEPT = 50;

/** The clock of the service over the runs of a batch. Either clock may be set meanwhile. */
export class ServiceClock {
  #readings: readonly ClockReading[];
  readonly #keep: (readings: readonly ClockReading[]) => void;

  /**
   * @param readings of earlier runs, oldest first
   * @param keep called with all readings when the difference of the clocks has changed
   */
  constructor(readings: readonly ClockReading[], keep: (readings: readonly ClockReading[]) => void) {
    this.#readings = readings;
    this.#keep = keep;
  }

  /** An answer showed the time of the service. */
  read(serviceMs: number, nowMs: number): void {
    const aheadMs = serviceMs - nowMs;
    const last = this.#readings.at(-1);
    if (last !== undefined && Math.abs(last.aheadMs - aheadMs) < STEP_MS) return;
    this.#readings = [...this.#readings, {at: nowMs, aheadMs}].slice(-KEPT);
    this.#keep(this.#readings);
  }

  /** How far it was ahead at an earlier time by our clock, and is now; undefined if unknown. */
  aheadSince(sinceMs: number): {then: number; now: number} | undefined {
    const then = this.#readings.findLast(({at}) => at <= sinceMs);
    const now = this.#readings.at(-1);
    return then === undefined || now === undefined ? undefined : {then: then.aheadMs, now: now.aheadMs};
  }
}
