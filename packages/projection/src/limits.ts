import type { StallLimits } from './progress/stall-watch.ts';

/**
 * How long a projector with lag may make no progress, in milliseconds: first it becomes unready, later it
 * exits.
 */
export const STALL_LIMITS: StallLimits = { unreadyAfter: 60_000, endAfter: 180_000 };

/** Interval between polls of the log's offsets, in milliseconds. */
export const OBSERVE_EVERY_MS = 5_000;

/**
 * Maximum time between the start of a conditional state write and the dependent item write. Another process
 * may have replaced a process that was suspended for longer (stopped, swapped out, host asleep).
 * Elasticsearch forgets deletions after a while, so a late item write could restore a deleted item. Therefore
 * the projector discards its pending item writes after this long (docs/decisions/0002).
 */
export const FENCE_HOLDS_MS = 30_000;

/** Shorter than `FENCE_HOLDS_MS`, so a slow response alone never makes the projector discard item writes. */
export const REQUEST_TIMEOUT_MS = 20_000;
