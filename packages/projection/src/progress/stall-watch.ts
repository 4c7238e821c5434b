/** Whether a consumer makes progress. `stalled` makes the service unready, `dead` ends the process. */
export type Liveness = 'moving' | 'stalled' | 'dead';

export interface StallLimits {
  /** Milliseconds without progress despite lag until the service becomes unready, and until it must end. */
  unreadyAfter: number;
  endAfter: number;
}

/**
 * One progress clock per consumer (docs/decisions/0029). Partitions wait for each other in a fetch and for a
 * worker, so a single waiting partition means nothing. Only a consumer without progress in any partition is
 * stalled. Pure, given the times, which are all in epoch milliseconds.
 */
export class StallWatch {
  readonly #limits: StallLimits;
  #aliveAt: number | undefined;
  #lookedAt: number | undefined;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /** Records that the consumer finished something, in any partition. */
  recordProgress(now: number): void {
    this.#aliveAt = now;
  }

  /**
   * Called with each reading of the log's offsets. The clock restarts if there is no lag, if work is paused
   * on purpose, and after a long time without a reading (Kafka was unavailable, or the process was stopped).
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
