import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { MAX_FORWARDED_LENGTH } from './request-headers.ts';

/** The form of an IPv4 address on a dual-stack socket. RFC 4291 §2.5.5.2. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Finds the client to which the rate limit attributes a request: the address that our outermost proxy saw.
 * For IPv6, the client is the /64 network, because a subscriber receives at least a /64 (RFC 6177).
 * @param peer the remote address of the connection
 * @param forwarded the X-Forwarded-For header. Each proxy appends the address of its client on the right, so
 * clients control every member except the last `trustedProxies`.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trustedProxies: number,
): string {
  if (trustedProxies === 0 || forwarded === undefined) return perSubscriber(peer ?? '');
  const named = withoutPortAndZone(memberFromRight(forwarded, trustedProxies));
  return perSubscriber(isIPv4(named) || isIPv6(named) ? named : (peer ?? ''));
}

/**
 * Returns the member of a list at `position` from the right, or the first member of a shorter list. Returns
 * an empty string if that member is too long.
 */
function memberFromRight(list: string, position: number): string {
  let end = list.length;
  let start = list.lastIndexOf(',');
  for (let i = 1; i < position && start !== -1; i++) {
    end = start;
    start = end === 0 ? -1 : list.lastIndexOf(',', end - 1);
  }
  return end - start > MAX_FORWARDED_LENGTH ? '' : list.slice(start + 1, end);
}

/** Removes the parts that some proxies add to an address: port, brackets, zone. */
function withoutPortAndZone(member: string): string {
  const text = member.trim();
  return (
    /^\[([^\]%]*)(?:%[^\]]*)?\](?::\d+)?$/.exec(text)?.[1] ??
    /^([\d.]+):\d+$/.exec(text)?.[1] ??
    text.replace(/%.*$/, '')
  );
}

function perSubscriber(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  // A proxy may write an IPv4 address as two hexadecimal groups. Node writes it in the dotted form.
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return MAPPED.exec(canonical)?.[1] ?? network(address);
}

/** Returns the /64 network of an IPv6 address in its canonical spelling. */
function network(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An embedded IPv4 address takes two groups, always in the second half of a valid address.
  const width =
    before.length + after.length + ([...before, ...after].some((group) => group.includes('.')) ? 1 : 0);
  const groups =
    tail === undefined ? before : [...before, ...Array<string>(GROUPS - width).fill('0'), ...after];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
