import type { Client } from '@elastic/elasticsearch';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';

/**
 * Makes all writes to the indices searchable.
 * @throws ElasticsearchUnavailableError if the refresh of a shard failed, because a search would miss the
 * newest documents; the client's errors
 */
export async function refresh(client: Client, index: string | string[]): Promise<void> {
  const { _shards: shards } = await client.indices.refresh({ index });
  const failed = shards?.failed ?? 0;
  if (failed > 0)
    throw new ElasticsearchUnavailableError(
      `could not refresh ${failed} of ${shards?.total} shards of ${[index].flat().join(', ')}`,
    );
}
