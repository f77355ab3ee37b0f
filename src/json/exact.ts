import {parse, stringify} from 'lossless-json';
import {
  ExactNumber,
  exactNumbersWritten,
  type Json,
  type JsonValue,
  parseJson,
  type Printable,
} from '../narrow.ts';
import {hasLongNumber, isExact} from './losses.ts';

/**
 * The result of `JSON.parse`, with an `ExactNumber` in place of each number that JSON.parse rounds, and of each whole number
 * that a double no longer counts exactly. Throws for text that is not JSON.
 */
export function readJsonExactly(text: string): JsonValue {
  const json = parseJson(text);
  return hasLongNumber(text) ? (parsedExactly(text) ?? json) : json;
}

/**
 * The text is known to be JSON. Undefined if the other parser fails all the same, such as for nesting that overflows the
 * stack: an answer must not become unreadable because of it.
 */
function parsedExactly(text: string): Json {
  try {
    return parse(text, null, {
      parseNumber: numberOf,
      onDuplicateKey: ({newValue}) => newValue, // as JSON.parse does
    }) as JsonValue;
  } catch {
    return undefined;
  }
}

function numberOf(literal: string): number | ExactNumber {
  const number = Number(literal);
  const isSafe = Number.isInteger(number) ? Number.isSafeInteger(number) : true;
  return isSafe && isExact(literal) ? number : new ExactNumber(literal);
}

const LITERALS = [{test: (value: unknown) => value instanceof ExactNumber, stringify: String}];

/** `JSON.stringify`, with the digits of each `ExactNumber` as they were sent. */
export function exactJson(value: Printable, indent?: number): string {
  const before = exactNumbersWritten();
  const text = JSON.stringify(value, undefined, indent);
  return exactNumbersWritten() === before ? text : (stringify(value, null, indent, LITERALS) ?? text);
}
