import {RemitError} from '../../errors.ts';
import {isLocal} from '../../network/local.ts';

/**
 * The URL to which deliveries are forwarded or sent: a port (`3000`), a port with a path (`3000/hook`), a path
 * (`/hook`, port 80), a host (`app.localhost:3000/hook`) or a complete http or https URL.
 * @throws {RemitError} USAGE
 */
export function parseTarget(text: string): URL {
  const full = /^https?:\/\//i.test(text)
    ? text
    : /^\d{1,5}(?:\/|$)/.test(text)
      ? `http://localhost:${text}`
      : text.startsWith('/')
        ? `http://localhost${text}`
        : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || /\s/.test(text) || (/:\/\//.test(text) && full !== text))
    throw new RemitError('USAGE', `${JSON.stringify(text)} is not an address to send to`, {
      hint: 'write it like 3000, 3000/hook, localhost:3000/hook or http://localhost:3000/hook',
    });
  if (url.username !== '' || url.password !== '')
    throw new RemitError('USAGE', `the address ${url.host} must not contain a user name or password`);
  url.hash = '';
  return url;
}

/** @throws {RemitError} GUARD_TARGET for an address that is not on this machine, without --allow-external */
export function checkTarget(url: URL, allowExternal: boolean | undefined): void {
  if (allowExternal || isLocal(url)) return;
  throw new RemitError(
    'GUARD_TARGET',
    `${url.host} is not on this machine, and webhooks contain business data`,
    {
      hint: 'to allow it, add --allow-external to the same command',
    },
  );
}
