import type {Clock} from '../../clock.ts';
import type {Journal} from '../journal/journal.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {bucketOf, BUCKETS, type Outcome} from '../model/outcome.ts';
import {countOutcome, type Standing} from '../model/tally.ts';
import {
  closedStatuses,
  countedStatus,
  countFollowed,
  type FollowCounts,
  type Goal,
  moveCount,
} from './counts.ts';

const PAGE = 256;

/** The rows that are followed: what is read is written to the journal and counted. */
export class FollowedRows {
  readonly counts: FollowCounts;
  /** A row is in another bucket than before, so the batch may have another next command. */
  hasMoved = false;
  /** Kept up to date, for a summary. */
  standing: Standing;
  readonly #journal: Journal;
  readonly #kind: Kind;
  readonly #until: Goal | undefined;
  readonly #clock: Clock;

  constructor(options: {journal: Journal; kind: Kind; until?: Goal | undefined; clock: Clock}) {
    const {journal, kind, until, clock} = options;
    this.#journal = journal;
    this.#kind = kind;
    this.#until = until;
    this.#clock = clock;
    journal.makeDoubtExplicit(); // the outcomes of rows are counted here as they are
    this.standing = journal.standing();
    this.counts = countFollowed(journal, kind, until);
  }

  /** Whether any record has to be read. */
  get isAnyOpen(): boolean {
    return this.#page(0, 1).length > 0;
  }

  #page(after: number, limit: number): RecordedRow[] {
    const closed = closedStatuses(this.#kind, this.#until);
    return this.#journal.rows.following(closed, after, limit, this.#until === undefined);
  }

  /** Returns one row after the other whose record has to be read; the journal is read a page at a time. */
  open(): () => RecordedRow | undefined {
    let page: RecordedRow[] = [];
    let after = 0;
    return () => {
      if (page.length === 0) page = this.#page(after, PAGE);
      const row = page.shift();
      if (row !== undefined) after = row.n;
      return row;
    };
  }

  /** The journal was changed by something else, such as the registry. */
  recount(): void {
    const before = countsOf(this.standing);
    this.standing = this.#journal.standing();
    if (countsOf(this.standing) !== before) this.hasMoved = true;
  }

  record(row: RecordedRow, outcome: Outcome): void {
    const before = row.outcome;
    this.#journal.record(outcome, this.#clock.now());
    countOutcome(this.standing, before, -1);
    countOutcome(this.standing, outcome, 1);
    const [from, to] = [bucketOf(before.state), bucketOf(outcome.state)];
    if (outcome.state === 'accepted' && before.state !== 'accepted') this.#journal.noteFoundPaid();
    if (from !== to) {
      this.hasMoved = true;
      const {tally} = this.standing;
      tally[from].count--;
      tally[from].totals.subtract(row.currency, row.amount);
      tally[to].count++;
      tally[to].totals.add(row.currency, row.amount);
    }
    const move = {from: countedStatus(before), to: countedStatus(outcome)};
    moveCount(this.counts, this.#kind, this.#until, move);
  }
}

const countsOf = ({tally}: Standing): string => BUCKETS.map((bucket) => tally[bucket].count).join();
