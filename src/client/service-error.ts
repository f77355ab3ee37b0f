import {ERRORS, RemitError, type ErrorCode, type ErrorFacts} from '../errors.ts';
import {isObject, type Answer} from './answer.ts';
import type {Redactor} from './redact.ts';
import type {TransportFailure} from './transport.ts';
import {documentedStatus, type Outcome} from './verdict.ts';

/** What is known about a call when it ends in an error. */
export interface CallFacts {
  /** `POST https://host/path`. */
  what: string;
  attempts: number;
  idempotencyKey?: string | undefined;
  /** The command or call that goes on from here. */
  hint?: string | undefined;
  redact: Redactor;
}

/** Our code for an answer that is not a success: the service's own where its status agrees, else by the status. */
export function codeOfAnswer({status, errorCode}: Answer): ErrorCode {
  if (errorCode !== undefined && documentedStatus(errorCode) === status && Object.hasOwn(ERRORS, errorCode)) {
    return errorCode as ErrorCode; // checked by the line above
  }
  if (status >= 300 && status < 400) return 'REDIRECTED';
  if (status === 408 || status === 425 || status >= 500 || status < 300) return 'UNAVAILABLE';
  return BY_STATUS[status] ?? 'REFUSED';
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'AUTHENTICATION_ERROR',
  403: 'AUTHORIZATION_ERROR',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
};

/** The service said no, and that settles it. */
export function refusal(answer: Answer, call: CallFacts): RemitError {
  return new RemitError(
    codeOfAnswer(answer),
    `${call.what}: ${inWords({answer}, call.redact)}`,
    facts({answer}, call),
  );
}

/** A read that failed, or a write that certainly took no effect: it can be repeated later. */
export function unavailable(outcome: Outcome, call: CallFacts): RemitError {
  const code = 'answer' in outcome ? codeOfAnswer(outcome.answer) : 'UNAVAILABLE';
  return new RemitError(code, `${call.what}: ${trouble(outcome, call)}`, {
    ...facts(outcome, call),
    hint: call.hint,
  });
}

/** A write that may have taken effect: the last trouble, and the key that repeats it without doing it twice. */
export function inDoubt(outcome: Outcome, call: CallFacts): RemitError {
  const check = call.idempotencyKey === undefined ? '. Check before you repeat it' : '';
  const message = `${call.what}: in doubt, it may have taken effect: ${trouble(outcome, call)}${check}`;
  return new RemitError('IN_DOUBT', message, {
    ...facts(outcome, call, {may_have_taken_effect: true}),
    hint: call.hint ?? hintFor(call),
    retryable: call.idempotencyKey !== undefined, // without a key a repetition could do it twice
  });
}

/** Stopped by the caller's signal. What was sent before that is told, not forgotten. */
export function interrupted(reason: unknown, mayHaveTakenEffect: boolean, call: CallFacts): RemitError {
  const code = reason instanceof RemitError && reason.code === 'TERMINATED' ? 'TERMINATED' : 'INTERRUPTED';
  const verb = code === 'TERMINATED' ? 'terminated' : 'interrupted';
  const message = mayHaveTakenEffect
    ? `${call.what}: ${verb} before the answer arrived; it may have taken effect`
    : `${call.what}: ${verb}; this request changed nothing`;
  const hint = call.hint ?? (mayHaveTakenEffect ? hintFor(call) : undefined);
  return new RemitError(code, message, {
    details: {
      ...(mayHaveTakenEffect ? {id: null, status: null, idempotency_key: null, next: call.hint ?? null} : {}),
      ...keyOf(call),
      ...{attempts: call.attempts, may_have_taken_effect: mayHaveTakenEffect},
    },
    hint,
    // Without a key a repetition could do it twice.
    retryable: !mayHaveTakenEffect || call.idempotencyKey !== undefined,
    cause: call.redact.cause(reason),
  });
}

function hintFor({idempotencyKey}: CallFacts): string {
  return idempotencyKey === undefined
    ? 'read the record before you repeat it: without an idempotency key a repetition could do it twice'
    : `repeat it unchanged with the idempotency key ${idempotencyKey}`;
}

function facts(outcome: Outcome, call: CallFacts, extra: Record<string, unknown> = {}): ErrorFacts {
  const known = {...keyOf(call), attempts: call.attempts, ...extra};
  if ('failure' in outcome) {
    const {failure} = outcome;
    return {
      httpStatus: failure.status,
      details: {...known, failure: failure.kind},
      cause: call.redact.cause(failure),
    };
  }
  const {answer} = outcome;
  return {
    httpStatus: answer.status,
    requestId: answer.requestId,
    body: call.redact.value(answer.json),
    details: {
      ...known,
      ...(answer.errorCode === undefined ? {} : {error_code: call.redact.text(answer.errorCode)}),
      ...(answer.details === undefined ? {} : {fields: call.redact.value(answer.details)}),
      ...(answer.unreadable === undefined ? {} : {answer: call.redact.value(answer.unreadable)}),
      ...(answer.retryAfterMs === undefined ? {} : {retry_after_ms: answer.retryAfterMs}),
    },
  };
}

const keyOf = ({idempotencyKey}: CallFacts) =>
  idempotencyKey === undefined ? {} : {idempotency_key: idempotencyKey};

function trouble(outcome: Outcome, call: CallFacts): string {
  const words = 'failure' in outcome ? failureInWords(outcome.failure, call) : inWords(outcome, call.redact);
  return call.attempts > 1 ? `${words} (after ${call.attempts} attempts)` : words;
}

/** A failure's message begins with what was tried, which the error's does already. */
function failureInWords({message}: TransportFailure, {what, redact}: CallFacts): string {
  return redact.text(message.startsWith(`${what}: `) ? message.slice(what.length + 2) : message);
}

const MESSAGE_LENGTH = 500;

function inWords({answer}: {answer: Answer}, redact: Redactor): string {
  const {status, errorCode, message} = answer;
  if (status >= 200 && status < 300) {
    return `the service answered ${status}${whatCame(answer, redact)}`;
  }
  const said = message === undefined ? '' : `: ${redact.text(message).slice(0, MESSAGE_LENGTH)}`;
  const named = errorCode === undefined ? '' : ` ${redact.text(errorCode)}`;
  return `the service answered ${status}${named}${said}`;
}

/** Of a success that is not what was asked for: what it is instead. */
function whatCame({empty, unreadable, json}: Answer, redact: Redactor): string {
  if (empty) return ' without a body';
  if (unreadable !== undefined) {
    const {what, bytes, id, status} = unreadable;
    const record =
      id === undefined ? '' : `; it names ${id}${status === undefined ? '' : ` (status: ${status})`}`;
    return redact.text(` with ${what} (${bytes} bytes)${record}`);
  }
  if (!isObject(json)) return ' with JSON that is not what was asked for';
  const keys = Object.keys(json);
  const shown = keys.slice(0, MOST_KEYS).join(', ') + (keys.length > MOST_KEYS ? ', …' : '');
  return redact.text(
    ` without what was asked for (${keys.length === 0 ? 'an empty object' : `its keys: ${shown}`})`,
  );
}

const MOST_KEYS = 10;
