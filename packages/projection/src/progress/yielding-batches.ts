import { setImmediate } from 'node:timers/promises';

/**
 * A batch of this size takes a few milliseconds, and responses from Elasticsearch and Kafka wait no longer
 * than that.
 */
const ITEMS_PER_BATCH = 100;

/** Splits the items into arrays, and yields to the event loop after each array. */
export async function* yieldingBatches<T>(all: Iterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for (const one of all) {
    batch.push(one);
    if (batch.length < ITEMS_PER_BATCH) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}
