import { compareIds } from './compare-ids.ts';
import type { SortedRecord } from './sorted-records.ts';

/** Determines whether sorted records contain an id, for ids in ascending byte order. */
export class IdCursor {
  readonly #pages: AsyncIterator<readonly SortedRecord[]>;
  #page: readonly SortedRecord[] = [];
  #at = 0;
  #ended = false;

  constructor(pages: AsyncIterable<readonly SortedRecord[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** @param id an id that is not before the previous one */
  async has(id: string): Promise<boolean> {
    for (;;) {
      while (this.#at < this.#page.length) {
        const order = compareIds((this.#page[this.#at] as SortedRecord)[0], id);
        if (order >= 0) return order === 0;
        this.#at++;
      }
      if (this.#ended) return false;
      const { done, value } = await this.#pages.next();
      this.#ended = done === true;
      this.#page = done ? [] : value;
      this.#at = 0;
    }
  }

  async close(): Promise<void> {
    await this.#pages.return?.();
  }
}
