import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';
import { contentHash } from './content-hash.ts';

/** An item's place in the feed's order, and the hash of its content. */
export interface HashedItem {
  id: string;
  published: number;
  hash: string;
}

const LARGEST_PAGE = 1_000;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const KEPT = '10m';

/** All items of an index as it is now, in the feed's order, page by page. @throws what the client throws */
export async function* scanItems(client: Client, index: string, signal: AbortSignal): AsyncGenerator<HashedItem[]> {
  await client.indices.refresh({ index });
  let { id } = await client.openPointInTime({ index, keep_alive: KEPT });
  try {
    let size = LARGEST_PAGE;
    for (let after: estypes.SortResults | undefined; ; ) {
      const found = await page(client, id, after, size, signal);
      if (found === 'too large') {
        size = Math.ceil(size / 4);
        continue;
      }
      id = found.pit_id ?? id;
      const { hits } = found.hits;
      yield hits.map(({ _source }) => hashed(_source as ItemDocument));
      if (hits.length < size) return;
      after = hits.at(-1)?.sort;
      size = Math.min(size * 2, LARGEST_PAGE);
    }
  } finally {
    await client.closePointInTime({ id }).catch(() => undefined);
  }
}

const hashed = (item: ItemDocument): HashedItem => ({ id: item.id, published: item.published_at, hash: contentHash(item) });

async function page(
  client: Client,
  id: string,
  after: estypes.SortResults | undefined,
  size: number,
  signal: AbortSignal,
): Promise<estypes.SearchResponse<ItemDocument> | 'too large'> {
  const limit = size > 1 ? { maxResponseSize: MAX_PAGE_BYTES, maxCompressedResponseSize: MAX_PAGE_BYTES } : {};
  try {
    const found = await client.search<ItemDocument>(
      {
        pit: { id, keep_alive: KEPT },
        size,
        track_total_hits: false,
        sort: [{ published_at: 'desc' }, { id: 'asc' }],
        ...(after && { search_after: after }),
      },
      { ...limit, signal },
    );
    if (found.timed_out || found._shards.failed > 0) throw new Error('a scan of the items was answered in part: verify again');
    return found;
  } catch (error) {
    if (error instanceof errors.RequestAbortedError && !signal.aborted && size > 1) return 'too large';
    throw error;
  }
}
