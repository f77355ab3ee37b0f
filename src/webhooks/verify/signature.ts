import {timingSafeEqual} from 'node:crypto';
import {isUint8Array} from 'node:util/types';
import {mustBe, mustBeBoolean, mustBeNumber, mustBeObject, mustBeText} from '../../arguments.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {type Form, formOf, headersWith, idFor, signingKey, signedParts, timestampAt} from './form.ts';
import type {WebhookHeaders} from './header-values.ts';
import {webhookDigest, webhookHmac} from './hmac.ts';
import type {Replays} from './replay-memory.ts';
import {checkSecret, checkSecrets, type WebhookSecret} from './secrets.ts';
import type {SignatureForm, TimestampFormat} from '../../contract/signature-form.ts';
import {readTimestamp} from './timestamp.ts';

/** Maximum difference of a timestamp, in seconds, in the past or in the future. */
export const TOLERANCE_SECONDS = 300;

/**
 * Interface document, "Signature": HMAC-SHA256 over `{timestamp}.{payload}`, as lower-case hexadecimal digits.
 * @param timestamp the header's value, unchanged
 * @param payload the raw body; text is encoded as UTF-8
 * @throws {RemitError} LOCAL_VALIDATION for an empty secret; USAGE for an argument of the wrong type
 */
export function signWebhook(secret: WebhookSecret, timestamp: string, payload: string | Uint8Array): string {
  checkSecret(secret);
  mustBeText(timestamp, 'timestamp');
  mustBePayload(payload, 'payload');
  return webhookHmac(secret, `${timestamp}.`, payload).digest('hex');
}

/**
 * The headers of a delivery with this timestamp, in the form of the service. `id` is for a form that signs one; by default
 * it is that of the event.
 * @throws {RemitError} LOCAL_VALIDATION for an empty secret; USAGE for an argument of the wrong type
 */
export function signedHeaders(
  secret: WebhookSecret,
  payload: string | Uint8Array,
  timestamp: string,
  form?: SignatureForm,
  id?: string,
): Record<string, string> {
  checkSecret(secret);
  mustBePayload(payload, 'payload');
  if (id !== undefined) mustBeText(id, 'id');
  const own = formOf(form);
  const signedId = own.idHeader === undefined ? '' : (id ?? idFor(payload));
  const digest = webhookHmac(signingKey(secret, own), own.before(timestamp, signedId), payload).digest();
  return headersWith({id: signedId, timestamp, digest}, own);
}

/**
 * The two headers of a delivery; in another form of signature, what that form has.
 * @param nowMs the wall clock
 * @throws {RemitError} LOCAL_VALIDATION for an empty secret; USAGE for an argument of the wrong type
 */
export function signatureHeaders(
  secret: WebhookSecret,
  payload: string | Uint8Array,
  nowMs: number,
  format: TimestampFormat | SignatureForm = 'seconds',
  id?: string,
): Record<string, string> {
  mustBeTime(nowMs, 'nowMs');
  const form = typeof format === 'string' ? {timestamp: format} : format;
  return signedHeaders(secret, payload, timestampAt(nowMs, formOf(form)), form, id);
}

const mustBePayload = mustBe(
  'text or bytes (a Buffer or Uint8Array)',
  (payload) => typeof payload === 'string' || isUint8Array(payload),
);
/** The last time that a `Date` can have. */
const LAST_MS = 8.64e15;
const mustBeTime = mustBeNumber('a time in milliseconds since the epoch', (ms) => ms >= 0 && ms <= LAST_MS);

/** Why a delivery must not be trusted, in the order of the checks. */
export const REJECTIONS = {
  no_timestamp: 'the timestamp header is missing',
  no_id: 'the header with the id is missing, or there are several',
  no_signature: 'the signature header is missing',
  timestamps_differ: 'it has several timestamp headers with different values',
  timestamp_format: 'the timestamp does not have the expected format',
  signature_format: 'the signature is not 64 lower-case hexadecimal digits, or what the service file states',
  mismatch: 'the signature does not match the body, the timestamp and the secret',
  too_old: 'the timestamp is too far in the past',
  in_the_future: 'the timestamp is too far in the future',
  replayed: 'the same signed request was accepted before',
  replay_unknown: 'it is older than the replay memory, so it may be a replay',
} as const;
export type RejectReason = keyof typeof REJECTIONS;

/** What was accepted only because of `lenient`. */
export type Leniency = 'uppercase' | 'prefix';

