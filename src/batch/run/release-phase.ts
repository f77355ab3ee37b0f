import type {Answer} from '../../client/answers/answer.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import type {JsonObject} from '../../narrow.ts';
import {isEnd, judgeExchange, type Known, opensOtherwise} from '../answers/answers.ts';
import {fetchedDifferences} from '../answers/difference.ts';
import {compareFetched} from '../answers/echo.ts';
import {judgeRead, type ReadVerdict} from '../answers/read-verdict.ts';
import {answeredText, bodiesComparedText, shownText} from '../answers/stop-words.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {whyOdd, wordsOf} from '../answers/words.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {DIFFERS_AS_ACCEPTED, FORMER_CODE, NOT_RELEASED} from '../model/outcome.ts';
import {isPastHorizon} from '../model/record-age.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {approveById} from './approve-by-id.ts';
import type {LeftRow} from './former-ends.ts';
import {probe} from './probe.ts';
import {ReleaseEnds} from './release-ends.ts';
import {
  hasForgottenKeys,
  KEY_REFUSALS,
  type Releasable,
  releasable,
  type ReleaseJob,
  releaseJob,
  releasesById,
} from './release-job.ts';
import {RowSource, type SourceRow} from './row-source.ts';

/** After this long without a success the probe is repeated. */
const PROBE_AFTER_MS = 5 * 60_000;

type Parts = PhaseParts & Pick<RunParts, 'claims' | 'recordIds'>;

interface ReadEnd {
  end: ExchangeResult;
  verdict: ReadVerdict;
}

/** A collision, or a second record for a key that the service had forgotten. */
const isOtherRecord = ({state, id: found, stop}: Known, id: string): boolean =>
  state === 'collision' || stop === 'key-forgotten' || (found !== null && found !== id);

const UNREAD = 'its record could not be read completely';
const unread = (end: ExchangeResult): string => UNREAD + ('answer' in end ? whyOdd(end.answer) : '');

/**
 * Releases staged rows by the documented replay: same key, same body, `auto_approve` true. Every request here has a
 * known id, so after a lost answer the record is fetched; nothing is sent again before that.
 */
export class ReleasePhase {
  readonly #run: Parts;
  readonly #left: ReadonlyMap<number, LeftRow>;
  readonly #ends: ReleaseEnds;
  readonly #source: RowSource<RecordedRow>;
  readonly #states: readonly Releasable[];
  readonly #keysForgotten: boolean;
  readonly #byId: boolean;
  #probing: Promise<boolean> | undefined;
  #mustProbe: boolean;
  /** By both clocks, as in `StopRules.quietMs`. */
  #probedAt = {monotonic: -Infinity, wall: -Infinity};
  readonly #onlyReads: boolean;
  /** Releases answered with 409 in a row, while their records were still `created`. */
  #keyRefusals = 0;
  /** Rows left staged because their key may be forgotten. */
  pastHorizon = 0;
  /** Rows in doubt whose records were only read, and are still `created`. */
  readonly open: RecordedRow[] = [];

