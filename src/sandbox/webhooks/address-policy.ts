import {BlockList, isIPv4, isIPv6} from 'node:net';

/**
 * The kind of an address. `special` is never a receiver: unspecified, link-local, metadata, multicast, translated,
 * reserved.
 */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special';

const list = (...ranges: readonly string[]): BlockList => {
  const found = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    found.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return found;
};

const LOOPBACK = list('127.0.0.0/8', '::1/128');
const PRIVATE = list('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7');
/** All IPv6 addresses that IANA has assigned to the public Internet. */
const GLOBAL = list('2000::/3');
/** IANA's special-purpose registries, except those above. */
const SPECIAL = list(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
);

/** @param address an IP address as the resolver returns it */
export function addressKind(address: string): AddressKind {
  const plain = withoutMapping(address.replace(/%.*/s, ''));
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
  if (family === 'ipv6' && !isIPv6(plain)) return 'special'; // not an address at all
  if (LOOPBACK.check(plain, family)) return 'loopback';
  if (SPECIAL.check(plain, family)) return 'special';
  if (PRIVATE.check(plain, family)) return 'private';
  if (family === 'ipv6' && !GLOBAL.check(plain, 'ipv6')) return 'special';
  return 'public';
}

/** `::ffff:127.0.0.1`, also as `::ffff:7f00:1`, and the old `::127.0.0.1`, as the IPv4 address they mean. */
function withoutMapping(address: string): string {
  if (!isIPv6(address)) return address;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, upper, lower] = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (upper === undefined || lower === undefined) return canonical;
  const [high, low] = [Number.parseInt(upper, 16), Number.parseInt(lower, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The kinds of address that deliveries may go to. */
export interface AddressPolicy {
  loopback: boolean;
  private: boolean;
}

export function mayConnect(address: string, policy: AddressPolicy): boolean {
  const kind = addressKind(address);
  return kind === 'public' || (kind !== 'special' && policy[kind]);
}
