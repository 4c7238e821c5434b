import { getHeapStatistics } from 'node:v8';
import { Overloaded } from '../search/search-limiter.ts';

/** The share of the heap that the parsed and serialized listings of all agents' requests may use together. */
const HEAP_SHARE = 0.3;

/**
 * Computes the memory, in bytes, that all agents' requests of a process may hold.
 * @param heapBytes the heap limit of the process
 */
export const sharedBytesOf = (heapBytes = getHeapStatistics().heap_size_limit): number =>
  Math.floor(heapBytes * HEAP_SHARE);

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