export interface Verified {
  ok: true;
  /** The index of the secret that matched. */
  secret: number;
  /** The index of the signature in the header that matched. */
  signature: number;
  /** Negative if the sender's clock is ahead; 0 if deliveries have no timestamp. */
  ageSeconds: number;
  /** Empty unless `lenient` is set. */
  leniencies: readonly Leniency[];
}
export interface Rejected {
  ok: false;
  /** The reason for machines and logs on this side; the sender gets 401 for all of them. */
  reason: RejectReason;
}
export type Verification = Verified | Rejected;

export interface VerifyInput {
  /** The bytes as they arrived, before any parser: a body that was parsed and printed again does not match. */
  body: Uint8Array;
  /** Prefer `request.rawHeaders`: Node's `request.headers` joins repeated headers. */
  headers: WebhookHeaders;
  /** One, or several while a secret is being replaced. */
  secrets: WebhookSecret | readonly WebhookSecret[];
  /** Wall clock, milliseconds since the Unix epoch (default: now). */
  nowMs?: number | undefined;
  /** Default 300 in both directions. */
  toleranceSeconds?: number | {readonly past: number; readonly future: number} | undefined;
  /** How the service signs, if not as documented: `webhooks` of a service file. */
  form?: SignatureForm | undefined;
  /** Default: that of the form, or `seconds`. */
  timestampFormat?: TimestampFormat | undefined;
  /** Also accept upper-case digits and a `sha256=` or `v1=` prefix. */
  lenient?: boolean | undefined;
  /** Refuses a request that was accepted before; keep one for the lifetime of the process. */
  replays?: Replays | undefined;
}

/** What is the same for every delivery of a service. */
export type VerifyOptions = Pick<VerifyInput, 'form' | 'toleranceSeconds' | 'timestampFormat' | 'lenient'>;

/**
 * Interface document, "Signature", rules 2 to 4. Compares in constant time, and tries every secret and signature.
 * @throws {RemitError} LOCAL_VALIDATION for an invalid call: no or an empty secret, a body that is not bytes, a
 *   tolerance or time that is not a finite number of at least 0; USAGE for another option of the wrong type
 */
export function verifyWebhook(input: VerifyInput): Verification {
  mustBeObject(input, 'the input of verifyWebhook');
  const {body, headers, lenient = false, replays} = input;
  checkHeaders(headers);
  mustBeBoolean(lenient, 'lenient');
  if (replays !== undefined) mustBeReplays(replays, 'replays');
  const form = formOf(input.form, input.timestampFormat);
  const texts = checkSecrets(input.secrets);
  const secrets = form.hasBase64Secret ? texts.map((text) => signingKey(text, form)) : texts;
  const nowMs = input.nowMs ?? Date.now();
  const tolerance = readTolerance(input.toleranceSeconds);
  checkNumber('nowMs', nowMs);
  checkBody(body);
  const read = readHeaders(headers, form, {lenient, nowMs});
  if (typeof read === 'string') return rejected(read);
  const {id, timestamp, timestampMs, given} = read;
  const match = findMatch({secrets, before: form.before(timestamp, id), body}, given);
  if (match === undefined) return rejected('mismatch');
  const ageSeconds = ageOf(timestampMs, nowMs);
  const stale = staleness(ageSeconds, tolerance);
  if (stale !== undefined) return rejected(stale);
  // Without a timestamp the service signs a delivery that it sends again in the same way.
  if (replays !== undefined && form.format !== undefined) {
    const untilMs = timestampMs + (tolerance.past + 1) * 1000;
    const seen = replays.see(match.given.digits, timestampMs, nowMs, untilMs);
    if (seen !== 'new') return rejected(seen === 'seen' ? 'replayed' : 'replay_unknown');
  }
  const {position, leniencies} = match.given;
  return {ok: true, secret: match.secret, signature: position, ageSeconds, leniencies};
}

/** Why a request must be rejected regardless of its body, so that a server need not read large bodies in vain. */
export function refuseByHeaders(
  input: Omit<VerifyInput, 'body' | 'secrets' | 'replays'>,
): RejectReason | undefined {
  const {headers, lenient = false, nowMs = Date.now()} = input;
  const read = readHeaders(headers, formOf(input.form, input.timestampFormat), {lenient, nowMs});
  if (typeof read === 'string') return read;
  return staleness(ageOf(read.timestampMs, nowMs), readTolerance(input.toleranceSeconds));
}

const mustBeReplays = mustBe(
  'a ReplayMemory or another object with its method see',
  (value) => isObject(value) && typeof value['see'] === 'function',
);

const IS_DAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/;

interface SignatureHeaders {
  /** Empty if the form has none. */
  id: string;
  timestamp: string;
  timestampMs: number;
  given: GivenSignature[];
}

