import type {Answer} from '../../client/answer.ts';
import {differsIn, judgeAnswer, judgeFailure, noteOfDifference} from './answers.ts';
import {Dispatcher, type WorkEnd} from './dispatcher.ts';
import type {JournalRow} from '../journal/row.ts';
import {type Bucket, DIFFERS, type Outcome, REGISTRY_CODE} from '../model/outcome.ts';
import {probe} from './probe.ts';
import {isPastHorizon} from '../model/record-age.ts';
import type {OtherPayment} from '../registry/registry.ts';
import {judgeRead, type Moved} from './read-verdict.ts';
import {RowSource} from './row-source.ts';
import {
  bucketBefore,
  outcomeOf,
  type RunContext,
  type RunSettings,
  type Tries,
  wordsOf,
} from './run-context.ts';
import {LOST, otherRecordText} from './stop-words.ts';

/** States from which a row may be released. */
type Releasable = 'staged' | 'in_doubt' | 'held' | 'unapproved';

interface ReleaseJob extends Tries {
  row: JournalRow;
  id: string;
  before: Bucket;
  /** A release was sent and not answered: look at the record before anything else. */
  look: boolean;
  /** Its record was read in this run, and had not moved. */
  looked: boolean;
  /** The service said that it goes on processing; then `created` does not mean that nothing happens. */
  processing: boolean;
  maybe: boolean;
  /** The answer to a standalone approve that refused it, or left the record as it was; perhaps of an earlier run. */
  refused: Refusal | undefined;
}

type Refusal = Pick<Answer, 'status' | 'errorCode' | 'message' | 'warning' | 'requestId'>;

/** Which rows a release takes up. */
export const releasable = (settings: RunSettings): readonly Releasable[] => [
  'staged',
  'in_doubt',
  ...(settings.acceptDifferences ? (['held'] as const) : []),
  ...(settings.retryUnapproved ? (['unapproved'] as const) : []),
];

/** A quiet time after which the service is asked again whether it remembers our keys. */
const PROBE_AFTER_MS = 5 * 60_000;

/**
 * Releases staged rows by the documented replay: same key, same body, `auto_approve` true. Every request here has a
 * known id, so a lost answer is settled by looking at the record, never by sending again in the dark.
 */
export class ReleasePhase {
  readonly #context: RunContext;
  readonly #source: RowSource;
  readonly #states: readonly Releasable[];
  #probing: Promise<boolean> | undefined;
  #mustProbe: boolean;
  /** Rows left staged because their key may be forgotten. */
  pastHorizon = 0;

