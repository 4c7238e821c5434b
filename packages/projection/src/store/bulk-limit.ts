import type { Client } from '@elastic/elasticsearch';

/**
 * Large enough to keep Elasticsearch busy, and small enough for its memory. A larger document gets its own
 * request.
 */
const LARGEST_BYTES = 5 * 1024 * 1024;

/**
 * No sensible configuration refuses a request of this size, in bytes. If Elasticsearch or a proxy refuses it,
 * its settings are wrong and the documents are not at fault.
 */
export const SMALLEST_BYTES = 8 * 1024;

/**
 * How long a learned limit is valid, in milliseconds. Then the next large requests learn it again: from 5 MiB
 * to 1 MiB, this costs three refused requests.
 */
const REMEMBERED_MS = 600_000;

interface Learned {
  bytes: number;
  /** On the monotonic clock, in milliseconds. */
  until: number;
}

/** The limit belongs to the path between a client and Elasticsearch, so all writers of a client share it. */
const learned = new WeakMap<Client, Learned>();

/**
 * Returns the size to which bulk requests are filled, in bytes.
 * @param now monotonic clock in milliseconds
 */
export function bulkLimit(client: Client, now = performance.now()): number {
  const found = learned.get(client);
  return found && now < found.until ? found.bytes : LARGEST_BYTES;
}

/** Lowers the limit to half the size of a request that was refused because of its size. */
export function lowerBulkLimit(client: Client, refusedBytes: number, now = performance.now()): void {
  const half = Math.max(Math.floor(refusedBytes / 2), SMALLEST_BYTES);
  const bytes = Math.min(half, bulkLimit(client, now));
  learned.set(client, { bytes, until: now + REMEMBERED_MS });
}