function readHeaders(
  headers: WebhookHeaders,
  form: Form,
  {lenient, nowMs}: {lenient: boolean; nowMs: number},
): SignatureHeaders | RejectReason {
  const {ids, timestamps, signatures, isSigned} = signedParts(headers, form);
  const timestamp = form.format === undefined ? '' : timestamps[0];
  if (timestamp === undefined) return 'no_timestamp';
  if (!isSigned) return 'no_signature';
  const [id = '', ...others] = ids;
  if (form.idHeader !== undefined && (id === '' || others.some((other) => other !== id))) return 'no_id';
  if (timestamps.some((other) => other !== timestamp))
    return IS_DAY.test(timestamp) ? 'timestamp_format' : 'timestamps_differ'; // an HTTP date has a comma
  const timestampMs = form.format === undefined ? nowMs : readTimestamp(timestamp, form.format);
  if (timestampMs === undefined) return 'timestamp_format';
  const given = readSignatures(form.isBase64 ? signatures.map(hexOf) : signatures, lenient);
  if (given.length === 0) return 'signature_format';
  return {id, timestamp, timestampMs, given};
}

/** The digits of a signature in base64; empty for any other text, also for one that decoders would tolerate. */
function hexOf(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes.toString('hex') : '';
}

const ageOf = (timestampMs: number, nowMs: number): number => Math.floor((nowMs - timestampMs) / 1000);

const staleness = (
  ageSeconds: number,
  {past, future}: {past: number; future: number},
): 'too_old' | 'in_the_future' | undefined =>
  ageSeconds > past ? 'too_old' : ageSeconds < -future ? 'in_the_future' : undefined;

const rejected = (reason: RejectReason): Rejected => ({ok: false, reason});

interface GivenSignature {
  /** 64 lower-case hexadecimal digits. */
  digits: string;
  position: number;
  leniencies: readonly Leniency[];
}

const STRICT = /^[0-9a-f]{64}$/;
const LENIENT = /^(sha256=|v1=)?([0-9a-fA-F]{64})$/;
const NO_LENIENCIES: readonly Leniency[] = [];

/** Excludes anything that is not a signature. Decoding alone would silently stop at the first wrong character. */
function readSignatures(texts: readonly string[], lenient: boolean): GivenSignature[] {
  const given: GivenSignature[] = [];
  for (const [position, text] of texts.entries()) {
    if (STRICT.test(text)) {
      given.push({digits: text, position, leniencies: NO_LENIENCIES});
      continue;
    }
    const [, prefix, written] = (lenient ? LENIENT.exec(text) : null) ?? [];
    if (written === undefined) continue;
    const digits = written.toLowerCase();
    const leniencies: Leniency[] = [];
    if (prefix !== undefined) leniencies.push('prefix');
    if (written !== digits) leniencies.push('uppercase');
    given.push({digits, position, leniencies});
  }
  return given;
}

/** Digests to compare, filled and compared without a wait in between; new buffers for each cost a tenth of a call. */
const expected = Buffer.alloc(32);
const written = Buffer.alloc(32);

/** Goes through all secrets and signatures, so that the time taken does not depend on which one matches. */
function findMatch(
  {secrets, before, body}: {secrets: readonly WebhookSecret[]; before: string; body: Uint8Array},
  given: readonly GivenSignature[],
): {secret: number; given: GivenSignature} | undefined {
  let found: {secret: number; given: GivenSignature} | undefined;
  for (let secret = 0; secret < secrets.length; secret += 1) {
    expected.write(webhookDigest(secrets[secret]!, before, body), 'latin1');
    for (const one of given) {
      written.write(one.digits, 'hex');
      if (timingSafeEqual(written, expected)) found ??= {secret, given: one};
    }
  }
  expected.fill(0);
  return found;
}

function readTolerance(given: VerifyInput['toleranceSeconds'] = TOLERANCE_SECONDS): {
  past: number;
  future: number;
} {
  const {past, future} = typeof given === 'object' && given !== null ? given : {past: given, future: given};
  checkNumber('toleranceSeconds', past);
  checkNumber('toleranceSeconds', future);
  return {past, future};
}

/** NaN would pass every comparison, and Infinity would disable freshness. */
function checkNumber(name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${name} must be a finite number of at least 0, not ${String(value)}`,
  );
}

/** @throws {RemitError} USAGE */
export function checkHeaders(headers: unknown): void {
  if (!Array.isArray(headers)) mustBeObject(headers, 'headers'); // rawHeaders of Node are a list
}

/** @throws {RemitError} LOCAL_VALIDATION */
export function checkBody(body: unknown): void {
  if (isUint8Array(body)) return; // instanceof fails across realms, as under Jest
  const given = body === null ? 'null' : typeof body;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `body must be the raw bytes of the request (a Buffer or Uint8Array), not ${given}`,
    {hint: 'read the body before any parser: await readRawBody(request)'},
  );
}
