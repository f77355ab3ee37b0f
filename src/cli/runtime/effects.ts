import {RemitError} from '../../errors.ts';
import {plainValue} from '../../output/records/view.ts';

/** What the service has done for this command, or the record that it waits for. */
export interface Effect {
  /** `payout`. */
  noun: string;
  /** The effect of a write: `was created`. Absent for a command that only reads. */
  done?: string | undefined;
  id: string | null;
  /** The status that was seen last. */
  status: string | null;
  idempotencyKey?: string | undefined;
  /** The command that continues from here. */
  next: string | null;
}

/** Errors that report how a wait ended, if the command itself wrote nothing. */
const ENDS_A_WAIT: ReadonlySet<string> = new Set([
  'INTERRUPTED',
  'TERMINATED',
  'ENDED_BADLY',
  'WAIT_TIMEOUT',
]);

/**
 * Records what took effect, so that whatever fails afterwards (an interrupted wait, a full disk, a bug) ends in an
 * error with id, status, idempotency key and the next command.
 */
export class Effects {
  #effect: Effect | undefined;
  #waiting = false;
  #partly = false;

  /** A write was accepted. */
  took(effect: Effect & {done: string}): void {
    this.#effect = effect;
  }

  /** The service did it with a warning (207): the command ends with exit 8. */
  tookPartly(): void {
    this.#partly = true;
  }

  get isPartial(): boolean {
    return this.#partly;
  }

  /** A wait begins; `effect` names the record if no write of this command created it. */
  waitsFor(effect: Omit<Effect, 'done'>): void {
    this.#effect = {...this.#effect, ...effect};
    this.#waiting = true;
  }

  /** The record was read again. */
  saw(status: unknown): void {
    if (this.#effect !== undefined && typeof status === 'string') this.#effect = {...this.#effect, status};
  }

  /** True once a write of this command took effect; then losing its result is a failure. */
  get wrote(): boolean {
    return this.#effect?.done !== undefined;
  }

  /** This error, preceded by what took effect; unchanged if nothing did. */
  explain(error: RemitError): RemitError {
    const effect = this.#effect;
    if (effect === undefined || (!this.wrote && !ENDS_A_WAIT.has(error.code))) return error;
    const {httpStatus, requestId, body, exitCode, cause} = error;
    const {id, status, idempotencyKey = null} = effect;
    const next = error.code === 'ENDED_BADLY' ? null : effect.next; // there is nothing left to wait for
    return new RemitError(error.code, this.#message(error, effect), {
      ...{httpStatus, requestId, body, exitCode, cause},
      details: {
        id,
        status,
        idempotency_key: idempotencyKey,
        next: next ?? error.hint ?? null,
        ...error.details,
        // Of a read that failed after the write it is false, but the error is that of the whole command.
        ...(this.wrote &&
          error.details?.['may_have_taken_effect'] === false && {may_have_taken_effect: true}),
      },
      hint: error.hint ?? next ?? undefined,
      retryable: error.retryable && !this.wrote, // the same words again would do it a second time
    });
  }

  #message({code, message, details}: RemitError, {noun, id, done, status}: Effect): string {
    const subject = id === null ? `the ${noun}` : `${noun} ${plainValue(id)}`;
    const seen = status === null ? '' : ` (status: ${plainValue(status)})`;
    if (code === 'INTERRUPTED' || code === 'TERMINATED') {
      const verb = code === 'INTERRUPTED' ? 'interrupted' : 'terminated';
      return this.#waiting
        ? `${verb} while waiting for ${subject}${seen === '' ? ' (status unknown)' : seen}. Stopping the wait does not stop the ${noun}`
        : `${verb}. Before that, ${subject} ${done ?? 'was read'}${seen}`;
    }
    if (done === undefined || details?.['id'] !== undefined) return message; // it already names the record
    return `${message}. Before that, ${subject} ${done}${seen}`;
  }
}
