import type {Answer} from '../../client/answers/answer.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {compareFetched, otherParts} from '../answers/echo.ts';
import {differsIn, judgeFailure, noteOfDifference, type NotSent} from '../answers/answers.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {type Bucket, FORGOTTEN_CODE, type RowState, LOST} from '../model/outcome.ts';
import {judgeRead} from '../answers/read-verdict.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import {hasForgottenKeys} from './release-job.ts';
import {pagesOf} from '../model/pages.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {type Tries, TRIES} from '../send/row-tries.ts';
import {wordsOf} from '../answers/words.ts';
import {answeredText, MAYBE_BY_SECOND, shownText} from '../answers/stop-words.ts';
import type {ExchangeResult} from '../answers/wire.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

interface CancelJob extends Tries {
  row: RecordedRow;
  id: string;
  before: Bucket;
  /** The record was read and is still `created`: cancel it, then read it again. */
  isOpen: boolean;
  /** The service's answer to the last cancel that it refused. */
  refusal: string | undefined;
  /** How often the service accepted a cancel of this record. */
  accepted: number;
}

/** States of rows whose record may still be `created`. */
const CANCELABLE = ['staged', 'held', 'unapproved', 'in_doubt'] as const;
const PAGE = 256;
const FREED_AT_ONCE = 1000;

/**
 * Cancels the records of a batch: each is read, canceled if it is `created`, and read again. The result is what the
 * GET shows, never the answer to the cancel. A released record is left unchanged.
 */
export class CancelPhase {
  readonly #run: Parts;
  readonly #keysForgotten: boolean;
  #page: RecordedRow[] = [];
  #after = 0;
  /** Records that are still `created` or could not be read. */
  left = 0;
  /** Why the first of them was not canceled, as the service said. */
  refusal: string | undefined;

  constructor(run: Parts) {
    this.#run = run;
    this.#keysForgotten = hasForgottenKeys(run.journal);
  }

