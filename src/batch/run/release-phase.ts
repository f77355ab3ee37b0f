import type {Answer} from '../../client/answers/answer.ts';
import {differsIn, judgeExchange, noteOfDifference, type Known} from '../answers/answers.ts';
import {compareFetched, otherParts} from '../answers/echo.ts';
import {approveById} from './approve-by-id.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {
  acceptedFor,
  factsOf,
  type Refusal,
  type Releasable,
  releasable,
  type ReleaseJob,
  releaseJob,
} from './release-job.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {DIFFERS, NOT_RELEASED, type Outcome, REGISTRY_CODE} from '../model/outcome.ts';
import {probe} from './probe.ts';
import {isPastHorizon} from '../model/record-age.ts';
import type {OtherPayment} from '../registry/claim.ts';
import {judgeRead, type Moved, type Open} from '../answers/read-verdict.ts';
import {RowSource} from './row-source.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {whyOdd, wordsOf} from '../answers/words.ts';
import {answeredText, LOST, otherRecordText, paidTwiceText} from '../answers/stop-words.ts';

/** After this long without a success the probe is repeated. */
const PROBE_AFTER_MS = 5 * 60_000;

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

const UNREAD = 'its record could not be read completely';

/**
 * Releases staged rows by the documented replay: same key, same body, `auto_approve` true. Every request here has a
 * known id, so after a lost answer the record is fetched; nothing is sent again before that.
 */
export class ReleasePhase {
  readonly #run: Parts;
  readonly #source: RowSource<RecordedRow>;
  readonly #states: readonly Releasable[];
  #probing: Promise<boolean> | undefined;
  #mustProbe: boolean;
  /** Rows left staged because their key may be forgotten. */
  pastHorizon = 0;

