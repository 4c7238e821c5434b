import type { OrderRange, TimeRange } from '../order/key-range.ts';

/** The number of items by publication time, newest first. */
export class PublicationHistogram {
  readonly total: number;
  readonly #ranges: TimeRange[];

  constructor({ total, ranges }: { total: number; ranges: OrderRange[] }) {
    this.total = total;
    this.#ranges = ranges.filter((range) => range.by === 'published_at');
  }

  /**
   * Estimates the time after which the newest `count` items were published.
   * @param newest in milliseconds. Items that were published later do not count.
   * @returns milliseconds; undefined if there are fewer than `count` items
   */
  publishedSince(count: number, newest: number): number | undefined {
    let missing = count;
    for (const range of this.#ranges) {
      const { oldest } = range;
      if (oldest > newest) continue;
      const youngest = Math.min(range.newest, newest);
      const items = (range.count * (youngest - oldest + 1)) / (range.newest - oldest + 1);
      if (items >= missing) return Math.floor(youngest - (missing / items) * (youngest - oldest));
      missing -= items;
    }
    return undefined;
  }
}