  async run(): Promise<void> {
    await dispatch<CancelJob>(this.#run, {
      next: () => this.#next(),
      work: (job) => (job.isOpen ? this.#cancel(job) : this.#read(job)),
      abandon: () => void this.left++,
    });
    endPhase(this.#run);
  }

  /**
   * Frees the references of rows that were never sent, were declared not paid, or whose key returns the record of another
   * payment, so that other batches may have them. The rows keep their key, and a row that may have been sent is marked,
   * so that an existing record is not mistaken for one with other content.
   */
  freeUnsent(): void {
    const {journal, claims} = this.#run;
    const unsent = (after: number, limit: number) =>
      journal.rows.inStates(['not_sent', 'collision'], after, limit);
    for (const page of pagesOf(unsent, FREED_AT_ONCE)) {
      for (const row of page) claims.free(row.reference, row.outcome.stagedAt === null ? undefined : row);
      claims.flush();
    }
  }

  #next(): CancelJob | undefined {
    if (this.#page.length === 0) {
      this.#page = this.#run.journal.rows.recorded(CANCELABLE, this.#after, PAGE);
      if (this.#page.length > 0) this.#run.beforeWindow(); // the batch must still be ours
    }
    const row = this.#page.shift();
    if (row === undefined) return undefined;
    this.#after = row.n;
    const job: CancelJob = {
      ...{row, id: row.outcome.id, before: bucketBefore(row, false)},
      ...{isOpen: false, refusal: undefined, accepted: 0, sends: 0, tries: 0, successes: undefined},
    };
    if (!this.#mayBePaid(row)) return job;
    this.#record(job, {state: 'in_doubt', code: FORGOTTEN_CODE, message: MAYBE_BY_SECOND});
    this.left++;
    return this.#next();
  }

  /** Its own record may be open, and the row paid by another one. */
  #mayBePaid({outcome}: RecordedRow): boolean {
    return outcome.state === 'in_doubt' && (this.#keysForgotten || outcome.code === FORGOTTEN_CODE);
  }

  async #read(job: CancelJob): Promise<WorkEnd> {
    const sentAt = this.#run.clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.get(job.id));
    const {kind} = this.#run.settings;
    const read = judgeRead(end, {row: job.row, id: job.id, kind});
    switch (read.is) {
      case 'aborted':
        return this.#leave();
      case 'not-sent':
        return this.#notSent(read, end, sentAt);
      case 'unanswered':
        return this.#again(job, sentAt, wordsOf(end));
      case 'throttled':
        return {again: true, afterMs: this.#run.tries.backoff(job.sends, true)};
      case 'not-found':
        this.#record(job, {state: 'in_doubt', http: 404, message: LOST}, read.answer);
        this.#run.records.stopForLost(job.row, job.id);
        return {again: false};
      case 'credentials':
        this.#run.halt.stopFor('credentials', answeredText(wordsOf(end)));
        return this.#leave();
      case 'failing':
        return this.#again(job, sentAt, `its record could not be read: ${wordsOf(end)}`);
      case 'unknown':
        if (read.other !== undefined)
          return this.#again(job, sentAt, this.#shown(job, read.other), 'in_doubt'); // it may not be its record
        return this.#again(job, sentAt, `its record could not be read: ${wordsOf(end)}`);
      case 'open': {
        const {record} = read;
        if (compareFetched(record, job.row, kind) !== 'other') return this.#stillOpen(job);
        const parts = otherParts(record, job.row, kind).join(' and ');
        return this.#again(job, sentAt, this.#shown(job, `record ${job.id} has ${parts}`), 'in_doubt');
      }
      case 'moved': {
        const {state, status, answer} = read;
        const isPaid = state === 'accepted';
        const differs = isPaid
          ? noteOfDifference(job.row, differsIn(answer, job.row, kind), false)
          : undefined;
        this.#record(job, {state, status, code: null, message: null, ...differs}, answer);
        this.#run.outcomes.noteEnded(job.row, job.id, status);
        return {again: false};
      }
    }
  }

  #shown({row}: CancelJob, words: string): string {
    return shownText(row, words, this.#run.journal.sanitizer);
  }

  #stillOpen(job: CancelJob): WorkEnd {
    if (job.refusal !== undefined) return this.#refused(job, job.refusal);
    if (job.accepted >= TRIES)
      return this.#refused(job, `it accepted the cancel ${TRIES} times, but the record is still created`);
    job.isOpen = true;
    return {again: true, afterMs: 0};
  }

  async #cancel(job: CancelJob): Promise<WorkEnd> {
    this.#run.tries.begin(job);
    job.isOpen = false; // whatever the result, and also after a wait: the record is read before the next try
    const sentAt = this.#run.clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.cancel(job.row));
    if ('failure' in end) {
      if (end.failure.kind === 'aborted') return this.#leave();
      const verdict = judgeFailure(end.failure);
      if (verdict.is === 'not-sent') return this.#notSent(verdict, end, sentAt);
      return this.#again(job, sentAt, wordsOf(end));
    }
    switch (meaningOf(end.answer)) {
      case 'success': {
        const isLate = job.accepted++ > 0; // the service may take a while
        return {again: true, afterMs: isLate ? this.#run.tries.backoff(job.accepted, false) : 0};
      }
      case 'unauthorized':
      case 'forbidden':
        this.#run.halt.stopFor('credentials', answeredText(wordsOf(end)));
        return this.#leave();
      case 'redirect':
        this.#run.rules.redirected(wordsOf(end));
        return this.#leave();
      case 'throttled':
        return {again: true, afterMs: this.#run.tries.backoff(job.sends, true)};
      case 'failing':
        return this.#again(job, sentAt, wordsOf(end));
      default:
        job.refusal = wordsOf(end);
        return {again: true, afterMs: 0};
    }
  }

  #notSent(verdict: NotSent, end: ExchangeResult, sentAt: number): WorkEnd {
    const then = this.#run.rules.notSent(verdict, sentAt, wordsOf(end));
    return then === 'wait' ? {again: true, afterMs: 0} : this.#leave();
  }

  /** @param state of the row after the last try; by default as before */
  async #again(
    job: CancelJob,
    sentAt: number,
    words: string,
    state: RowState = job.row.outcome.state,
  ): Promise<WorkEnd> {
    if (await this.#run.tries.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#run.tries.backoff(job.tries, false)};
    this.refusal ??= `row ${job.row.n} (${job.row.reference}): ${words}`;
    this.#record(job, {state, message: words});
    return this.#leave();
  }

  #refused(job: CancelJob, words: string): WorkEnd {
    const {n, reference, outcome} = job.row;
    const message = this.#shown(job, `the service did not cancel it: ${words}`);
    this.refusal ??= `row ${n} (${reference}): ${message}`;
    this.#record(job, {state: outcome.state, message});
    return this.#leave();
  }

  #leave(): WorkEnd {
    this.left++;
    return {again: false};
  }

  #record(job: CancelJob, facts: Parameters<typeof outcomeOf>[1], answer?: Answer): void {
    this.#run.outcomes.record(job.row, job.before, outcomeOf(job.row, facts, answer));
  }
}
