import {RemitError} from '../../errors.ts';
import {isList, isObject, type Json} from '../../narrow.ts';

/** A filter of event types: `payout.settled`, `payout.*` or `*`. */
export type TypePattern = (eventType: string | null) => boolean;

/** @throws {RemitError} USAGE */
export function typePattern(text: string): TypePattern {
  if (!/^[a-z_]+(\.[a-z_]+)*(\.\*)?$|^\*$/.test(text))
    throw new RemitError(
      'USAGE',
      `${JSON.stringify(text)} is not an event type or a pattern such as payout.*`,
    );
  if (text === '*') return () => true;
  if (!text.endsWith('.*')) return (type) => type === text;
  const prefix = text.slice(0, -1);
  return (type) => type?.startsWith(prefix) === true;
}

/** Several, separated by commas: any of them. */
export function typePatterns(texts: readonly string[]): TypePattern {
  const patterns = texts.map(typePattern);
  return (type) => patterns.some((matches) => matches(type));
}

/** `data.payout_id=…`: a path into the body, and the text that its value must have. */
export type BodyMatch = (body: Json) => boolean;

/** @throws {RemitError} USAGE */
export function bodyMatch(text: string): BodyMatch {
  const at = text.indexOf('=');
  const [path, wanted] = [text.slice(0, at).split('.'), text.slice(at + 1)];
  if (at < 1 || path.includes(''))
    throw new RemitError('USAGE', `${JSON.stringify(text)} is not a condition`, {
      hint: 'write it like data.payout_id=5f0c6d3e',
    });
  return (body) => {
    let value = body;
    for (const step of path) {
      if (isList(value)) value = value[Number(step)];
      else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }
    if (value === undefined) return false;
    if (typeof value === 'string') return value === wanted;
    return !isRounded(value) && JSON.stringify(value) === wanted;
  };
}

/** A whole number of 2^53 or more: another one was sent, perhaps. */
const isRounded = (value: Json): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
