import { createServer } from 'node:net';

/**
 * The first of three neighbouring ports that were free a moment ago, outside the range for outgoing
 * connections.
 */
export async function threeFreePorts(): Promise<number> {
  for (let first = 12_000 + (process.pid % 7_000); ; first += 3) {
    const free = await Promise.all([first, first + 1, first + 2].map(isFree));
    if (free.every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}
