import {capital} from '../../phrases.ts';
import {isErrorCode, RemitError, type ErrorCode, type ErrorFacts} from '../../errors.ts';
import {isObject, type Json} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {type Answer, isSuccess} from './answer.ts';
import {isUsableId, otherIdIn} from './readable.ts';
import {unwrapRecord} from './envelope.ts';
import {codeOfStatus, documentedStatus, meaningOf, type AttemptEnd} from './verdict.ts';

/** What is known about a call that ends in an error. */
export interface CallFacts {
  /** `POST https://host/path`. */
  what: string;
  attempts: number;
  idempotencyKey?: string | undefined;
  /** The caller provided this key, so the same call again is sent with it. */
  namesKey?: boolean | undefined;
  /** The command or call that continues from here. */
  hint?: string | undefined;
  /** The record that the call is about; absent for a create. */
  recordId?: string | undefined;
  sanitizer: Sanitizer;
}

/**
 * The error code for an unsuccessful answer: the service's own code if its status agrees, otherwise one derived from
 * the status.
 */
function codeOfAnswer({status, errorCode}: Answer): ErrorCode {
  if (errorCode !== undefined && documentedStatus(errorCode) === status && isErrorCode(errorCode))
    return errorCode;
  return codeOfStatus(status);
}

/** The service refused, and the refusal is final. */
export function refusal(answer: Answer<Json>, call: CallFacts): RemitError {
  const code = codeOfAnswer(answer);
  const {message, reason} = worded({answer}, call);
  return new RemitError(code, message, {
    ...facts({answer}, call),
    reason,
    ...(code === 'CONFLICT' ? {hint: call.hint} : {}), // the record may have changed meanwhile
  });
}

/**
 * A read that failed, or a write that certainly had no effect: it can be repeated later.
 * @param isUnsent no attempt of the write left this machine
 */
export function unavailable(outcome: AttemptEnd, call: CallFacts, isUnsent: boolean): RemitError {
  const code = 'answer' in outcome ? codeOfAnswer(outcome.answer) : 'UNAVAILABLE';
  const unsent = isUnsent ? 'nothing was sent: ' : '';
  const {message, reason} = worded(outcome, call, unsent);
  return new RemitError(code, message, {
    reason,
    ...facts(outcome, call, isUnsent ? {may_have_taken_effect: false} : {}),
    hint: call.hint,
  });
}

/** The reason first: it is what a person looks for, and what is left where a line is cut. */
function worded(outcome: AttemptEnd, call: CallFacts, before = ''): {message: string; reason: string} {
  const tries = call.attempts > 1 ? `, ${call.attempts} attempts` : '';
  const words =
    'failure' in outcome ? call.sanitizer.line(outcome.failure.why) : inWords(outcome.answer, call);
  const reason = before + words;
  const assumption = 'failure' in outcome ? '' : assumed(outcome.answer);
  return {message: `${reason} (${whatOf(call)}${tries})${assumption}`, reason};
}

/** A query may contain a number. */
const whatOf = ({what, sanitizer}: CallFacts): string => sanitizer.line(what);

/** A write that may have taken effect. The error has the last problem, and the key that repeats the write safely. */
export function inDoubt(outcome: AttemptEnd, call: CallFacts): RemitError {
  const earlier = isAboutEarlier(outcome, call)
    ? 'an earlier attempt got no usable answer; the last one: '
    : '';
  const {message, reason} = worded(outcome, call, `in doubt, it may have taken effect: ${earlier}`);
  return new RemitError('IN_DOUBT', message + whyInDoubt(outcome), {
    reason,
    ...facts(outcome, call, {...openRecord(call), may_have_taken_effect: true}),
    hint: call.hint ?? hintFor(call),
    retryable: call.namesKey ?? false, // with a new key, or with none, repeating it could do it twice
  });
}

/** What explains an answer of this kind to a write. */
function whyInDoubt(outcome: AttemptEnd): string {
  const meaning = 'answer' in outcome ? meaningOf(outcome.answer) : undefined;
  if (meaning === 'key-in-use')
    return '. The idempotency key is in use: another request with it may still be running, or was sent with other content';
  return meaning === 'redirect' ? '. Redirects are never followed: check the base URL' : '';
}

/** The last attempt did not take effect itself: it was refused, throttled or never sent. */
function isAboutEarlier(outcome: AttemptEnd, {attempts}: CallFacts): boolean {
  if (attempts === 1) return false;
  if ('failure' in outcome) return !outcome.failure.sent;
  const {status} = outcome.answer;
  return status >= 400 && status < 500 && ![408, 409, 425].includes(status);
}

/** Stopped by the caller's signal. The error reports what was sent before. */
export function interrupted(cause: unknown, mayHaveTakenEffect: boolean, call: CallFacts): RemitError {
  const code = cause instanceof RemitError && cause.code === 'TERMINATED' ? 'TERMINATED' : 'INTERRUPTED';
  const verb = code === 'TERMINATED' ? 'terminated' : 'interrupted';
  const reason = mayHaveTakenEffect
    ? `${verb} before the answer arrived; it may have taken effect`
    : `${verb}; this request changed nothing`;
  const hint = call.hint ?? (mayHaveTakenEffect ? hintFor(call) : undefined);
  return new RemitError(code, `${reason} (${whatOf(call)})`, {
    details: {
      ...(mayHaveTakenEffect ? openRecord(call) : keyOf(call)),
      ...{attempts: call.attempts, may_have_taken_effect: mayHaveTakenEffect},
    },
    hint,
    retryable: !mayHaveTakenEffect || (call.namesKey ?? false),
    cause: call.sanitizer.cause(cause),
  });
}

