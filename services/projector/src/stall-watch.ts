/** Whether a consumer gets on with its work: `stalled` makes the service unready, `dead` ends it. */
export type StallVerdict = 'moving' | 'stalled' | 'dead';

export interface StallLimits {
  /** Milliseconds without progress in spite of lag until the service is unready, and until it must end. */
  unreadyAfter: number;
  endAfter: number;
}

/**
 * One progress clock for a whole consumer. Partitions take turns in a fetch and behind the workers, so a
 * partition that waits says nothing: only a consumer that finishes nothing anywhere is stalled. Pure but
 * for the times it is given, all in epoch milliseconds.
 */
export class StallWatch {
  readonly #limits: StallLimits;
  #aliveAt: number | undefined;
  #lookedAt: number | undefined;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /** The consumer finished something, in whichever partition. */
  moved(now: number): void {
    this.#aliveAt = now;
  }

  /**
   * To be called with each look at the log. The clock starts anew when there is nothing to do, when work
   * is paused on purpose, and after a long time without a look: Kafka was away, or the process was stopped.
   */
  look(now: number, { hasLag, isPaused }: { hasLag: boolean; isPaused: boolean }): void {
    const sinceLook = this.#lookedAt === undefined ? Number.POSITIVE_INFINITY : now - this.#lookedAt;
    if (!hasLag || isPaused || sinceLook > this.#limits.unreadyAfter) this.#aliveAt = now;
    this.#lookedAt = now;
  }

  verdict(now: number): StallVerdict {
    const idle = now - (this.#aliveAt ?? now);
    if (idle > this.#limits.endAfter) return 'dead';
    return idle > this.#limits.unreadyAfter ? 'stalled' : 'moving';
  }
}
