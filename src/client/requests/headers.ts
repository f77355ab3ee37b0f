import {RemitError} from '../../errors.ts';
import {isOwnHeader, namesApproval, namesIdempotencyKey} from '../../service/file/own-headers.ts';
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

/**
 * Headers that a caller adds, in lower case.
 * @param keyHeader the name under which the idempotency key is sent
 * @throws {RemitError} USAGE for a header that remit sets itself, and for a name or value that HTTP does not allow
 */
export function checkExtraHeaders(
  headers: Readonly<Record<string, string>>,
  keyHeader: string | undefined,
): Record<string, string> {
  const checked = Object.entries(headers).map(([given, value]): [string, string] => {
    const name = given.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
      throw new RemitError('USAGE', `${JSON.stringify(given)} is not a header name`);
    if (isOwnHeader(name) || name === keyHeader?.toLowerCase())
      throw new RemitError('USAGE', `the header ${name} is set by remit`);
    if (namesIdempotencyKey(name) || namesApproval(name))
      throw new RemitError(
        'USAGE',
        `the header ${name} may change what the request does, so remit does not send it; set auto_approve in the body, and the key with --idempotency-key`,
      );
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw new RemitError(
        'USAGE',
        `the value of the header ${name} has characters that HTTP does not allow`,
      );
    return [name, value];
  });
  return Object.fromEntries(checked);
}
