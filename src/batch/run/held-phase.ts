import {differsIn} from './answers.ts';
import {Dispatcher, type WorkEnd} from './dispatcher.ts';
import type {JournalRow} from '../journal/row.ts';
import {judgeRead, type Moved} from './read-verdict.ts';
import {outcomeOf, type RunContext, type Tries, wordsOf} from './run-context.ts';

interface Job extends Tries {
  row: JournalRow;
}

const PAGE = 256;

/**
 * Reads the records of held rows. A release leaves them alone, and under caps it may not release them at all: a record that
 * was approved or canceled by its id since is recorded here. Sends GETs only; what is still `created` stays held.
 */
export class HeldPhase {
  readonly #context: RunContext;
  #page: JournalRow[] = [];
  #after = 0;

  constructor(context: RunContext) {
    this.#context = context;
  }

  async run(): Promise<void> {
    const {speed, clock} = this.#context;
    const dispatcher = new Dispatcher<Job>({
      ...{speed, clock, next: () => this.#next(), work: (job) => this.#read(job)},
      abandon: () => undefined, // nothing is sent that could be in doubt
    });
    this.#context.onStop = () => dispatcher.stop();
    this.#context.onGate = (ms) => dispatcher.closeGate(ms);
    dispatcher.closeGate(this.#context.gateUntil - clock.monotonic()); // the phase before may have been told to wait
    if (this.#context.stop === undefined) await dispatcher.run();
    this.#context.endOfPhase();
  }

  #next(): Job | undefined {
    if (this.#page.length === 0) {
      this.#page = this.#context.journal.rowsIn(['held'], this.#after, PAGE);
      if (this.#page.length === 0) return undefined;
      this.#after = this.#page.at(-1)!.n;
      this.#context.beforeWindow(); // the batch must still be ours
    }
    return {row: this.#page.shift()!, sends: 0, tries: 0, successes: undefined};
  }

  async #read(job: Job): Promise<WorkEnd> {
    const {row} = job;
    const id = row.outcome!.id!; // a held row has a record
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.get(id));
    const read = judgeRead(end, id);
    switch (read.is) {
      case 'not-sent':
        job.sends--;
        this.#context.notSent(read, sentAt, wordsOf(end));
        return {again: true, afterMs: 0};
      case 'unanswered':
      case 'failing':
        this.#context.countFailing(sentAt, wordsOf(end));
        return {again: false};
      case 'throttled':
        return {again: true, afterMs: this.#context.backoff(job.sends - 1, true)};
      case 'credentials':
        this.#context.stopFor('credentials', wordsOf(end));
        return {again: false};
      case 'not-found':
        this.#context.notFound(row, id, read.answer);
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

  #moved(row: JournalRow, {state, status, answer}: Moved): void {
    const {kind} = this.#context.settings;
    const differs = state === 'accepted' ? differsIn(answer, row, kind) : undefined;
    this.#context.settle(row, 'staged', outcomeOf(row, {state, status, ...differs}, answer));
    this.#context.noteEnded(row, row.outcome!.id!, status); // a held row has a record
  }
}
