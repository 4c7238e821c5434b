import { compareIds } from './id-order.ts';

/** The number of entries beyond two pages that are kept, so that a short page is not sorted too often. */
const SPARE = 100;

/**
 * Keeps the entries with the smallest ids above a bound, whatever the order in which a scan finds them. A
 * page is thus in ascending order, although Elasticsearch cannot sort states by id. Holds at most about two
 * pages in memory.
 */
export class SmallestIds<T> {
  readonly #limit: number;
  readonly #after: string | undefined;
  #kept = new Map<string, T>();
  /** No id above this one belongs to the page. */
  #highest: string | undefined;

  /** @param limit maximum number of entries; one more entry shows that another page follows */
  constructor(limit: number, after: string | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Adds or changes the entry for an id, if the id can belong to the page. */
  update(id: string, change: (known: T | undefined) => T): void {
    if (this.#after !== undefined && compareIds(id, this.#after) <= 0) return;
    if (this.#highest !== undefined && compareIds(id, this.#highest) > 0) return;
    this.#kept.set(id, change(this.#kept.get(id)));
    if (this.#kept.size > 2 * this.#limit + SPARE) this.#drop();
  }

  /** The page in ascending order, and whether entries with higher ids exist. */
  page(): { entries: [id: string, entry: T][]; isLast: boolean } {
    this.#drop();
    const entries = [...this.#kept];
    return { entries: entries.slice(0, this.#limit), isLast: entries.length <= this.#limit };
  }

  #drop(): void {
    const sorted = [...this.#kept].sort(([a], [b]) => compareIds(a, b)).slice(0, this.#limit + 1);
    this.#kept = new Map(sorted);
    if (sorted.length > this.#limit) this.#highest = sorted.at(-1)?.[0];
  }
}
