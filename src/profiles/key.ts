import {RemitError} from '../errors.ts';
import type {Mode} from '../contract/mode.ts';

/** First 16 hex digits of the SHA-256. */
export function keyFingerprintOf(key: string): string {
  const {createHash} = process.getBuiltinModule('node:crypto'); // here, because few commands need it and loading it takes 3 ms
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

const MODES = ['test', 'live'] as const satisfies readonly Mode[];

/**
 * The mode named by the key's prefix (interface document, "Authentication"). The error never contains any of the
 * text: if it does not look like a key, it may be another secret.
 * @param name such as `the key from REMIT_API_KEY`
 * @param hint what to do; by default, to add a profile with another key
 */
export function modeOf(key: string, name: string, hint = 'remit profiles add NAME --base-url URL'): Mode {
  const refused = (what: string) => new RemitError('BAD_KEY', `${name} ${what}`, {hint});
  if (!/^[\x21-\x7e]+$/.test(key))
    throw refused('contains spaces or characters that are not allowed in a header');
  const mode = MODES.find((one) => key.startsWith(`${one}_`) && key.length > one.length + 1);
  if (mode === undefined) throw refused('begins with neither test_ nor live_');
  return mode;
}

/** What to do about a key that was just entered: nothing was stored, so the same command is typed again. */
export const ENTER_AGAIN =
  'nothing was stored; copy the API key again (it begins with test_ or live_) and run the same command';