  /**
   * @param left numbers of rows whose records are only read, with the reasons
   * @param states states of the rows that are sent; without `staged`, only rows released before are sent, and most
   *   records only have to be fetched
   * @param how `unprobed`: the probe has not been made yet; `reads`: records are only read, and those that are still
   *   `created` are left to the release that follows
   */
  constructor(
    run: Parts,
    left: ReadonlyMap<number, LeftRow>,
    states?: readonly Releasable[],
    {only}: {only?: 'unprobed' | 'reads'} = {},
  ) {
    this.#run = run;
    this.#left = left;
    this.#ends = new ReleaseEnds(run);
    this.#mustProbe = only === 'unprobed';
    this.#onlyReads = only === 'reads';
    const {journal, claims, clock, beforeWindow, settings} = run;
    this.#states = states ?? releasable(settings);
    this.#byId = releasesById(journal, settings);
    this.#keysForgotten = hasForgottenKeys(journal);
    this.#source = new RowSource({
      journal,
      claims,
      phase: 'release',
      takes: this.#states,
      clock,
      beforeWindow,
      page: (after, limit) => journal.rows.releasable(this.#states, after, limit),
      inFlight: () => run.speed.limit(),
      windowRows: settings.windowRows,
    });
  }

  async run(): Promise<void> {
    await dispatch<ReleaseJob>(this.#run, {
      next: () => this.#next(),
      work: (job) => (job.look ? this.#look(job) : this.#release(job)),
      abandon: (job) => void this.#ends.left(job),
    });
    for (const {row} of this.#source.untouched()) this.#ends.untouched(row);
    endPhase(this.#run);
  }

  #next(): ReleaseJob | undefined {
    let taken = this.#source.next();
    while (taken !== undefined && !this.#mayTake(taken)) taken = this.#source.next();
    if (taken === undefined) return undefined;
    const job = releaseJob(taken.row, this.#run.settings.retryUnapproved);
    if (this.#isLeft(job) || this.#run.settings.comparesFetched === true) job.look = true;
    return job;
  }

  /** Not if another record has paid the row, or may have: what the record of the row shows would not be all of it. */
  #mayTake({row, paidByOther}: SourceRow<RecordedRow>): boolean {
    const isPaid = paidByOther !== undefined && paidByOther.id !== row.outcome.id;
    const isDoubt = row.outcome.state === 'in_doubt' && row.outcome.code === FORMER_CODE;
    if (isPaid) this.#ends.paidByOther(row, paidByOther);
    else if (isDoubt && (this.#onlyReads || this.#left.has(row.n))) this.#ends.untouched(row);
    else return true;
    return false;
  }

  /** Whether its record is only read: it may have been canceled by its id. */
  #isLeft({row}: ReleaseJob): boolean {
    return this.#left.has(row.n);
  }

  /** Milliseconds without a success or a probe: a key that is refused because its record has ended is no success. */
  get #quietMs(): number {
    const {clock, rules} = this.#run;
    const {monotonic, wall} = this.#probedAt;
    return Math.min(rules.quietMs, Math.max(clock.monotonic() - monotonic, clock.now() - wall));
  }

  async #release(job: ReleaseJob): Promise<WorkEnd> {
    const {row, id} = job;
    const {clock, settings} = this.#run;
    if (this.#byId || isPastHorizon(row.outcome.stagedAt ?? 0, clock.now(), settings.horizonMs)) {
      if (job.looked) return settings.approveById ? this.#approve(job) : this.#tooLate(job);
      job.look = true; // it may have been approved by its id in the meantime
      return {again: true, afterMs: 0};
    }
    if (this.#mustProbe || this.#quietMs > PROBE_AFTER_MS) {
      if (!(await this.#probeOnce())) return this.#ends.left(job);
      this.#mustProbe = false;
      this.#probedAt = {monotonic: clock.monotonic(), wall: clock.now()};
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
        this.#keyRefusals = 0;
        return isOtherRecord(verdict, id)
          ? this.#otherCame(job, verdict, answer)
          : this.#ends.known(job, verdict, answer);
      case 'processing':
        job.look = job.processing = job.maybe = true;
        return this.#againOrDoubt(job, sentAt, false, 'the service is still processing the release');
      case 'maybe':
        if (verdict.isKeyRefused && answer !== undefined) return this.#refusedKey(job, answer);
        job.look = job.maybe = true;
        if ('failure' in end && end.failure.kind === 'aborted') return this.#ends.left(job);
        if (verdict.stop !== undefined) {
          this.#run.rules.redirected(wordsOf(end));
          return this.#ends.doubt(job, wordsOf(end));
        }
        return this.#againOrDoubt(job, sentAt, verdict.throttled, wordsOf(end));
      case 'not-sent':
        if ('failure' in end && end.failure.kind === 'aborted') return this.#ends.left(job);
        if (this.#run.rules.notSent(verdict, sentAt, wordsOf(end)) === 'left')
          return this.#ends.left(job, NOT_RELEASED + wordsOf(end));
        if (answer === undefined) job.sends--;
        return {again: true, afterMs: 0};
    }
  }

  /**
   * 409 to a release: the record shows why. If it is still `created`, either an earlier request with the key is in
   * progress, which a second try shows, or the service compares bodies, which ends the run. It is read at once, so that
   * a run that stops leaves no row in doubt which was only refused.
   */
  async #refusedKey(job: ReleaseJob, answer: Answer): Promise<WorkEnd> {
    const wasMaybe = job.maybe;
    const end: ExchangeResult = {answer};
    job.look = job.maybe = true; // until its record has been read
    if (!(await this.#mayReadNow())) return this.#ends.left(job);
    const sentAt = this.#run.clock.monotonic();
    const read = await this.#read(job);
    if (read.verdict.is === 'moved' && isEnd(read.verdict.status))
      return this.#ends.deadKey(job, read.verdict);
    if (read.verdict.is !== 'open') return this.#judge(job, read, sentAt);
    if (compareFetched(read.verdict.record, job.row, this.#run.settings.kind) === 'other')
      return this.#ends.otherPayment(job, read.verdict.record);
    job.look = false;
    job.looked = true;
    job.maybe = wasMaybe;
    if (++this.#keyRefusals < KEY_REFUSALS && meaningOf(answer) === 'key-in-use')
      return {again: true, afterMs: this.#run.tries.backoff(job.sends, true)};
    this.#run.halt.stopFor('bodies-compared', bodiesComparedText(job.row, wordsOf(end)));
    return this.#ends.left(job, NOT_RELEASED + wordsOf(end));
  }

  /**
   * Another record came back. The record of the row, whose id is known, shows whether the row was paid, and whether it was
   * left behind.
   */
  async #otherCame(job: ReleaseJob, verdict: Known, answer: Answer | undefined): Promise<WorkEnd> {
    const before = {maybe: job.maybe, looked: job.looked};
    const read = (await this.#mayReadNow()) ? (await this.#read(job)).verdict : ({is: 'aborted'} as const);
    Object.assign(job, before);
    return this.#ends.otherCame(job, verdict, answer, read);
  }

  /** A read within a job waits for the gate itself. A run that has stopped still reads, unless a pause was asked for. */
  async #mayReadNow(): Promise<boolean> {
    const {clock, gate} = this.#run;
    return (await gate.opened()) || gate.until <= clock.monotonic();
  }

  async #look(job: ReleaseJob): Promise<WorkEnd> {
    const sentAt = this.#run.clock.monotonic();
    return this.#judge(job, await this.#read(job), sentAt);
  }

  async #read(job: ReleaseJob): Promise<ReadEnd> {
    this.#run.tries.begin(job);
    const end = await this.#run.send.exchange(this.#run.wire.get(job.id));
    const {row, id} = job;
    const verdict = judgeRead(end, {row, id, kind: this.#run.settings.kind});
    job.isUnreadable = verdict.is === 'unknown' && verdict.other === undefined;
    return {end, verdict};
  }

  async #judge(job: ReleaseJob, {end, verdict: read}: ReadEnd, sentAt: number): Promise<WorkEnd> {
    switch (read.is) {
      case 'aborted':
        return this.#ends.left(job);
      case 'not-sent':
        this.#run.rules.notSent(read, sentAt, wordsOf(end));
        job.sends--;
        return {again: true, afterMs: 0};
      case 'unanswered':
        return this.#againOrDoubt(job, sentAt, false, wordsOf(end));
      case 'throttled':
        return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, true)};
      case 'not-found':
        return this.#ends.lost(job, read.answer);
      case 'credentials':
        this.#run.halt.stopFor('credentials', answeredText(wordsOf(end)));
        return this.#ends.left(job);
      case 'failing':
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, `its record could not be read: ${wordsOf(end)}`);
      case 'unknown':
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, this.#shown(job, read.other) ?? unread(end));
      case 'open': {
        const {kind} = this.#run.settings;
        job.looked = true;
        if (compareFetched(read.record, job.row, kind) === 'other')
          return this.#ends.otherPayment(job, read.record);
        const other = job.maybe ? opensOtherwise(read.record, job.row, kind) : undefined;
        if (other === undefined && this.#isHeld(job, read.record)) return {again: false};
        if (other === undefined) return this.#stillOpen(job, sentAt);
        job.looked = false;
        return this.#againOrDoubt(job, sentAt, false, this.#shown(job, other));
      }
      case 'moved':
        job.looked = true;
        return this.#ends.moved(job, read);
    }
  }

  /** Its record was approved, possibly by somebody else, is not any more, and nobody has accepted in what it differs. */
  #isHeld(job: ReleaseJob, record: JsonObject): boolean {
    const {acceptDifferences, comparesFetched, kind} = this.#run.settings;
    const {outcome} = job.row;
    const isAccepted = acceptDifferences || outcome.code === DIFFERS_AS_ACCEPTED.code;
    if (comparesFetched !== true && (!job.mustCompare || isAccepted)) return false;
    const differences = fetchedDifferences(record, job.row, kind);
    if (differences.length === 0) return false;
    this.#ends.held(job, differences);
    return true;
  }

  async #stillOpen(job: ReleaseJob, sentAt: number): Promise<WorkEnd> {
    if (job.refused !== undefined) return this.#ends.unapproved(job, job.refused);
    if (this.#keysForgotten && job.row.outcome.state === 'in_doubt') return this.#ends.maybePaidBefore(job);
    if (this.#onlyReads || this.#isLeft(job)) {
      this.open.push(job.row);
      return this.#ends.stillInDoubt(job);
    }
    if (!job.processing) {
      job.look = false; // nothing has happened to it yet, but an earlier request may still be in progress
      return {again: true, afterMs: 0};
    }
    return this.#againOrDoubt(job, sentAt, false, UNREAD);
  }

  async #approve(job: ReleaseJob): Promise<WorkEnd> {
    const approved = await approveById(this.#run, job);
    if (approved.is === 'left') return this.#ends.left(job);
    if (approved.is !== 'other-record') return {again: true, afterMs: 0};
    return this.#ends.approvedOther(job, approved.status);
  }

  #tooLate(job: ReleaseJob): WorkEnd {
    this.pastHorizon++;
    return this.#ends.tooLate(job);
  }

  #probeOnce(): Promise<boolean> {
    this.#probing ??= probe(this.#run, this.#states).finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  /** What a GET has shown, and whether it showed the same before. */
  #shown<T extends string | undefined>({row}: ReleaseJob, words: T): T | string {
    return words === undefined ? words : shownText(row, words, this.#run.journal.sanitizer);
  }

  async #againOrDoubt(job: ReleaseJob, sentAt: number, throttled: boolean, words: string): Promise<WorkEnd> {
    if (await this.#run.tries.mayTryAgain(job, sentAt, words))
      return {again: true, afterMs: this.#run.tries.backoff(job.sends - 1, throttled)};
    return this.#isLeft(job) ? this.#ends.left(job) : this.#ends.doubt(job, words);
  }
}
