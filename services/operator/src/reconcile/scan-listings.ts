import type { Client } from '@elastic/elasticsearch';
import type { Generation, ItemDocument } from '@vitrine/feed-index';
import { highestVersion } from '@vitrine/listing';
import { countStates, refresh, scanShard, shardsOf, snapshotPages } from '@vitrine/projection/store';
import { SortedRecords } from './files/sorted-records.ts';
import { fingerprintsOf, type HeldRecord } from './held-listings.ts';
import { viewOf } from './listing-view.ts';

/** The listings of the live generation at one moment. */
export interface ScannedListings {
  records: SortedRecords<HeldRecord>;
  items: number;
  /** The highest sequence number in each shard of the states index before the scan. */
  shards: { shard: string; highest: number }[];
}

export interface ScanOptions {
  folder: string;
  /** The current date as YYYY-MM-DD. */
  today: string;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/**
 * Reads all states and items of a generation into sorted files.
 * @throws ElasticsearchUnavailableError; ElasticsearchClientError; file system errors
 */
export async function scanListings(
  client: Client,
  names: Generation,
  { folder, today, signal, onProgress }: ScanOptions,
): Promise<ScannedListings> {
  const shards = await shardsOf(client, names.states);
  const states = await countStates(client, names.states);
  const { count } = await client.count({ index: names.items });
  const records = new SortedRecords<HeldRecord>(folder, 'listings');
  let done = 0;
  const add = async (page: HeldRecord[]) => {
    await records.add(page);
    done += page.length;
    onProgress(done, Math.max(done, states + count));
    signal.throwIfAborted();
  };
  for (const { shard } of shards)
    for await (const page of scanShard(client, names.states, { shard, after: -1 }, signal))
      await add(
        page.states.map(({ id, document: { state, hidden } }) => [
          id,
          's',
          highestVersion(state) ?? null,
          hidden ?? null,
        ]),
      );
  let items = 0;
  const inFeedOrder = {
    index: names.items,
    sort: [{ published_at: 'desc' as const }, { id: 'asc' as const }],
  };
  for await (const hits of snapshotPages<ItemDocument>(client, inFeedOrder, signal)) {
    items += hits.length;
    await add(
      hits.map(({ _id, _source }) => [
        _id as string,
        'i',
        fingerprintsOf(viewOf(_source as ItemDocument, today)),
      ]),
    );
  }
  return { records, items, shards };
}

/**
 * Reads the ids of the listings whose states were written after a scan.
 * @throws the same errors as `scanListings`
 */
export async function writtenSince(
  client: Client,
  names: Generation,
  { shards }: Pick<ScannedListings, 'shards'>,
  { folder, signal }: Pick<ScanOptions, 'folder' | 'signal'>,
): Promise<SortedRecords<[id: string]>> {
  const written = new SortedRecords<[id: string]>(folder, 'written');
  // A search does not see the writes from the last refresh interval.
  await refresh(client, names.states);
  for (const { shard, highest } of shards)
    for await (const { states } of scanShard(client, names.states, { shard, after: highest }, signal))
      await written.add(states.map(({ id }): [string] => [id]));
  return written;
}
