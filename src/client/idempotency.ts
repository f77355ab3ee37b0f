import {LIMITS} from '../contract/limits.ts';
import {RemitError} from '../errors.ts';

/**
 * Generates a key for one intended action (assumption 45). Batches derive theirs instead, so that a second run finds
 * them.
 */
export function newIdempotencyKey(): string {
  return crypto.randomUUID(); // the global one, which loads nothing until it is used
}

/** @throws {RemitError} USAGE if the key is not 1 to 255 visible ASCII characters (assumption 45) */
export function checkIdempotencyKey(key: string): string {
  if (!/^[\u0021-\u007e]+$/.test(key) || key.length > LIMITS.idempotencyKeyLength) {
    throw new RemitError(
      'USAGE',
      `an idempotency key must have 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters, without spaces`,
    );
  }
  return key;
}
