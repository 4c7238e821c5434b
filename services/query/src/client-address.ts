import { isIPv4, isIPv6 } from 'node:net';

/** How a dual-stack socket writes an IPv4 address. RFC 4291 §2.5.5.2. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Whom a request is counted for: the address that the outermost of our own proxies saw, IPv6 by its
 * /64, since that is what one subscriber gets (RFC 6177).
 * @param peer the address that the connection comes from
 * @param forwarded the X-Forwarded-For header: each proxy adds on the right whom it was asked by, so
 *   only the last `trustedProxies` of it are not the client's own words
 */
export function clientAddress(peer: string | undefined, forwarded: string | undefined, trustedProxies: number): string {
  if (trustedProxies === 0 || forwarded === undefined) return subscriber(peer ?? '');
  const hops = forwarded.split(',');
  const named = bare(hops[Math.max(hops.length - trustedProxies, 0)] ?? '');
  return subscriber(isIPv4(named) || isIPv6(named) ? named : (peer ?? ''));
}

/** Without what some proxies put around an address: a port, brackets, a zone. */
function bare(hop: string): string {
  const text = hop.trim();
  return /^\[([^\]%]*)(?:%[^\]]*)?\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text.replace(/%.*$/, '');
}

function subscriber(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? network(address) : address;
}

/** The first 64 bits of an IPv6 address, written in one way. */
function network(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address takes two groups; it never reaches into the first half unless `::` stands for nothing much.
  const width = before.length + after.length + ([...before, ...after].some((group) => group.includes('.')) ? 1 : 0);
  const groups = tail === undefined ? before : [...before, ...Array<string>(GROUPS - width).fill('0'), ...after];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
