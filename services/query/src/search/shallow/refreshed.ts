/** One minute is short enough because the distribution of sort keys and ids changes slowly. */
const LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;

/** A value that is read in the background, and read again every minute while it is in use. No caller waits for it. */
export class Refreshed<T> {
  readonly #read: () => Promise<T>;
  readonly #now: () => number;
  #value: T | undefined;
  #nextReadAt = 0;

  constructor(read: () => Promise<T>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** The newest value, or undefined until the first read is complete. */
  get value(): T | undefined {
    if (this.#now() >= this.#nextReadAt) void this.#refresh();
    return this.#value;
  }

  async #refresh(): Promise<void> {
    this.#nextReadAt = Number.POSITIVE_INFINITY;
    try {
      this.#value = await this.#read();
      this.#nextReadAt = this.#now() + LIFETIME_MS;
    } catch {
      // The value is only an optimization. Without it, a page takes more work.
      this.#nextReadAt = this.#now() + RETRY_MS;
    }
  }
}
