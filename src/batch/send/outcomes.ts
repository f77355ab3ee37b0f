import type {Clock} from '../../clock.ts';
import {isEnd} from '../answers/answers.ts';
import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Bucket, bucketOf, type Outcome} from '../model/outcome.ts';
import {countOutcome, type Standing} from '../model/tally.ts';
import type {Claims} from '../registry/claim.ts';

/**
 * Maximum number of outcomes per commit. Opening a window also commits them, and so does a timer every half second.
 */
const GROUP = 16_384;

interface OutcomesOptions {
  journal: Journal;
  claims: Claims;
  clock: Clock;
  /** Throws if this process must not continue. */
  assertHeld: () => void;
}

/** Writes the outcomes of rows to the journal, the registry and the counts of the run. */
export class Outcomes {
  /** Updated with each row. */
  readonly standing: Standing;
  /** Outcomes written by this run: one for each stage of a row. */
  steps = 0;
  /** The last written record of the batch, with its row. */
  lastRecord: {row: JournalRow; id: string} | undefined;
  readonly #journal: Journal;
  readonly #claims: Claims;
  readonly #clock: Clock;
  readonly #assertHeld: () => void;
  #hasAged = false;

  constructor(options: OutcomesOptions) {
    this.#journal = options.journal;
    this.#claims = options.claims;
    this.#clock = options.clock;
    this.#assertHeld = options.assertHeld;
    this.standing = options.journal.standing();
  }

  /** Writes the outcome of a row, and updates the counts. `before` is the bucket in which the row was counted. */
  record(row: JournalRow, before: Bucket, outcome: Outcome): void {
    if (outcome.state === 'rejected')
      this.#claims.free(row.reference, outcome.stagedAt === null ? undefined : row);
    else if (outcome.state === 'accepted') this.#claims.paid(row.reference, outcome.id);
    else if (row.outcome?.state === 'accepted' && outcome.state === 'in_doubt' && outcome.id !== null)
      this.#claims.withdrawPaid(row.reference, outcome.id); // its record was not found
    this.#journal.record(outcome, this.#clock.now());
    if (this.#journal.unflushed >= GROUP) this.flush();
    this.steps++;
    if (outcome.id !== null) this.lastRecord = {row, id: outcome.id};
    this.#count(row, before, outcome);
  }

  /** Registry first: a reference that the journal lists as refused must already be free. */
  flush(): void {
    // Journal and registry now belong to the process that took over the lock.
    if (this.#journal.unflushed > 0 || this.#hasAged) this.#assertHeld();
    this.#hasAged = false;
    this.#claims.flush();
    this.#journal.flush();
  }

  /** After a GET, once its outcome is recorded: a record that has failed or was canceled frees its reference. */
  noteEnded(row: JournalRow, id: string, status: string | null): void {
    if (!isEnd(status)) return;
    this.#claims.ended(row.reference, id, row.generation);
    this.#journal.noteEnded(row.n, id, status, {isTold: true}); // the registry is flushed first
  }

  /** The service has known the key of a row for longer than recorded. */
  aged(row: JournalRow, since: number): void {
    this.#claims.older(row, since);
    this.#hasAged = true;
  }

  #count(row: JournalRow, before: Bucket, outcome: Outcome): void {
    const {tally, orphans} = this.standing;
    if (row.outcome !== undefined) countOutcome(this.standing, row.outcome, -1);
    countOutcome(this.standing, outcome, 1);
    const formerOrphan = row.outcome?.orphan ?? null;
    if (outcome.orphan !== null && outcome.orphan !== formerOrphan)
      orphans.push({reference: row.reference, id: outcome.orphan});
    if (outcome.orphan === null && formerOrphan !== null)
      this.standing.orphans = orphans.filter(({id}) => id !== formerOrphan);
    const after = bucketOf(outcome.state);
    if (after === before) return;
    tally[before].count--;
    tally[before].totals.subtract(row.currency, row.amount);
    tally[after].count++;
    tally[after].totals.add(row.currency, row.amount);
  }
}
