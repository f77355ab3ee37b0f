import {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Exchange} from './wire.ts';

/** Long numbers in the words of a service may be anybody's account; those in our own are references and ids. */
const service = new Sanitizer();

/** `503 SERVICE_UNAVAILABLE: the bank is away`, or what broke. */
export function wordsOf(end: Exchange): string {
  if ('failure' in end) return end.failure.message;
  const {status, errorCode, message} = end.answer;
  return (
    [String(status), ...(errorCode === undefined ? [] : [errorCode])].join(' ') +
    (message === undefined ? '' : `: ${service.words(message)}`)
  );
}
