import { setTimeout as delay } from 'node:timers/promises';

/** The error for work that did not finish within its time limit. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** The error's message, preceded by the name of the step that failed. */
export class StepError extends Error {
  override readonly name = 'StepError';
}

/**
 * Runs `work` within a time limit in milliseconds.
 *
 * JavaScript cannot stop a promise, so work beyond its time limit continues in the background until its
 * subjects are stopped. The function then ignores the work's result and error.
 * @throws TimeLimitError after the limit; the signal's reason when it aborts; otherwise the error of `work`
 */
export async function within<T>(
  what: string,
  limitMs: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const cut = Promise.withResolvers<never>();
  const onAbort = () => cut.reject(signal.reason);
  const timer = setTimeout(
    () => cut.reject(new TimeLimitError(`${what} did not finish within ${limitMs / 1_000} s`)),
    limitMs,
  );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), cut.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Waits. @throws the signal's reason as soon as it aborts, so that no loop outlives its part of the bench */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
