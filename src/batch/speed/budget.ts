const SHARE = 0.1;
const SLOTS = 10;
const SLOT_MS = 1000;

/**
 * Compares failures with sends over the last ten seconds, in slots of one second. Each failure causes a retry. Above
 * a tenth of the sends no new row is started, so that a failing service does not get twice the work, and few rows
 * become in doubt.
 */
export class RetryBudget {
  readonly #sends = new Float64Array(SLOTS);
  readonly #failures = new Float64Array(SLOTS);
  #allSends = 0;
  #allFailures = 0;
  #slot = -1;

  sent(now: number): void {
    const slot = this.#turnTo(now);
    this.#sends[slot] = (this.#sends[slot] ?? 0) + 1;
    this.#allSends++;
  }

  failed(now: number): void {
    const slot = this.#turnTo(now);
    this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
    this.#allFailures++;
  }

  admits(now: number): boolean {
    this.#turnTo(now);
    return this.#allFailures <= Math.max(1, this.#allSends * SHARE);
  }

  /** Forgets the slots that have passed, and returns the index of the current one. */
  #turnTo(now: number): number {
    const slot = Math.floor(now / SLOT_MS);
    this.#slot = Math.max(this.#slot, slot - SLOTS);
    while (this.#slot < slot) {
      const index = ++this.#slot % SLOTS;
      this.#allSends -= this.#sends[index] ?? 0;
      this.#allFailures -= this.#failures[index] ?? 0;
      this.#sends[index] = this.#failures[index] = 0;
    }
    return this.#slot % SLOTS;
  }
}
