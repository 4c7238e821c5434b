import { LRUCache } from 'lru-cache';
import type { Point } from '../../request/sort-position.ts';
import type { OrderRange, TimeRange } from '../order/key-range.ts';

/** One minute is short enough because the distribution of publication times changes slowly. */
const HISTOGRAM_LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;
/** The cache limits the total size of the names, because a name can be as long as a request. */
const MAX_ESTIMATES_BYTES = 4 * 1024 * 1024;
const ESTIMATE_OVERHEAD_BYTES = 200;
/** A cell of a tenth of a degree is up to 11 km wide, about a district of a city. */
const CELLS_PER_DEGREE = 10;

const createStore = () =>
  new LRUCache<string, number>({
    maxSize: MAX_ESTIMATES_BYTES,
    sizeCalculation: (_, name) => name.length + ESTIMATE_OVERHEAD_BYTES,
  });

/**
 * Estimates from earlier pages, which may come from other points in time. The estimates select the range in
 * which the search for a page begins. A wrong estimate costs one extra search, but never causes a wrong
 * result.
 */
export class Estimates {
  readonly #countOrder: () => Promise<{ total: number; ranges: OrderRange[] }>;
  readonly #now: () => number;
  readonly #totals = createStore();
  readonly #densities = createStore();
  #histogram: PublicationHistogram | undefined;
  #nextCountAt = 0;

  /** @param countOrder counts all items in newest-first order. Runs in the background. */
  constructor(
    countOrder: () => Promise<{ total: number; ranges: OrderRange[] }>,
    now = () => performance.now(),
  ) {
    this.#countOrder = countOrder;
    this.#now = now;
  }

  /** Returns the publication times of all items, or undefined until the first count is complete. */
  histogram(): PublicationHistogram | undefined {
    if (this.#now() >= this.#nextCountAt) void this.#count();
    return this.#histogram;
  }

  /** Returns the estimated number of items that match `clauses`. @param clauses as JSON */
  total(clauses: string): number | undefined {
    return this.#totals.get(clauses);
  }

  setTotal(clauses: string, total: number): void {
    this.#totals.set(clauses, total);
  }

  /**
   * Returns the number of matching items per square meter around `point`, or 0 if the earlier page ended with
   * items without coordinates.
   * @param matching the filters and the depth. With the density of other filters or another depth, a page
   * would visit too many items or search too often.
   */
  densityAt(point: Point, matching: string): number | undefined {
    return this.#densities.get(cellOf(point, matching));
  }

  setDensity(point: Point, matching: string, density: number): void {
    this.#densities.set(cellOf(point, matching), density);
  }

  async #count(): Promise<void> {
    this.#nextCountAt = Number.POSITIVE_INFINITY;
    try {
      this.#histogram = new PublicationHistogram(await this.#countOrder());
      this.#nextCountAt = this.#now() + HISTOGRAM_LIFETIME_MS;
    } catch {
      // The histogram is only an optimization. Without it, a page takes more work.
      this.#nextCountAt = this.#now() + RETRY_MS;
    }
  }
}

const cellOf = ({ lat, lon }: Point, matching: string): string =>
  `${Math.floor(lat * CELLS_PER_DEGREE)} ${Math.floor(lon * CELLS_PER_DEGREE)} ${matching}`;

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
