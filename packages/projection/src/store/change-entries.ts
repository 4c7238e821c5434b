import type { Client } from '@elastic/elasticsearch';
import type { ChangeEntry, Generation } from '@vitrine/feed-index';
import { type BulkEntry, writeBulk } from './bulk-writer.ts';
import { multiGet, readExisting } from './index-requests.ts';
import { snapshotPages } from './snapshot-pages.ts';

/** Creates the bulk entry that writes a listing's entry. An older revision never replaces a newer entry. */
export function changeEntry(
  { changesWriter }: Pick<Generation, 'changesWriter'>,
  id: string,
  entry: ChangeEntry,
  revision: number,
): BulkEntry {
  const at = { _index: changesWriter, _id: id, version: revision, version_type: 'external_gte' as const };
  return { action: { index: at }, document: JSON.stringify(entry) };
}

const IDS_PER_REQUEST = 1_000;

/**
 * Rewrites the entries of listings at their versions, so that followers receive the listings again. A listing
 * without an item and an entry receives the entry `deleted`. A concurrent write of an entry takes precedence.
 * @throws ElasticsearchUnavailableError
 */
export async function touchEntries(
  client: Client,
  generation: Generation,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
    const some = ids.slice(from, from + IDS_PER_REQUEST);
    const [entries, items] = await Promise.all(
      [generation.changes, generation.items].map((index) =>
        readExisting(client, index, some, { source: false, signal }),
      ),
    );
    const at = Date.now();
    const touched = some.map((id) => {
      const state = items?.has(id) ? 'updated' : 'deleted';
      // At version 0, any entry that another writer has written meanwhile wins.
      return changeEntry(generation, id, { state, at }, entries?.get(id)?.version ?? 0);
    });
    await writeBulk(client, touched, { signal });
  }
}

/**
 * Touches the existing entries of listings that are at or below a sequence number. After that, followers
 * receive these listings above this number, regardless of their entries in another index.
 * @throws ElasticsearchUnavailableError
 */
export async function liftEntries(
  client: Client,
  generation: Generation,
  ids: readonly string[],
  above: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
    const some = ids.slice(from, from + IDS_PER_REQUEST);
    const docs = await multiGet(client, { index: generation.changes, ids: some, _source: false }, signal);
    const low = docs.flatMap((doc) =>
      'found' in doc && doc.found && (doc._seq_no as number) <= above ? [doc._id] : [],
    );
    await touchEntries(client, generation, low, signal);
  }
}

/**
 * Copies the `deleted` entries of one generation into another one that has no entry for these listings.
 * Repeating the call changes nothing, except that these entries receive other sequence numbers.
 * @param since entries before this time (epoch milliseconds) are left out
 * @param beforeWrite called before each request that writes
 * @throws ElasticsearchUnavailableError
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
