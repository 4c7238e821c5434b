import { getHeapStatistics } from 'node:v8';
import { Overloaded } from '../search/search-limiter.ts';

/** The share of the heap that the parsed and serialized listings of all agents' requests may use together. */
const AGENTS_SHARE = 0.3;
/** The share of the heap that all pages of feeds and changes, and all slices of exports, may use together. */
const PAGES_SHARE = 0.5;

/** Computes the memory, in bytes, that all agents' requests of a process may hold. */
export const sharedBytesOf = (): number => Math.floor(getHeapStatistics().heap_size_limit * AGENTS_SHARE);

/**
 * Computes the memory, in bytes, that all pages and slices of a process may hold.
 * @param heapBytes the heap limit of the process
 */
export const pageMemoryOf = (heapBytes = getHeapStatistics().heap_size_limit): number =>
  Math.floor(heapBytes * PAGES_SHARE);

/** Memory that the requests of a process share, as an account in bytes. */
export class SharedMemory {
  readonly #maxBytes: number;
  #held = 0;

  /** @param maxBytes see `sharedBytesOf` */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that requests hold now. */
  get held(): number {
    return this.#held;
  }

  /** @throws Overloaded if other requests hold too much. The client may retry later. */
  take(bytes: number): void {
    if (this.#held > 0 && this.#held + bytes > this.#maxBytes)
      throw new Overloaded('the listings of other requests use the memory');
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}
