const SHARE = 0.1;
const SECONDS = 10;

/** What happened in one second. */
interface Counts {
  /** Counted since the start, on the monotonic clock. */
  second: number;
  sends: number;
  failures: number;
}

/**
 * Compares failures with sends over the last ten seconds, second by second. Each failure causes a retry. Above a tenth
 * of the sends no new row is started, so that a failing service does not get twice the work, and few rows become in
 * doubt.
 */
export class RetryBudget {
  /** The last ten seconds in which something happened, the newest last. */
  #counts: Counts[] = [];
  #sends = 0;
  #failures = 0;

  sent(now: number): void {
    this.#at(now).sends++;
    this.#sends++;
  }

  failed(now: number): void {
    this.#at(now).failures++;
    this.#failures++;
  }

  admits(now: number): boolean {
    this.#forgetUntil(Math.floor(now / 1000) - SECONDS);
    return this.#failures <= Math.max(1, this.#sends * SHARE);
  }

  #at(now: number): Counts {
    const second = Math.floor(now / 1000);
    this.#forgetUntil(second - SECONDS);
    const newest = this.#counts.at(-1);
    if (newest?.second === second) return newest;
    const counts = {second, sends: 0, failures: 0};
    this.#counts.push(counts);
    return counts;
  }

  #forgetUntil(second: number): void {
    for (
      let oldest = this.#counts[0];
      oldest !== undefined && oldest.second <= second;
      oldest = this.#counts[0]
    ) {
      this.#sends -= oldest.sends;
      this.#failures -= oldest.failures;
      this.#counts.shift();
    }
  }
}
