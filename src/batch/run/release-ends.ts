import type {Answer} from '../../client/answers/answer.ts';
import {differsIn, type Known, noteOfAnswer, noteOfDifference} from '../answers/answers.ts';
import {heldText} from '../answers/difference.ts';
import {compareFetched, otherParts} from '../answers/echo.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import type {Moved, Open, ReadVerdict} from '../answers/read-verdict.ts';
import {
  MAYBE_BY_SECOND,
  otherRecordText,
  paidTwiceText,
  shownText,
  bothPaidText,
  holderText,
  ownerText,
  takenRecordText,
} from '../answers/stop-words.ts';
import type {JournalRow, RecordedRow} from '../journal/rows/row.ts';
import {
  DIFFERS_CODE,
  type FieldDifference,
  FORGOTTEN_CODE,
  MAYBE_TWICE,
  type Outcome,
  REGISTRY_CODE,
  UNREADABLE_CODE,
  LOST,
} from '../model/outcome.ts';
import type {OtherPayment} from '../registry/claim.ts';
import {contentOf} from '../registry/entry.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import type {RunParts} from '../send/run-parts.ts';
import {acceptedFor, attemptsOf, factsOf, type Refusal, type ReleaseJob} from './release-job.ts';

const ENDED: WorkEnd = {again: false};

const bothPaid = ({status}: Moved, id: string) => ({
  code: DIFFERS_CODE,
  message: `${MAYBE_TWICE}. Its record ${id} is ${status}, and another record was approved for the same key`,
});

type Parts = Pick<
  RunParts,
  'claims' | 'halt' | 'journal' | 'outcomes' | 'recordIds' | 'records' | 'settings'
>;

/**
 * How the release of a row can end: what is recorded of the row, and whether it stops the run. Sends nothing.
 */
export class ReleaseEnds {
  readonly #run: Parts;

  constructor(run: Parts) {
    this.#run = run;
  }

  /**
   * The answer to the release shows what became of the row.
   * @param own the record of the row, if it was approved as well
   */
  known(job: ReleaseJob, verdict: Known, answer: Answer | undefined, own?: Moved): WorkEnd {
    const {row} = job;
    const {settings, halt, outcomes} = this.#run;
    const {state, status, orphan, message, stop} = verdict;
    const foreignId = verdict.id === job.id || state === 'collision' ? null : verdict.id;
    const known = foreignId === null ? undefined : this.#run.recordIds.taken(row, foreignId);
    const owner = known === undefined ? this.#holder(row, foreignId) : ownerText(known);
    if (owner !== undefined && foreignId !== null) return this.#taken(job, {id: foreignId, status}, owner);
    const facts = {
      state,
      id: verdict.id ?? job.id,
      status,
      ...(orphan === undefined ? {} : {orphan}),
      ...(message === undefined ? {} : {message}),
      ...(state === 'accepted' ? noteOfAnswer(row, verdict, settings.kind, settings.acceptDifferences) : {}),
      ...(own === undefined ? {} : bothPaid(own, job.id)),
      attempts: attemptsOf(job),
    };
    outcomes.record(row, job.before, outcomeOf(row, facts, answer));
    if (stop === 'key-forgotten')
      halt.stopFor(
        stop,
        own === undefined
          ? paidTwiceText(row, job.id, orphan !== undefined)
          : bothPaidText(row, `${job.id} is ${own.status}`, verdict.id),
      );
    else if (stop) halt.stopFor(stop, otherRecordText(row));
    return ENDED;
  }

