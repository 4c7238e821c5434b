import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { getHeapStatistics } from 'node:v8';
import { countWholeHits } from './search-answer.ts';
import { Overloaded } from './search-limiter.ts';

const MIB = 1024 * 1024;
const MOST_PAGE_BYTES = 8 * MIB;
const LEAST_PAGE_BYTES = MIB;
/** All pages that are made at the same time may take this share of the heap limit. */
const HEAP_SHARE = 0.5;
/**
 * A search for one item, and one more for the cursor, may always be answered: the largest document that the events allow
 * has 10 MB (docs/decisions/0025-bounded-pages.md).
 */
const FEWEST_HITS = 2;
const FEWEST_HITS_BYTES = 24 * MIB;

/** The items that a search found do not fit the memory of one page. */
export class PageTooLarge extends Error {
  /** How many of the items fit. */
  readonly items: number;
  /** The limit in bytes. */
  readonly limit: number;

  constructor(items: number, limit: number) {
    super(`the items of the page have more than ${limit} bytes`);
    this.name = 'PageTooLarge';
    this.items = items;
    this.limit = limit;
  }
}

/**
 * The most bytes of a search response that one page may take, so that all pages of `concurrency` fit the heap.
 * @param heapBytes the heap limit of the process
 */
export function pageBytesOf(concurrency: number, heapBytes = getHeapStatistics().heap_size_limit): number {
  const share = Math.floor((heapBytes * HEAP_SHARE) / concurrency);
  return Math.min(Math.max(share, LEAST_PAGE_BYTES), MOST_PAGE_BYTES);
}

/** Reads search responses into memory, within a bound for each and for those of very large items together. */
export class ResponseReader {
  readonly #pageBytes: number;
  #isReadingLarge = false;

  /** @param pageBytes see `pageBytesOf` */
  constructor(pageBytes: number) {
    this.#pageBytes = pageBytes;
  }

  /**
   * The whole body. Does the same as `node:stream/consumers` without its Blob, in a fraction of the time.
   * @param hits how many hits the search asked for
   * @throws PageTooLarge, and ends the stream, as soon as the body passes its bound; Overloaded while another very large
   * item is being read; whatever the stream fails with
   */
  async read(body: Readable, hits: number): Promise<Buffer> {
    const limit = hits <= FEWEST_HITS ? Math.max(FEWEST_HITS_BYTES, this.#pageBytes) : this.#pageBytes;
    const pieces: Buffer[] = [];
    let length = 0;
    let isLarge = false;
    body.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > limit) body.destroy(new PageTooLarge(countWholeHits(Buffer.concat(pieces)), limit));
      else if (length > this.#pageBytes && !isLarge && this.#isReadingLarge) body.destroy(new Overloaded('another very large item is being read'));
      else pieces.push(piece);
      if (length > this.#pageBytes && !body.destroyed) isLarge = this.#isReadingLarge = true;
    });
    try {
      await finished(body);
    } finally {
      if (isLarge) this.#isReadingLarge = false;
    }
    return Buffer.concat(pieces);
  }
}
