import {createHash} from 'node:crypto';
import {mustBeObject, mustBeOneOf, mustBeText, type Checks} from '../../arguments.ts';
import {WEBHOOK_HEADERS} from '../../contract/events.ts';
import {
  SECRET_ENCODINGS,
  SIGNATURE_ENCODINGS,
  TIMESTAMP_FORMATS,
  type SignatureForm,
  type TimestampFormat,
} from '../../contract/signature-form.ts';
import {RemitError} from '../../errors.ts';
import {parseEvent} from './event.ts';
import {headerValues, spacedValues, type WebhookHeaders} from './header-values.ts';
import type {WebhookSecret} from './secrets.ts';
import {writeTimestamp} from './timestamp.ts';

/** How a service signs, with all that its form leaves to the interface document. */
export interface Form {
  readonly signatureHeader: string;
  /** Undefined if the timestamp is in the signature header, or if there is none. */
  readonly timestampHeader: string | undefined;
  /** `t=`, which precedes the timestamp in the signature header. */
  readonly timestampPrefix: string | undefined;
  /** Undefined: deliveries have no timestamp. */
  readonly format: TimestampFormat | undefined;
  /** Undefined: deliveries have no id outside of their body. */
  readonly idHeader: string | undefined;
  readonly signaturePrefix: string;
  readonly isBase64: boolean;
  /** The secret is base64 of the key. */
  readonly hasBase64Secret: boolean;
  /** The signed text before the payload. */
  readonly before: (timestamp: string, id: string) => string;
}

const DOCUMENTED: Form = {
  signatureHeader: WEBHOOK_HEADERS.signature,
  timestampHeader: WEBHOOK_HEADERS.timestamp,
  ...{timestampPrefix: undefined, idHeader: undefined, format: 'seconds', signaturePrefix: ''},
  ...{isBase64: false, hasBase64Secret: false},
  before: (timestamp) => `${timestamp}.`,
};

const PAYLOAD = '{payload}';
/** Printable ASCII, as in a service file, so that a character is a byte. */
const SIGNED = /^[ -z|~]*(\{id\}[ -z|~]*)?(\{timestamp\}[ -z|~]*)?\{payload\}$/;

const mustBeFormat = mustBeOneOf(TIMESTAMP_FORMATS);

const CHECKS = Object.entries({
  ...{signatureHeader: mustBeText, timestampHeader: mustBeText, timestampPart: mustBeText},
  ...{idHeader: mustBeText, signaturePrefix: mustBeText, signed: mustBeText},
  timestamp: mustBeOneOf([...TIMESTAMP_FORMATS, 'none']),
  signatureEncoding: mustBeOneOf(SIGNATURE_ENCODINGS),
  secretEncoding: mustBeOneOf(SECRET_ENCODINGS),
} satisfies Checks<SignatureForm>);

/**
 * @param format the format of the timestamp, whatever the form states
 * @throws {RemitError} LOCAL_VALIDATION for a signed text that does not end with the payload; USAGE for a form that is
 *   not an object, or has a part of the wrong type, and for an unknown format
 */
export function formOf(given: SignatureForm | undefined, format?: TimestampFormat): Form {
  if (format !== undefined) mustBeFormat(format, 'timestampFormat');
  if (given === undefined)
    return format === undefined || format === 'seconds' ? DOCUMENTED : {...DOCUMENTED, format};
  const stated: unknown = given;
  mustBeObject(stated, 'form');
  for (const [name, check] of CHECKS) if (stated[name] !== undefined) check(stated[name], `form.${name}`);
  const {timestampPart: part, timestamp, signed} = given;
  if (signed !== undefined && !SIGNED.test(signed))
    throw new RemitError('LOCAL_VALIDATION', `signed must end with {payload}, not ${JSON.stringify(signed)}`);
  if ((given.idHeader !== undefined) !== (signed?.includes('{id}') ?? false))
    throw new RemitError('LOCAL_VALIDATION', 'idHeader and {id} within signed need each other');
  const hasOwnHeader = part === undefined && timestamp !== 'none';
  return {
    signatureHeader: given.signatureHeader ?? WEBHOOK_HEADERS.signature,
    timestampHeader: hasOwnHeader ? (given.timestampHeader ?? WEBHOOK_HEADERS.timestamp) : undefined,
    timestampPrefix: part === undefined || timestamp === 'none' ? undefined : `${part}=`,
    format: timestamp === 'none' ? undefined : (format ?? timestamp ?? 'seconds'),
    idHeader: given.idHeader,
    signaturePrefix: given.signaturePrefix ?? '',
    isBase64: given.signatureEncoding === 'base64',
    hasBase64Secret: given.secretEncoding === 'base64',
    before:
      signed === undefined
        ? DOCUMENTED.before
        : (text, id) =>
            signed
              .slice(0, -PAYLOAD.length)
              .replace(/\{(id|timestamp)\}/g, (_, name) => (name === 'id' ? id : text)),
  };
}

