import type {Answer} from '../../client/answers/answer.ts';
import {differsIn, judgeExchange, noteOfDifference, type Known} from '../answers/answers.ts';
import {
  collisionText,
  isOfOtherContent,
  keyInUse,
  noteOf,
  refusedAfterDoubt,
  STILL_PROCESSING,
  TOO_OLD,
} from './create-words.ts';
import {type CreateJob, createJob} from './create-job.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {
  DIRECT_WITH_USED_KEY,
  MAYBE_PAID_BEFORE,
  MAYBE_PAID_TWICE,
  bucketOf,
  type Outcome,
  type RowState,
  UNREADABLE_CODE,
  LOST,
} from '../model/outcome.ts';
import {recordAges} from '../journal/record-ages.ts';
import {CLOCK_SLACK_MS, isPastHorizon, type RecordAges} from '../model/record-age.ts';
import {otherReferenceIn} from '../answers/echo.ts';
import {judgeRead} from '../answers/read-verdict.ts';
import {isSameId} from '../../contract/ids.ts';
import {isObject} from '../../narrow.ts';
import {contentOf} from '../registry/entry.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {LeftRow} from './former-ends.ts';
import {RowSource} from './row-source.ts';
import {scheduleDay} from '../input/rows.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {wordsOf} from '../answers/words.ts';
import {holderText, otherRecordText, ownerText, shownText, takenRecordText} from '../answers/stop-words.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims' | 'earlierTries' | 'recordIds'>;

const codeOf = ({maybe, isUnreadable}: CreateJob): Pick<Outcome, 'code'> | undefined =>
  maybe && isUnreadable ? {code: UNREADABLE_CODE} : undefined;

/** The record that is known to be that of the row itself. */
const ownIdOf = ({outcome}: JournalRow): string | null =>
  outcome === undefined || bucketOf(outcome.state) === 'conflict' ? null : outcome.id;

/**
 * Whether the row that a record names has that record. A service may cut references, so that the one of another row comes
 * back: then both are for the same payment, or that row is not meant.
 */
function isOwner(named: JournalRow, row: JournalRow, id: string): boolean {
  const isCut = row.reference.startsWith(named.reference);
  return (!isCut || contentOf(named) === contentOf(row)) && isSameId(ownIdOf(named) ?? id, id);
}

/** States of a row that has a record of its own. */
const OWNING: ReadonlySet<RowState> = new Set(['staged', 'held', 'accepted', 'unapproved', 'dead_key']);

/**
 * Creates every row that has no record yet: without approval when staging, with approval in direct mode. A row that
 * may have been sent before is replayed with the same key and the same bytes.
 */
export class CreatePhase {
  readonly #run: Parts;
  readonly #phase: 'stage' | 'direct';
  readonly #source: RowSource;
  /**
   * `cancel` after direct mode: an unanswered request of a row may still approve the record that a replay returns as
   * open.
   */
  readonly #mayBeApproved: boolean;
  /** Requests of direct mode were sent: one without an answer may have paid. */
  readonly #wasDirect: boolean;
  /** `cancel`: a row is replayed to find its record, and is canceled without one if it has none. */
  readonly #isCanceling: boolean;
  readonly #ages: RecordAges;
  /** Rows left in doubt because their key may be forgotten. */
  pastHorizon = 0;

