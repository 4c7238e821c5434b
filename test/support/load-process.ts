import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface OpenLoopLoad {
  origin: string;
  perSecond: number;
  seconds: number;
  /** A target that always gets a response. It opens the connections, and its responses are not counted. */
  cheap: string;
  target: string;
}

/**
 * Sends requests at a fixed rate from a separate process, so neither the test nor the service delays them.
 * @returns the number of responses by status, once all have arrived; 0 = no response
 */
export async function spawnOpenLoop({ origin, perSecond, seconds, cheap, target }: OpenLoopLoad): Promise<Record<number, number>> {
  const args = [join(import.meta.dirname, 'open-loop-main.ts'), origin, String(perSecond), String(seconds), cheap, target];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the load ended with exit code ${code}`);
  return JSON.parse(output) as Record<number, number>;
}
