import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './errors.ts';

/**
 * A coordinator is being chosen, or is still loading the group. Kafka's own clients repeat such a request.
 */
const NOT_READY = ['GROUP_LOAD_IN_PROGRESS', 'GROUP_COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR_FOR_GROUP'];
const AGAIN_MS = 200;
const REPEATED_MS = 20_000;

/**
 * Repeats a request about a consumer group until its coordinator is ready, because kafkajs repeats only the
 * search for the coordinator.
 * @param repeatedMs the time after which the request is no longer repeated, in milliseconds
 * @throws the error of the last attempt
 */
export async function askCoordinator<T>(request: () => Promise<T>, repeatedMs = REPEATED_MS): Promise<T> {
  const deadline = performance.now() + repeatedMs;
  for (;;)
    try {
      return await request();
    } catch (error) {
      if (!NOT_READY.includes(codeOf(error) ?? '') || performance.now() > deadline) throw error;
      await sleep(AGAIN_MS);
    }
}
