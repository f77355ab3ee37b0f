import type {JournalRow} from '../journal/row.ts';
import type {Bucket, Outcome} from '../model/outcome.ts';
import type {Outcomes} from './settle.ts';
import type {StopRules} from './stop-rules.ts';

/** A refusal that is final only after a success. */
interface Deferred {
  row: JournalRow;
  before: Bucket;
  outcome: Outcome;
  /** What the row becomes without one, when it may have been sent before. */
  doubt: Outcome | undefined;
}

/**
 * Keeps definite refusals until a success shows that they are about their rows: a wrong address or a wrong entity refuses
 * every row alike. The first success makes them final; the third in a row stops the run.
 */
export class Refusals {
  readonly #outcomes: Outcomes;
  readonly #rules: StopRules;
  #deferred: Deferred[] = [];

  constructor(outcomes: Outcomes, rules: StopRules) {
    this.#outcomes = outcomes;
    this.#rules = rules;
  }

  /** @param doubt what the row becomes without a success of this run, if it may have been sent before */
  reject(row: JournalRow, before: Bucket, outcome: Outcome, doubt?: Outcome): void {
    if (doubt === undefined ? this.#rules.isProven : this.#rules.patience.successes > 0) {
      this.#outcomes.settle(row, before, outcome);
      return;
    }
    this.#deferred.push({row, before, outcome, doubt});
    if (!this.#rules.isProven)
      this.#rules.refused(`${outcome.code ?? String(outcome.http)}: ${outcome.message ?? 'no message'}`);
  }

  /** Something has succeeded. */
  believe(): void {
    if (this.#deferred.length === 0) return;
    for (const {row, before, outcome} of this.#deferred.splice(0))
      this.#outcomes.settle(row, before, outcome);
  }

  /** A refused row may have been sent before, and nothing has succeeded in this run. */
  get waitForSuccess(): boolean {
    return this.#rules.patience.successes === 0 && this.#deferred.some(({doubt}) => doubt !== undefined);
  }

  /** At the end of a phase: refusals that nothing contradicted hold, unless the run was stopped or a row is in doubt. */
  decide(isStopped: boolean): void {
    for (const {row, before, outcome, doubt} of this.#deferred.splice(0))
      this.#outcomes.settle(row, before, doubt ?? (isStopped ? {...outcome, state: 'not_sent'} : outcome));
  }
}
