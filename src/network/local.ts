import {isIP, type LookupFunction} from 'node:net';

/** A host in the form that sockets take: `URL.hostname` puts brackets around an IPv6 address. */
export const hostOf = ({hostname}: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether a URL leads to this machine by its name alone; for other names the DNS answer can change. */
export function isLocal(url: URL): boolean {
  const host = hostOf(url).replace(/\.$/, '').toLowerCase();
  if (isIP(host) === 4) return host.startsWith('127.');
  if (isIP(host) === 6) return host === '::1' || /^::ffff:7f[0-9a-f]{2}:/.test(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** A normalised base URL with 127.0.0.1 in place of any other name of this machine: remit connects all of them to loopback. */
export function withLoopback(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (!isLocal(url)) return text;
  url.hostname = '127.0.0.1';
  return url.origin + (url.pathname === '/' ? '' : url.pathname);
}

const LOOPBACK = [
  {address: '127.0.0.1', family: 4},
  {address: '::1', family: 6},
];

/**
 * The lookup of sockets. Names of this machine lead to loopback, as in curl: a DNS server that answers for `localhost`
 * would otherwise get what is meant for this machine.
 */
export const lookupLocally: LookupFunction = (host, options, callback) => {
  const name = host.replace(/\.$/, '').toLowerCase();
  if (name !== 'localhost' && !name.endsWith('.localhost')) {
    process.getBuiltinModule('node:dns').lookup(host, options, callback);
    return;
  }
  const found = LOOPBACK.filter(
    ({family}) => !options.family || options.family === family || options.family === `IPv${family}`,
  );
  const [first] = found;
  setImmediate(() => {
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '127.0.0.1', first?.family ?? 4);
  });
};
