const SHARE = 0.1;
const SECONDS = 10;

/**
 * Compares failures with sends over the last ten seconds, second by second. Each failure causes a retry. Above a tenth
 * of the sends no new row is started, so that a failing service does not get twice the work, and few rows become in
 * doubt.
 */
export class RetryBudget {
  /** The last ten seconds in which something happened, the newest last. Seconds are those of the monotonic clock. */
  #counts: {second: number; sends: number; failures: number}[] = [];

  sent(now: number): void {
    this.#at(now).sends++;
  }

  failed(now: number): void {
    this.#at(now).failures++;
  }

  admits(now: number): boolean {
    const oldest = Math.floor(now / 1000) - SECONDS;
    let [sends, failures] = [0, 0];
    for (const counts of this.#counts)
      if (counts.second > oldest) {
        sends += counts.sends;
        failures += counts.failures;
      }
    return failures <= Math.max(1, sends * SHARE);
  }

  #at(now: number): {sends: number; failures: number} {
    const second = Math.floor(now / 1000);
    const newest = this.#counts.at(-1);
    if (newest?.second === second) return newest;
    const counts = {second, sends: 0, failures: 0};
    this.#counts = [...this.#counts.slice(1 - SECONDS), counts];
    return counts;
  }
}
