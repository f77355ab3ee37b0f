import {createHmac} from 'node:crypto';

/** The call that a sandbox answers without its token. */
export const HELLO_PATH = '/sandbox/hello';

/** A nonce is at least 16 random bytes as hex or base64url. */
export const NONCE_FORM = /^[\w-]{22,128}$/;

/** HMAC-SHA256 of the caller's nonce in hex: the sandbox has the token, and a listener cannot learn it. */
export const proofOf = (token: string, nonce: string): string =>
  createHmac('sha256', token).update(nonce).digest('hex');
