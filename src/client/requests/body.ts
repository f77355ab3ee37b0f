import {RemitError} from '../../errors.ts';
import {messageOf, type Json, parseJson, type Printable} from '../../narrow.ts';

/**
 * The body as the service will read it. A model or another object with `toJSON` is not what is sent, so only this form
 * decides whether a create is approved, and only this form is compared with its record.
 * @throws {RemitError} LOCAL_VALIDATION for an object whose contents JSON does not show, and for what has no JSON
 */
export function bodyAsSent(body: Printable): Json {
  const text = body === undefined ? undefined : stringified(body);
  if (text === undefined) return undefined;
  if (isOpaque(body, text))
    throw new RemitError(
      'LOCAL_VALIDATION',
      `the body is a ${body.constructor.name}, not an object with the fields of the request; nothing was sent`,
    );
  return parseJson(text);
}

/** Undefined for a function, which has no JSON; the type of `JSON.stringify` does not say so. */
function stringified(body: Printable): string | undefined {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const [reason] = messageOf(error).split('\n'); // Node draws a circle on further lines
    throw new RemitError(
      'LOCAL_VALIDATION',
      `the body cannot be written as JSON: ${reason}; nothing was sent`,
      {cause: error},
    );
  }
}

/** A Buffer becomes a list of its bytes, and a Map or Set an empty object. */
const isOpaque = (body: Printable, text: string): body is object =>
  ArrayBuffer.isView(body) ||
  (typeof body === 'object' && body !== null && text === '{}' && !isPlain(Object.getPrototypeOf(body)));

const isPlain = (prototype: unknown): boolean => prototype === null || prototype === Object.prototype;
