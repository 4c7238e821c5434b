import { LRUCache } from 'lru-cache';
import type { Point } from '../../request/sort-position.ts';
import type { Stretch } from '../order/key-range.ts';
import { Timeline } from './publication-histogram.ts';

/** One minute is short enough: the distribution of publication times changes slowly. */
const TIMELINE_LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;
/** The estimates are limited by the size of their names, because a name can be as long as a request. */
const MAX_ESTIMATES_BYTES = 4 * 1024 * 1024;
const ESTIMATE_OVERHEAD_BYTES = 200;
/** A cell of a tenth of a degree is up to 11 km wide, about a district of a city. */
const CELLS_PER_DEGREE = 10;

const createEstimates = () =>
  new LRUCache<string, number>({ maxSize: MAX_ESTIMATES_BYTES, sizeCalculation: (_, name) => name.length + ESTIMATE_OVERHEAD_BYTES });

/**
 * Estimates from earlier pages, at any point in time. They select the range in which the search for a page
 * begins. A wrong estimate costs one extra search, never a wrong result.
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

  /** The publication times of all items; undefined until the first count is complete. */
  timeline(): Timeline | undefined {
    if (this.#now() >= this.#countAgainAt) void this.#count();
    return this.#timeline;
  }

  /** The number of items that match `clauses`, which are given as JSON. */
  total(clauses: string): number | undefined {
    return this.#totals.get(clauses);
  }

  setTotal(clauses: string, total: number): void {
    this.#totals.set(clauses, total);
  }

  /**
   * Items per square metre around `point`; 0 if the page ended with items without coordinates.
   * @param matching the filter and the depth. The density of another filter or depth would make a page visit
   *   too many items or search too often.
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
      // The timeline is only an optimization: pages without it cost more.
      this.#countAgainAt = this.#now() + RETRY_MS;
    }
  }
}

const cellOf = ({ lat, lon }: Point, matching: string): string =>
  `${Math.floor(lat * CELLS_PER_DEGREE)} ${Math.floor(lon * CELLS_PER_DEGREE)} ${matching}`;
