import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { clusterRefusal } from '@vitrine/feed-index';
import { refresh } from './index-requests.ts';

const LARGEST_PAGE = 1_000;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** How long Elasticsearch keeps the point in time after each page. */
const KEPT = '5m';

/**
 * The error for a request that a cluster setting prevents. The message names the setting and a command that
 * restores its default.
 */
export class ClusterSettingError extends Error {
  override readonly name = 'ClusterSettingError';
}

interface SnapshotRequest {
  index: string;
  /** The sort must define a total order. */
  sort: estypes.Sort;
  query?: estypes.QueryDslQueryContainer;
  /** Elasticsearch's search preference. */
  preference?: string;
  /** The members to return from each document. By default, all members are returned. */
  source?: string[];
}

/**
 * Reads all results of a query at one point in time, in pages that fit in memory. The scan returns all
 * documents that were written before the call. The last page may be empty.
 * @throws ElasticsearchUnavailableError if the refresh is incomplete; ClusterSettingError; an Error if a
 * response is incomplete
 */
export async function* snapshotPages<D>(
  client: Client,
  { index, preference, sort, query, source }: SnapshotRequest,
  signal: AbortSignal,
): AsyncGenerator<estypes.SearchHit<D>[]> {
  await refresh(client, index);
  let id = await openSnapshot(client, index, preference);
  try {
    let size = LARGEST_PAGE;
    for (let after: estypes.SortResults | undefined; ; ) {
      const request = {
        size,
        sort,
        version: true,
        track_total_hits: false,
        ...(query && { query }),
        ...(source && { _source: source }),
        ...(after && { search_after: after }),
      };
      const found = await onePage<D>(client, { pit: { id, keep_alive: KEPT }, ...request }, signal);
      if (found === 'too large') {
        size = Math.ceil(size / 4);
        continue;
      }
      id = found.pit_id ?? id;
      const { hits } = found.hits;
      yield hits;
      if (hits.length < size) return;
      after = hits.at(-1)?.sort;
      size = Math.min(size * 2, LARGEST_PAGE);
    }
  } finally {
    await client.closePointInTime({ id }).catch(() => undefined);
  }
}

/**
 * Opens a point in time for a scan. @returns its id
 * @throws ClusterSettingError if the cluster does not allow a point in time to stay open for as long as a
 * scan needs
 */
async function openSnapshot(client: Client, index: string, preference?: string): Promise<string> {
  try {
    const opened = await client.openPointInTime({
      index,
      keep_alive: KEPT,
      ...(preference && { preference }),
    });
    return opened.id;
  } catch (error) {
    const refusal = error instanceof errors.ResponseError ? clusterRefusal(error.message) : undefined;
    throw refusal === undefined ? error : new ClusterSettingError(refusal, { cause: error });
  }
}

/**
 * Checks that the cluster allows scans. A rebuild calls this function at its start, because its first scan
 * may come hours later. @throws see `openSnapshot`
 */
export async function assertScansAllowed(client: Client, index: string): Promise<void> {
  await client.closePointInTime({ id: await openSnapshot(client, index) });
}

async function onePage<D>(
  client: Client,
  request: estypes.SearchRequest & { size: number },
  signal: AbortSignal,
): Promise<estypes.SearchResponse<D> | 'too large'> {
  // A single document always fits, because the contract limits its size.
  const limit =
    request.size > 1 ? { maxResponseSize: MAX_PAGE_BYTES, maxCompressedResponseSize: MAX_PAGE_BYTES } : {};
  try {
    const found = await client.search<D>(request, { ...limit, signal });
    if (found.timed_out || found._shards.failed > 0)
      throw new Error('Elasticsearch returned an incomplete result for a scan');
    return found;
  } catch (error) {
    if (error instanceof errors.RequestAbortedError && !signal.aborted && request.size > 1)
      return 'too large';
    throw error;
  }
}
