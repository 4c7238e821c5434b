/**
 * The maximum time between the start of a conditional state write and the dependent item write. If a process
 * was suspended for longer (stopped, swapped out, or on a sleeping host), another process may have replaced
 * it. Elasticsearch forgets deletions after a while, so a late item write could restore a deleted item.
 * Therefore the projector discards its pending item writes after this time (docs/decisions/0002).
 */
export const FENCE_HOLDS_MS = 30_000;

/**
 * This limit is shorter than `FENCE_HOLDS_MS`, so a slow response alone never makes the projector discard
 * item writes.
 */
export const REQUEST_TIMEOUT_MS = 20_000;
