import { BlockList, isIP } from 'node:net';

export interface ConsoleOptions {
  port: number;
  host: string;
  allowActions: boolean;
  allowPublicInterface: boolean;
}

export interface ConsoleAddress {
  host: string;
  port: number;
  /** Whether other machines can reach the address. */
  isPublic: boolean;
}

/** The options contradict each other or are not safe. The command ends with a usage error. */
export class ConsoleUsageError extends Error {
  override readonly name = 'ConsoleUsageError';
}

/** The loopback addresses in the spelling that browsers send. */
const REACHABLE = new Set(['127.0.0.1', '::1']);

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Returns whether only this machine can reach the address. Pure. */
export const isLoopback = (address: string): boolean => {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
};

/**
 * Checks where the console may listen. An operator must request a public interface twice, and the console
 * then only reads. Rule: docs/operate/console.md#security. Pure.
 * @throws ConsoleUsageError
 */
export function consoleAddress({
  host: given,
  port,
  allowActions,
  allowPublicInterface,
}: ConsoleOptions): ConsoleAddress {
  // The name may have another address on a machine with an unusual hosts file.
  const host = given === 'localhost' ? '127.0.0.1' : given;
  if (isIP(host) === 0)
    throw new ConsoleUsageError(`--host ${given}: the value must be an IP address or localhost`);
  if (host.includes('%'))
    throw new ConsoleUsageError(`--host ${given}: a URL cannot contain the zone of an address`);
  if (REACHABLE.has(host)) return { host, port, isPublic: false };
  // A browser may send another spelling of such an address as Host, which the console would refuse.
  if (isLoopback(host))
    throw new ConsoleUsageError(`--host ${given}: the loopback address must be 127.0.0.1 or ::1`);
  if (allowActions)
    throw new ConsoleUsageError(
      `--allow-actions on a non-loopback address (${host}) is refused, because other machines could reach ` +
        'the actions. Use --host 127.0.0.1 and an SSH tunnel',
    );
  if (!allowPublicInterface)
    throw new ConsoleUsageError(
      `--host ${host} lets other machines read the console without a password. To allow this, also use ` +
        '--allow-public-interface',
    );
  return { host, port, isPublic: true };
}

/** Returns the console's origin, such as `http://127.0.0.1:8090`. Pure. */
export const originOf = (host: string, port: number): string =>
  `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