  /**
   * `only`: which rows are taken up; without staged ones nothing is released that was not released before, and most of it
   * has only to be looked at. `mustProbe`: nobody has asked yet whether keys are remembered.
   */
  constructor(context: RunContext, only?: readonly Releasable[], mustProbe = false) {
    this.#context = context;
    this.#mustProbe = mustProbe;
    const {journal, claims, clock, beforeWindow, settings} = context;
    const states = only ?? releasable(settings);
    this.#states = states;
    this.#source = new RowSource({
      journal,
      claims,
      phase: 'release',
      takes: states,
      clock,
      beforeWindow,
      page: (after, limit) => journal.recorded(states, after, limit),
      inFlight: () => context.speed.limit(),
      windowRows: settings.windowRows,
    });
  }

  async run(): Promise<void> {
    const {speed, clock} = this.#context;
    const dispatcher = new Dispatcher<ReleaseJob>({
      speed,
      clock,
      next: () => this.#next(),
      work: (job) => (job.look ? this.#look(job) : this.#release(job)),
      abandon: (job) => void this.#leave(job),
    });
    this.#context.onStop = () => dispatcher.stop();
    this.#context.onGate = (ms) => dispatcher.closeGate(ms);
    dispatcher.closeGate(this.#context.gateUntil - clock.monotonic()); // an earlier phase may have been told to wait
    if (this.#context.stop === undefined) await dispatcher.run();
    // The open window says "may have been released" of rows that surely were not.
    for (const {row} of this.#source.untouched())
      this.#context.settle(row, bucketBefore(row, false), outcomeOf(row, {...row.outcome!}));
    this.#context.endOfPhase();
  }

  #next(): ReleaseJob | undefined {
    let taken = this.#source.next();
    while (taken?.paidByOther !== undefined && taken.paidByOther.id !== taken.row.outcome!.id) {
      this.#leaveToPerson(taken.row, taken.paidByOther);
      taken = this.#source.next();
    }
    if (taken === undefined) return undefined;
    const {row} = taken;
    const outcome = row.outcome!; // the source reads rows that have a record
    const maybe = outcome.state === 'in_doubt';
    const mayTryAgain = this.#context.settings.retryUnapproved;
    return {
      row,
      id: outcome.id!,
      before: bucketBefore(row, false),
      look: maybe,
      looked: false,
      processing: false,
      maybe,
      ...{sends: 0, tries: 0, successes: undefined},
      refused: mayTryAgain ? undefined : refusalOf(outcome),
    };
  }

  async #release(job: ReleaseJob): Promise<WorkEnd> {
    const {row, id} = job;
    const {clock, settings} = this.#context;
    if (isPastHorizon(row.outcome!.stagedAt ?? 0, clock.now(), settings.horizonMs)) {
      if (job.looked) return settings.approveById ? this.#approve(job) : this.#tooLate(job);
      job.look = true; // it may have been approved by its id meanwhile
      return {again: true, afterMs: 0};
    }
    if (this.#mustProbe || this.#context.quietMs > PROBE_AFTER_MS) {
      if (!(await this.#probeOnce())) return this.#leave(job);
      this.#mustProbe = false;
      return {again: true, afterMs: 0}; // gate and age may be others now
    }
    this.#context.begin(job);
    const sentAt = clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.create(row, true));
    const answer = 'answer' in end ? end.answer : undefined;
    const verdict =
      answer === undefined
        ? judgeFailure((end as {failure: Parameters<typeof judgeFailure>[0]}).failure) // the other half of the union
        : judgeAnswer({answer, row, kind: settings.kind, phase: 'release', stagedId: id, isProven: true});
    switch (verdict.is) {
      case 'settled': {
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
        this.#context.settle(row, job.before, outcomeOf(row, facts, answer));
        if (stop === 'key-forgotten')
          this.#context.stopFor(
            stop,
            `the service had forgotten the key of row ${row.n} (${row.reference}) and paid it with a second record; the staged one is left as an orphan`,
          );
        else if (stop) this.#context.stopFor(stop, otherRecordText(row));
        return {again: false};
      }
      case 'processing':
        job.look = job.processing = job.maybe = true;
        return this.#againOrDoubt(job, sentAt, false, 'the service is still processing the release');
      case 'maybe':
        job.look = job.maybe = true;
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
        return this.#againOrDoubt(job, sentAt, verdict.throttled, wordsOf(end));
      case 'not-sent':
        if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
        if (this.#context.notSent(verdict, sentAt, wordsOf(end)) === 'left') return this.#leave(job);
        if (answer === undefined) job.sends--;
        return {again: true, afterMs: 0};
    }
  }

  async #look(job: ReleaseJob): Promise<WorkEnd> {
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.get(job.id));
    const read = judgeRead(end, job.id);
    switch (read.is) {
      case 'aborted':
        return this.#leave(job);
      case 'not-sent':
        this.#context.notSent(read, sentAt, wordsOf(end));
        job.sends--;
        return {again: true, afterMs: 0};
      case 'unanswered':
        return this.#againOrDoubt(job, sentAt, false, wordsOf(end));
      case 'throttled':
        return {again: true, afterMs: this.#context.backoff(job.sends - 1, true)};
      case 'not-found':
        this.#settle(job, {state: 'in_doubt', http: 404, message: LOST});
        this.#context.stopForLost(job.row, job.id);
        return {again: false};
      case 'credentials':
        this.#context.stopFor('credentials', wordsOf(end));
        return this.#leave(job);
      case 'failing':
      case 'unknown':
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, 'its record could not be read completely');
      case 'open':
        job.looked = true;
        return this.#stillOpen(job, sentAt);
      case 'moved':
        job.looked = true;
        return this.#moved(job, read);
    }
  }

  #moved(job: ReleaseJob, {state, status, answer}: Moved): WorkEnd {
    const {kind, acceptDifferences} = this.#context.settings;
    const differs =
      state === 'accepted'
        ? noteOfDifference(job.row, differsIn(answer, job.row, kind), acceptDifferences)
        : undefined;
    this.#settle(job, {state, status, ...differs});
    this.#context.noteEnded(job.row, job.id, status);
    return {again: false};
  }

  async #stillOpen(job: ReleaseJob, sentAt: number): Promise<WorkEnd> {
    if (job.refused !== undefined) {
      this.#unapproved(job, job.refused);
      return {again: false};
    }
    if (!job.processing) {
      job.look = false; // nothing has happened to it yet, but what was sent may still be on its way
      return {again: true, afterMs: 0};
    }
    return this.#againOrDoubt(job, sentAt, false, 'its record could not be read completely');
  }

  /**
   * The standalone approve, for a key that may be forgotten: it names the record, so it can make no second one. The record
   * was read just now and had not moved; what became of it is read afterwards, whatever the answer says.
   */
  async #approve(job: ReleaseJob): Promise<WorkEnd> {
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.approve(job.id));
    const verdict =
      'answer' in end
        ? judgeAnswer({
            ...{answer: end.answer, row: job.row, kind: this.#context.settings.kind},
            ...{phase: 'release', stagedId: job.id, isProven: true},
          })
        : judgeFailure(end.failure);
    if (verdict.is === 'not-sent') {
      if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
      if (this.#context.notSent(verdict, sentAt, wordsOf(end)) === 'left') return this.#leave(job);
      if ('failure' in end) job.sends--;
      job.look = true;
      return {again: true, afterMs: 0};
    }
    job.look = job.maybe = job.processing = true; // never a second one in this run
    if (verdict.is === 'settled' && verdict.stop !== undefined) {
      this.#settle(job, {state: 'collision', status: verdict.status});
      this.#context.stopFor(
        'collision',
        `approving the record ${job.id} of row ${job.row.n} (${job.row.reference}) returned a different one`,
      );
      return {again: false};
    }
    if (verdict.is === 'settled' && verdict.state === 'unapproved' && 'answer' in end)
      job.refused = end.answer;
    if ('failure' in end && end.failure.kind === 'aborted') return this.#leave(job);
    return {again: true, afterMs: 0};
  }

  /** The record is there, and was not approved. */
  #unapproved(job: ReleaseJob, refusal: Refusal): void {
    this.#settle(job, {state: 'unapproved', ...factsOf(refusal)});
  }

  /** Past the horizon a replay might make a second record. A row that was never released stays staged. */
  #tooLate(job: ReleaseJob): WorkEnd {
    this.pastHorizon++;
    const message =
      'staged longer ago than the key horizon; approve it by its id and resume the batch, or let the profile do so (profiles set --approve-by-id) and release it';
    this.#settle(job, {state: job.maybe ? 'in_doubt' : job.row.outcome!.state, message});
    return {again: false};
  }

  /** The registry, or this journal, was lost in between: the record would be a second payment. */
  #leaveToPerson(row: JournalRow, {batch, id}: OtherPayment): void {
    const message = `batch ${batch} also paid this reference later${id === null ? '' : `, record ${id}`}; check for a double payment, then resolve this row`;
    const facts = {state: 'in_doubt', code: REGISTRY_CODE, message} as const;
    this.#context.settle(row, bucketBefore(row, false), outcomeOf(row, facts));
  }

  #probeOnce(): Promise<boolean> {
    this.#probing ??= probe(this.#context, this.#states).finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  async #againOrDoubt(job: ReleaseJob, sentAt: number, throttled: boolean, words: string): Promise<WorkEnd> {
    if (await this.#context.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#context.backoff(job.sends - 1, throttled)};
    this.#doubt(job, words);
    return {again: false};
  }

  /** A refusal that could not be seen in the record is not forgotten: the next run must not try again by itself. */
  #doubt(job: ReleaseJob, words: string): void {
    this.#settle(job, {
      state: 'in_doubt',
      ...(job.refused === undefined ? {message: words} : factsOf(job.refused)),
    });
  }

  /** For another run: in doubt if a release may have been taken, else as it was, which the open window leaves unsaid. */
  #leave(job: ReleaseJob): WorkEnd {
    if (job.maybe) this.#doubt(job, 'the release was sent and not answered');
    else this.#settle(job, {...job.row.outcome!});
    return {again: false};
  }

  #settle(job: ReleaseJob, facts: Partial<Outcome> & Pick<Outcome, 'state'>): void {
    this.#context.settle(job.row, job.before, outcomeOf(job.row, {...facts, attempts: this.#attempts(job)}));
  }

  #attempts(job: ReleaseJob): number {
    return (job.row.outcome?.attempts ?? 0) + job.sends;
  }
}

/** What an outcome keeps of a refusal, so that `refusalOf` finds it again. */
const factsOf = ({status, errorCode, message, warning, requestId}: Refusal) => ({
  status: 'created',
  http: status,
  code: errorCode ?? null,
  message: warning ?? message ?? null,
  requestId: requestId ?? null,
});

/** The refusal of a standalone approve after which the record could not be read. Other doubt has no answer of its own. */
function refusalOf({state, status, http, code, message, requestId}: Outcome): Refusal | undefined {
  const isLost = http === 404 && message === LOST;
  if (state !== 'in_doubt' || status !== 'created' || http === null || http === 202 || isLost)
    return undefined;
  return {
    status: http,
    ...(code === null ? {} : {errorCode: code}),
    ...(message === null ? {} : {message}),
    ...(requestId === null ? {} : {requestId}),
  };
}
