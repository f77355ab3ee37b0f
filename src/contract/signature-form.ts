/** Where the timestamp of a delivery can be read, and in which format; `none`: there is no timestamp. */
export const TIMESTAMP_FORMATS = ['seconds', 'milliseconds', 'iso8601'] as const;
export type TimestampFormat = (typeof TIMESTAMP_FORMATS)[number];
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

export const SECRET_ENCODINGS = ['text', 'base64'] as const;
export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

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
  /** The id of a delivery is signed, and is in this header: `webhook-id`. */
  readonly idHeader?: string;
  /**
   * What precedes a signature: `v1=`. If it ends with a comma, as `v1,` of Standard Webhooks, several signatures are
   * separated by blanks.
   */
  readonly signaturePrefix?: string;
  readonly signatureEncoding?: SignatureEncoding;
  /** The signed text, such as `{id}.{timestamp}.{payload}`; it ends with `{payload}`. */
  readonly signed?: string;
  /** `base64`: the key is what the text of the secret decodes to, without its prefix `whsec_`. Default `text`. */
  readonly secretEncoding?: SecretEncoding;
}
