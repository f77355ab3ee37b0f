import type {Answer} from '../../client/answers/answer.ts';
import {redirectTo} from '../../client/answers/service-error.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {ExchangeResult} from './wire.ts';

/**
 * Masks long numbers in texts of the service, because they may be account numbers. Long numbers in our own texts are
 * references and ids.
 */
const service = new Sanitizer();

/** Describes an answer, such as `503 SERVICE_UNAVAILABLE: the bank is away`, or the network failure. */
export function wordsOf(end: ExchangeResult): string {
  if ('failure' in end) return end.failure.message;
  const {status, errorCode, message} = end.answer;
  return (
    [String(status), ...(errorCode === undefined ? [] : [errorCode])].join(' ') +
    redirectTo(end.answer, service) +
    withoutJson(end.answer) +
    (message === undefined ? '' : `: ${service.words(message)}`) +
    whyOdd(end.answer)
  );
}

/** What came with a success instead of JSON, such as `text/html`. */
export const cameInstead = ({empty, unreadable}: Answer): string | undefined =>
  empty ? 'an empty body' : unreadable?.what;

function withoutJson(answer: Answer): string {
  const came = answer.status < 300 ? cameInstead(answer) : undefined;
  return came === undefined ? '' : ` with ${came}`;
}

/** What may explain a success that cannot be read; for a refusal it is part of the message. */
export const whyOdd = ({status, assumption}: Answer): string =>
  assumption === undefined || status >= 300 ? '' : ` (${assumption.text})`;
