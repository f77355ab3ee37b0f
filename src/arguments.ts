import {RemitError} from './errors.ts';
import {isList, isObject, type JsonObject} from './narrow.ts';
import {nearest} from './nearest.ts';

/**
 * Checks an argument of the library that a program without types may have left out or mistyped.
 * @throws {RemitError} USAGE, before anything is done
 */
export type Check = (value: unknown, name: string) => void;

/** @param shown what the message says about a wrong value: never the value itself if it may be a secret */
export const mustBe =
  (what: string, is: (value: unknown) => boolean, shown: (value: unknown) => string = wordFor): Check =>
  (value, name) => {
    if (!is(value)) throw new RemitError('USAGE', `${name} must be ${what}, not ${shown(value)}`);
  };

const anObject = mustBe('an object', isObject);
export function mustBeObject(value: unknown, name: string): asserts value is JsonObject {
  anObject(value, name);
}

const aList = mustBe('a list', isList);
export function mustBeList(value: unknown, name: string): asserts value is readonly unknown[] {
  aList(value, name);
}

export const mustBeText = mustBe('text', (value) => typeof value === 'string');
export const mustBeFunction = mustBe('a function', (value) => typeof value === 'function');

/** A guard is opened by `true` only, never by another value that JavaScript takes for true, such as `'false'`. */
export const mustBeBoolean = mustBe('true or false', (value) => typeof value === 'boolean');

/** A name or path; an empty one would be read as none, or as the current folder. */
export const mustBeName = mustBe(
  'non-empty text',
  (value) => typeof value === 'string' && value.trim() !== '',
  (value) => (typeof value === 'string' ? "''" : wordFor(value)),
);

/** One of another realm is no instance of our AbortSignal. */
export const mustBeSignal = mustBe(
  'an AbortSignal',
  (value) =>
    isObject(value) &&
    typeof value['aborted'] === 'boolean' &&
    typeof value['addEventListener'] === 'function' &&
    typeof value['removeEventListener'] === 'function',
);

export const mustBeWhole = (least: number, most: number): Check =>
  mustBe(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    numberOr,
  );

/** @param isValid never called with NaN */
export const mustBeNumber = (what: string, isValid: (value: number) => boolean = () => true): Check =>
  mustBe(what, (value) => typeof value === 'number' && !Number.isNaN(value) && isValid(value), numberOr);

export const mustBeOneOf = (values: readonly string[]): Check =>
  mustBe(
    values.length === 2 ? values.join(' or ') : `one of ${values.join(', ')}`,
    (value) => typeof value === 'string' && values.includes(value),
    (value) => (typeof value === 'string' ? JSON.stringify(value) : wordFor(value)),
  );

/** The value is checked where it is used. */
export const mayBeAny: Check = () => {};

/** What each option must be if it is given. */
export type Checks<Options> = {readonly [Name in keyof Options]-?: Check};

/**
 * Checks options. A name that nothing reads would be a setting without effect, such as a misspelt idempotency key.
 * @param name of the whole: `the options of payouts.create`
 * @param required those that must be given
 * @throws {RemitError} USAGE, before anything is done
 */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, Check>>,
  name: string,
  required: readonly string[] = [],
): void {
  mustBeObject(options, name);
  for (const option of Object.keys(options)) {
    if (Object.hasOwn(checks, option)) continue;
    const near = nearest(option, Object.keys(checks));
    throw new RemitError('USAGE', `unknown option ${option} in ${name}`, {
      hint: near === undefined ? 'the options are in docs/reference/library.md' : `did you mean ${near}?`,
    });
  }
  for (const [option, check] of Object.entries(checks))
    if (options[option] !== undefined || required.includes(option)) check(options[option], option);
}

function wordFor(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return value instanceof Object ? 'another object' : typeof value;
}

function numberOr(value: unknown): string {
  return typeof value === 'number' ? String(value) : wordFor(value);
}
