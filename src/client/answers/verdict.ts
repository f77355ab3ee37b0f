import {isSuccess, type Answer} from './answer.ts';
import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import type {ErrorCode} from '../../errors.ts';
import type {TransportFailure} from '../transport/transport.ts';
import type {Json} from '../../narrow.ts';

/**
 * What a repetition would do. `read`: nothing. `keyed`: the same action, identified by its idempotency key. `delete`:
 * nothing more. `bare`: possibly the action a second time.
 */
export type Safety = 'read' | 'keyed' | 'bare' | 'delete';

/** The end of one attempt: a complete answer, or none. */
export type AttemptEnd = {readonly answer: Answer<Json>} | {readonly failure: TransportFailure};

/**
 * The meaning of an answer, independent of the request. One table for each kind of request decides what follows from
 * it.
 */
export type Meaning =
  | 'success'
  | 'redirect'
  | 'invalid' // 400, 422
  | 'unauthorized' // 401
  | 'forbidden' // 403
  | 'not-found' // 404
  | 'key-conflict' // the record of the idempotency key has failed or was canceled
  | 'key-in-use' // any other 409: most likely an earlier request with the same key is still in progress
  | 'throttled' // 429
  | 'failing' // the service could not answer; a write may have taken effect
  | 'refused'; // any other status

/** The only place that gives a meaning to the status of an answer. */
export function meaningOf({status, errorCode}: Pick<Answer, 'status' | 'errorCode'>): Meaning {
  if (isSuccess(status)) return 'success';
  if (status >= 500) return 'failing';
  if (status >= 300 && status < 400) return 'redirect';
  switch (status) {
    case 400:
    case 422:
      return 'invalid';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 408:
    case 425:
      return 'failing';
    case 409:
      return errorCode === 'IDEMPOTENCY_KEY_CONFLICT' ? 'key-conflict' : 'key-in-use';
    case 429:
      return 'throttled';
    default:
      return 'refused';
  }
}

/** The error code for an unsuccessful answer, derived from its status alone. */
export const codeOfStatus = (status: number): ErrorCode => CODES[meaningOf({status})];

const CODES: Readonly<Record<Meaning, ErrorCode>> = {
  success: 'UNAVAILABLE', // its content was not usable
  redirect: 'REDIRECTED',
  invalid: 'REFUSED',
  unauthorized: 'AUTHENTICATION_ERROR',
  forbidden: 'AUTHORIZATION_ERROR',
  'not-found': 'NOT_FOUND',
  'key-conflict': 'CONFLICT',
  'key-in-use': 'CONFLICT',
  throttled: 'RATE_LIMITED',
  failing: 'UNAVAILABLE',
  refused: 'REFUSED',
};

export interface Verdict {
  /** `done`: as requested; `refused`: finally, by the service; `open`: unknown which. */
  readonly is: 'done' | 'refused' | 'open';
  /** This attempt may have taken effect although it is not done. Always false for a read. */
  readonly taken: boolean;
  /** It may be sent again. */
  readonly again: boolean;
  /** The service asked for fewer requests: wait longer. */
  readonly slow: boolean;
}

const DONE: Verdict = {is: 'done', taken: true, again: false, slow: false};
const REFUSED: Verdict = {is: 'refused', taken: false, again: false, slow: false};

/**
 * Judges one attempt of a single call; batches have their own table, with more states.
 *
 * @param readable whether a success answer contains what was requested; a truncated or unexpected one does not
 */
export function judge(
  outcome: AttemptEnd,
  safety: Safety,
  readable: (answer: Answer<Json>) => boolean,
): Verdict {
  if ('failure' in outcome) return judgeFailure(outcome.failure, safety);
  const {answer} = outcome;
  const {status} = answer;
  switch (meaningOf(answer)) {
    case 'success':
      return readable(answer) ? DONE : maybe(safety);
    case 'throttled':
      return {is: 'open', taken: false, again: true, slow: true};
    case 'failing':
      return maybe(safety, status === 503);
    case 'key-in-use':
      return safety === 'keyed' ? maybe(safety) : REFUSED;
    case 'redirect': // a service may redirect to the result of what it has done
      return safety === 'read' ? REFUSED : {is: 'open', taken: true, again: false, slow: false};
    default:
      return REFUSED;
  }
}

function judgeFailure(failure: TransportFailure, safety: Safety): Verdict {
  if (failure.sent) return maybe(safety);
  return {is: 'open', taken: false, again: failure.kind !== 'other', slow: false}; // `other` before sending is caused by us
}

function maybe(safety: Safety, slow = false): Verdict {
  return {is: 'open', taken: safety !== 'read', again: safety !== 'bare', slow};
}

/**
 * True if a refusal also covers the earlier, unanswered attempts with the same key. A documented code comes from the
 * service itself, which would have answered with the record if there were one. A bare 404 or a 401 proves nothing.
 */
export function coversEarlier(answer: Answer): boolean {
  const documented = documentedStatus(answer.errorCode);
  return documented === answer.status && documented !== 401 && documented !== 403;
}

/** The status that the interface document assigns to an error code; undefined for an unknown code. */
export function documentedStatus(code: string | undefined): number | undefined {
  const errors: Readonly<Record<string, {status: number}>> = SERVICE_ERRORS;
  return code !== undefined && Object.hasOwn(errors, code) ? errors[code]?.status : undefined;
}
