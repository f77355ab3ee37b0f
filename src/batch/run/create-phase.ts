import type {Answer} from '../../client/answer.ts';
import {differsIn, judgeAnswer, judgeFailure, noteOfDifference} from './answers.ts';
import {Dispatcher, type WorkEnd} from './dispatcher.ts';
import type {JournalRow} from '../journal/row.ts';
import {type Bucket, DIFFERS, DIRECT_WITH_USED_KEY, type Outcome} from '../model/outcome.ts';
import {isPastHorizon, KEY_IN_USE_MS, RecordAges} from '../model/record-age.ts';
import {judgeRead} from './read-verdict.ts';
import {RowSource} from './row-source.ts';
import {scheduleDay} from '../input/rows.ts';
import {bucketBefore, outcomeOf, type RunContext, type Tries, wordsOf} from './run-context.ts';
import {LOST, otherRecordText} from './stop-words.ts';

interface CreateJob extends Tries {
  row: JournalRow;
  before: Bucket;
  /** It may have been sent, now or by an earlier run, without an answer that we know. */
  maybe: boolean;
  /** It may have been sent by an earlier run. */
  isOld: boolean;
  /** When it may first have been taken: a key is remembered from then on. */
  sentAt: number | undefined;
  /** An unanswered try used its key for other content: only an answer that makes a new record is one of this row. */
  isKeyUsed: boolean;
  /** When it was last sent in this run. */
  triedAt: number | undefined;
  /** Of a record that is being processed and must be looked at; direct mode only. */
  lookFor: string | undefined;
}

/** What created_at and a Date in whole seconds may differ by although the record was made just now. */
const CLOCK_SLACK_MS = 5000;

/** A new key could pay a second time, so nothing sends the row again before an operator has looked for its record. */
const KEY_REFUSED =
  'the service refused its key and named no record. Look for a record with this reference: resolve with --paid if it was paid, retry with --row if there is none';

const keyInUse = (forMs: number): string =>
  forMs < KEY_IN_USE_MS
    ? 'An earlier request with its key may still be in progress; resume the batch to send it again'
    : 'Its key is still in use and no record came back: look for a record with this reference, then resolve the row';

const OTHER_CONTENT =
  'this record was made by an earlier request with other content, which was never answered';

/**
 * Creates every row that has no record yet: without approval when staging, with it in direct mode. A row that may have
 * been sent before is replayed with the same key and the same bytes.
 */
export class CreatePhase {
  readonly #context: RunContext;
  readonly #phase: 'stage' | 'direct';
  readonly #source: RowSource;
  /** `cancel` after direct mode: an unanswered request of a row may still approve the record that a replay shows open. */
  readonly #mayBeApproved: boolean;
  readonly #ages = new RecordAges();
  /** Rows left in doubt because their key may be forgotten. */
  pastHorizon = 0;

