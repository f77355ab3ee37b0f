import {fullJitter} from '../../client/requests/backoff.ts';
import type {Clock} from '../../clock.ts';
import {isReadable} from '../answers/answers.ts';
import type {Halt} from './halt.ts';
import type {KnownRecords} from './known-records.ts';
import type {StopRules} from './stop-rules.ts';

/** Tries of one row while others succeed, before it is left in doubt for a later run. */
export const TRIES = 8;
const BACKOFF_CAP_MS = 20_000;
const CHECK_EVERY_MS = 1000;

/** The tries of a row in this run. */
export interface Tries {
  /** All requests sent. */
  sends: number;
  /** Tries that count. Tries during an outage, with no success since the previous try, do not count. */
  tries: number;
  /** Readable successes of the run when a try of the row last ended without a result. */
  successes: number | undefined;
}

interface Parts {
  clock: Clock;
  random: () => number;
  rules: StopRules;
  halt: Halt;
  records: KnownRecords;
}

/** Counts the tries of rows, and decides whether a row is tried again. */
export class RowTries {
  /** Requests of this run that repeated an earlier one. */
  retries = 0;
  readonly #parts: Parts;
  #checkedAt = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A row is sent (again). */
  begin(job: Tries): void {
    if (job.sends++ > 0) this.retries++;
  }

  /** Milliseconds before the next try of a row; increases with its tries. */
  backoff(tries: number, throttled: boolean): number {
    return fullJitter({
      attempt: tries,
      baseMs: throttled ? 1000 : 200,
      capMs: BACKOFF_CAP_MS,
      random: this.#parts.random,
    });
  }

  /**
   * A request that was sent at `sentAt` had no usable answer.
   * @returns whether its row may be tried again in this run
   */
  async mayTryAgain(job: Tries, sentAt: number, words: string): Promise<boolean> {
    const {rules} = this.#parts;
    if (job.successes !== rules.patience.successes || (await this.#isAlive())) job.tries++;
    job.successes = rules.patience.successes;
    rules.failing(sentAt, words);
    return job.tries < TRIES;
  }

  /**
   * Whether the service still shows a record; checked at most once per second. If no other row is left that could
   * succeed, this distinguishes a row that always fails from an outage. It does not extend the run's patience, unless
   * it is the first success.
   */
  async #isAlive(): Promise<boolean> {
    const {clock, halt, records} = this.#parts;
    const now = clock.monotonic();
    if (halt.stop !== undefined || now - this.#checkedAt < CHECK_EVERY_MS) return false;
    this.#checkedAt = now;
    const answer = await records.check();
    return answer !== undefined && isReadable(answer, false);
  }
}
