import type {KeyRules} from '../../service/service-file.ts';
import {LIMITS} from '../../contract/limits.ts';
import {RemitError} from '../../errors.ts';

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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A key in the form that the service accepts, always the same for the same key. `uuid`: a key that is not a UUID becomes
 * the UUIDv8 of its SHA-256. A key that is too long becomes the beginning of its SHA-256 in base64url. Test vectors are in
 * docs/internals/batch-format.md.
 */
export function keyOnWire(key: string, {format = 'any', maxLength = Infinity}: KeyRules): string {
  if (format === 'uuid') return UUID.test(key) ? key : uuidOf(sha256(key));
  return key.length <= maxLength ? key : sha256(key).toString('base64url').slice(0, maxLength);
}

function sha256(text: string): Buffer {
  const {createHash} = process.getBuiltinModule('node:crypto'); // here, since few commands need it
  return createHash('sha256').update(text).digest();
}

/** RFC 9562, 5.8. */
function uuidOf(bytes: Buffer): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
