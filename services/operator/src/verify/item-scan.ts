import type { Client } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';
import { snapshotPages } from '@vitrine/projection/store';
import { contentHash } from './content-hash.ts';

/** An item's position in feed order, and the hash of its content. */
export interface HashedItem {
  id: string;
  published: number;
  hash: string;
}

/**
 * Scans all items of an index at one point in time, in the order of the feed, page by page.
 * @param comparable the part of a document to hash
 * @throws ElasticsearchClientError
 */
export async function* scanItems(
  client: Client,
  index: string,
  signal: AbortSignal,
  comparable: (document: ItemDocument) => object = (document) => document,
): AsyncGenerator<HashedItem[]> {
  for await (const hits of snapshotPages<ItemDocument>(
    client,
    { index, sort: [{ published_at: 'desc' }, { id: 'asc' }] },
    signal,
  ))
    yield hits.map(({ _source }) => {
      const document = _source as ItemDocument;
      return {
        id: document.id,
        published: document.published_at,
        hash: contentHash(comparable(document)),
      };
    });
}
