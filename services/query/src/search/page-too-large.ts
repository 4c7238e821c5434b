/** The items of a search exceed the memory limit of one page. */
export class PageTooLarge extends Error {
  /** Number of items that fit. */
  readonly items: number;
  /** The limit in bytes. */
  readonly limit: number;

  constructor(items: number, limit: number) {
    super(`the items of the page exceed ${limit} bytes`);
    this.name = 'PageTooLarge';
    this.items = items;
    this.limit = limit;
  }
}
