import {isIP} from 'node:net';

/** A host in the form that sockets take: `URL.hostname` puts brackets around an IPv6 address. */
export const hostOf = ({hostname}: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether a URL leads to this machine by its name alone; for other names the DNS answer can change. */
export function isLocal(url: URL): boolean {
  const host = hostOf(url).replace(/\.$/, '').toLowerCase();
  if (isIP(host) === 4) return host.startsWith('127.');
  if (isIP(host) === 6) return host === '::1' || /^::ffff:7f[0-9a-f]{2}:/.test(host);
  return host === 'localhost' || host.endsWith('.localhost');
}
