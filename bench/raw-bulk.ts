import type { itemsIndexBody } from '@vitrine/feed-index';
import { inBatches } from './batches.ts';
import type { BenchContext } from './bench-context.ts';

/** This is as many as in the projector's requests. */
const ITEMS_PER_REQUEST = 1_000;
const CONCURRENT_REQUESTS = 2;

export const bulkLines = (id: string, document: object): string =>
  `{"index":{"_id":${JSON.stringify(id)}}}\n${JSON.stringify(document)}\n`;

/**
 * Creates an index, and writes documents to it whose text was prepared before.
 * @param documents the result of `bulkLines` for each document
 * @returns the seconds until all documents are searchable
 */
export async function writeRaw(
  { elasticsearch, signal }: BenchContext,
  index: string,
  body: ReturnType<typeof itemsIndexBody>,
  documents: readonly string[],
): Promise<number> {
  await elasticsearch.indices.create({
    index,
    ...body,
    settings: { ...body.settings, refresh_interval: -1 },
  });
  const requests = Array.from(inBatches(documents, ITEMS_PER_REQUEST), (batch) => batch.join('')).values();
  const start = performance.now();
  const write = async () => {
    for (const operations of requests) {
      signal.throwIfAborted();
      const { errors } = await elasticsearch.bulk({ index, operations: [operations] as never });
      if (errors) throw new Error('Elasticsearch rejected an item');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, write));
  await elasticsearch.indices.refresh({ index });
  return (performance.now() - start) / 1_000;
}
