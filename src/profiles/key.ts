import {RemitError} from '../errors.ts';
import type {Mode} from './profile.ts';

/** First 16 hex digits of the SHA-256. */
export function fingerprintOf(key: string): string {
  const {createHash} = process.getBuiltinModule('node:crypto'); // here, because few commands need it and loading it takes 3 ms
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/**
 * The mode named by the key's prefix (interface document, "Authentication"). The error never contains any of the
 * text: if it does not look like a key, it may be another secret.
 */
export function modeOf(key: string, source: string): Mode {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new RemitError(
      'BAD_KEY',
      `the key from ${source} contains spaces or characters that are not allowed in a header`,
    );
  const mode = /^(test|live)_[\x21-\x7e]/.exec(key)?.[1];
  if (mode === undefined)
    throw new RemitError('BAD_KEY', `the key from ${source} begins with neither test_ nor live_`, {
      hint: 'remit profiles add NAME --base-url URL',
    });
  return mode as Mode;
}
