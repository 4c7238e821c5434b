import type { StallLimits } from './progress/stall-watch.ts';

/** Milliseconds without progress, despite lag, until the projector is unready, and until it exits. */
export const STALL_LIMITS: StallLimits = { unreadyAfter: 60_000, endAfter: 180_000 };

/** Time between two readings of the log's offsets. */
export const OBSERVE_EVERY_MS = 5_000;

/**
 * Maximum time between the start of a conditional state write and the dependent item write. A process that
 * slept longer (stopped, swapped, host suspended) may have been replaced. Elasticsearch forgets deletions
 * after a while, so its pending item writes are discarded (docs/decisions/0002).
 */
export const FENCE_HOLDS_MS = 30_000;

/** Shorter than `FENCE_HOLDS_MS`, so a slow response alone never invalidates a pass. */
export const REQUEST_TIMEOUT_MS = 20_000;
