import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const SAMPLE_EVERY_MS = 500;
/** Later than this on average, twice in a row, and what is begun is only in the way of what is under way. */
const BUSY_MS = 150;

export interface EventLoopDelay {
  /** How late the loop was on average in the last half second, in seconds. */
  seconds(): number;
  isBusy(): boolean;
  stop(): void;
}

/** Watches how late the event loop is, which is how long everything in this process waits at least. */
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
    // One long pause, as of the machine, is over when it is seen: to refuse then would help nobody.
    isBusy: () => Math.min(delayMs, beforeMs) > BUSY_MS,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
