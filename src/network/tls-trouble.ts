/** Why a TLS connection failed, if the cause is known. */
export type TlsTrouble =
  | 'unknown-issuer'
  | 'self-signed'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-name'
  | 'client-certificate'
  | 'handshake-refused'
  | 'protocol-version'
  | 'plain-http'
  | 'http2-only';

/** Alerts by which a server ends a handshake because of the client's certificate (RFC 8446, 6.2). */
const CLIENT_ALERT =
  /_ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)$/;

const BY_CODE: readonly (readonly [RegExp, TlsTrouble])[] = [
  [CLIENT_ALERT, 'client-certificate'],
  [/^(DEPTH_ZERO_)?SELF_SIGNED_CERT$/, 'self-signed'],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/,
    'unknown-issuer',
  ],
  [/^(CERT_UNTRUSTED|INVALID_CA)$/, 'unknown-issuer'],
  [/^CERT_HAS_EXPIRED$/, 'expired'],
  [/^CERT_NOT_YET_VALID$/, 'not-yet-valid'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'wrong-name'],
  [/_ALERT_NO_APPLICATION_PROTOCOL$/, 'http2-only'],
  [/_ALERT_HANDSHAKE_FAILURE$/, 'handshake-refused'],
  [
    /UNSUPPORTED_PROTOCOL$|_ALERT_PROTOCOL_VERSION$|NO_PROTOCOLS_AVAILABLE$|VERSION_TOO_LOW$/,
    'protocol-version',
  ],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$|RECORD_LAYER_FAILURE$|HTTP_REQUEST$/, 'plain-http'],
];

export const TLS_WORDS: Readonly<Record<TlsTrouble, string>> = {
  'unknown-issuer': "the server's certificate is signed by an authority that this machine does not trust",
  'self-signed': "the server's certificate is self-signed, and this machine does not trust it",
  expired: "the server's certificate has expired",
  'not-yet-valid': "the server's certificate is not valid yet",
  'wrong-name': "the server's certificate is for another host",
  'client-certificate': 'the server requires a client certificate, or does not accept the one that was sent',
  'handshake-refused': 'the server refused the TLS handshake; it may require a client certificate',
  'protocol-version': 'the server does not support TLS 1.2 or later',
  'plain-http': 'the server does not answer with TLS; the port is probably for plain http',
  'http2-only': 'the server does not support HTTP/1.1 (it may support HTTP/2 only), which remit requires',
};

export const tlsTroubleOf = (code: string): TlsTrouble | undefined =>
  BY_CODE.find(([pattern]) => pattern.test(code))?.[1];

/**
 * True for the alerts that end a handshake, most of them because of the client's certificate. With TLS 1.3 they
 * arrive after the client has finished its part of the handshake and sent its request; a server that sends one has
 * not read it.
 */
export const endsHandshake = (code: string): boolean =>
  CLIENT_ALERT.test(code) || /_ALERT_HANDSHAKE_FAILURE$/.test(code);

/** The code for OpenSSL's text: Node reports some errors as EPROTO, with a text that ends with the reason. */
export function sslCodeOf({code, message}: NodeJS.ErrnoException): string | undefined {
  if (code !== 'EPROTO') return code;
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? code : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}
