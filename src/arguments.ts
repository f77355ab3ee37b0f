import {RemitError} from './errors.ts';

/**
 * Checks an argument of the library that a program without types may have left out or mistyped.
 * @throws {RemitError} USAGE, before anything is done
 */
export function mustBeObject(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RemitError('USAGE', `${name} must be an object, not ${wordFor(value)}`);
}

/** The same for text. */
export function mustBeText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw new RemitError('USAGE', `${name} must be text, not ${wordFor(value)}`);
}

/** The same for the options of a call, which may be left out; their `signal` must be one. */
export function checkCallOptions(options: unknown): void {
  if (options === undefined) return;
  mustBeObject(options, 'options');
  const {signal} = options as {signal?: Partial<AbortSignal> | null};
  // One of another realm, such as that of a test environment, is no instance of ours.
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new RemitError('USAGE', `signal must be an AbortSignal, not ${wordFor(signal)}`);
}

const wordFor = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : value instanceof Object
        ? 'another object'
        : typeof value;
