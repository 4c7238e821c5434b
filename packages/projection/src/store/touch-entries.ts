import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import { writeBulk } from './bulk-writer.ts';
import { changeEntry } from './change-entry.ts';
import { multiGet } from './multi-get.ts';

const IDS_PER_REQUEST = 1_000;

/**
 * Rewrites the entries of listings at their versions, so that followers receive the listings again. A listing
 * without an item and an entry receives the entry `deleted`. A concurrent write of an entry takes precedence.
 * @throws ElasticsearchUnavailableError; the client's errors
 */
export async function touchEntries(
  client: Client,
  generation: Generation,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
    const some = ids.slice(from, from + IDS_PER_REQUEST);
    const [entries, items] = await Promise.all([
      versionsOf(client, generation.changes, some, signal),
      versionsOf(client, generation.items, some, signal),
    ]);
    const at = Date.now();
    await writeBulk(
      client,
      some.map((id) =>
        changeEntry(
          generation,
          id,
          { state: items.has(id) ? 'updated' : 'deleted', at },
          // At version 0, any entry that another writer has written meanwhile wins.
          entries.get(id) ?? 0,
        ),
      ),
      { signal },
    );
  }
}

/** The versions of the existing documents among these, in real time. */
async function versionsOf(
  client: Client,
  index: string,
  ids: string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const docs = await multiGet(client, { index, ids, _source: false }, signal);
  return new Map(
    docs.flatMap((doc) => {
      if ('error' in doc) throw new Error(`could not read ${doc._id} in ${index}: ${doc.error.type}`);
      return doc.found ? [[doc._id, doc._version as number]] : [];
    }),
  );
}

/**
 * Touches the existing entries of listings that are at or below a sequence number. After that, followers
 * receive these listings above this number, regardless of their entries in another index.
 * @throws ElasticsearchUnavailableError; the client's errors
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
