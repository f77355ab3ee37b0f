import {type Clock, poll} from '../../clock.ts';
import {canReach, isFinal, type Lifecycle, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import {isObject, type Json, type Printable} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';

export interface WaitOptions<T> {
  /** Reads the record; `timeoutMs` is the remaining time of the wait. */
  read: (options: {timeoutMs: number}) => Promise<T>;
  lifecycle: Lifecycle;
  /** The status to wait for; absent means any final one. */
  until?: string | undefined;
  /** Time limit for the whole wait; absent: none. */
  timeoutMs?: number | undefined;
  /** The record that the caller already has; then the first read can wait half a second. */
  initial?: T | undefined;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  signal?: AbortSignal | undefined;
  /** Called after every read whose status differs from the previous one, including the first. */
  onChange?: ((record: T) => void) | undefined;
  /** Called after every read, with its error if it failed and will be repeated. */
  onRead?: ((error: RemitError | undefined) => void) | undefined;
}

export interface Waited<T> {
  /**
   * `reached`: the record has the status, or a later one on the way to success. `ended`: it will never have it, or it
   * failed. `timeout`: neither was seen in time.
   */
  outcome: 'reached' | 'ended' | 'timeout';
  /** The record as last read; undefined if no read succeeded. */
  record: T | undefined;
  polls: number;
  /** Why the last read failed, on a timeout. */
  lastError?: RemitError;
}

const FIRST_MS = 500;
const GROWTH = 1.5;
const LONGEST_MS = 10_000;
/** Each wait is shortened by up to this share, so that many waits do not poll in step. */
const JITTER = 0.25;

/** The pause before the next read; `pauses` is the number of pauses so far. */
export const pollPauseMs = (pauses: number, random: () => number): number =>
  Math.min(LONGEST_MS, FIRST_MS * GROWTH ** pauses) * (1 - JITTER * random());

/**
 * Reads a record until it has the status, can no longer reach it, or time runs out.
 * @throws {RemitError} what a read threw; INTERRUPTED or TERMINATED if the signal fired
 */
export async function waitFor<T extends Printable>(options: WaitOptions<T>): Promise<Waited<T>> {
  const {clock, random, signal, lifecycle, until, timeoutMs, initial} = options;
  let record = initial;
  let polls = 0;
  let lastError: RemitError | undefined;
  const read = async (timeoutMs: number): Promise<void> => {
    polls++;
    try {
      const before = record === undefined ? undefined : statusOf(record);
      record = await options.read({timeoutMs});
      lastError = undefined;
      if (polls === 1 || statusOf(record) !== before) options.onChange?.(record);
    } catch (error) {
      if (!isTransient(error)) throw error;
      lastError = error;
    }
    options.onRead?.(lastError);
  };
  let isKnown = initial !== undefined;
  const outcome = await poll({
    ...{clock, timeoutMs},
    sleep: (ms) =>
      clock.sleep(ms, signal).catch((error: unknown) => {
        throw signal?.aborted === true ? interrupted(signal.reason) : error;
      }),
    pauseMs: (pauses) =>
      Math.max(Number(lastError?.details?.['retry_after_ms'] ?? 0), pollPauseMs(pauses, random)),
    step: async (leftMs) => {
      if (!isKnown) await read(leftMs);
      isKnown = false;
      const stand = lastError === undefined ? standing(lifecycle, statusOf(record), until) : 'open';
      return stand === 'open' ? undefined : stand;
    },
  });
  return {outcome: outcome ?? 'timeout', record, polls, ...(lastError && {lastError})};
}

/** The commands' own Ctrl-C stays as it is; any other reason of the caller's signal is the cause. */
function interrupted(reason: unknown): RemitError {
  if (reason instanceof RemitError && (reason.code === 'INTERRUPTED' || reason.code === 'TERMINATED'))
    return reason;
  return new RemitError('INTERRUPTED', 'interrupted between two reads; the wait changed nothing', {
    details: {may_have_taken_effect: false},
    cause: reason,
  });
}

/** Compares a status with the target status; an unknown or missing status is always open. */
export function standing(
  lifecycle: Lifecycle,
  status: string | undefined,
  until: string | undefined,
): 'reached' | 'ended' | 'open' {
  if (status === undefined) return 'open';
  if (status === until) return 'reached';
  if (!Object.hasOwn(lifecycle.next, status)) return 'open';
  const good = lifecycle.good.includes(status);
  if (until === undefined) {
    if (!isFinal(lifecycle, status)) return 'open';
    return good ? 'reached' : 'ended';
  }
  const final = isFinal(lifecycle, status);
  const failed = final && !good;
  // If `debited` is the target and the status is `settled`, it was debited on the way.
  if (!failed && canReach(lifecycle, until, status) && !canReach(lifecycle, status, until)) return 'reached';
  return final || (Object.hasOwn(lifecycle.next, until) && !canReach(lifecycle, status, until))
    ? 'ended'
    : 'open';
}

/** The `status` of a record, or a payment method's `verification_status`. */
export function statusOf(record: Printable): string | undefined {
  if (!isObject(record)) return undefined;
  const {status, verification_status: verification} = record;
  const found = status ?? verification;
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function isTransient(error: unknown): error is RemitError {
  return error instanceof RemitError && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED');
}

/**
 * A program in plain JavaScript may pass any value, and a wait for `Settled` would end as failed.
 * @throws {RemitError} USAGE if it is not a status
 */
export function checkStatus(until: Json): void {
  if (TRANSFER_STATUSES.some((status) => status === until)) return;
  const near = typeof until === 'string' ? nearest(until.toLowerCase(), TRANSFER_STATUSES) : undefined;
  throw new RemitError(
    'USAGE',
    `until: ${JSON.stringify(until)} is not one of the statuses: ${TRANSFER_STATUSES.join(', ')}`,
    {hint: near === undefined ? undefined : `did you mean ${near}?`},
  );
}
