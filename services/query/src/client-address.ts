import { isIPv4, isIPv6 } from 'node:net';
import { MAX_HOP_LENGTH } from './request-headers.ts';

/** An IPv4 address as a dual-stack socket writes it. RFC 4291 §2.5.5.2. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The client that a request is counted for: the address that the outermost of our own proxies saw. An IPv6 address
 * counts as its /64, since one subscriber gets that much (RFC 6177).
 * @param peer the address that the connection comes from
 * @param forwarded the X-Forwarded-For header. Each proxy adds its client on the right, so the client itself
 *   controls everything but the last `trustedProxies` members.
 */
export function clientAddress(peer: string | undefined, forwarded: string | undefined, trustedProxies: number): string {
  if (trustedProxies === 0 || forwarded === undefined) return subscriber(peer ?? '');
  const named = bare(memberFromRight(forwarded, trustedProxies));
  return subscriber(isIPv4(named) || isIPv6(named) ? named : (peer ?? ''));
}

/** The `position`th member of a list from its right end, or the leftmost one of a shorter list; empty if it is too long. */
function memberFromRight(list: string, position: number): string {
  let end = list.length;
  let start = list.lastIndexOf(',');
  for (let i = 1; i < position && start !== -1; i++) {
    end = start;
    start = end === 0 ? -1 : list.lastIndexOf(',', end - 1);
  }
  return end - start > MAX_HOP_LENGTH ? '' : list.slice(start + 1, end);
}

/** Without the parts that some proxies put around an address: a port, brackets, a zone. */
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

/** The first 64 bits of an IPv6 address, in one spelling. */
function network(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address takes two groups. It never reaches into the first half of a valid address.
  const width = before.length + after.length + ([...before, ...after].some((group) => group.includes('.')) ? 1 : 0);
  const groups = tail === undefined ? before : [...before, ...Array<string>(GROUPS - width).fill('0'), ...after];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
