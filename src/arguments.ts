import {RemitError} from './errors.ts';

/**
 * Checks an argument of the library that a program without types may have left out or mistyped.
 * @throws {RemitError} USAGE, before anything is done
 */
export function mustBeObject(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RemitError('USAGE', `${name} must be an object, not ${wordFor(value)}`);
}

/** As `mustBeObject`. */
export function mustBeText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw new RemitError('USAGE', `${name} must be text, not ${wordFor(value)}`);
}

/** As `mustBeObject`, for a signal that may be absent. One of another realm is no instance of our AbortSignal. */
export function mustBeSignal(signal: Partial<AbortSignal> | null | undefined): void {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new RemitError('USAGE', `signal must be an AbortSignal, not ${wordFor(signal)}`);
}

/** As `mustBeObject`, for the options of a call, which may be left out. */
export function checkCallOptions(options: {signal?: AbortSignal | undefined} | undefined): void {
  if (options === undefined) return;
  mustBeObject(options, 'options');
  mustBeSignal(options.signal);
}

const wordFor = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : value instanceof Object
        ? 'another object'
        : typeof value;
