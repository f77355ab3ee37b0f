import type {Answer} from '../../client/answers/answer.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {must} from '../../narrow.ts';
import type {Journal} from '../journal/journal.ts';
import type {JournalRow, RowWithOutcome} from '../journal/rows/row.ts';
import {bucketOf, type Outcome, LOST, lostCode} from '../model/outcome.ts';
import type {Gate} from './gate.ts';
import type {Halt} from './halt.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import type {Sender} from './send.ts';
import type {Outcomes} from './outcomes.ts';
import {lostText} from '../answers/stop-words.ts';
import type {Wire} from '../answers/wire.ts';

interface Parts {
  journal: Journal;
  wire: Wire;
  send: Sender;
  outcomes: Outcomes;
  gate: Gate;
  halt: Halt;
}

/** Reads existing records of the batch to test the service, and stops the run if one of them is not found. */
export class KnownRecords {
  readonly #parts: Parts;
  /** Records that were not found. Their rows may be in flight, so they become in doubt when the phase has ended. */
  readonly #lost: {reference: string; id: string; errorCode: string}[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Fetches a record once the gate is open. Undefined if the run was stopped or no answer arrived. */
  async read(row: JournalRow, id: string, how?: {isCheck: boolean}): Promise<Answer | undefined> {
    const {gate, send, wire} = this.#parts;
    if (!(await gate.opened())) return undefined;
    const end = await send.exchange(wire.get(id), how);
    if (!('answer' in end)) return undefined;
    if (meaningOf(end.answer) === 'not-found') this.notFound(row, id, end.answer);
    return end.answer;
  }

  /** Fetches the last written record of the batch, if any, to check whether the service still shows a record. */
  async check(): Promise<Answer | undefined> {
    const {outcomes} = this.#parts;
    outcomes.lastRecord ??= this.#first();
    const {lastRecord: known} = outcomes;
    return known === undefined ? undefined : this.read(known.row, known.id, {isCheck: true});
  }

  /** Fetches the first record of the batch. */
  async checkFirst(): Promise<void> {
    const known = this.#first();
    if (known !== undefined) await this.read(known.row, known.id, {isCheck: true});
  }

  #first(): {row: JournalRow; id: string} | undefined {
    const row = this.#parts.journal.rows.recordMadeBetween(0, Infinity);
    return row === undefined ? undefined : {row, id: row.outcome.id};
  }

  /**
   * Handles a 404 for a record that was read to test the service: the run ends. If the service itself says that it
   * does not know the record, the row becomes in doubt. A 404 without an error code may come from another server.
   */
  notFound(row: JournalRow, id: string, {errorCode}: Answer): void {
    if (errorCode !== undefined) this.#lost.push({reference: row.reference, id, errorCode});
    this.stopForLost(row, id);
  }

  /** The service does not know a record to which it gave an id. */
  stopForLost(row: JournalRow, id: string): void {
    this.#parts.halt.stopFor('lost-record', lostText(row, id));
  }

  /** Called at the end of a phase. */
  recordLost(): void {
    if (this.#lost.length === 0) return;
    const {outcomes, journal} = this.#parts;
    outcomes.flush();
    for (const {reference, id, errorCode} of this.#lost.splice(0)) {
      const row = must(journal.rows.of(reference), 'row with a record that was read');
      const known = row.outcome;
      if (known?.id !== id) continue;
      const outcome = lostOutcome({...row, outcome: known}, errorCode);
      if (outcome !== undefined) outcomes.record(row, bucketOf(known.state), outcome);
    }
  }
}

/**
 * The outcome of a row whose record is not found; undefined if the row is unchanged. If the record is found again,
 * that alone must not release it: a refusal is kept with its row, and a held row stays held. A difference that was
 * accepted stays accepted.
 */
export function lostOutcome(row: RowWithOutcome, errorCode?: string): Outcome | undefined {
  const known = row.outcome;
  if (known.state === 'unapproved' || known.state === 'dead_key')
    return {...known, state: 'in_doubt', status: 'created', http: known.http ?? 409};
  if (known.state !== 'staged' && known.state !== 'accepted') return undefined;
  const code = lostCode(known, errorCode);
  return outcomeOf(row, {state: 'in_doubt', http: 404, code, message: LOST, requestId: null});
}
