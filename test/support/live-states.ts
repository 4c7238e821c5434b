import type { ItemDocument } from '@vitrine/feed-index';

interface State {
  items: ReadonlyMap<string, ItemDocument>;
  /** Start of its write, and the end of the next state's write, as of `performance.now()`. */
  from: number;
  to: number;
}

/**
 * The contents of a changing index over time. A reader sees one of its states, or one between two of them.
 */
export class LiveStates {
  readonly #states: State[] = [];

  /** Runs `write`, which changes the index to `items`. */
  async change(items: ReadonlyMap<string, ItemDocument>, write: () => Promise<void>): Promise<void> {
    const state = { items: new Map(items), from: performance.now(), to: Number.POSITIVE_INFINITY };
    const before = this.#states.at(-1);
    this.#states.push(state);
    await write();
    if (before) before.to = performance.now();
  }

  /**
   * The smallest and the largest number of items that a reader could have counted.
   * @param since the earliest moment that it may have seen, as of `performance.now()`
   * @param counts returns whether it counts an item
   */
  bounds(since: number, counts: (item: ItemDocument) => boolean): { least: number; most: number } {
    const seen = this.#states
      .filter(({ to }) => to >= since)
      .map(({ items }) => new Set([...items.values()].filter(counts).map(({ id }) => id)));
    const all = new Set(seen.flatMap((ids) => [...ids]));
    return { least: [...all].filter((id) => seen.every((ids) => ids.has(id))).length, most: all.size };
  }
}
