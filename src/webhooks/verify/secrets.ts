import {createHmac} from 'node:crypto';
import {isUint8Array} from 'node:util/types';
import {mustBe} from '../../arguments.ts';
import {RemitError} from '../../errors.ts';

/** A signing secret: text, used as its UTF-8 bytes with any prefix (assumption 38), or the key's bytes themselves. */
export type WebhookSecret = string | Uint8Array;

/**
 * @throws {RemitError} LOCAL_VALIDATION if there is no secret, or an empty one: an empty secret would be a known key
 */
export function checkSecrets(secrets: WebhookSecret | readonly WebhookSecret[]): readonly WebhookSecret[] {
  const all = isOne(secrets) ? [secrets] : secrets;
  if (!Array.isArray(all) || all.length === 0)
    throw new RemitError('LOCAL_VALIDATION', 'a webhook cannot be verified without a signing secret');
  const wrong = all.findIndex((secret) => !isOne(secret) || secret.length === 0);
  if (wrong !== -1)
    throw new RemitError('LOCAL_VALIDATION', `signing secret ${wrong + 1} of ${all.length} is empty`);
  return all as readonly WebhookSecret[];
}

/** @throws {RemitError} USAGE if it is neither text nor bytes; LOCAL_VALIDATION if it is empty */
export function checkSecret(secret: WebhookSecret): void {
  mustBeSecret(secret, 'secret');
  checkSecrets(secret);
}

const isOne = (secrets: unknown): secrets is WebhookSecret =>
  typeof secrets === 'string' || isUint8Array(secrets);

const mustBeSecret = mustBe('text or bytes', isOne);

/**
 * Eight hex digits that identify a secret in logs without revealing it.
 * @throws {RemitError} USAGE if it is neither text nor bytes
 */
export function secretFingerprint(secret: WebhookSecret): string {
  mustBeSecret(secret, 'secret');
  return createHmac('sha256', secret).update('remit secret fingerprint').digest('hex').slice(0, 8);
}

/** What is probably wrong with a secret, in plain words; undefined if it looks fine. */
export function secretWarning(secret: WebhookSecret): string | undefined {
  if (typeof secret !== 'string') return undefined;
  if (secret !== secret.trim()) return 'it has white space at its start or end';
  if (/^(["']).*\1$/.test(secret)) return 'it is in quotation marks';
  return undefined;
}
