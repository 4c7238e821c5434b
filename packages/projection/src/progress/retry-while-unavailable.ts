import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaError } from '@vitrine/kafka';

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/** The functions with which a caller recognizes and reports that something it needs is unavailable. */
export interface Unavailability {
  /** Whether the same work can succeed later. */
  isRetryable(error: unknown): boolean;
  /** Receives the error before each wait. */
  onUnavailable(error: unknown): void;
}

/**
 * Runs `work`, and retries without limit while something that it needs is unavailable. Waits up to 5 s
 * between attempts.
 * @throws all other errors from `work`; the last error if the signal aborts
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { isRetryable, onUnavailable }: Unavailability,
): Promise<T> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) throw error;
      onUnavailable(error);
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

/**
 * Runs a service's first requests to Kafka, and retries without limit while no broker can be reached. A
 * process that exited instead would be restarted with growing delays, and would therefore start late after an
 * outage.
 * @param onAway receives the error before each wait
 * @throws all other errors from `work`; the last error if the signal aborts
 */
export const whileKafkaIsAway = (
  work: () => Promise<void>,
  signal: AbortSignal,
  onAway: (error: unknown) => void,
): Promise<void> =>
  retryWhileUnavailable(work, signal, {
    isRetryable: (error) => error instanceof KafkaError && error.retriable,
    onUnavailable: onAway,
  });
