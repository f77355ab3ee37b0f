import type {Journal} from '../journal/journal.ts';
import {type Bucket, BUCKETS} from '../model/outcome.ts';
import type {SqliteDatabase} from '../../store/port.ts';
import type {Summary} from './summary.ts';

const COUNTED = [...BUCKETS, 'settled', 'failed'] as const;
export type Counts = Record<Bucket | 'settled' | 'failed', number>;

/** The counts at a moment; `settled` and `failed` are parts of `accepted`. */
export interface TimelinePoint {
  run: number;
  at: number;
  phase: string;
  counts: Counts;
}

/** Kept at most. Beyond it every second one goes, and the next ones lie further apart. */
const MOST_POINTS = 512;
const SHORTEST_GAP_MS = 1000;

/**
 * Writes how the counts of a batch change while one process runs or follows it: one sample a second at first, fewer the
 * longer it takes, so that hours cost no more room than minutes.
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
    this.#run = Number(
      journal.statement('select coalesce(max(run), 0) + 1 as run from timeline').get()!['run'],
    );
    this.#gapMs = this.#gap();
  }

  /** `force`: the end of a run, which is kept even when nothing has changed since the last sample. */
  note(phase: string, summary: Summary, at: number, {force = false} = {}): void {
    const text = JSON.stringify(
      Object.fromEntries(COUNTED.map((name) => [name, summary[name]]).filter(([, n]) => n !== 0)),
    );
    const last = this.#last;
    const isNew = last === undefined || last.phase !== phase;
    if (!force && !isNew && (last.text === text || at - last.at < this.#gapMs)) return;
    this.#journal
      .statement('insert into timeline (run, at, phase, counts) values (?, ?, ?, ?)')
      .run(this.#run, at, phase, text);
    this.#last = {at, phase, text};
    this.#thin();
  }

  #thin(): void {
    if (this.#count() <= this.#mostPoints) return;
    this.#dropHalf('where seq not in (select max(seq) from timeline group by run)'); // where a run ended is worth more
    if (this.#count() > this.#mostPoints) this.#dropHalf('');
    this.#gapMs = this.#gap();
  }

  /** The first and the last of all stay. */
  #dropHalf(among: string): void {
    this.#journal
      .statement(
        `delete from timeline where seq in (select seq from (select seq, row_number() over (order by seq) as k from timeline ${among})
         where k % 2 = 0) and seq <> (select max(seq) from timeline)`,
      )
      .run();
  }

  #count(): number {
    return Number(this.#journal.statement('select count(*) as count from timeline').get()!['count']);
  }

  /** As far apart as half of what is kept would lie over the time in which somebody ran the batch. */
  #gap(): number {
    const activeMs = Number(
      this.#journal
        .statement(
          'select coalesce(sum(ms), 0) as ms from (select max(at) - min(at) as ms from timeline group by run)',
        )
        .get()!['ms'],
    );
    return Math.max(SHORTEST_GAP_MS, activeMs / (this.#mostPoints / 2));
  }
}

/** All samples, the oldest first. */
export function readTimeline(journal: Journal): TimelinePoint[] {
  return journal
    .statement('select run, at, phase, counts from timeline order by seq')
    .all()
    .map((row) => {
      const counts = JSON.parse(row['counts'] as string) as Partial<Counts>; // written above
      const whole = Object.fromEntries(COUNTED.map((name) => [name, counts[name] ?? 0])) as Counts; // one per name
      return {run: Number(row['run']), at: Number(row['at']), phase: row['phase'] as string, counts: whole};
    });
}

/** For a new revision, whose journal is a new one. */
export function copyTimeline(from: SqliteDatabase, to: SqliteDatabase): void {
  const insert = to.prepare('insert into timeline (seq, run, at, phase, counts) values (?, ?, ?, ?, ?)');
  to.transaction(() => {
    for (const row of from.prepare('select seq, run, at, phase, counts from timeline order by seq').all())
      insert.run(row['seq']!, row['run']!, row['at']!, row['phase']!, row['counts']!);
  });
}
