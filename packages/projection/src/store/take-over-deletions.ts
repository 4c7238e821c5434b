import type { Client } from '@elastic/elasticsearch';
import type { ChangeEntry, Generation } from '@vitrine/feed-index';
import { writeBulk } from './bulk-writer.ts';
import { changeEntry } from './change-entry.ts';
import { snapshotPages } from './snapshot-pages.ts';

/**
 * Copies the `deleted` entries of one generation into another one that has no entry for these listings.
 * Repeating the call changes nothing, except that these entries receive other sequence numbers.
 * @param since entries before this time (epoch milliseconds) are left out
 * @param beforeWrite called before each request that writes
 * @throws ElasticsearchUnavailableError; the client's errors
 */
export async function takeOverDeletions(
  client: Client,
  from: Generation,
  to: Generation,
  since: number,
  signal: AbortSignal,
  beforeWrite: () => Promise<void> = async () => undefined,
): Promise<void> {
  const query = {
    bool: { filter: [{ term: { state: 'deleted' } }, { range: { at: { gte: since } } }] },
  };
  const pages = snapshotPages<ChangeEntry>(
    client,
    { index: from.changes, sort: [{ _seq_no: 'asc' }], query },
    signal,
  );
  for await (const hits of pages) {
    await beforeWrite();
    // Version 0 loses against every entry of the store loop.
    await writeBulk(
      client,
      hits.map(({ _id, _source }) => changeEntry(to, _id as string, _source as ChangeEntry, 0)),
      { signal },
    );
  }
}
