import {differsIn, isOwnLimit, judgeLook} from './answers.ts';
import {Dispatcher, type WorkEnd} from './dispatcher.ts';
import type {JournalRow} from '../journal/row.ts';
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
    const {settings} = this.#context;
    const id = row.outcome!.id!; // a held row has a record
    this.#context.begin(job);
    const sentAt = this.#context.clock.monotonic();
    const end = await this.#context.exchange(this.#context.wire.get(id));
    if ('failure' in end) {
      const {failure} = end;
      if (failure.kind === 'aborted') return {again: false};
      if (failure.sent) {
        this.#context.countFailing(sentAt, wordsOf(end));
        return {again: false};
      }
      job.sends--;
      const then = isOwnLimit(failure) ? 'crowded' : 'gate';
      const isWaiting = this.#context.notSent({then, throttled: false}, sentAt, wordsOf(end)) === 'wait';
      return isWaiting ? {again: true, afterMs: 0} : {again: false};
    }
    const {answer} = end;
    if (answer.status === 429) return {again: true, afterMs: this.#context.backoff(job.sends - 1, true)};
    if (answer.status === 404) this.#context.notFound(row, id, answer);
    else if (answer.status === 401 || answer.status === 403)
      this.#context.stopFor('credentials', wordsOf(end));
    else if (answer.status >= 500) this.#context.countFailing(sentAt, wordsOf(end));
    const {state, status} = judgeLook(answer, id);
    if (state !== 'accepted' && state !== 'dead_key') return {again: false};
    const differs = state === 'accepted' ? differsIn(answer, row, settings.kind) : undefined;
    this.#context.settle(row, 'staged', outcomeOf(row, {state, status, ...differs}, answer));
    this.#context.noteEnded(row, id, status);
    return {again: false};
  }
}
