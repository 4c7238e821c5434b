import type { Worker } from 'node:cluster';
import { once } from 'node:events';

/** The message that tells a worker to stop. */
export const STOP = 'stop';

/** Tells `worker` to stop, and waits until it has ended. */
export async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, 'exit');
  // A worker that was just killed still counts as connected. With a callback, the failed write raises no error.
  if (worker.isConnected()) worker.send(STOP, () => undefined);
  await exited;
}
