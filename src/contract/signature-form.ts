/** Where the timestamp of a delivery can be read, and in which format; `none`: there is no timestamp. */
export const TIMESTAMP_FORMATS = ['seconds', 'milliseconds', 'iso8601'] as const;
export type TimestampFormat = (typeof TIMESTAMP_FORMATS)[number];
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/**
 * How a service signs its webhooks. What is omitted is as in the interface document, "Signature": two headers, Unix
 * seconds (assumption 36), and the lower-case hexadecimal HMAC-SHA256 of `{timestamp}.{payload}`.
 */
export interface SignatureForm {
  readonly signatureHeader?: string;
  readonly timestampHeader?: string;
  /** The timestamp is a part of the signature header, under this name: `t` in `t=…,v1=…`. */
  readonly timestampPart?: string;
  readonly timestamp?: TimestampFormat | 'none';
  /** What precedes a signature: `v1=`. */
  readonly signaturePrefix?: string;
  readonly signatureEncoding?: SignatureEncoding;
  /** The signed text; it ends with `{payload}`. */
  readonly signed?: string;
}
