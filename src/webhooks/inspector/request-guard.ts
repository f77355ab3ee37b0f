import {createHash, timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';

/** The header that carries the token. Browsers send it across origins only with a permission that is never given. */
export const INSPECTOR_TOKEN_HEADER = 'x-remit-token';

/**
 * Why a request is refused before anything is read: a host name that is not ours, as after DNS rebinding, or a page
 * of another origin. A navigation to the empty page may come from anywhere.
 */
export function foreign(request: IncomingMessage, port: number): string | undefined {
  const {host = '', origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode} = request.headers;
  if (!['127.0.0.1', 'localhost', '[::1]'].some((name) => host.toLowerCase() === `${name}:${port}`))
    return `this page is not served under the host ${JSON.stringify(host)}`;
  if (origin !== undefined && origin !== `http://${host}`) return 'this page does not answer other origins';
  if (request.method === 'POST' && origin === undefined) return 'only the page itself may send this';
  const navigates = mode === 'navigate' && request.method === 'GET';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !navigates)
    return 'this page does not answer other sites';
  return undefined;
}

/** Compares in constant time. */
export function hasInspectorToken({headers}: IncomingMessage, token: string): boolean {
  const given = headers[INSPECTOR_TOKEN_HEADER];
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
