import type { Stretch, TimeStretch } from '../order/key-range.ts';

/** The number of items by publication time, newest first. */
export class Timeline {
  readonly total: number;
  readonly #stretches: TimeStretch[];

  constructor({ total, stretches }: { total: number; stretches: Stretch[] }) {
    this.total = total;
    this.#stretches = stretches.filter((stretch) => stretch.by === 'published_at');
  }

  /**
   * Estimates the time since which `count` items were published.
   * @param newest in milliseconds. Items published later do not count.
   * @returns milliseconds; undefined if there are fewer items
   */
  since(count: number, newest: number): number | undefined {
    let missing = count;
    for (const stretch of this.#stretches) {
      const { oldest } = stretch;
      if (oldest > newest) continue;
      const youngest = Math.min(stretch.newest, newest);
      const items = (stretch.count * (youngest - oldest + 1)) / (stretch.newest - oldest + 1);
      if (items >= missing) return Math.floor(youngest - (missing / items) * (youngest - oldest));
      missing -= items;
    }
    return undefined;
  }
}
