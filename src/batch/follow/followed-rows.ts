import type {Clock} from '../../clock.ts';
import type {Journal} from '../journal/journal.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {DIFFERS_CODE, type Outcome} from '../model/outcome.ts';
import {addCount, type Standing} from '../model/tally.ts';
import {closedStatuses, countFollowed, type FollowCounts, type Goal, moveCount} from './counts.ts';

const PAGE = 256;

/** The rows that are followed: what is read is written to the journal and counted. */
export class FollowedRows {
  readonly counts: FollowCounts;
  /** Kept up to date, for a summary. */
  readonly standing: Standing;
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
    this.standing = journal.standing();
    this.counts = countFollowed(journal, kind, until);
  }

  /** Whether any record has to be read: without a goal, also final ones that showed another payment. */
  get isAnyOpen(): boolean {
    return this.counts.open > 0 || (this.#until === undefined && this.#journal.rows.hasOneReadAsOther());
  }

  /** Returns one row after the other whose record has to be read; the journal is read a page at a time. */
  open(): () => RecordedRow | undefined {
    const closed = closedStatuses(this.#kind, this.#until);
    let page: RecordedRow[] = [];
    let after = 0;
    return () => {
      if (page.length === 0)
        page = this.#journal.rows.following(closed, after, PAGE, this.#until === undefined);
      const row = page.shift();
      if (row !== undefined) after = row.n;
      return row;
    };
  }

  record(row: RecordedRow, outcome: Outcome): void {
    const before = row.outcome;
    this.#journal.record(outcome, this.#clock.now());
    const {statuses, tally} = this.standing;
    const isDifferent = ({state, code}: Outcome): number =>
      state === 'accepted' && code === DIFFERS_CODE ? 1 : 0;
    this.standing.differs += isDifferent(outcome) - isDifferent(before);
    if (before.status !== null) addCount(statuses, before.status, -1);
    if (outcome.state === 'accepted') {
      if (outcome.status !== null) addCount(statuses, outcome.status, 1);
    } else {
      const bucket = outcome.state === 'dead_key' ? 'conflict' : 'in_doubt';
      if (outcome.state === 'dead_key') this.standing.canceled++;
      const amount = BigInt(row.amount);
      tally.accepted.count--;
      tally.accepted.totals.subtract(row.currency, amount);
      tally[bucket].count++;
      tally[bucket].totals.add(row.currency, amount);
    }
    const to = outcome.state === 'in_doubt' ? undefined : outcome.status;
    moveCount(this.counts, this.#kind, this.#until, {from: before.status, to});
  }
}
