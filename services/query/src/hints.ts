import { LRUCache } from 'lru-cache';
import type { Point } from './feed-order.ts';
import type { Stretch } from './stretch.ts';
import { Timeline } from './timeline.ts';

/** When the items of a market were published, all in all, hardly changes. */
const TIMELINE_LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;
/** Of totals by their names, which may be as long as a request. */
const MAX_TOTALS_BYTES = 4 * 1024 * 1024;
const TOTAL_OVERHEAD_BYTES = 200;
const MAX_CELLS = 10_000;
/** Cells of so many to a degree are some kilometres wide: a part of a town. */
const CELLS_A_DEGREE = 10;

/**
 * What was true of the items lately, through all snapshots. It says where to begin to look for a page, never
 * what is found: a wrong hint costs a search more.
 */
export class Hints {
  readonly #wholeOrder: () => Promise<{ total: number; stretches: Stretch[] }>;
  readonly #now: () => number;
  readonly #totals = new LRUCache<string, number>({ maxSize: MAX_TOTALS_BYTES, sizeCalculation: (_, name) => name.length + TOTAL_OVERHEAD_BYTES });
  readonly #densities = new LRUCache<string, number>({ max: MAX_CELLS });
  #timeline: Timeline | undefined;
  #countAgainAt = 0;

  /** @param wholeOrder counts all items, newest first; nobody waits for it */
  constructor(wholeOrder: () => Promise<{ total: number; stretches: Stretch[] }>, now = () => performance.now()) {
    this.#wholeOrder = wholeOrder;
    this.#now = now;
  }

  /** When all items were published; undefined until it was counted for the first time. */
  timeline(): Timeline | undefined {
    if (this.#now() >= this.#countAgainAt) void this.#count();
    return this.#timeline;
  }

  /** How many items match `clauses`, in their JSON. */
  total(clauses: string): number | undefined {
    return this.#totals.get(clauses);
  }

  setTotal(clauses: string, total: number): void {
    this.#totals.set(clauses, total);
  }

  /** Items per square metre, at last, of whatever was asked for around there. */
  densityAt(point: Point): number | undefined {
    return this.#densities.get(cellOf(point));
  }

  setDensity(point: Point, density: number): void {
    this.#densities.set(cellOf(point), density);
  }

  async #count(): Promise<void> {
    this.#countAgainAt = Number.POSITIVE_INFINITY;
    try {
      this.#timeline = new Timeline(await this.#wholeOrder());
      this.#countAgainAt = this.#now() + TIMELINE_LIFETIME_MS;
    } catch {
      // Pages are found without it too, only not as fast.
      this.#countAgainAt = this.#now() + RETRY_MS;
    }
  }
}

const cellOf = ({ lat, lon }: Point): string => `${Math.floor(lat * CELLS_A_DEGREE)} ${Math.floor(lon * CELLS_A_DEGREE)}`;
