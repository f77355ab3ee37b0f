import {BlockList, isIP} from 'node:net';
import {RemitError} from '../errors.ts';
import {hostOf, isLocal} from './local.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A forward proxy, which connects to a host on request and then passes bytes on. */
export interface Proxy {
  /** `http://proxy.example.com:3128`: without credentials, so it may be shown. */
  readonly shown: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`; a secret. */
  readonly authorization: string | undefined;
  /** Secrets: the password, and the header that contains it. */
  readonly secrets: readonly string[];
}

/**
 * The proxy for a URL: HTTPS_PROXY for https and HTTP_PROXY for http, unless NO_PROXY lists the host. Lower-case
 * names take precedence, as in curl. This machine is always reached directly.
 * @throws {RemitError} USAGE for an invalid proxy; guessing would send requests on another route than intended
 */
export function proxyFor(url: URL, env: Env): Proxy | undefined {
  if (isLocal(url)) return undefined;
  const text =
    url.protocol === 'https:'
      ? env['https_proxy'] || env['HTTPS_PROXY']
      : env['http_proxy'] || env['HTTP_PROXY'];
  if (!text || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  return parseProxy(text, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
}

/**
 * @param from what to name in the error
 * @throws {RemitError} USAGE; the error does not repeat the text, because it may contain a password
 */
export function parseProxy(text: string, from: string): Proxy {
  const full = text.includes('://') ? text.trim() : `http://${text.trim()}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || url.hostname === '') throw unusable(from, 'is not the URL of a proxy');
  const {protocol} = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw unusable(
      from,
      `names a ${protocol.slice(0, -1)} proxy, but only http and https proxies are supported`,
    );
  const secure = protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const shown = `${url.protocol}//${url.hostname}:${port}`;
  if (url.username === '' && url.password === '')
    return {shown, secure, host: hostOf(url), port, authorization: undefined, secrets: []};
  const password = decoded(url.password, from);
  const credentials = Buffer.from(`${decoded(url.username, from)}:${password}`).toString('base64');
  const secrets = [url.password, password, credentials].filter((secret) => secret !== '');
  return {shown, secure, host: hostOf(url), port, authorization: `Basic ${credentials}`, secrets};
}

function decoded(text: string, from: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable(from, 'has a user name or password that is not percent-encoded');
  }
}

const unusable = (from: string, why: string): RemitError =>
  new RemitError('USAGE', `${from} ${why}`, {hint: `${from}=http://proxy.example.com:3128`});

/**
 * Whether NO_PROXY lists the host: `*`, a name and its subdomains (with or without a leading dot), an address, or a
 * range such as `10.0.0.0/8`; each also with a port. Items are separated by commas or spaces.
 */
export function isExempt(url: URL, noProxy: string): boolean {
  const host = hostOf(url).toLowerCase().replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .some((item) => names(item, host, port));
}

function names(item: string, host: string, port: string): boolean {
  if (item === '*') return true;
  if (item.includes('/')) return isInRange(item, host);
  const [, address, name, itemPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(item) ?? [];
  if (itemPort !== undefined && itemPort !== port) return false;
  const wanted = (address ?? name ?? item).replace(/^\*?\./, '').replace(/\.$/, '');
  if (isIP(host) !== 0 || isIP(wanted) !== 0) return isSameAddress(wanted, host);
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function isSameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false;
  const list = new BlockList();
  list.addAddress(one, familyOf(one));
  return list.check(other, familyOf(other)); // an IPv6 address has several spellings
}

function isInRange(range: string, host: string): boolean {
  const [start = '', bits = ''] = range.split('/');
  const most = isIP(start) === 6 ? 128 : 32;
  if (isIP(start) === 0 || isIP(host) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(start, Number(bits), familyOf(start));
  return list.check(host, familyOf(host));
}