  /**
   * Another record came back, and then the record of the row was read. The run stops, whatever it shows.
   * - Approved or further: it paid the row. If the other record is approved for the same payment, the row may be paid twice.
   * - Still created, and the other record is that of another row: answers were mixed up, and the next run releases the row.
   * - Still created otherwise: it is left behind.
   * - Not read: if answers were mixed up, the row may be paid by its own record, which the next run reads.
   */
  otherCame(job: ReleaseJob, verdict: Known, answer: Answer | undefined, read: ReadVerdict): WorkEnd {
    const {row, id} = job;
    const alone: Known = {...verdict};
    delete alone.orphan;
    const isOfOtherRow =
      verdict.id !== null &&
      (this.#run.recordIds.ownerOf(row, verdict.id) !== undefined ||
        this.#holder(row, verdict.id) !== undefined);
    const isMixedUp = isOfOtherRow || verdict.state === 'collision';
    const isOpen =
      read.is === 'open' && compareFetched(read.record, row, this.#run.settings.kind) !== 'other';
    if (read.is === 'moved' && (isMixedUp || read.state === 'dead_key')) {
      this.#run.halt.stopFor('collision', otherRecordText(row));
      return this.moved(job, read);
    }
    if (read.is === 'moved') return this.known(job, alone, answer, read);
    if (isOpen && !isOfOtherRow) return this.known(job, {...verdict, orphan: id}, answer);
    if (isOpen || isMixedUp) {
      const status = isOpen ? 'created' : null;
      this.#record(job, {state: 'in_doubt', status, message: otherRecordText(row)});
      this.#run.halt.stopFor('collision', otherRecordText(row));
      return ENDED;
    }
    return this.known(job, alone, answer); // whether it is left behind is unknown
  }

  /** The row of another batch that has the record. */
  #holder(row: JournalRow, id: string | null): string | undefined {
    const record = {own: row.reference, reference: undefined, content: contentOf(row)};
    const holder = id === null ? undefined : this.#run.claims.holderOf({id, ...record});
    return holder === undefined ? undefined : holderText(holder);
  }

  /** The record that came back is that of another row, so it did not pay this one. */
  #taken(job: ReleaseJob, {id, status}: {id: string; status: string | null}, owner: string): WorkEnd {
    // Which of the two answers was mixed up is unknown, so no record is said to be left behind.
    const message = `${takenRecordText(id, owner)}; the staged record of this row is ${job.id}`;
    this.#record(job, {state: 'collision', id, status, message});
    this.#run.halt.stopFor('collision', `row ${job.row.n} (${job.row.reference}): ${message}`);
    return ENDED;
  }

  /** Its record was read, and is no longer `created`. */
  moved(job: ReleaseJob, {state, status, answer}: Moved): WorkEnd {
    const {kind, acceptDifferences} = this.#run.settings;
    const differs =
      state === 'accepted'
        ? noteOfDifference(job.row, differsIn(answer, job.row, kind), acceptDifferences)
        : undefined;
    this.#record(job, {state, status, ...differs});
    this.#run.outcomes.noteEnded(job.row, job.id, status);
    return ENDED;
  }

  /** The service refused the key of the row because its record has ended. */
  deadKey(job: ReleaseJob, {status}: Moved): WorkEnd {
    this.#record(job, {state: 'dead_key', status});
    this.#run.outcomes.noteEnded(job.row, job.id, status);
    return ENDED;
  }

  /** The record exists and was not approved. */
  unapproved(job: ReleaseJob, refusal: Refusal): WorkEnd {
    this.#record(job, {state: 'unapproved', ...factsOf(refusal)});
    return ENDED;
  }