/** The key that signs. @throws {RemitError} LOCAL_VALIDATION for a secret that is not base64, where it has to be */
export function signingKey(secret: WebhookSecret, {hasBase64Secret}: Form): WebhookSecret {
  if (!hasBase64Secret || typeof secret !== 'string') return secret;
  const text = secret.trim().replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  if (key.length === 0 || unpadded(key.toString('base64')) !== unpadded(text))
    throw new RemitError(
      'LOCAL_VALIDATION',
      'the signing secret is not base64, which the form of signature states',
    );
  return key;
}

const unpadded = (text: string): string => text.replace(/={1,2}$/, '');

/** A value of a header that is signed: visible ASCII, so that a character is a byte. */
const ID = /^[!-~]{1,256}$/;

/** All ids, timestamps and signatures of a delivery, without their prefixes. `isSigned`: it has the signature header. */
export function signedParts(
  headers: WebhookHeaders,
  {signatureHeader, timestampHeader, timestampPrefix, idHeader, signaturePrefix}: Form,
): {ids: string[]; timestamps: string[]; signatures: string[]; isSigned: boolean} {
  const name = signatureHeader.toLowerCase();
  const values = signaturePrefix.endsWith(',') ? spacedValues(headers, name) : headerValues(headers, name);
  return {
    isSigned: values.length > 0,
    signatures: signaturePrefix === '' ? values : withoutPrefix(values, signaturePrefix),
    ids:
      idHeader === undefined ? [] : headerValues(headers, idHeader.toLowerCase()).filter((id) => ID.test(id)),
    timestamps:
      timestampHeader !== undefined
        ? headerValues(headers, timestampHeader.toLowerCase())
        : timestampPrefix === undefined
          ? []
          : withoutPrefix(values, timestampPrefix),
  };
}

const withoutPrefix = (values: readonly string[], prefix: string): string[] =>
  values.filter((value) => value.startsWith(prefix)).map((value) => value.slice(prefix.length));

/** The headers of a delivery, by name. */
export function headersWith(
  {id, timestamp, digest}: {id: string; timestamp: string; digest: Buffer},
  {signatureHeader, timestampHeader, timestampPrefix, idHeader, signaturePrefix, isBase64}: Form,
): Record<string, string> {
  const signature = signaturePrefix + digest.toString(isBase64 ? 'base64' : 'hex');
  const first = idHeader === undefined ? {} : {[idHeader]: id};
  if (timestampHeader !== undefined)
    return {...first, [timestampHeader]: timestamp, [signatureHeader]: signature};
  if (timestampPrefix === undefined) return {...first, [signatureHeader]: signature};
  return {...first, [signatureHeader]: `${timestampPrefix}${timestamp},${signature}`};
}

/** The id of a delivery that is signed here: that of its event, otherwise one that follows from the body. */
export function idFor(payload: string | Uint8Array): string {
  const event = parseEvent(typeof payload === 'string' ? Buffer.from(payload) : payload);
  if (typeof event?.id === 'string' && ID.test(event.id)) return event.id;
  return `msg_${createHash('sha256').update(payload).digest('hex').slice(0, 24)}`;
}

/** A moment as this form writes it; empty if it has no timestamp. */
export const timestampAt = (nowMs: number, {format}: Form): string =>
  format === undefined ? '' : writeTimestamp(nowMs, format);