  /**
   * @param only states of the rows that are sent; without `staged`, only rows released before are sent, and most
   *   records only have to be fetched
   * @param mustProbe the probe has not been made yet
   */
  constructor(run: Parts, only?: readonly Releasable[], mustProbe = false) {
    this.#run = run;
    this.#mustProbe = mustProbe;
    const {journal, claims, clock, beforeWindow, settings} = run;
    const states = only ?? releasable(settings);
    this.#states = states;
    this.#source = new RowSource({
      journal,
      claims,
      phase: 'release',
      takes: states,
      clock,
      beforeWindow,
      page: (after, limit) => journal.rows.recorded(states, after, limit),
      inFlight: () => run.speed.limit(),
      windowRows: settings.windowRows,
    });
  }

  async run(): Promise<void> {
    await dispatch<ReleaseJob>(this.#run, {
      next: () => this.#next(),
      work: (job) => (job.look ? this.#look(job) : this.#release(job)),
      abandon: (job) => void this.#leave(job),
    });
    // The open window marks rows as "may have been released" that certainly were not.
    for (const {row} of this.#source.untouched())
      this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, {...row.outcome}));
    endPhase(this.#run);
  }

  #next(): ReleaseJob | undefined {
    let taken = this.#source.next();
    while (taken?.paidByOther !== undefined && taken.paidByOther.id !== taken.row.outcome.id) {
      this.#leaveToPerson(taken.row, taken.paidByOther);
      taken = this.#source.next();
    }
    if (taken === undefined) return undefined;
    return releaseJob(taken.row, this.#run.settings.retryUnapproved);
  }

  async #release(job: ReleaseJob): Promise<WorkEnd> {
    const {row, id} = job;
    const {clock, settings} = this.#run;
    if (isPastHorizon(row.outcome.stagedAt ?? 0, clock.now(), settings.horizonMs)) {
      if (job.looked) return settings.approveById ? this.#approve(job) : this.#tooLate(job);
      job.look = true; // it may have been approved by its id in the meantime
      return {again: true, afterMs: 0};
    }
    if (this.#mustProbe || this.#run.rules.quietMs > PROBE_AFTER_MS) {
      if (!(await this.#probeOnce())) return this.#leave(job);
      this.#mustProbe = false;
      return {again: true, afterMs: 0}; // the gate and the age may have changed
    }
    this.#run.tries.begin(job);
    job.looked = false; // what was read is older than this request
    const sentAt = clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.create(row, true));
    const answer = 'answer' in end ? end.answer : undefined;
    const {kind} = settings;
    const verdict = judgeExchange(end, {row, kind, phase: 'release', stagedId: id, isProven: true});
    switch (verdict.is) {
      case 'known':
        return this.#known(job, verdict, answer);
      case 'processing':
        job.look = job.processing = job.maybe = true;
        return this.#againOrDoubt(job, sentAt, false, 'the service is still processing the release');
      case 'maybe':
        job.look = job.maybe = true;
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
        return this.#againOrDoubt(job, sentAt, verdict.throttled, wordsOf(end));
      case 'not-sent':
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
        if (this.#run.rules.notSent(verdict, sentAt, wordsOf(end)) === 'left')
          return this.#leave(job, NOT_RELEASED + wordsOf(end));
        if (answer === undefined) job.sends--;
        return {again: true, afterMs: 0};
    }
  }

  #known(job: ReleaseJob, verdict: Known, answer: Answer | undefined): WorkEnd {
    const {row, id} = job;
    const {settings, outcomes, halt} = this.#run;
    const {state, status, orphan, stop} = verdict;
    const facts = {
      state,
      id: verdict.id ?? id,
      status,
      ...(orphan === undefined ? {} : {orphan}),
      ...(verdict.message === undefined ? {} : {message: verdict.message}),
      ...(state === 'accepted'
        ? noteOfDifference(row, verdict.differs && DIFFERS, settings.acceptDifferences)
        : {}),
      attempts: this.#attempts(job),
    };
    outcomes.record(row, job.before, outcomeOf(row, facts, answer));
    if (stop === 'key-forgotten') halt.stopFor(stop, paidTwiceText(row));
    else if (stop) halt.stopFor(stop, otherRecordText(row));
    return {again: false};
  }

  async #look(job: ReleaseJob): Promise<WorkEnd> {
    this.#run.tries.begin(job);
    const sentAt = this.#run.clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.get(job.id));
    const read = judgeRead(end, job.id);
    switch (read.is) {
      case 'aborted':
        return this.#leave(job);
      case 'not-sent':
        this.#run.rules.notSent(read, sentAt, wordsOf(end));
        job.sends--;
        return {again: true, afterMs: 0};
      case 'unanswered':
        return this.#againOrDoubt(job, sentAt, false, wordsOf(end));
      case 'throttled':
        return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, true)};
      case 'not-found':
        this.#record(job, {state: 'in_doubt', http: 404, message: LOST});
        this.#run.records.stopForLost(job.row, job.id);
        return {again: false};
      case 'credentials':
        this.#run.halt.stopFor('credentials', answeredText(wordsOf(end)));
        return this.#leave(job);
      case 'failing':
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, `its record could not be read: ${wordsOf(end)}`);
      case 'unknown':
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, UNREAD + ('answer' in end ? whyOdd(end.answer) : ''));
      case 'open':
        job.looked = true;
        if (compareFetched(read.record, job.row, this.#run.settings.kind) === 'other')
          return this.#otherPayment(job, read.record);
        return this.#stillOpen(job, sentAt);
      case 'moved':
        job.looked = true;
        return this.#moved(job, read);
    }
  }

  #moved(job: ReleaseJob, {state, status, answer}: Moved): WorkEnd {
    const {kind, acceptDifferences} = this.#run.settings;
    const differs =
      state === 'accepted'
        ? noteOfDifference(job.row, differsIn(answer, job.row, kind), acceptDifferences)
        : undefined;
    this.#record(job, {state, status, ...differs});
    this.#run.outcomes.noteEnded(job.row, job.id, status);
    return {again: false};
  }

  async #stillOpen(job: ReleaseJob, sentAt: number): Promise<WorkEnd> {
    if (job.refused !== undefined) {
      this.#unapproved(job, job.refused);
      return {again: false};
    }
    if (!job.processing) {
      job.look = false; // nothing has happened to it yet, but an earlier request may still be in progress
      return {again: true, afterMs: 0};
    }
    return this.#againOrDoubt(job, sentAt, false, UNREAD);
  }

  /** It was asked to be released before, with what was then the content of the record. It is not released again. */
  #otherPayment(job: ReleaseJob, record: Open['record']): WorkEnd {
    const {row, id} = job;
    const parts = otherParts(record, row, this.#run.settings.kind).join(' and ');
    this.#record(job, {state: 'collision', status: 'created', message: `record ${id} has ${parts}`});
    this.#run.halt.stopFor('collision', otherRecordText(row));
    return {again: false};
  }

  async #approve(job: ReleaseJob): Promise<WorkEnd> {
    const approved = await approveById(this.#run, job);
    if (approved.is === 'left') return this.#leave(job);
    if (approved.is !== 'other-record') return {again: true, afterMs: 0};
    const {n, reference} = job.row;
    this.#record(job, {state: 'collision', status: approved.status});
    this.#run.halt.stopFor(
      'collision',
      `approving the record ${job.id} of row ${n} (${reference}) returned a different one`,
    );
    return {again: false};
  }

  /** The record exists and was not approved. */
  #unapproved(job: ReleaseJob, refusal: Refusal): void {
    this.#record(job, {state: 'unapproved', ...factsOf(refusal)});
  }

  /** Past the horizon a replay might create a second record. A row that was never released stays staged. */
  #tooLate(job: ReleaseJob): WorkEnd {
    this.pastHorizon++;
    const message =
      'staged longer ago than the key horizon; approve it by its id and resume the batch, or allow approval by id in the profile (profiles set --approve-by-id) and release the batch';
    this.#record(job, {state: job.maybe ? 'in_doubt' : job.row.outcome.state, message});
    return {again: false};
  }

  /** The registry, or this journal, was lost in between: the record would be a second payment. */
  #leaveToPerson(row: RecordedRow, {batch, id}: OtherPayment): void {
    const message = `batch ${batch} also paid this reference later${id === null ? '' : `, record ${id}`}; check for a double payment, then resolve this row`;
    const facts = {state: 'in_doubt', code: REGISTRY_CODE, message} as const;
    this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, facts));
  }

  #probeOnce(): Promise<boolean> {
    this.#probing ??= probe(this.#run, this.#states).finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  async #againOrDoubt(job: ReleaseJob, sentAt: number, throttled: boolean, words: string): Promise<WorkEnd> {
    if (await this.#run.tries.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, throttled)};
    this.#doubt(job, words);
    return {again: false};
  }

  /** A refusal that the record could not confirm is kept: the next run must not try again automatically. */
  #doubt(job: ReleaseJob, words: string): void {
    this.#record(job, {
      state: 'in_doubt',
      ...(job.refused === undefined ? {message: words} : factsOf(job.refused)),
    });
  }

  /**
   * Left for another run: in doubt if a release may have been accepted, otherwise unchanged, which the open window
   * does not show.
   * @param why what the service answered to the release of a row that stays as it is
   */
  #leave(job: ReleaseJob, why?: string): WorkEnd {
    const {outcome} = job.row;
    if (job.maybe) this.#doubt(job, 'the release was sent, and no usable answer came');
    else if (why === undefined || outcome.state !== 'staged') this.#record(job, {...outcome});
    else this.#record(job, {...outcome, message: why});
    return {again: false};
  }

  #record(job: ReleaseJob, facts: Partial<Outcome> & Pick<Outcome, 'state'>): void {
    this.#run.outcomes.record(
      job.row,
      job.before,
      outcomeOf(job.row, {...acceptedFor(job.row, facts), ...facts, attempts: this.#attempts(job)}),
    );
  }

  #attempts(job: ReleaseJob): number {
    return job.row.outcome.attempts + job.sends;
  }
}
