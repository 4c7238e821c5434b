import { setImmediate } from 'node:timers/promises';

const ITEMS_PER_BATCH = 100;
/** Responses from Elasticsearch and Kafka may wait this long, and longer for a single hostile listing. */
const MS_PER_BATCH = 20;

/**
 * Splits the items into batches, and yields to the event loop after each batch. A batch ends after 100 items,
 * or after its caller has worked on it for 20 ms. The caller must read each batch before it asks for the next
 * one.
 */
export async function* yieldingBatches<T>(all: Iterable<T>): AsyncGenerator<Iterable<T>> {
  const items = all[Symbol.iterator]();
  let next = items.next();
  function* batch(): Generator<T> {
    const began = performance.now();
    for (let read = 0; !next.done && read < ITEMS_PER_BATCH; read++) {
      if (read > 0 && performance.now() - began >= MS_PER_BATCH) return;
      const { value } = next;
      next = items.next();
      yield value;
    }
  }
  while (!next.done) {
    yield batch();
    await setImmediate();
  }
}
