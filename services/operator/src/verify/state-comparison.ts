import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import { multiGet, type StateDocument, snapshotPages } from '@vitrine/projection/store';
import { type HidingVersions, lostHiding } from './differing-facts.ts';

/** The members of a state document that comparing states requires. */
interface Scanned extends Pick<StateDocument, 'hidden'> {
  state?: Partial<HidingVersions>;
}

const NEEDED = ['hidden', 'state.removed', 'state.replaced'];

/**
 * Scans the states of the live generation for listings whose facts need a comparison: hidden listings, and
 * listings with a removal or calendar replacement that the new generation does not know.
 * @param onListing called with the id of each such listing
 * @param onProgress called with the number of states in each page
 * @throws ElasticsearchClientError
 */
export async function compareHiding(
  client: Client,
  live: Generation,
  fresh: Generation,
  {
    signal,
    onListing,
    onProgress,
  }: { signal: AbortSignal; onListing(id: string): void; onProgress(states: number): void },
): Promise<void> {
  const request = { index: live.states, sort: [{ _shard_doc: 'asc' as const }], source: NEEDED };
  for await (const hits of snapshotPages<Scanned>(client, request, signal)) {
    const hiding = new Map<string, HidingVersions>();
    for (const { _id: id = '', _source: { hidden, state } = {} } of hits) {
      const versions = hidingOf(state);
      if (hidden) onListing(id);
      else if (versions.removed !== 0 || versions.replaced !== 0) hiding.set(id, versions);
    }
    if (hiding.size > 0) {
      const docs = await multiGet<Scanned>(client, {
        index: fresh.states,
        ids: [...hiding.keys()],
        _source_includes: NEEDED,
      });
      for (const doc of docs) {
        const stored = hidingOf('_source' in doc ? doc._source?.state : undefined);
        if (lostHiding(hiding.get(doc._id) as HidingVersions, stored).length > 0) onListing(doc._id);
      }
    }
    onProgress(hits.length);
  }
}

const hidingOf = ({ removed = 0, replaced = 0 }: Partial<HidingVersions> = {}): HidingVersions => ({
  removed,
  replaced,
});
