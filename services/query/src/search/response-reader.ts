import type { Readable } from 'node:stream';
import { FOUND_BYTES, pageMemoryOf } from '../budget/request-budget.ts';
import { countWholeHits } from '../stored/search-response.ts';
import { PageTooLarge } from './search-failure.ts';
import { Overloaded } from './search-limiter.ts';
import { nextTurn } from './work-turns.ts';

const MIB = 1024 * 1024;
const MIN_PAGE_BYTES = MIB;
const TURN_BYTES = MIB / 4;
/**
 * The limit for a search for one item and the extra item for the cursor. The service must always be able to
 * serve such a page, and the largest document that events can produce is 10 MB
 * (docs/decisions/0025-bounded-pages.md).
 */
const SINGLE_ITEM_HITS = 2;
const SINGLE_ITEM_BYTES = 24 * MIB;
/**
 * The limit for counts. The service parses them as a whole, which blocks the event loop. 10,000 ordinary
 * values of a filter with their texts take 2 MB.
 */
const COUNTS_BYTES = 4 * MIB;

/**
 * Computes the maximum size of one search response in bytes, so that `concurrency` responses fit into the
 * heap.
 * @param heapBytes the heap limit of the process
 */
export function pageBytesOf(concurrency: number, heapBytes?: number): number {
  const share = Math.floor(pageMemoryOf(heapBytes) / concurrency);
  return Math.min(Math.max(share, MIN_PAGE_BYTES), FOUND_BYTES);
}

/** The pieces of one response that have arrived. */
export interface ResponsePieces {
  /** @returns why the response must end, or undefined if it may continue */
  add(piece: Buffer): PageTooLarge | Overloaded | undefined;
  /** The caller must call this when no further piece will arrive. */
  close(): void;
  /** Returns the body of a complete response. */
  whole(): Promise<Buffer>;
}

/**
 * Reads search responses into memory. Limits the size of each response, and reads only one very large
 * response at a time.
 */
export class ResponseReader {
  readonly #pageBytes: number;
  #isReadingLarge = false;

  /** @param pageBytes maximum size of a response; see `pageBytesOf` */
  constructor(pageBytes: number) {
    this.#pageBytes = pageBytes;
  }

  /**
   * Reads a whole body. This function is faster than `node:stream/consumers`, because it creates no Blob.
   * @param hits number of hits that the search requested
   * @param maxBytes the bytes that the request's budget has left, if they are below the limit for a response
   * @throws PageTooLarge as soon as the body exceeds its limit, which also ends the stream; Overloaded while
   * another read of a very large item is in progress; any error from the stream
   */
  async read(body: Readable, hits: number, maxBytes?: number): Promise<Buffer> {
    const pieces = this.collect(hits, maxBytes);
    body.on('data', (piece: Buffer) => {
      const refusal = body.destroyed ? undefined : pieces.add(piece);
      if (refusal) body.destroy(refusal);
    });
    try {
      await ended(body);
    } finally {
      pieces.close();
    }
    return pieces.whole();
  }

  /**
   * Collects the pieces of one body, which the caller receives itself. The parameters are those of `read`.
   */
  collect(hits: number, maxBytes = Number.POSITIVE_INFINITY): ResponsePieces {
    const limit = Math.min(this.limitOf(hits), maxBytes);
    const pieces: Buffer[] = [];
    let length = 0;
    let isLarge = false;
    return {
      add: (piece) => {
        length += piece.length;
        if (length > limit)
          return new PageTooLarge(hits === 0 ? 0 : countWholeHits(Buffer.concat(pieces)), limit);
        if (length > this.#pageBytes && !isLarge) {
          if (this.#isReadingLarge)
            return new Overloaded('the service is already reading another very large item');
          isLarge = this.#isReadingLarge = true;
        }
        pieces.push(piece);
        return undefined;
      },
      close: () => {
        if (isLarge) this.#isReadingLarge = false;
        isLarge = false;
      },
      whole: async () => {
        // The caller scans or parses the response. If this takes milliseconds, the work gets its own turn.
        if (length > TURN_BYTES) await nextTurn();
        return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      },
    };
  }

  /** Returns the maximum size, in bytes, of a response with this number of hits. */
  limitOf(hits: number): number {
    if (hits === 0) return Math.min(COUNTS_BYTES, this.#pageBytes);
    return hits <= SINGLE_ITEM_HITS ? Math.max(SINGLE_ITEM_BYTES, this.#pageBytes) : this.#pageBytes;
  }
}

/**
 * Resolves at the end of a stream. Node's `finished` also watches for states that this stream does not have.
 */
function ended(body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (body.destroyed) throw body.errored ?? brokenOff();
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => body.readableEnded || reject(brokenOff()));
  });
}

/** The error's `code` identifies it as a connection error. */
const brokenOff = (): Error =>
  Object.assign(new Error('the response ended early'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
