import { LRUCache } from 'lru-cache';
import type { Point } from './feed-order.ts';
import type { Stretch } from './stretch.ts';
import { Timeline } from './timeline.ts';

/** The publication times of a whole market hardly change. */
const TIMELINE_LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;
/** Estimates are bounded by the bytes of their names, which may be as long as a request. */
const MAX_ESTIMATES_BYTES = 4 * 1024 * 1024;
const ESTIMATE_OVERHEAD_BYTES = 200;
/** A cell of a tenth of a degree is some kilometres wide: a part of a town. */
const CELLS_PER_DEGREE = 10;

const createEstimates = () =>
  new LRUCache<string, number>({ maxSize: MAX_ESTIMATES_BYTES, sizeCalculation: (_, name) => name.length + ESTIMATE_OVERHEAD_BYTES });

/**
 * Estimates from earlier pages, of any point in time. They decide where the search for a page begins. A wrong estimate
 * costs one extra search, never a wrong result.
 */
export class Hints {
  readonly #wholeOrder: () => Promise<{ total: number; stretches: Stretch[] }>;
  readonly #now: () => number;
  readonly #totals = createEstimates();
  readonly #densities = createEstimates();
  #timeline: Timeline | undefined;
  #countAgainAt = 0;

  /** @param wholeOrder counts all items, newest first; runs in the background */
  constructor(wholeOrder: () => Promise<{ total: number; stretches: Stretch[] }>, now = () => performance.now()) {
    this.#wholeOrder = wholeOrder;
    this.#now = now;
  }

  /** The publication times of all items; undefined until they are counted for the first time. */
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

  /**
   * Items per square metre around `point`; 0 where the page had items without coordinates.
   * @param matching names filter and depth: the density of others would make a page visit too many items, or search too often
   */
  densityAt(point: Point, matching: string): number | undefined {
    return this.#densities.get(cellOf(point, matching));
  }

  setDensity(point: Point, matching: string, density: number): void {
    this.#densities.set(cellOf(point, matching), density);
  }

  async #count(): Promise<void> {
    this.#countAgainAt = Number.POSITIVE_INFINITY;
    try {
      this.#timeline = new Timeline(await this.#wholeOrder());
      this.#countAgainAt = this.#now() + TIMELINE_LIFETIME_MS;
    } catch {
      // Pages are found without it too, at a higher cost.
      this.#countAgainAt = this.#now() + RETRY_MS;
    }
  }
}

const cellOf = ({ lat, lon }: Point, matching: string): string =>
  `${Math.floor(lat * CELLS_PER_DEGREE)} ${Math.floor(lon * CELLS_PER_DEGREE)} ${matching}`;
