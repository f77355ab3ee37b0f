import type {JournalRow} from '../journal/rows/row.ts';
import type {Bucket, Outcome} from '../model/outcome.ts';
import type {Outcomes} from './outcomes.ts';
import type {StopRules} from './stop-rules.ts';

/** A refusal that becomes final only after a success. */
interface Deferred {
  row: JournalRow;
  before: Bucket;
  outcome: Outcome;
  /** The outcome without a success, if the row may have been sent before. */
  doubt: Outcome | undefined;
}

/**
 * Holds definite refusals until a success shows that they concern their rows: with a wrong address or entity, every
 * row is refused alike. The first success makes them final; the third refusal in a row stops the run.
 */
export class Refusals {
  readonly #outcomes: Outcomes;
  readonly #rules: StopRules;
  #deferred: Deferred[] = [];

  constructor(outcomes: Outcomes, rules: StopRules) {
    this.#outcomes = outcomes;
    this.#rules = rules;
  }

  /** @param doubt outcome of the row if this run has no success and the row may have been sent before */
  reject(row: JournalRow, before: Bucket, outcome: Outcome, doubt?: Outcome): void {
    if (doubt === undefined ? this.#rules.isProven : this.#rules.patience.successes > 0) {
      this.#outcomes.record(row, before, outcome);
      return;
    }
    this.#deferred.push({row, before, outcome, doubt});
    if (!this.#rules.isProven)
      this.#rules.refused(`${outcome.code ?? String(outcome.http)}: ${outcome.message ?? 'no message'}`);
  }

  /** A request has succeeded. */
  believe(): void {
    if (this.#deferred.length === 0) return;
    for (const {row, before, outcome} of this.#deferred.splice(0))
      this.#outcomes.record(row, before, outcome);
  }

  /** Whether a refused row may have been sent before while nothing has succeeded in this run. */
  get waitForSuccess(): boolean {
    return this.#rules.patience.successes === 0 && this.#deferred.some(({doubt}) => doubt !== undefined);
  }

  /**
   * At the end of a phase: refusals become final if nothing contradicted them, unless the run was stopped or a row is
   * in doubt.
   */
  decide(isStopped: boolean): void {
    for (const {row, before, outcome, doubt} of this.#deferred.splice(0))
      this.#outcomes.record(row, before, doubt ?? (isStopped ? {...outcome, state: 'not_sent'} : outcome));
  }
}
