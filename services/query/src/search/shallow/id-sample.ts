/** Some ids from the whole index in ascending order, evenly distributed over its items. */
export class IdSample {
  readonly #ids: readonly string[];

  /** @param ids ascending */
  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /** Estimates the share of all items that have an id after `after`, up to `last`. */
  shareBetween(after: string, last: string): number {
    return (this.#indexAfter(last) - this.#indexAfter(after)) / this.#ids.length;
  }

  /**
   * Returns an id such that about this share of all items, but not less, lies between `after` and this id.
   */
  next(share: number, after: string): string | undefined {
    return this.#ids[this.#indexAfter(after) + Math.ceil(share * this.#ids.length) + 1];
  }

  /** Returns the number of ids up to `id`. */
  #indexAfter(id: string): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ids[middle] ?? '') <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
