import {RemitError} from '../../errors.ts';
import {isLocal} from '../../network/local.ts';

/**
 * Reads a base URL that a key may be sent to: https, or http to this machine only, without credentials, query or
 * fragment. A path is a prefix of every route.
 *
 * @throws {RemitError} USAGE for any other URL; GUARD_TARGET if the key would be sent in clear text
 */
export function checkBaseUrl(text: string): URL {
  const url = parse(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage(`a base URL must begin with https://, not ${url.protocol}//`);
  if (url.username !== '' || url.password !== '')
    throw usage('a base URL must not contain a user name or password'); // not repeated here: one of them may be a secret
  if (url.hostname.endsWith('.') && !isLocal(url))
    throw usage(`the host of a base URL must not end with a dot: ${url.hostname}`);
  if (text.includes('?') || text.includes('#')) throw usage('a base URL must not have a query or fragment');
  if (url.protocol === 'http:' && !isLocal(url)) {
    throw new RemitError(
      'GUARD_TARGET',
      `refused to use ${url.origin}: over plain http, others on the network could read the API key`,
      {hint: `use https://${url.host}, or http:// with 127.0.0.1, localhost or [::1]`},
    );
  }
  return url;
}

/**
 * One spelling per service: lower-case host, no default port, no trailing slash. Makes the same checks as
 * `checkBaseUrl`.
 */
export function normaliseBaseUrl(text: string): string {
  const url = checkBaseUrl(text);
  return url.origin + pathPrefix(url);
}

/** The part of a base URL's path that precedes every route: empty, or with a leading and no trailing slash. */
export function pathPrefix(url: URL): string {
  return url.pathname.replace(/(?<!\/)\/+$/, '');
}

function parse(text: string): URL {
  // The URL parser drops control characters and reads a backslash as a slash: what is shown would not be what is
  // used.
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    throw usage('a base URL must not contain spaces, control characters or backslashes');
  try {
    return new URL(text);
  } catch (cause) {
    throw new RemitError('USAGE', 'the base URL is not an absolute URL such as https://api.example.com', {
      cause,
    });
  }
}

const usage = (message: string) => new RemitError('USAGE', message);
