import type {Tally} from '../model/tally.ts';
import type {RunPath} from '../model/run-path.ts';

/** Why the service does not accept requests. */
export type TroubleKind = 'unreachable' | 'failing' | 'throttled';

/** What a run is doing now, for its progress line and `status.json`. */
export interface Activity {
  /**
   * Steps of rows finished per second in the last ten seconds. A row that is staged and then released takes two
   * steps.
   */
  steps_per_second: number;
  /** Requests sent again by this run because an earlier try was lost, failed or was refused for load. */
  retries: number;
  /** What prevents the run from making progress, or null. */
  waiting: {
    for: TroubleKind | 'retry-after';
    /** How long it has lasted. */
    since_ms: number;
    /** Time until the next request may be sent. */
    next_try_ms: number;
  } | null;
  /** Estimate for the whole batch, both stages; null while it cannot be estimated. */
  left_ms: number | null;
}

const SPAN_MS = 10_000;

/** Measures how many steps a run finishes per second. */
export class StepRate {
  #samples: {at: number; steps: number}[] = [];

  /** After an outage: the speed before and during it does not show how much time is left. */
  restart(): void {
    this.#samples = [];
  }

  /** @param steps finished by the run so far */
  sample(now: number, steps: number): number {
    const sample = {at: now, steps};
    this.#samples.push(sample);
    const from = this.#samples.findLastIndex(({at}) => at <= now - SPAN_MS);
    if (from > 0) this.#samples = this.#samples.slice(from);
    const [first = sample] = this.#samples;
    return now > first.at ? ((steps - first.steps) * 1000) / (now - first.at) : 0;
  }
}

/** Steps left for the rows; a row to be staged and released has two. */
export function stepsLeft(path: RunPath, {not_sent: unsent, in_doubt: doubts, staged}: Tally): number {
  const open = unsent.count + doubts.count;
  if (path === 'direct') return open + staged.count;
  if (path === 'stage-only') return open;
  if (path === 'cancel') return 2 * (doubts.count + staged.count); // records to read, cancel and read again
  if (path === 'release') return doubts.count + staged.count;
  return 2 * open + staged.count;
}
