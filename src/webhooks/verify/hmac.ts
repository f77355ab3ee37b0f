import {createHmac, hash} from 'node:crypto';
import type {WebhookSecret} from './secrets.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Timestamps are shorter: `2026-01-01T00:00:00.000000000+00:00.` */
const MOST_TEXT_BYTES = 64;
/** Larger bodies are hashed in place: copying them would cost more than it saves. */
const MOST_BODY_BYTES = 16_384;

/** The input of the two hashes: the padded key, then the message, or the first digest. */
const inner = Buffer.alloc(BLOCK_BYTES + MOST_TEXT_BYTES + MOST_BODY_BYTES);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/** HMAC-SHA256 over a text, such as `{timestamp}.`, and the payload. */
export const webhookHmac = (secret: WebhookSecret, before: string, payload: string | Uint8Array) =>
  createHmac('sha256', secret).update(before).update(payload);

/**
 * The digest with one byte per character. Small bodies are hashed with two one-shot hashes, as RFC 2104 defines
 * HMAC: an Hmac object costs more than hashing 1 KB, and again when the garbage collector finalizes it.
 */
export function webhookDigest(secret: WebhookSecret, before: string, body: Uint8Array): string {
  if (body.length > MOST_BODY_BYTES || before.length > MOST_TEXT_BYTES || !isShort(secret))
    return webhookHmac(secret, before, body).digest('binary');
  putKey(secret);
  const start = BLOCK_BYTES + inner.write(before, BLOCK_BYTES, MOST_TEXT_BYTES, 'latin1');
  inner.set(body, start);
  outer.write(hash('sha256', inner.subarray(0, start + body.length), 'binary'), BLOCK_BYTES, 'latin1');
  const digest = hash('sha256', outer, 'binary');
  inner.fill(0, 0, BLOCK_BYTES);
  outer.fill(0, 0, BLOCK_BYTES);
  return digest;
}

/** Longer keys are hashed first (RFC 2104). A character takes at most 3 bytes of UTF-8. */
const isShort = (secret: WebhookSecret): boolean =>
  typeof secret === 'string'
    ? secret.length * 3 <= BLOCK_BYTES || Buffer.byteLength(secret) <= BLOCK_BYTES
    : secret.length <= BLOCK_BYTES;

function putKey(secret: WebhookSecret): void {
  inner.fill(0, 0, BLOCK_BYTES);
  if (typeof secret === 'string') inner.write(secret, 0, BLOCK_BYTES, 'utf8');
  else inner.set(secret);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = inner[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
}
