import {approvedOtherwise, isEnd} from '../answers/answers.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import type {ReadVerdict} from '../answers/read-verdict.ts';
import {wordsOf} from '../answers/words.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {NOT_RELEASED} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {isGood, shownAs} from './former-phase.ts';
import {readAgain, readJob, type ReadJob} from './read-again.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

interface Job extends ReadJob {
  row: RecordedRow;
}

const PAGE = 256;
const STATES = ['staged', 'held', 'unapproved', 'in_doubt'] as const;

/**
 * Reads, before a release, the records that staged ones replace; sends only GETs. They had failed or were canceled when
 * their rows got a new key, which may be days ago. If one is settled after all, it is the payment of its row, and the staged
 * record is left behind. If one shows no end now, its row is not released, and the next release reads the record again.
 */
export class ReplacedPhase {
  readonly #run: Parts;
  readonly #readNow: ReadonlySet<number>;
  /** Why rows are not released in this run, by their numbers. */
  readonly left = new Map<number, string>();

  /** @param readNow numbers of rows whose former records this run has read already */
  constructor(run: Parts, readNow: ReadonlySet<number>) {
    this.#run = run;
    this.#readNow = readNow;
  }

  async run(): Promise<void> {
    const {journal, halt, beforeWindow} = this.#run;
    for (const page of pagesOf((after, limit) => journal.rows.replacing(STATES, after, limit), PAGE)) {
      const jobs = page.flatMap((row): Job[] => {
        const id = this.#readNow.has(row.n) ? undefined : journal.former.replacedBy(row);
        return id === undefined ? [] : [readJob({row, id})];
      });
      if (jobs.length === 0) continue;
      beforeWindow(); // the batch must still be ours
      await this.#read(jobs);
      if (halt.stop !== undefined) return;
    }
  }

  async #read(jobs: readonly Job[]): Promise<void> {
    let next = 0;
    await dispatch<Job>(this.#run, {
      next: () => jobs[next++],
      work: (job) => this.#work(job),
      abandon: () => undefined, // nothing is released by a run that was stopped
    });
    endPhase(this.#run);
    this.#run.outcomes.flush();
  }

  async #work(job: Job): Promise<WorkEnd> {
    const {kind} = this.#run.settings;
    // The row may have been corrected since, and its former record in another batch may differ in more than that.
    const found = await readAgain(this.#run, job, () => ({row: undefined, id: job.id, kind}), {
      mustRead: true,
    });
    if (!found.again) this.#judge(job, found.read, wordsOf(found.end));
    return found.again ? found : {again: false};
  }

  #judge({row, id}: Job, read: ReadVerdict, words: string): void {
    const {kind} = this.#run.settings;
    if (read.is === 'aborted' || (read.is === 'moved' && isEnd(read.status))) return;
    const isPaid = read.is === 'moved' && isGood(read.status, kind);
    const other = isPaid ? approvedOtherwise(read.answer, row, kind)?.message : undefined;
    const shown = `record ${id} of this reference had failed or was canceled, and ${shownAs(read, words)}`;
    if (isPaid && other === undefined && row.outcome.state !== 'in_doubt')
      this.#paid({row, id}, read.status, shown);
    else
      this.left.set(
        row.n,
        `${NOT_RELEASED}${shown}${other === undefined ? '' : ` (${other})`}: it may have paid this row, which is released only once that record is shown as failed or canceled again. If it has paid, cancel record ${row.outcome.id}`,
      );
  }

  #paid({row, id}: Pick<Job, 'row' | 'id'>, status: string, shown: string): void {
    const {journal, claims} = this.#run;
    const isOurs = journal.former.hasEnded(id);
    claims.paid(row.reference, id);
    if (isOurs) journal.withdrawEnded(id);
    this.#record(row, {
      ...(isOurs ? {state: 'accepted', status} : {state: 'already_paid', status: null}),
      ...{id, stagedAt: null, code: null, message: `${shown}: it is the payment of this row`},
      orphan: row.outcome.id,
    });
  }

  /** At the end of the run. */
  explain(): void {
    const {journal, outcomes} = this.#run;
    if (this.left.size === 0) return;
    outcomes.flush();
    const rows = (after: number, limit: number) => journal.rows.replacing(['staged'], after, limit);
    for (const page of pagesOf(rows, PAGE))
      for (const row of page) {
        const message = this.left.get(row.n);
        if (message !== undefined) this.#record(row, {...row.outcome, message});
      }
  }

  #record(row: RecordedRow, facts: Parameters<typeof outcomeOf>[1]): void {
    this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, facts));
  }
}
