import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { EnginesError } from './engine-control.ts';

/**
 * Below the range that Linux (from 32768) and macOS (from 49152) take for outgoing connections: port 0 would give one of
 * those, and while an engine is stopped for a restart on its own port, any client could be given that port.
 */
const LOWEST = 20_000;
const BEYOND = 32_000;

/** Distinct ports that were free on 127.0.0.1 a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (ports.size === count) return [...ports];
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) ports.add(port);
  }
  throw new EnginesError(`No ${count} free ports found on 127.0.0.1 between ${LOWEST} and ${BEYOND}.`);
}

/** Whether an engine's log says that its port was taken, so that another one is worth a try. */
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