/** What is known about a write with an unknown outcome: the same keys in every such error. */
const openRecord = ({recordId, hint, idempotencyKey}: CallFacts) => ({
  ...{id: recordId ?? null, status: null, idempotency_key: idempotencyKey ?? null, next: hint ?? null},
});

function hintFor({idempotencyKey}: CallFacts): string {
  return idempotencyKey === undefined
    ? 'read the record before you repeat the request: without an idempotency key it could take effect twice'
    : `repeat it unchanged with the idempotency key ${idempotencyKey}`;
}

function facts(outcome: AttemptEnd, call: CallFacts, extra: Record<string, Json> = {}): ErrorFacts {
  const known = {...keyOf(call), attempts: call.attempts, ...extra};
  if ('failure' in outcome) {
    const {failure} = outcome;
    return {
      httpStatus: failure.status,
      details: {
        ...known,
        failure: failure.kind,
        ...(failure.trouble === undefined ? {} : {reason: failure.trouble}),
      },
      cause: call.sanitizer.cause(failure),
    };
  }
  const {answer} = outcome;
  const {sanitizer} = call;
  return {
    httpStatus: answer.status,
    request: call.what,
    requestId: answer.requestId === undefined ? undefined : sanitizer.token(answer.requestId),
    body: sanitizer.value(answer.json),
    details: {
      ...known,
      ...(answer.errorCode === undefined ? {} : {error_code: sanitizer.token(answer.errorCode)}),
      ...(answer.assumption === undefined ? {} : {assumption: answer.assumption}),
      ...(answer.details === undefined ? {} : {fields: sanitizer.value(answer.details)}),
      ...(answer.unreadable === undefined ? {} : {answer: sanitizer.value(answer.unreadable)}),
      ...(answer.status < 300 && hasUnusableId(answer.json, call) ? {answer: {what: UNUSABLE_ID}} : {}),
      ...(answer.retryAfterMs === undefined ? {} : {retry_after_ms: answer.retryAfterMs}),
      ...(answer.location === undefined ? {} : {location: sanitizer.line(shownLocation(answer.location))}),
    },
  };
}

const keyOf = ({idempotencyKey}: CallFacts) =>
  idempotencyKey === undefined ? {} : {idempotency_key: idempotencyKey};

const MESSAGE_LENGTH = 500;

function inWords(answer: Answer<Json>, {sanitizer, recordId}: CallFacts): string {
  const {status, errorCode, message} = answer;
  sanitizer.learn(answer.json);
  if (isSuccess(status)) return `the service answered ${status}${whatCame(answer, sanitizer, recordId)}`;
  const said = message === undefined ? '' : `: ${sanitizer.words(message).slice(0, MESSAGE_LENGTH)}`;
  const named = errorCode === undefined ? '' : ` ${sanitizer.token(errorCode)}`;
  return `the service answered ${status}${named}${redirectTo(answer, sanitizer)}${said}`;
}

/** What may explain a success without a record; for a refusal it is part of the service's message. */
const assumed = (answer: Answer): string =>
  answer.assumption === undefined || !isSuccess(answer.status) ? '' : `. ${capital(answer.assumption.text)}`;

/** A redirect is never followed, because the request contains the key. */
export const redirectTo = ({location}: Answer, sanitizer: Sanitizer): string =>
  location === undefined ? '' : ` (redirect to ${sanitizer.line(shownLocation(location))})`;

/** The URL without its query, which may hold a token. */
const shownLocation = (location: string): string => location.split(/[?#]/, 1).join().slice(0, MESSAGE_LENGTH);

/** Describes a success answer that is not what was requested. */
function whatCame(
  {empty, unreadable, json, message}: Answer<Json>,
  sanitizer: Sanitizer,
  recordId: string | undefined,
): string {
  if (empty) return ' without a body';
  if (unreadable !== undefined) {
    const {what, bytes, id, status} = unreadable;
    const record = !isUsableId(id, sanitizer)
      ? ''
      : `; it names ${id}${status === undefined ? '' : ` (status: ${status})`}`;
    const kind = what.includes('JSON') ? what : `${what}, not JSON`;
    const said = message === undefined ? '' : `: ${sanitizer.words(message).slice(0, MESSAGE_LENGTH)}`;
    return ` ${sanitizer.line(`with ${kind} (${bytes} bytes)${record}`)}${said}`;
  }
  if (!isObject(json)) return ' with unexpected JSON';
  const other = otherIdIn(json, recordId);
  if (other !== undefined)
    return isUsableId(other, sanitizer) ? ` with another record (its id: ${other})` : ' with another record';
  if (hasUnusableId(json, {sanitizer, recordId})) return ` with ${UNUSABLE_ID}`;
  const keys = Object.keys(json);
  const shown = keys.slice(0, MOST_KEYS).join(', ') + (keys.length > MOST_KEYS ? ', …' : '');
  const named = keys.length === 0 ? 'an empty object' : `its keys: ${shown}`;
  return ` ${sanitizer.line(`with an unexpected body (${named})`)}`;
}

const MOST_KEYS = 10;

/** `details.answer` for a created record whose id cannot be shown or typed. */
export const UNUSABLE_ID =
  'a record whose id cannot be used (not text, too long, or with characters that cannot be typed)';

function hasUnusableId(
  json: Json,
  {sanitizer, recordId}: Pick<CallFacts, 'sanitizer' | 'recordId'>,
): boolean {
  const record = unwrapRecord(json);
  return (
    recordId === undefined &&
    isObject(record) &&
    Boolean(record['id']) &&
    !isUsableId(record['id'], sanitizer)
  );
}
