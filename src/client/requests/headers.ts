import {RemitError} from '../../errors.ts';
import {VERSION} from './version.ts';

const USER_AGENT = `remit/${VERSION}`;

/** Headers of one request, in lower case and the same for every attempt. Interface document, "Authentication". */
export function requestHeaders(request: {
  key: string;
  hasBody: boolean;
  idempotencyKey?: string | undefined;
  userAgent?: string | undefined;
}): Record<string, string> {
  const headers: Record<string, string> = {
    'x-api-key': request.key,
    'user-agent': request.userAgent ?? USER_AGENT,
    accept: 'application/json',
  };
  if (request.hasBody) headers['content-type'] = 'application/json';
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  return headers;
}

/** @throws {RemitError} BAD_KEY; the error never contains the key */
export function checkKey(key: string): string {
  if (!/^(test|live)_[\u0021-\u007e]+$/.test(key)) {
    throw new RemitError(
      'BAD_KEY',
      'an API key must begin with test_ or live_ and have no spaces or line breaks',
    );
  }
  return key;
}
