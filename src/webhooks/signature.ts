import {createHmac, timingSafeEqual} from 'node:crypto';
import {WEBHOOK_HEADERS} from '../contract/events.ts';
import {RemitError} from '../errors.ts';

/** Seconds that a timestamp may be off, either way. */
export const TOLERANCE_SECONDS = 300;

/**
 * Interface document, "Signature": HMAC-SHA256 over `{timestamp}.{payload}`, as lower-case hexadecimal digits.
 * @param secret used as UTF-8 text, prefix and all (assumption 38)
 * @param timestamp the header's value, character for character
 * @param payload the raw body; text is taken as UTF-8
 */
export function signWebhook(secret: string, timestamp: string, payload: string | Uint8Array): string {
  return digest(secret, timestamp, payload).toString('hex');
}

/**
 * The two headers of a delivery.
 * @param nowMs the wall clock; the header carries Unix seconds (assumption 36)
 */
export function signatureHeaders(
  secret: string,
  payload: string | Uint8Array,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signWebhook(secret, timestamp, payload),
  };
}

/** Why a delivery is not to be trusted, in the order in which it is checked. */
export type SignatureFault =
  | 'no_timestamp'
  | 'no_signature'
  | 'timestamps_differ'
  | 'timestamp_format'
  | 'signature_format'
  | 'mismatch'
  | 'too_old'
  | 'in_the_future';

export type Verification =
  /** `secret` counts from 0 in the list of secrets; `ageSeconds` is negative when the sender's clock is ahead. */
  {ok: true; secret: number; ageSeconds: number} | {ok: false; fault: SignatureFault};

export interface VerifyInput {
  /** Each value of the header: one, several of one name, or several joined by commas. */
  signature: string | readonly string[] | undefined;
  timestamp: string | readonly string[] | undefined;
  /** The raw body as it arrived: parsing and printing it again breaks the match. */
  payload: Uint8Array;
  /** More than one while a secret is being replaced. */
  secrets: readonly string[];
  /** The wall clock. */
  nowMs: number;
  toleranceSeconds?: number;
}

/**
 * Interface document, "Signature", rules 2 to 4. Compares in constant time and tries every secret.
 * @throws {RemitError} LOCAL_VALIDATION without a secret
 */
export function verifyWebhook(input: VerifyInput): Verification {
  if (input.secrets.length === 0 || input.secrets.includes(''))
    throw new RemitError('LOCAL_VALIDATION', 'a webhook cannot be verified without a signing secret');
  const [timestamp, ...others] = [...new Set(values(input.timestamp))];
  const signatures = values(input.signature);
  if (timestamp === undefined) return refused('no_timestamp');
  if (signatures.length === 0) return refused('no_signature');
  if (others.length > 0) return refused('timestamps_differ');
  if (!/^\d{10}$/.test(timestamp)) return refused('timestamp_format');
  // Buffer.from stops silently at the first character that is no hex digit.
  const given = signatures
    .filter((text) => /^[0-9a-f]{64}$/.test(text))
    .map((text) => Buffer.from(text, 'hex'));
  if (given.length === 0) return refused('signature_format');
  const secret = matching(input, timestamp, given);
  if (secret === undefined) return refused('mismatch');
  const ageSeconds = Math.floor(input.nowMs / 1000) - Number(timestamp);
  const tolerance = input.toleranceSeconds ?? TOLERANCE_SECONDS;
  if (ageSeconds > tolerance) return refused('too_old');
  if (ageSeconds < -tolerance) return refused('in_the_future');
  return {ok: true, secret, ageSeconds};
}

/** Which secret made one of the signatures. Looks at all of them, so that time tells nothing. */
function matching(input: VerifyInput, timestamp: string, given: readonly Buffer[]): number | undefined {
  let found: number | undefined;
  for (const [index, secret] of input.secrets.entries()) {
    const expected = digest(secret, timestamp, input.payload);
    for (const signature of given) if (timingSafeEqual(signature, expected)) found ??= index;
  }
  return found;
}

const digest = (secret: string, timestamp: string, payload: string | Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest();

const refused = (fault: SignatureFault): Verification => ({ok: false, fault});

/** Node joins equal headers by commas. */
const values = (header: string | readonly string[] | undefined): string[] =>
  (typeof header === 'string' ? [header] : (header ?? [])).flatMap((value) =>
    value.split(',').map((part) => part.trim()),
  );