  /** @param only `doubts`: rows that may have been sent are settled, and no other row is sent */
  constructor(context: RunContext, phase: 'stage' | 'direct', only?: 'doubts') {
    this.#context = context;
    this.#phase = phase;
    const {journal, claims, clock, beforeWindow, settings} = context;
    this.#mayBeApproved = only === 'doubts' && journal.fact('path') === 'direct';
    this.#source = new RowSource({
      journal,
      claims,
      takes: only === 'doubts' ? ['in_doubt'] : ['new', 'not_sent', 'in_doubt'],
      phase,
      clock,
      beforeWindow,
      page: (after, limit) =>
        only === 'doubts' ? journal.doubtsWithoutRecord(after, limit) : journal.unstaged(after, limit),
      inFlight: () => context.speed.limit(),
      windowRows: settings.windowRows,
    });
  }

  async run(): Promise<void> {
    const {speed, clock} = this.#context;
    const dispatcher = new Dispatcher<CreateJob>({
      speed,
      clock,
      next: () => this.#next(),
      work: (job) => (job.lookFor === undefined ? this.#create(job) : this.#look(job, job.lookFor)),
      abandon: (job) => this.#leave(job, 'the run stopped before the outcome of this row was known'),
    });
    this.#context.onStop = () => dispatcher.stop();
    this.#context.onGate = (ms) => dispatcher.closeGate(ms);
    dispatcher.closeGate(this.#context.gateUntil - clock.monotonic()); // an earlier phase may have been told to wait
    if (this.#context.stop === undefined) await dispatcher.run();
    await this.#context.readForRefusals();
    // The open window says "may have been sent" of rows that surely were not.
    for (const {row, coveredSince} of this.#source.untouched())
      if (coveredSince === undefined && row.outcome?.state !== 'in_doubt')
        this.#context.settle(row, bucketBefore(row, false), outcomeOf(row, {state: 'not_sent'}));
    this.#context.endOfPhase();
  }

  #next(): CreateJob | undefined {
    for (;;) {
      const taken = this.#source.next();
      if (taken === undefined) return undefined;
      const {row, coveredSince, isKeyUsed = false} = taken;
      const maybe = coveredSince !== undefined || row.outcome?.state === 'in_doubt';
      // Of a row without a record, `stagedAt` keeps when it was first left in doubt.
      const sentAt = maybe ? (row.outcome?.stagedAt ?? coveredSince) : undefined;
      const before = bucketBefore(row, maybe);
      // Declared not paid by an operator, it goes out whatever its age; but the doubt it was in is not forgotten.
      const isOld = maybe || (row.outcome !== undefined && row.outcome.stagedAt !== null);
      const job: CreateJob = {
        row,
        before,
        maybe,
        isOld,
        isKeyUsed,
        sentAt,
        ...{sends: 0, tries: 0, successes: undefined},
        triedAt: undefined,
        lookFor: undefined,
      };
      if (isKeyUsed && this.#phase === 'direct') this.#leave(job, DIRECT_WITH_USED_KEY);
      else if (!this.#isTooOld(job)) return job;
      else this.#leaveTooOld(job);
    }
  }

  #isTooOld({maybe, sentAt}: CreateJob): boolean {
    const {clock, settings} = this.#context;
    return maybe && sentAt !== undefined && isPastHorizon(sentAt, clock.now(), settings.horizonMs);
  }

  #leaveTooOld(job: CreateJob): WorkEnd {
    this.pastHorizon++;
    this.#settle(job, {
      state: 'in_doubt',
      stagedAt: this.#firstDoubt(job),
      message:
        'it may have been sent longer ago than the key horizon, so the service may have forgotten the key; find out whether it was paid, then resolve it',
    });
    return {again: false};
  }

  async #create(job: CreateJob): Promise<WorkEnd> {
    const {row} = job;
    if (this.#isTooOld(job)) return this.#leaveTooOld(job); // it has waited for a gate since it was taken up
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    // A row that was declared not paid may have been taken all the same: it goes out, but its key is no newer for that.
    job.triedAt = this.#context.clock.now();
    if (!job.maybe) job.sentAt = row.outcome?.stagedAt ?? job.triedAt;
    const end = await this.#context.exchange(this.#context.wire.create(row, this.#phase === 'direct'));
    const verdict =
      'answer' in end
        ? judgeAnswer({
            answer: end.answer,
            row,
            kind: this.#context.settings.kind,
            phase: this.#phase,
            stagedId: null,
            isProven: this.#context.proven,
          })
        : judgeFailure(end.failure);
    const answer = 'answer' in end ? end.answer : undefined;
    switch (verdict.is) {
      case 'settled': {
        const {id, status} = verdict;
        const isForeign = job.isKeyUsed && id !== null && answer?.status !== 201;
        const state = isForeign
          ? 'collision'
          : verdict.state === 'staged' && this.#mayBeApproved
            ? 'in_doubt'
            : verdict.state;
        if (answer !== undefined && id !== null) this.#learnAge(job, answer);
        const refusedWords = `it may have been sent before, and is refused now: ${wordsOf(end)}`;
        if (
          state === 'rejected' &&
          answer !== undefined &&
          job.maybe &&
          !(await this.#isBelieved(job, answer))
        )
          return this.#leave(job, refusedWords, answer.status);
        // A refused row whose earlier try was not answered may not be changed: it remembers that.
        const doubtedAt = job.isOld || job.maybe ? (row.outcome?.stagedAt ?? this.#firstDoubt(job)) : null;
        const stagedAt = id === null ? doubtedAt : this.#firstDoubt(job);
        const facts = {state, id, status, stagedAt, attempts: this.#attempts(job)};
        const isAccepted = this.#context.settings.acceptDifferences;
        const differs =
          state === 'accepted' && verdict.differs ? noteOfDifference(row, DIFFERS, isAccepted) : undefined;
        const {message} = verdict;
        const words = isForeign
          ? {message: OTHER_CONTENT}
          : state === 'dead_key' && id === null
            ? {message: KEY_REFUSED}
            : (differs ?? (message === undefined ? {} : {message}));
        const outcome = outcomeOf(row, {...facts, ...words}, answer);
        if (state === 'rejected')
          this.#context.reject(
            ...([row, job.before, outcome] as const),
            job.maybe
              ? outcomeOf(row, {...facts, state: 'in_doubt', message: refusedWords}, answer)
              : undefined,
          );
        else this.#context.settle(row, job.before, outcome);
        if (verdict.stop) this.#context.stopFor(verdict.stop, otherRecordText(row));
        return {again: false};
      }
      case 'processing':
        job.lookFor = verdict.id;
        if (answer !== undefined) this.#learnAge(job, answer);
        job.maybe = true; // it was taken: what it will come to is what is not known
        return this.#againOrDoubt(job, sentAt, false, 'the service is still processing it');
      case 'maybe':
        job.maybe = true;
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job, wordsOf(end));
        return this.#againOrDoubt(job, sentAt, verdict.throttled, wordsOf(end), answer?.status);
      case 'not-sent':
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job, wordsOf(end));
        if (this.#context.notSent(verdict, sentAt, wordsOf(end)) === 'wait') {
          if (answer === undefined) job.sends--;
          return {again: true, afterMs: 0};
        }
        return this.#leave(job, wordsOf(end), answer?.status ?? null);
    }
  }

  /**
   * Batch rules, "Refused after doubt": whether a refusal of a row that may have been sent before says that it has no
   * record. Before that it takes a success of this run as well, for which the context waits.
   */
  async #isBelieved(job: CreateJob, answer: Answer): Promise<boolean> {
    if (this.#phase !== 'stage' || answer.errorCode === undefined) return false;
    const firstDoubt = this.#firstDoubt(job);
    // On another day it may speak of a date in the past: the service may look at the row before it looks at the key.
    if (scheduleDay(firstDoubt) !== scheduleDay(this.#context.clock.now())) return false;
    return !job.isOld || this.#context.earlierTries.isSameService(firstDoubt);
  }

  async #look(job: CreateJob, id: string): Promise<WorkEnd> {
    const {settings} = this.#context;
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.get(id));
    const read = judgeRead(end, id);
    if (read.is === 'not-found') return this.#leaveLost(job, id);
    if (read.is === 'moved') {
      const {state, status, answer} = read;
      const differs =
        state === 'accepted'
          ? noteOfDifference(job.row, differsIn(answer, job.row, settings.kind), settings.acceptDifferences)
          : undefined;
      this.#settle(job, {state, id, status, stagedAt: this.#firstDoubt(job), ...differs});
      this.#context.noteEnded(job.row, id, status);
      return {again: false};
    }
    return this.#againOrDoubt(job, sentAt, false, 'the service is still processing it');
  }

  /** The service gave the row this id, and does not know it. */
  #leaveLost(job: CreateJob, id: string): WorkEnd {
    const facts = {id, http: 404, message: LOST, stagedAt: this.#firstDoubt(job)};
    this.#settle(job, {state: 'in_doubt', ...facts});
    this.#context.stopForLost(job.row, id);
    return {again: false};
  }

  async #againOrDoubt(
    job: CreateJob,
    sentAt: number,
    throttled: boolean,
    words: string,
    http?: number,
  ): Promise<WorkEnd> {
    if (await this.#context.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#context.backoff(job.sends - 1, throttled)};
    const stagedAt = this.#firstDoubt(job);
    this.#settle(job, {
      state: 'in_doubt',
      id: job.lookFor ?? null,
      ...(http === 409
        ? {http, message: `${words}. ${keyInUse(this.#context.clock.now() - stagedAt)}`}
        : {message: words}),
      stagedAt,
    });
    return {again: false};
  }

  /** The row is for another run: in doubt if it may have been taken, else surely not sent. */
  #leave(job: CreateJob, words: string, http: number | null = null): WorkEnd {
    const state = job.maybe ? 'in_doubt' : 'not_sent';
    const stagedAt = job.maybe ? this.#firstDoubt(job) : (job.row.outcome?.stagedAt ?? null);
    this.#settle(job, {state, id: job.lookFor ?? null, message: words, http, stagedAt});
    return {again: false};
  }

  /**
   * The record may be older than all that we know of it, where our journal and our registry were lost, or where another
   * machine sent the row first. Then its key is as old, and as near to being forgotten.
   */
  #learnAge(job: CreateJob, answer: Answer): void {
    if (answer.status === 201 && this.#phase === 'stage' && !job.maybe) {
      job.sentAt = job.triedAt; // made by this very request, whatever the clocks say: so the document has it of a 201 that approves nothing
      return;
    }
    const madeAt = this.#ages.madeAt(answer, this.#context.clock.now());
    if (madeAt === undefined || madeAt >= this.#firstDoubt(job) - CLOCK_SLACK_MS) return;
    job.sentAt = madeAt;
    this.#context.aged(job.row, madeAt);
  }

  #firstDoubt(job: CreateJob): number {
    return job.sentAt ?? this.#context.clock.now();
  }

  #settle(job: CreateJob, facts: Partial<Outcome> & Pick<Outcome, 'state'>): void {
    this.#context.settle(job.row, job.before, outcomeOf(job.row, {...facts, attempts: this.#attempts(job)}));
  }

  #attempts(job: CreateJob): number {
    return (job.row.outcome?.attempts ?? 0) + job.sends;
  }
}
