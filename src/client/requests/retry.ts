import type {Clock} from '../../clock.ts';
import type {Answer} from '../answers/answer.ts';
import {fullJitter} from './backoff.ts';
import type {Debug} from '../transport/debug.ts';
import {inDoubt, interrupted, refusal, unavailable, type CallFacts} from '../answers/service-error.ts';
import {
  TransportFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../transport/transport.ts';
import {judge, coversEarlier, type AttemptEnd, type Safety, type Verdict} from '../answers/verdict.ts';
import type {Json} from '../../narrow.ts';

export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number;
  /** A longer Retry-After ends the call instead of being waited for. */
  maxWaitMs: number;
}

export const DEFAULT_POLICY: RetryPolicy = {retries: 2, maxWaitMs: 60_000};
/** The base for full jitter, and the base after the service asked for fewer requests (429, 503). */
const BASE_MS = 200;
const SLOW_BASE_MS = 1_000;
const CAP_MS = 20_000;

export interface Call extends Omit<CallFacts, 'attempts'> {
  transport: Transport;
  /** Built once: every attempt sends the same bytes and the same key. */
  request: TransportRequest;
  safety: Safety;
  /** The request has `auto_approve`: an unanswered attempt may have moved money. */
  approves: boolean;
  read: (raw: TransportAnswer, nowMs: number) => Answer<Json>;
  readable: (answer: Answer<Json>) => boolean;
  policy: RetryPolicy;
  clock: Clock;
  random: () => number;
  debug: Debug;
  /** Not sent again after a 409, which shows that the idempotency key is in use. */
  endsAtConflict?: boolean | undefined;
  /**
   * Called before the request is sent again after an attempt that may have taken effect. Its answer, if it has one,
   * replaces the next attempt.
   * @param answered the HTTP status of that attempt; undefined without an answer
   */
  lookUp?: ((answered: number | undefined) => Promise<Answer<Json> | undefined>) | undefined;
}

export interface Finished {
  answer: Answer<Json>;
  attempts: number;
}

/**
 * Sends a request until its outcome is known or the policy ends. This is the only place that repeats a single call.
 *
 * @throws {RemitError} the service's refusal; UNAVAILABLE or RATE_LIMITED if it certainly had no effect; IN_DOUBT if
 *   a write may have had an effect; INTERRUPTED or TERMINATED if the signal fired
 */
export async function finish(call: Call): Promise<Finished> {
  const {safety, policy, clock, request} = call;
  let mayBeTaken = false;
  let sent = false;
  for (let attempts = 1; ; attempts++) {
    const facts: CallFacts = {...call, attempts};
    const outcome = await attempt(call);
    const verdict = judge(outcome, safety, call.readable);
    if ('answer' in outcome) {
      if (verdict.is === 'done') return {answer: outcome.answer, attempts};
      if (verdict.is === 'refused')
        return {answer: refusedAnswer(outcome.answer, mayBeTaken, call, facts), attempts};
    }
    mayBeTaken ||= verdict.taken;
    sent ||= 'answer' in outcome || outcome.failure.sent;
    if (request.signal?.aborted) throw interrupted(request.signal.reason, mayBeTaken, facts);
    const waitMs = delayMs(outcome, verdict, attempts, call);
    const isConflict = 'answer' in outcome && outcome.answer.status === 409;
    const again = verdict.again && !(isConflict && call.endsAtConflict === true);
    if (!again || attempts > policy.retries || waitMs === undefined) {
      const isUnsent = !sent && safety !== 'read';
      throw mayBeTaken ? inDoubt(outcome, facts) : unavailable(outcome, facts, isUnsent);
    }
    call.debug.note(`attempt ${attempts} is open; the next one in ${Math.round(waitMs)} ms`);
    try {
      await clock.sleep(waitMs, request.signal);
    } catch (reason) {
      throw interrupted(reason, mayBeTaken, facts);
    }
    const answered = 'answer' in outcome ? outcome.answer.status : undefined;
    const known = mayBeTaken ? await call.lookUp?.(answered) : undefined;
    if (known !== undefined) return {answer: known, attempts};
  }
}

/**
 * A refusal is final, with two exceptions after earlier, unanswered attempts. With `auto_approve`, as in a batch, no
 * refusal covers those attempts: they may have moved money, and the service may check a request before it looks up
 * the key.
 */
function refusedAnswer(
  answer: Answer<Json>,
  mayBeTaken: boolean,
  {safety, approves}: Call,
  facts: CallFacts,
): Answer<Json> {
  if (!mayBeTaken) throw refusal(answer, facts);
  if (safety === 'delete' && isGone(answer)) return {status: 204, json: undefined}; // the earlier attempt succeeded
  throw coversEarlier(answer) && !approves ? refusal(answer, facts) : inDoubt({answer}, facts);
}

/** The service itself says that the record does not exist; a proxy or another route answers 404 without this code. */
const isGone = ({status, errorCode}: Answer): boolean =>
  status === 404 && (errorCode === 'NOT_FOUND' || errorCode === 'PAYMENT_METHOD_NOT_FOUND');

async function attempt(call: Call): Promise<AttemptEnd> {
  const {debug, clock, transport, request} = call;
  debug.request(request);
  const startedMs = clock.monotonic();
  try {
    const raw = await transport.send(request);
    debug.answer(raw, clock.monotonic() - startedMs);
    return {answer: call.read(raw, clock.now())};
  } catch (failure) {
    if (!(failure instanceof TransportFailure)) throw failure;
    debug.note(`failed: ${failure.message} (${failure.sent ? 'bytes may have left' : 'nothing was sent'})`);
    return {failure};
  }
}

/** Milliseconds before the next attempt; undefined if the service asks for more than the policy waits. */
function delayMs(outcome: AttemptEnd, verdict: Verdict, attempts: number, call: Call): number | undefined {
  const floorMs = 'answer' in outcome ? (outcome.answer.retryAfterMs ?? 0) : 0;
  if (floorMs > call.policy.maxWaitMs) return undefined;
  const baseMs = verdict.slow ? SLOW_BASE_MS : BASE_MS;
  return Math.max(floorMs, fullJitter({attempt: attempts - 1, baseMs, capMs: CAP_MS, random: call.random}));
}
