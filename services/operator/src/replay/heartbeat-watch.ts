import { BUILDER_DEAD_AFTER_MS, type Builder } from '@vitrine/feed-index';

/** After a longer time without a reading, the other builders may have been unable to write too. */
const LONGEST_GAP_MS = 8_000;

/**
 * Finds the builders whose heartbeat has stopped. It compares each heartbeat only with earlier readings and
 * measures on the monotonic clock of this process, because the clocks of the hosts may differ. After a gap
 * (an Elasticsearch outage, a suspended process), it starts again. Pure, given the times.
 */
export class HeartbeatWatch {
  #seen = new Map<string, { seenAt: string; since: number }>();
  #readAt = Number.NEGATIVE_INFINITY;

  /**
   * Takes a reading of the registry.
   * @param builders all other builders that are not lost
   * @param now monotonic milliseconds
   * @returns ids of the builders that sent no heartbeat for 15 seconds
   */
  observe(builders: readonly Builder[], now: number): string[] {
    const isGap = now - this.#readAt > LONGEST_GAP_MS;
    this.#readAt = now;
    this.#seen = new Map(
      builders.map(({ id, seen_at: seenAt }) => {
        const before = isGap ? undefined : this.#seen.get(id);
        return [id, before?.seenAt === seenAt ? before : { seenAt, since: now }];
      }),
    );
    return [...this.#seen].flatMap(([id, { since }]) => (now - since >= BUILDER_DEAD_AFTER_MS ? [id] : []));
  }
}
