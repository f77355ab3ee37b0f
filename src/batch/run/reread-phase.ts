import {differsIn} from '../answers/answers.ts';
import {differencesOf, differenceText} from '../answers/difference.ts';
import {compareFetched, otherParts} from '../answers/echo.ts';
import {bucketBefore, heldCode, outcomeOf} from '../answers/outcome-of.ts';
import type {Moved, Open} from '../answers/read-verdict.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {RowState} from '../model/outcome.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import {readAgain, readJob, type ReadJob} from './read-again.ts';

interface Job extends ReadJob {
  row: RecordedRow;
}

const PAGE = 256;

/**
 * Reads the records of rows before a release; sends only GETs.
 *
 * Held rows are always read: a release skips them, and with caps it may not release them at all. If a record was approved
 * or canceled by its id since then, or agrees with its row now, that is recorded here.
 *
 * After a change of the service file, all rows that may be released are read and compared with the plan again. A held
 * row that now agrees is staged, a staged row that now differs is held, and a record of another payment stops the run.
 */
export class RereadPhase {
  readonly #run: PhaseParts;
  readonly #states: readonly RowState[];
  readonly #compares: boolean;
  #page: RecordedRow[] = [];
  #after = 0;
  /** Rows whose record could not be read, and thus not compared. */
  unread = 0;

  /** @param compares the service file has changed since the records were compared with their rows */
  constructor(run: PhaseParts, states: readonly RowState[], compares: boolean) {
    this.#run = run;
    this.#states = states;
    this.#compares = compares;
  }

  async run(): Promise<void> {
    await dispatch<Job>(this.#run, {
      next: () => this.#next(),
      work: (job) => this.#read(job),
      abandon: () => void this.unread++, // nothing is sent that could be in doubt
    });
    endPhase(this.#run);
  }

  #next(): Job | undefined {
    if (this.#page.length === 0) {
      this.#page = this.#run.journal.rows.recorded(this.#states, this.#after, PAGE);
      if (this.#page.length > 0) this.#run.beforeWindow(); // the batch must still be ours
    }
    const row = this.#page.shift();
    if (row === undefined) return undefined;
    this.#after = row.n;
    return readJob({row, id: row.outcome.id});
  }

  async #read(job: Job): Promise<WorkEnd> {
    const {row, id} = job;
    const {kind} = this.#run.settings;
    // A held row that cannot be read stays held. A row that is to be released must be read.
    const found = await readAgain(this.#run, job, () => ({row, id, kind}), {mustRead: this.#compares});
    if (found.again) return found;
    const {read} = found;
    if (read.is === 'moved') this.#moved(row, read);
    else if (read.is !== 'open') this.unread++;
    else if (this.#compares) this.#compare(row, read);
    else if (compareFetched(read.record, row, kind) === 'same') this.#agrees(row);
    if (read.is === 'not-found') this.#run.records.notFound(row, id, read.answer);
    return {again: false};
  }

  #moved(row: RecordedRow, {state, status, answer}: Moved): void {
    const {kind} = this.#run.settings;
    const differs = state === 'accepted' ? differsIn(answer, row, kind) : undefined;
    this.#run.outcomes.record(
      row,
      bucketBefore(row, false),
      outcomeOf(row, {state, status, ...differs}, answer),
    );
    this.#run.outcomes.noteEnded(row, row.outcome.id, status);
  }

  #compare(row: RecordedRow, {record}: Open): void {
    const {kind} = this.#run.settings;
    const echo = compareFetched(record, row, kind);
    const {outcome} = row;
    if (echo === 'other') {
      const {halt} = this.#run;
      halt.isProbeRefused = true;
      halt.stopFor(
        'collision',
        `read with the changed service file, the record ${outcome.id} of row ${row.n} (${row.reference}) has ${otherParts(record, row, kind).join(' and ')}; nothing was released`,
      );
    } else if (echo === 'same') {
      if (outcome.state === 'held') this.#agrees(row);
    } else {
      const differences = differencesOf(record, row, kind);
      const message = `${STILL_DIFFERS}: ${differenceText(differences, kind)}`;
      this.#record(row, {
        ...outcome,
        state: 'held',
        code: heldCode({differences}),
        message,
        differences,
      });
    }
  }

  #agrees(row: RecordedRow): void {
    this.#record(row, {...row.outcome, state: 'staged', code: null, message: null});
  }

  #record(row: RecordedRow, outcome: RecordedRow['outcome']): void {
    this.#run.outcomes.record(row, bucketBefore(row, false), outcome);
  }
}

const STILL_DIFFERS = 'read with the changed service file, its record differs from the row';
