import {differsIn} from '../answers/answers.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {judgeRead, type Moved} from '../answers/read-verdict.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {Tries} from '../send/row-tries.ts';
import {wordsOf} from '../answers/words.ts';

interface Job extends Tries {
  row: RecordedRow;
}

const PAGE = 256;

/**
 * Reads the records of held rows. A release skips them, and with caps it may not release them at all. If a record was
 * approved or canceled by its id since then, that is recorded here. Sends only GETs; a record that is still `created`
 * stays held.
 */
export class HeldPhase {
  readonly #run: PhaseParts;
  #page: RecordedRow[] = [];
  #after = 0;

  constructor(run: PhaseParts) {
    this.#run = run;
  }

  async run(): Promise<void> {
    await dispatch<Job>(this.#run, {
      next: () => this.#next(),
      work: (job) => this.#read(job),
      abandon: () => undefined, // nothing is sent that could be in doubt
    });
    endPhase(this.#run);
  }

  #next(): Job | undefined {
    if (this.#page.length === 0) {
      this.#page = this.#run.journal.rows.recorded(['held'], this.#after, PAGE);
      if (this.#page.length > 0) this.#run.beforeWindow(); // the batch must still be ours
    }
    const row = this.#page.shift();
    if (row === undefined) return undefined;
    this.#after = row.n;
    return {row, sends: 0, tries: 0, successes: undefined};
  }

  async #read(job: Job): Promise<WorkEnd> {
    const {row} = job;
    const {id} = row.outcome;
    this.#run.tries.begin(job);
    const sentAt = this.#run.clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.get(id));
    const read = judgeRead(end, id);
    switch (read.is) {
      case 'not-sent':
        job.sends--;
        this.#run.rules.notSent(read, sentAt, wordsOf(end));
        return {again: true, afterMs: 0};
      case 'unanswered':
      case 'failing':
        this.#run.rules.failing(sentAt, wordsOf(end));
        return {again: false};
      case 'throttled':
        return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, true)};
      case 'credentials':
        this.#run.halt.stopFor('credentials', wordsOf(end));
        return {again: false};
      case 'not-found':
        this.#run.records.notFound(row, id, read.answer);
        return {again: false};
      case 'moved':
        this.#moved(row, read);
        return {again: false};
      case 'aborted':
      case 'unknown':
      case 'open':
        return {again: false};
    }
  }

  #moved(row: RecordedRow, {state, status, answer}: Moved): void {
    const {kind} = this.#run.settings;
    const differs = state === 'accepted' ? differsIn(answer, row, kind) : undefined;
    this.#run.outcomes.settle(row, 'staged', outcomeOf(row, {state, status, ...differs}, answer));
    this.#run.outcomes.noteEnded(row, row.outcome.id, status);
  }
}