  /**
   * @param how.only `doubts`: for a cancel, rows that may have been sent are resolved, and no other row is sent
   * @param how.left numbers of rows that are not sent, with the reasons
   */
  constructor(
    run: Parts,
    phase: 'stage' | 'direct',
    {only, left = new Map()}: {only?: 'doubts'; left?: ReadonlyMap<number, LeftRow>},
  ) {
    this.#run = run;
    this.#phase = phase;
    const {journal, claims, clock, beforeWindow, settings} = run;
    this.#isCanceling = only === 'doubts';
    this.#mayBeApproved = only === 'doubts' && journal.fact('path') === 'direct';
    this.#wasDirect = phase === 'stage' && journal.left.wasDirect();
    this.#ages = recordAges(journal);
    this.#source = new RowSource({
      journal,
      claims,
      takes: only === 'doubts' ? ['in_doubt'] : ['new', 'not_sent', 'in_doubt'],
      phase,
      clock,
      beforeWindow,
      page: (after, limit) =>
        only === 'doubts' ? journal.rows.replayedByCancel(after, limit) : journal.rows.unstaged(after, limit),
      left,
      inFlight: () => run.speed.limit(),
      windowRows: settings.windowRows,
    });
  }

  async run(): Promise<void> {
    await dispatch<CreateJob>(this.#run, {
      next: () => this.#next(),
      work: (job) => (job.lookFor === undefined ? this.#create(job) : this.#look(job, job.lookFor)),
      abandon: (job) =>
        job.inUse === undefined
          ? this.#leave(job, 'the run stopped before the outcome of this row was known')
          : this.#leaveInUse(job, job.inUse),
    });
    // If no other row is left that could succeed, a record that the service still shows is the success that these
    // wait for.
    if (this.#run.refusals.waitForSuccess) await this.#run.records.checkFirst();
    // The open window marks rows as "may have been sent" that certainly were not.
    for (const {row, coveredSince} of this.#source.untouched())
      if (!this.#isCanceling && coveredSince === undefined && row.outcome?.state !== 'in_doubt')
        this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, {state: 'not_sent'}));
    endPhase(this.#run);
  }

  #next(): CreateJob | undefined {
    for (;;) {
      const taken = this.#source.next();
      if (taken === undefined) return undefined;
      const job = createJob(taken, this.#isCanceling);
      if (job.isKeyUsed && this.#phase === 'direct') this.#leave(job, DIRECT_WITH_USED_KEY);
      else if (!this.#isTooOld(job)) return job;
      else this.#leaveTooOld(job);
    }
  }

  #isTooOld({maybe, sentAt, isForgotten}: CreateJob): boolean {
    const {clock, settings} = this.#run;
    if (isForgotten) return true;
    return maybe && sentAt !== undefined && isPastHorizon(sentAt, clock.now(), settings.horizonMs);
  }

  #leaveTooOld(job: CreateJob): WorkEnd {
    this.pastHorizon++;
    const why = job.isForgotten ? MAYBE_PAID_BEFORE : {message: TOO_OLD};
    const own = job.row.outcome?.state === 'collision' ? {id: null} : {}; // its id is that of another payment
    this.#record(job, {state: 'in_doubt', stagedAt: this.#firstDoubt(job), ...own, ...why});
    return {again: false};
  }

  async #create(job: CreateJob): Promise<WorkEnd> {
    const {row} = job;
    if (this.#isTooOld(job)) return this.#leaveTooOld(job); // time has passed since it was read
    this.#run.tries.begin(job);
    const sentAt = this.#run.clock.monotonic();
    // A row that was declared not paid may have been accepted after all: it is sent, but this does not make its key
    // newer.
    job.triedAt = this.#run.clock.now();
    if (!job.maybe) job.sentAt = row.outcome?.stagedAt ?? job.triedAt;
    const end = await this.#run.send.exchange(this.#run.wire.create(row, this.#phase === 'direct'));
    const {kind} = this.#run.settings;
    const {isProven} = this.#run.rules;
    const verdict = judgeExchange(end, {row, kind, phase: this.#phase, stagedId: null, isProven});
    const answer = 'answer' in end ? end.answer : undefined;
    job.isUnreadable = verdict.is === 'maybe' && answer !== undefined && answer.status < 400;
    switch (verdict.is) {
      case 'known': {
        const isDoubted = verdict.state === 'rejected' && job.maybe;
        if (isDoubted && answer !== undefined && !(await this.#isBelieved(job, answer)))
          return this.#leave(job, refusedAfterDoubt(end), answer.status);
        if (OWNING.has(verdict.state) && this.#isTaken(job, verdict, answer)) return {again: false};
        return this.#known(job, verdict, end);
      }
      case 'processing':
        if (this.#isTaken(job, {id: verdict.id, status: null}, answer)) return {again: false};
        job.lookFor = verdict.id;
        this.#run.recordIds.processing(row, verdict.id);
        if (answer !== undefined) this.#learnAge(job, answer);
        job.maybe = true; // it was accepted; only its result is unknown
        return this.#againOrDoubt(job, sentAt, false, STILL_PROCESSING);
      case 'maybe':
        job.maybe = true;
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job, wordsOf(end));
        if (verdict.stop !== undefined) {
          this.#run.rules.redirected(wordsOf(end));
          return this.#leave(job, wordsOf(end), answer?.status);
        }
        return this.#againOrDoubt(job, sentAt, verdict.throttled, wordsOf(end), answer?.status);
      case 'not-sent':
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job, wordsOf(end));
        if (this.#run.rules.notSent(verdict, sentAt, wordsOf(end)) === 'wait') {
          if (answer === undefined) job.sends--;
          return {again: true, afterMs: 0};
        }
        return this.#leave(job, wordsOf(end), answer?.status ?? null, verdict.stop === 'redirect');
    }
  }

  /**
   * Another row of the batch has the record that came back, or the record has the reference of another row: it does not
   * pay this one too, and the run stops.
   */
  #isTaken(job: CreateJob, {id, status}: Pick<Known, 'id' | 'status'>, answer: Answer | undefined): boolean {
    if (id === null) return false;
    const known = this.#run.recordIds.taken(job.row, id);
    const owner = known === undefined ? this.#otherOwner(job, id, answer) : ownerText(known);
    if (owner === undefined) return false;
    const message = takenRecordText(id, owner);
    const facts = {...this.#otherRecord(id), status, stagedAt: this.#firstDoubt(job)};
    this.#record(job, {...facts, message: this.#otherText(job, message)});
    this.#stopForCollision(`row ${job.row.n} (${job.row.reference}): ${message}`);
    return true;
  }

  /** The other row, of this batch or another, to which the record belongs, as after swapped answers. */
  #otherOwner({row}: CreateJob, id: string, answer: Answer | undefined): string | undefined {
    const {journal, claims} = this.#run;
    const found = isObject(answer?.json) ? otherReferenceIn(answer.json, row) : undefined;
    const reference = typeof found === 'string' ? found : undefined;
    const named = reference === undefined ? undefined : journal.rows.of(reference);
    if (named !== undefined) return isOwner(named, row, id) ? ownerText(named) : undefined;
    // Nearly always: a lookup for each row costs a tenth of it.
    if (reference === undefined && !claims.hasOtherScopes) return undefined;
    // A 201 to a create without approval has just made the record, whatever reference it shows.
    const isMade = this.#phase === 'stage' && answer?.status === 201;
    const holder = claims.holderOf({
      ...{id, own: row.reference, content: contentOf(row)},
      reference: isMade ? undefined : reference,
    });
    return holder === undefined ? undefined : holderText(holder);
  }

  /** It says so if the same was shown before. */
  #otherText({row}: CreateJob, message: string): string {
    return this.#mayBeApproved
      ? shownText(row, message, this.#run.journal.sanitizer)
      : collisionText(row, message);
  }

  /** The row has no record yet. A request of direct mode may have paid it all the same, and a cancel ends here. */
  #otherRecord(id: string | null): Pick<Outcome, 'state' | 'id'> {
    return this.#mayBeApproved ? {state: 'in_doubt', id: null} : {state: 'collision', id};
  }

  #known(job: CreateJob, verdict: Known, end: ExchangeResult): WorkEnd {
    const {row} = job;
    const {outcomes, refusals, halt, settings} = this.#run;
    const {id, status} = verdict;
    const answer = 'answer' in end ? end.answer : undefined;
    const isForeign = isOfOtherContent(job.isKeyUsed, verdict, answer);
    if (id !== null && this.#mayBePaidBefore(job, verdict, answer)) {
      const stagedAt = this.#firstDoubt(job);
      this.#record(job, {state: 'in_doubt', ...MAYBE_PAID_BEFORE, stagedAt, orphan: id});
      return {again: false};
    }
    const isOther = isForeign || verdict.state === 'collision';
    const isStagedInDoubt = verdict.state === 'staged' && this.#mayBeApproved;
    const other = isOther ? this.#otherRecord(id) : undefined;
    const state = other?.state ?? (isStagedInDoubt ? 'in_doubt' : verdict.state);
    if (answer !== undefined && id !== null) this.#learnAge(job, answer);
    // A refused row with an unanswered earlier try may not be changed: it keeps the time of that try.
    const doubtedAt = job.isOld || job.maybe ? (row.outcome?.stagedAt ?? this.#firstDoubt(job)) : null;
    const stagedAt = id === null ? doubtedAt : this.#firstDoubt(job);
    const facts = {state, id, status, stagedAt, attempts: this.#attempts(job), ...other};
    const {kind, acceptDifferences: isAccepted} = settings;
    const note = noteOf(row, verdict, {kind, state, isForeign, isAccepted});
    const twice = this.#twice(job, state, answer);
    const isPlain = note === undefined && twice === undefined; // nearly always, and spreading takes longer than the rest
    const outcome = outcomeOf(row, isPlain ? facts : {...facts, ...note, ...twice}, answer);
    if (isOther) outcome.message = this.#otherText(job, outcome.message ?? otherRecordText(row));
    if (state === 'rejected') {
      const inDoubt = {...facts, state: 'in_doubt', message: refusedAfterDoubt(end)} as const;
      refusals.reject(row, job.before, outcome, job.maybe ? outcomeOf(row, inDoubt, answer) : undefined);
    } else outcomes.record(row, job.before, outcome);
    if (verdict.stop === 'collision') this.#stopForCollision(otherRecordText(row));
    else if (verdict.stop) halt.stopFor(verdict.stop, otherRecordText(row));
    return {again: false};
  }

  /** A cancel sends no row that could be paid, and continues. */
  #stopForCollision(message: string): void {
    if (!this.#isCanceling) this.#run.halt.stopFor('collision', message);
  }

  /**
   * Batch rules, "Refused after doubt": whether the refusal of a row that may have been sent before shows that it has
   * no record. This also needs a success of this run, for which the context waits.
   */
  async #isBelieved(job: CreateJob, answer: Answer): Promise<boolean> {
    if (this.#phase !== 'stage' || answer.errorCode === undefined) return false;
    const firstDoubt = this.#firstDoubt(job);
    // On another day the refusal may concern a date in the past: the service may check the row before the key.
    if (scheduleDay(firstDoubt) !== scheduleDay(this.#run.clock.now())) return false;
    return !job.isOld || this.#run.earlierTries.isSameService(firstDoubt);
  }

  async #look(job: CreateJob, id: string): Promise<WorkEnd> {
    const {settings} = this.#run;
    this.#run.tries.begin(job);
    const sentAt = this.#run.clock.monotonic();
    const end = await this.#run.send.exchange(this.#run.wire.get(id));
    const read = judgeRead(end, {row: job.row, id, kind: settings.kind});
    if (read.is === 'not-found') return this.#leaveLost(job, id, read.answer);
    if (read.is === 'moved') {
      const {state, status, answer} = read;
      const differs =
        state === 'accepted'
          ? noteOfDifference(job.row, differsIn(answer, job.row, settings.kind), settings.acceptDifferences)
          : undefined;
      this.#record(job, {
        state,
        id,
        status,
        stagedAt: this.#firstDoubt(job),
        ...differs,
        ...this.#twice(job, state, answer),
      });
      this.#run.outcomes.noteEnded(job.row, id, status);
      return {again: false};
    }
    const other = read.is === 'unknown' ? read.other : undefined;
    return this.#againOrDoubt(job, sentAt, false, other ?? STILL_PROCESSING);
  }

  /** In direct mode nothing but the age of the record shows that the service has forgotten the key, and paid twice. */
  #twice(job: CreateJob, state: RowState, answer: Answer | undefined): typeof MAYBE_PAID_TWICE | undefined {
    const isAsked = this.#phase === 'direct' && state === 'accepted' && job.maybe && answer !== undefined;
    if (!isAsked || !this.#ages.isMadeLongAfter(this.#firstDoubt(job), answer, this.#run.clock.now()))
      return undefined;
    return MAYBE_PAID_TWICE;
  }

  /** The same while staging, where the new record is not approved yet. */
  #mayBePaidBefore(job: CreateJob, {state}: Known, answer: Answer | undefined): boolean {
    const isAsked = this.#wasDirect && (state === 'staged' || state === 'held') && job.maybe;
    return (
      isAsked &&
      answer?.status === 201 &&
      this.#ages.isMadeLongAfter(this.#firstDoubt(job), answer, this.#run.clock.now())
    );
  }

  /** The service gave the row this id and now does not know it. */
  #leaveLost(job: CreateJob, id: string, {errorCode}: Answer): WorkEnd {
    const facts = {id, http: 404, code: errorCode ?? null, message: LOST, stagedAt: this.#firstDoubt(job)};
    this.#record(job, {state: 'in_doubt', ...facts});
    this.#run.records.stopForLost(job.row, id);
    return {again: false};
  }

  async #againOrDoubt(
    job: CreateJob,
    sentAt: number,
    throttled: boolean,
    words: string,
    http?: number,
  ): Promise<WorkEnd> {
    job.inUse = http === 409 ? words : undefined;
    if (await this.#run.tries.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, throttled)};
    if (job.inUse !== undefined) return this.#leaveInUse(job, job.inUse);
    const facts = {id: job.lookFor ?? null, ...codeOf(job), stagedAt: this.#firstDoubt(job)};
    this.#record(job, {state: 'in_doubt', ...facts, message: words});
    return {again: false};
  }

  /** Where this goes on for long, another try does not help: `resolve` does. */
  #leaveInUse(job: CreateJob, words: string): WorkEnd {
    const stagedAt = this.#firstDoubt(job);
    const message = `${words}. ${keyInUse(this.#run.clock.now() - stagedAt)}`;
    const facts = {id: job.lookFor ?? null, ...codeOf(job), stagedAt};
    this.#record(job, {state: 'in_doubt', ...facts, http: 409, message});
    return {again: false};
  }

  /**
   * The row is left for another run: in doubt if it may have been accepted, otherwise certainly not sent.
   * @param isMarked it keeps the time of this try, so that an edit cannot change it
   */
  #leave(job: CreateJob, words: string, http: number | null = null, isMarked = false): WorkEnd {
    const state = job.maybe ? 'in_doubt' : 'not_sent';
    const stagedAt = job.maybe || isMarked ? this.#firstDoubt(job) : (job.row.outcome?.stagedAt ?? null);
    this.#record(job, {state, id: job.lookFor ?? null, ...codeOf(job), message: words, http, stagedAt});
    return {again: false};
  }

  /**
   * If our journal and registry were lost, or another machine sent the row first, the record may be older than we
   * know. Then its key is as old, and expires as early.
   */
  #learnAge(job: CreateJob, answer: Answer): void {
    if (answer.status === 201 && this.#phase === 'stage' && !job.maybe) {
      job.sentAt = job.triedAt; // created by this very request, whatever the clocks show, according to the interface document for a 201 that approves nothing
      return;
    }
    const madeAt = this.#ages.madeAt(answer, this.#run.clock.now());
    if (madeAt === undefined || madeAt >= this.#firstDoubt(job) - CLOCK_SLACK_MS) return;
    job.sentAt = madeAt;
    this.#run.outcomes.aged(job.row, madeAt);
  }

  #firstDoubt(job: CreateJob): number {
    return job.sentAt ?? this.#run.clock.now();
  }

  #record(job: CreateJob, facts: Partial<Outcome> & Pick<Outcome, 'state'>): void {
    this.#run.outcomes.record(
      job.row,
      job.before,
      outcomeOf(job.row, {...facts, attempts: this.#attempts(job)}),
    );
    if (job.lookFor !== undefined) this.#run.recordIds.recorded(job.lookFor);
  }

  #attempts(job: CreateJob): number {
    return (job.row.outcome?.attempts ?? 0) + job.sends;
  }
}
