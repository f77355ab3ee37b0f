import type {RemitError} from '../../errors.ts';
import {isLocal} from '../../network/local.ts';
import {shellWord} from '../../shell-word.ts';
import type {Commands} from '../line/command-line.ts';
import {sandboxStartAgain} from '../sandbox/recorded/addresses.ts';

/** What is known about the service so far; a command without a profile has no base URL. */
export interface KnownService {
  commands: Commands;
  baseUrl: string | undefined;
  /** Where a sandbox may have been started at this address. */
  stateDir?: string | undefined;
  /** The active key is a test key. */
  isTest?: boolean;
}

/** The command that removes the cause of a failed connection, or shows it if the cause is not on this machine. */
export function networkFix(
  {details, httpStatus}: Pick<RemitError, 'details' | 'httpStatus'>,
  {commands, baseUrl, stateDir}: KnownService,
): string | undefined {
  const {failure, reason, location} = details ?? {};
  if (baseUrl === undefined) return undefined;
  const url = new URL(baseUrl);
  if (typeof location === 'string' && (httpStatus === 301 || httpStatus === 308))
    return redirected(url, location, commands.profile);
  if (failure === 'refused') return stateDir === undefined ? undefined : sandboxStartAgain(stateDir, baseUrl);
  if (failure === 'dns') return commands.read('whoami');
  const {profile} = commands;
  switch (reason) {
    case 'unknown-issuer':
    case 'self-signed':
      return set(profile, ['--ca-file', 'FILE'], 'REMIT_CA_FILE=FILE');
    case 'client-certificate':
    case 'handshake-refused':
      return set(
        profile,
        ['--client-cert', 'FILE', '--client-key', 'FILE'],
        'REMIT_CLIENT_CERT=FILE REMIT_CLIENT_KEY=FILE',
      );
    case 'plain-http': // without TLS a key is sent to this machine only
      if (isLocal(url)) return toUrl(profile, baseUrl.replace(/^https:/, 'http:'));
      return set(profile, ['--base-url', 'URL'], 'REMIT_BASE_URL=URL');
    case 'wrong-name':
      return set(profile, ['--base-url', 'URL'], 'REMIT_BASE_URL=URL');
    case 'expired':
    case 'not-yet-valid':
      return 'compare the clock of this machine with the dates of the certificate: date -u';
    case 'protocol-version':
      return `see what the server supports: openssl s_client -connect ${shellWord(`${url.hostname}:${url.port || 443}`)}`;
    case 'http2-only':
      return `see what the server supports: curl --http1.1 -sv ${shellWord(baseUrl)}`;
    case 'proxy-credentials':
      return 'HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT';
    case 'proxy-denied':
    case 'proxy-failed':
    case 'proxy-unreachable':
      return `correct HTTPS_PROXY, or connect without a proxy: NO_PROXY=${shellWord(url.hostname)}`;
    default:
      return undefined;
  }
}

/** Changes the stored profile if there is one, otherwise the environment. */
const set = (profile: string | undefined, flags: readonly string[], variable: string): string =>
  profile === undefined ? variable : ['remit', 'profiles', 'set', profile, ...flags].map(shellWord).join(' ');

/**
 * Only if the service has moved to another host for good: a redirect within the same host, or for the time being, leads to a
 * page such as a sign-in, which must not get the key.
 */
function redirected(url: URL, location: string, profile: string | undefined): string | undefined {
  const target = URL.canParse(location) ? new URL(location) : undefined;
  if (target?.protocol !== 'https:' || target.origin === url.origin) return undefined;
  const moved = target.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
  return toUrl(profile, moved);
}

const toUrl = (profile: string | undefined, url: string): string =>
  set(profile, ['--base-url', url], `REMIT_BASE_URL=${shellWord(url)}`);
