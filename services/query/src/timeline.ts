import type { Stretch, TimeStretch } from './stretch.ts';

/** How many items were published when, newest first. */
export class Timeline {
  readonly total: number;
  readonly #stretches: TimeStretch[];

  constructor({ total, stretches }: { total: number; stretches: Stretch[] }) {
    this.total = total;
    this.#stretches = stretches.filter((stretch) => stretch.by === 'published_at');
  }

  /**
   * A time since which about `count` items were published.
   * @param newest those published after it do not count
   * @returns both in milliseconds; undefined where there are not so many
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
