import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {isObject} from '../../narrow.ts';
import {nextTurn} from '../../clock.ts';
import {isEnd} from '../answers/answers.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import type {Reading, ReadVerdict} from '../answers/read-verdict.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {wordsOf} from '../answers/words.ts';
import type {RaisedRow} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {bucketOf, type Outcome, REGISTRY_CODE} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import {type EndedEntry, leastGeneration, paidContent} from '../registry/entry.ts';
import {bucketNow, outcomeOfOther} from '../registry/judge.ts';
import {mayHaveNewKey} from '../registry/survey.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {readAgain, readJob, type ReadJob} from './read-again.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

interface Job extends ReadJob {
  row: JournalRow;
  /** The claim of the other batch. */
  former: EndedEntry;
}

const PAGE = 1000;

/**
 * Reads the records of other batches that have failed or were canceled, before their references are paid again. The
 * answer that showed the end may have been wrong, or old; with a new key, the service would pay a second time. A row
 * gets the new key only if its record is shown as failed or canceled again. If it is settled, the registry is corrected,
 * and the row is already paid. Otherwise the row is not sent, and the next run reads the record again.
 */
export class FormerPhase {
  readonly #run: Parts;
  /** Numbers of the rows with a new key: their former records were read a moment ago. */
  readonly readNow = new Set<number>();
  readonly #renewed: RaisedRow[] = [];
  /** Rows whose former record could not be read. */
  readonly #unread: {reference: string; message: string}[] = [];

  constructor(run: Parts) {
    this.#run = run;
  }

  async run(): Promise<void> {
    const {journal, claims, halt, beforeWindow} = this.#run;
    if (!claims.hasEnded()) return;
    const unsent = (after: number, limit: number) => journal.rows.unstaged(after, limit);
    for (const page of pagesOf(unsent, PAGE)) {
      const formers = claims.endedByOthers(page);
      if (formers.size > 0) {
        beforeWindow(); // the batch must still be ours
        await this.#read(page, formers);
      }
      if (halt.stop !== undefined) return;
      await nextTurn(); // the heartbeats of the locks must continue
    }
  }

  async #read(page: readonly JournalRow[], formers: ReadonlyMap<string, EndedEntry>): Promise<void> {
    const {journal, clock, outcomes} = this.#run;
    const jobs: Job[] = page.flatMap((row) => {
      const former = formers.get(row.reference);
      if (former === undefined || bucketNow(journal, row) === 'in_doubt') return [];
      return [readJob({row, former, id: former.id})];
    });
    let next = 0;
    await dispatch<Job>(this.#run, {
      next: () => jobs[next++],
      work: (job) => this.#work(job),
      abandon: () => undefined, // the row is not sent by a run that was stopped
    });
    endPhase(this.#run);
    if (this.#renewed.length > 0) journal.raiseGenerations(this.#renewed.splice(0), clock.now());
    outcomes.flush();
  }

  async #work(job: Job): Promise<WorkEnd> {
    const found = await readAgain(this.#run, job, (end) => this.#reading(job, end), {mustRead: true});
    if (!found.again) this.#judge(job, found.read, wordsOf(found.end));
    return found.again ? found : {again: false};
  }

  /** The other batch paid the same reference, perhaps with other content. The registry does not know the subaccount. */
  #reading({row, former, id}: Job, end: ExchangeResult): Reading {
    const {kind} = this.#run.settings;
    // Differences of its record that the other batch has accepted are not known here.
    const isKnownEnd = true;
    if (former.fingerprint === row.fingerprint) return {row, id, kind, isKnownEnd};
    const json = 'answer' in end ? end.answer.json : undefined;
    const shown = isObject(json) ? json['subaccount_id'] : undefined;
    const subaccount = typeof shown === 'string' ? shown : null;
    return {row: {...row, ...paidContent(former), subaccount}, id, kind, isKnownEnd};
  }

  #judge({row, former, id}: Job, read: ReadVerdict, words: string): void {
    if (read.is === 'aborted') return;
    if (read.is === 'moved' && isEnd(read.status)) this.#renew(row, former);
    else if (read.is === 'moved' && isGood(read.status, this.#run.settings.kind)) {
      this.#run.claims.paid(row.reference, id);
      this.#record(row, outcomeOfOther(row, {...former, standing: null, paid: true}));
    } else this.#leave(row, former, shownAs(read, words));
  }

  /** The claim that follows raises the generation in the registry, once its journal has it. */
  #renew(row: JournalRow, former: EndedEntry): void {
    const generation = leastGeneration(former);
    if (generation <= row.generation || !mayHaveNewKey(this.#run.journal, row)) return;
    const reason = `record ${former.id} of batch ${former.batch} has failed or was canceled; it has a new key`;
    this.#renewed.push({row: {...row, generation: generation - 1}, formerId: former.id, reason});
    this.readNow.add(row.n);
  }

  /** Not sent; in conflict until the run ends, so that no phase takes the row and the release is held. */
  #leave(row: JournalRow, {id, batch}: EndedEntry, words: string): void {
    const message = `record ${id} of batch ${batch} had failed or was canceled, and ${words}: it may have paid this row, which is sent only once the record is shown as failed or canceled again`;
    this.#unread.push({reference: row.reference, message});
    this.#record(row, outcomeOf(row, {state: 'conflict', id: null, code: REGISTRY_CODE, message}));
  }

  /** At the end of the run: the next one reads these records again. */
  leaveUnread(): void {
    const {journal, outcomes} = this.#run;
    if (this.#unread.length === 0) return;
    outcomes.flush();
    for (const {reference, message} of this.#unread.splice(0)) {
      const row = journal.rows.of(reference);
      if (row?.outcome?.state !== 'conflict') continue;
      const left = outcomeOf(row, {state: 'not_sent', id: null, code: null, message});
      outcomes.record(row, bucketOf('conflict'), left);
    }
  }

  #record(row: JournalRow, outcome: Outcome): void {
    this.#run.outcomes.record(row, bucketBefore(row, false), outcome);
  }
}

/** What a read has shown of a record that had ended, if not its end. */
export function shownAs(read: ReadVerdict, words: string): string {
  if (read.is === 'open') return 'is now shown as created';
  if (read.is === 'moved') return `is now shown as ${read.status}`;
  if (read.is === 'not-found') return `is not found (${words})`;
  return read.is === 'unknown' && read.other !== undefined ? read.other : `could not be read (${words})`;
}

/** Whether a payment with this status has settled. */
export const isGood = (status: string, kind: Kind): boolean =>
  LIFECYCLES[kind].good.some((good) => good === status);
