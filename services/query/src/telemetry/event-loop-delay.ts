import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const SAMPLE_EVERY_MS = 500;
/**
 * Limit for the average delay. If two consecutive samples exceed it, new work would only delay the work in
 * progress.
 */
const BUSY_MS = 150;

export interface EventLoopDelay {
  /** Returns the average event-loop delay in the last half second, in seconds. */
  seconds(): number;
  isBusy(): boolean;
  stop(): void;
}

/** Measures the event-loop delay, which is the least time for which any work in this process waits. */
export function watchEventLoopDelay(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let [delayMs, beforeMs] = [0, 0];
  const timer = setInterval(() => {
    beforeMs = delayMs;
    delayMs = histogram.count > 0 ? Math.max(histogram.mean / 1e6 - RESOLUTION_MS, 0) : 0;
    histogram.reset();
  }, SAMPLE_EVERY_MS).unref();
  return {
    seconds: () => delayMs / 1_000,
    // A single long pause, for example of the machine, is already over when it is measured, so it would not
    // help to refuse requests then.
    isBusy: () => Math.min(delayMs, beforeMs) > BUSY_MS,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
