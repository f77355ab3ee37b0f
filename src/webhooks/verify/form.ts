import {WEBHOOK_HEADERS} from '../../contract/events.ts';
import type {SignatureForm, TimestampFormat} from '../../contract/signature-form.ts';
import {RemitError} from '../../errors.ts';
import {headerValues, type WebhookHeaders} from './header-values.ts';
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
  readonly signaturePrefix: string;
  readonly isBase64: boolean;
  /** The signed text before the payload. */
  readonly before: (timestamp: string) => string;
}

const DOCUMENTED: Form = {
  signatureHeader: WEBHOOK_HEADERS.signature,
  timestampHeader: WEBHOOK_HEADERS.timestamp,
  ...{timestampPrefix: undefined, format: 'seconds', signaturePrefix: '', isBase64: false},
  before: (timestamp) => `${timestamp}.`,
};

/** As in a service file: printable ASCII, so that a character is a byte. */
const SIGNED = /^[ -z|~]*(\{timestamp\}[ -z|~]*)?\{payload\}$/;

/**
 * @param format the format of the timestamp, whatever the form states
 * @throws {RemitError} LOCAL_VALIDATION for a signed text that does not end with the payload
 */
export function formOf(given: SignatureForm | undefined, format?: TimestampFormat): Form {
  if (given === undefined)
    return format === undefined || format === 'seconds' ? DOCUMENTED : {...DOCUMENTED, format};
  const {timestampPart: part, timestamp, signed} = given;
  if (signed !== undefined && !SIGNED.test(signed))
    throw new RemitError('LOCAL_VALIDATION', `signed must end with {payload}, not ${JSON.stringify(signed)}`);
  const hasOwnHeader = part === undefined && timestamp !== 'none';
  return {
    signatureHeader: given.signatureHeader ?? WEBHOOK_HEADERS.signature,
    timestampHeader: hasOwnHeader ? (given.timestampHeader ?? WEBHOOK_HEADERS.timestamp) : undefined,
    timestampPrefix: part === undefined || timestamp === 'none' ? undefined : `${part}=`,
    format: timestamp === 'none' ? undefined : (format ?? timestamp ?? 'seconds'),
    signaturePrefix: given.signaturePrefix ?? '',
    isBase64: given.signatureEncoding === 'base64',
    before:
      signed === undefined
        ? DOCUMENTED.before
        : (text) => signed.replace('{payload}', '').replace('{timestamp}', () => text),
  };
}

/** All timestamps and signatures of a delivery, without their prefixes. `isSigned`: it has the signature header. */
export function signedParts(
  headers: WebhookHeaders,
  {signatureHeader, timestampHeader, timestampPrefix, signaturePrefix}: Form,
): {timestamps: string[]; signatures: string[]; isSigned: boolean} {
  const values = headerValues(headers, signatureHeader.toLowerCase());
  return {
    isSigned: values.length > 0,
    signatures: signaturePrefix === '' ? values : withoutPrefix(values, signaturePrefix),
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
  {timestamp, digest}: {timestamp: string; digest: Buffer},
  {signatureHeader, timestampHeader, timestampPrefix, signaturePrefix, isBase64}: Form,
): Record<string, string> {
  const signature = signaturePrefix + digest.toString(isBase64 ? 'base64' : 'hex');
  if (timestampHeader !== undefined) return {[timestampHeader]: timestamp, [signatureHeader]: signature};
  if (timestampPrefix === undefined) return {[signatureHeader]: signature};
  return {[signatureHeader]: `${timestampPrefix}${timestamp},${signature}`};
}

/** A moment as this form writes it; empty if it has no timestamp. */
export const timestampAt = (nowMs: number, {format}: Form): string =>
  format === undefined ? '' : writeTimestamp(nowMs, format);