  /** The record is not approved any more, and differs from the row. */
  held(job: ReleaseJob, differences: readonly FieldDifference[]): void {
    const message = heldText(differences, this.#run.settings.kind);
    this.#record(job, {state: 'held', status: 'created', message, differences});
  }

  /** The service no longer knows the record. */
  lost(job: ReleaseJob, {errorCode}: Answer): WorkEnd {
    const code = acceptedFor(job.row, {state: 'in_doubt'})?.code ?? errorCode ?? null;
    this.#record(job, {state: 'in_doubt', http: 404, code, message: LOST});
    this.#run.records.stopForLost(job.row, job.id);
    return ENDED;
  }

  /**
   * The release was not answered, and the record that was read is another payment, so it is unknown whether the row was
   * paid. It is not released again.
   */
  otherPayment(job: ReleaseJob, record: Open['record']): WorkEnd {
    const {row, id} = job;
    const {journal, settings} = this.#run;
    const words = `record ${id} has ${otherParts(record, row, settings.kind).join(' and ')}`;
    this.#record(job, {state: 'in_doubt', message: shownText(row, words, journal.sanitizer)});
    this.#run.halt.stopFor('collision', otherRecordText(row));
    return ENDED;
  }

  /** The standalone approve was answered with another record. */
  approvedOther(job: ReleaseJob, status: string | null): WorkEnd {
    const {n, reference} = job.row;
    this.#record(job, {state: 'collision', status});
    this.#run.halt.stopFor(
      'collision',
      `approving the record ${job.id} of row ${n} (${reference}) returned a different one`,
    );
    return ENDED;
  }

  /** Past the horizon a replay might create a second record. A row that was never released stays staged. */
  tooLate(job: ReleaseJob): WorkEnd {
    const message =
      'staged longer ago than the key horizon; approve it by its id and resume the batch, or allow approval by id in the profile (profiles set --approve-by-id) and release the batch';
    this.#record(job, {state: job.maybe ? 'in_doubt' : job.row.outcome.state, message});
    return ENDED;
  }

  /** A refusal that the record could not confirm is kept: the next run must not try again automatically. */
  doubt(job: ReleaseJob, words: string): WorkEnd {
    const {refused, row} = job;
    const isUnreadable = job.isUnreadable && acceptedFor(row, {state: 'in_doubt'}) === undefined;
    const facts = {...(isUnreadable ? {code: UNREADABLE_CODE} : {}), message: words};
    this.#record(job, {state: 'in_doubt', ...(refused === undefined ? facts : factsOf(refused))});
    return ENDED;
  }

  /**
   * Left for another run: in doubt if a release may have been accepted, otherwise unchanged, which the open window
   * does not show.
   * @param why what the service answered to the release of a row that stays as it is
   */
  left(job: ReleaseJob, why?: string): WorkEnd {
    const {outcome} = job.row;
    if (job.maybe) return this.doubt(job, 'the release was sent, and no usable answer came');
    const isExplained = why !== undefined && outcome.state === 'staged';
    this.#record(job, isExplained ? {...outcome, message: why} : {...outcome});
    return ENDED;
  }

  /** Its record is still `created`: the release of the row, which was not answered, is repeated later. */
  stillInDoubt(job: ReleaseJob): WorkEnd {
    this.#record(job, {...job.row.outcome});
    return ENDED;
  }

  /** Its record was not approved, but its key may have made another one. */
  maybePaidBefore(job: ReleaseJob): WorkEnd {
    this.#record(job, {state: 'in_doubt', code: FORGOTTEN_CODE, message: MAYBE_BY_SECOND});
    return ENDED;
  }

  /** The open window marks the row as "may have been released", which it certainly was not. */
  untouched(row: RecordedRow): void {
    this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, {...row.outcome}));
  }

  /** The registry, or this journal, was lost in between: the record would be a second payment. */
  paidByOther(row: RecordedRow, {batch, id}: OtherPayment): void {
    const message = `batch ${batch} also paid this reference later${id === null ? '' : `, record ${id}`}; check for a double payment, then resolve this row`;
    const facts = {state: 'in_doubt', code: REGISTRY_CODE, message} as const;
    this.#run.outcomes.record(row, bucketBefore(row, false), outcomeOf(row, facts));
  }

  #record(job: ReleaseJob, facts: Partial<Outcome> & Pick<Outcome, 'state'>): void {
    const {row, before} = job;
    const known = {...acceptedFor(row, facts), ...facts, attempts: attemptsOf(job)};
    this.#run.outcomes.record(row, before, outcomeOf(row, known));
  }
}
