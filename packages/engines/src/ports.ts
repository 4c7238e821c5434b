import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EnginesError } from './engine-control.ts';

/**
 * The ports are below the range for outgoing connections, which begins at 32768 on Linux and at 49152 on
 * macOS. Port 0 would select a port from that range, and another program could receive the same port while an
 * engine restarts.
 */
const LOWEST = 20_000;
const BEYOND = 32_000;

/** Finds distinct ports that are currently free on 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (ports.size === count) return [...ports];
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) ports.add(port);
  }
  throw new EnginesError(`Could not find ${count} free ports on 127.0.0.1 between ${LOWEST} and ${BEYOND}.`);
}

/** Returns whether an engine's log reports a port collision. If so, a start with another port may succeed. */
export function portWasTaken(log: string): boolean {
  return /Address already in use|java\.net\.BindException|BindHttpException|BindTransportException/.test(log);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
