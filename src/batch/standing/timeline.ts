import {byName, ownJson} from '../../narrow.ts';
import type {Journal} from '../journal/journal.ts';
import {type Bucket, BUCKETS} from '../model/outcome.ts';
import type {Summary} from './summary.ts';

const COUNTED = [...BUCKETS, 'settled', 'failed'] as const;
export type Counts = Record<Bucket | 'settled' | 'failed', number>;

/** The counts at one time; `settled` and `failed` are parts of `accepted`. */
export interface TimelinePoint {
  run: number;
  at: number;
  phase: string;
  counts: Counts;
}

/** Maximum number of samples. When it is exceeded, every second one is dropped and later ones are further apart. */
const MOST_POINTS = 512;
const SHORTEST_GAP_MS = 1000;

/**
 * Records how the counts of a batch change while a process runs or follows it: one sample per second at first, fewer
 * the longer it takes, so that a run of hours takes no more space than one of minutes.
 */
export class TimelineWriter {
  readonly #journal: Journal;
  readonly #mostPoints: number;
  readonly #run: number;
  #gapMs: number;
  #last: {at: number; phase: string; text: string} | undefined;

  constructor(journal: Journal, mostPoints = MOST_POINTS) {
    this.#journal = journal;
    this.#mostPoints = mostPoints;
    this.#run = journal.samples.nextRun();
    this.#gapMs = this.#gap();
  }

  /** `force`: for the end of a run, which is kept even if nothing has changed since the last sample. */
  note(phase: string, summary: Summary, at: number, {force = false} = {}): void {
    const text = JSON.stringify(
      Object.fromEntries(COUNTED.map((name) => [name, summary[name]]).filter(([, n]) => n !== 0)),
    );
    const last = this.#last;
    const isNew = last === undefined || last.phase !== phase;
    if (!force && !isNew && (last.text === text || at - last.at < this.#gapMs)) return;
    this.#journal.samples.add({run: this.#run, at, phase, counts: text});
    this.#last = {at, phase, text};
    this.#thin();
  }

  #thin(): void {
    const {samples} = this.#journal;
    if (samples.count() <= this.#mostPoints) return;
    samples.dropHalf({but: 'ends'}); // the end of a run is more important
    if (samples.count() > this.#mostPoints) samples.dropHalf();
    this.#gapMs = this.#gap();
  }

  /** The interval at which half of the samples would cover the time that runs took. */
  #gap(): number {
    return Math.max(SHORTEST_GAP_MS, this.#journal.samples.activeMs() / (this.#mostPoints / 2));
  }
}

/** All samples, oldest first. */
export const readTimeline = (journal: Journal): TimelinePoint[] =>
  journal.samples.all().map(({run, at, phase, counts}) => {
    const known = ownJson<Partial<Counts>>(counts); // written above
    return {run, at, phase, counts: byName(COUNTED, (name) => known[name] ?? 0)};
  });
