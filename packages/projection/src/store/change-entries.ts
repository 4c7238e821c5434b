import type { Client } from '@elastic/elasticsearch';
import type { ChangeDetails, ChangeEntry, ChangeState, Generation } from '@vitrine/feed-index';
import { type ChangingItem, type NotedState, placeOf } from '@vitrine/listing';
import { type BulkEntry, writeBulk } from './bulk-writer.ts';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';
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

/**
 * Describes a listing's changes from the notes in its state. If there are no notes, the last event counts as
 * the last change. Pure.
 * @param item undefined if the listing is hidden
 * @param now epoch milliseconds. A source's clock may be ahead of this time.
 */
export function detailsOf(
  { changes, last_time, first_seen }: NotedState,
  item: ChangingItem | undefined,
  now: number,
): Partial<ChangeDetails> {
  // A projector from release 1.1.0 writes no notes, so the notes may be older than a removal or a return.
  if (!item) return changes?.times.removed === undefined ? {} : changes;
  const { times: { removed: _, ...times } = {}, ...noted } = changes ?? {};
  const isNoted = Object.keys(times).length > 0;
  const known = isNoted ? times : { other: Math.min(last_time ?? first_seen ?? now, now) };
  return { ...noted, times: known, ...placeOf(item) };
}

const IDS_PER_REQUEST = 1_000;

/**
 * Rewrites the entries of listings without changing their versions. Followers then receive the listings
 * again, as a change at the current time. A listing without an item and an entry receives the entry
 * `deleted`. A concurrent write of an entry takes precedence.
 * @throws ElasticsearchUnavailableError
 */
export const touchEntries = (
  client: Client,
  generation: Generation,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> => rewriteEntries(client, generation, ids, touchedDetails, signal);

/** The rules differ, so no event determines the kind of the change. */
function touchedDetails(entry: ChangeEntry, state: ChangeState, at: number): Partial<ChangeDetails> {
  const { times: { removed: _, ...times } = {}, city, category } = entry;
  const place = { ...(city && { city }), ...(category !== undefined && { category }) };
  if (state === 'deleted') return { times: { removed: at }, ...place };
  if (entry.state === 'deleted') return { times: { new: at }, ...place };
  return { ...entry, times: { ...times, other: at } };
}

async function rewriteEntries(
  client: Client,
  generation: Generation,
  ids: readonly string[],
  next: (entry: ChangeEntry, state: ChangeState, at: number) => Partial<ChangeDetails>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
    const some = ids.slice(from, from + IDS_PER_REQUEST);
    const [entries, items] = await Promise.all([
      readExisting<ChangeEntry>(client, generation.changes, some, { source: true, signal }),
      readExisting(client, generation.items, some, { source: false, signal }),
    ]);
    const at = Date.now();
    const rewritten = some.map((id) => {
      const state = items.has(id) ? 'updated' : 'deleted';
      const { source, version = 0 } = entries.get(id) ?? {};
      // An index of mapping 1 has no fields for details.
      const details = source?.times ? next(source, state, at) : {};
      // An entry that another writer has written in the meantime takes precedence over version 0.
      return changeEntry(generation, id, { ...details, state, at }, version);
    });
    await writeBulk(client, rewritten, { signal });
  }
}

/**
 * Rewrites the entries of listings that are at or below a sequence number, with the same details. A listing
 * without an entry receives one. After that, followers receive these listings above this number, regardless
 * of their entries in another index.
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
    const low = docs.flatMap((doc) => {
      if ('error' in doc)
        throw new ElasticsearchUnavailableError(`could not read the entry of ${doc._id}: ${doc.error.type}`);
      return !doc.found || (doc._seq_no as number) <= above ? [doc._id] : [];
    });
    await rewriteEntries(client, generation, low, (entry) => entry, signal);
  }
}

/**
 * Copies the `deleted` entries of one generation into another, except for listings that already have an entry
 * from the store loop there. The copies have no city and no category, because a rebuild erases the content of
 * removed listings. Repeating the call changes nothing, except that these entries receive other sequence
 * numbers.
 * @param since entries older than this time (epoch milliseconds) are left out
 * @param beforeWrite is called before each request that writes
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
    // Version 0 loses against every entry that the store loop writes.
    await writeBulk(
      client,
      hits.map(({ _id, _source }) => {
        const { state, at, times } = _source as ChangeEntry;
        return changeEntry(to, _id as string, { state, at, ...(times && { times }) }, 0);
      }),
      { signal },
    );
  }
}
