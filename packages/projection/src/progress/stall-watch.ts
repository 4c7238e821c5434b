/** Whether a consumer makes progress. `stalled` makes the service unready, and `dead` ends the process. */
type Liveness = 'moving' | 'stalled' | 'dead';

export interface StallLimits {
  /**
   * The durations without progress despite lag, in milliseconds. The service becomes unready after the first
   * duration, and must exit after the second one.
   */
  unreadyAfter: number;
  endAfter: number;
}

export const STALL_LIMITS: StallLimits = { unreadyAfter: 60_000, endAfter: 180_000 };

/** The interval between polls of the log's offsets, in milliseconds. */
export const OBSERVE_EVERY_MS = 5_000;

/**
 * Each consumer has one progress clock (docs/decisions/0029). Partitions wait for each other during a fetch
 * and for a worker, so a single waiting partition is normal. A consumer is stalled only if no partition makes
 * progress. All times are epoch milliseconds. Pure.
 */
export class StallWatch {
  readonly #limits: StallLimits;
  #aliveAt: number | undefined;
  #lookedAt: number | undefined;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /** Records that the consumer finished work in any partition. */
  recordProgress(now: number): void {
    this.#aliveAt = now;
  }

  /**
   * Processes a poll of the log's offsets. Restarts the clock if there is no lag, during an intentional
   * pause, and after a long time without a poll (Kafka was unavailable, or the process was suspended).
   */
  observe(now: number, { hasLag, isPaused }: { hasLag: boolean; isPaused: boolean }): void {
    const sinceLook = this.#lookedAt === undefined ? Number.POSITIVE_INFINITY : now - this.#lookedAt;
    if (!hasLag || isPaused || sinceLook > this.#limits.unreadyAfter) this.#aliveAt = now;
    this.#lookedAt = now;
  }

  liveness(now: number): Liveness {
    const idle = now - (this.#aliveAt ?? now);
    if (idle > this.#limits.endAfter) return 'dead';
    return idle > this.#limits.unreadyAfter ? 'stalled' : 'moving';
  }
}
