import type {Summary} from '../../batch/summary.ts';
import {groupMajor} from '../../money/amount.ts';
import type {Clock} from '../../clock.ts';

/** The progress line of a run: phase, rows, rate, money, what went wrong, time left. */
export class BatchProgress {
  readonly #clock: Clock;
  #phase = '';
  #since = 0;
  #doneAtStart = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  line(phase: string, summary: Summary): string {
    const now = this.#clock.monotonic();
    const {done, total} = progressOf(phase, summary);
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#since = now;
      this.#doneAtStart = done;
    }
    const seconds = (now - this.#since) / 1000;
    const rate = seconds > 0 ? (done - this.#doneAtStart) / seconds : 0;
    const bucket = phase === 'staging' ? 'staged' : 'accepted';
    const money = Object.entries(summary.totals).map(
      ([currency, totals]) => `${groupMajor(totals[bucket])} ${currency}`,
    );
    const troubles = (['rejected', 'unapproved', 'conflict'] as const)
      .filter((name) => summary[name] > 0)
      .map((name) => `${summary[name]} ${name}`);
    const left = rate > 0 && done < total ? [`${duration((total - done) / rate)} left`] : [];
    return [
      `${phase} ${done}/${total}${total > 0 ? ` ${Math.floor((100 * done) / total)}%` : ''}`,
      `${Math.round(rate)} rows/s`,
      money.join(' + '),
      ...troubles,
      ...left,
    ].join(' · ');
  }
}

function progressOf(phase: string, summary: Summary): {done: number; total: number} {
  const refused = summary.rejected + summary.conflict + summary.already_paid;
  const moved = summary.accepted + summary.unapproved;
  if (phase === 'staging') return {done: summary.staged + moved + refused, total: summary.planned};
  return {done: moved, total: summary.planned - refused};
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
