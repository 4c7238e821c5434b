import type { Client } from '@elastic/elasticsearch';
import { generationNames, type ItemDocument } from '@vitrine/feed-index';
import { snapshotPages } from '@vitrine/projection/store';
import type { ComparedGeneration } from './compared-generation.ts';
import { contentHash } from './content-hash.ts';
import { readItems } from './stored-listing.ts';

/** A generation whose items are compared with those of another one. */
export interface ComparedSide {
  number: number;
  compared: ComparedGeneration;
  /** The sequence number in the generation's changes index. The listings with later entries are compared. */
  above: number;
}

const IDS_PER_READ = 500;

/**
 * Compares the items of the listings that have an entry above a sequence number in either generation.
 * @returns the ids of the listings whose items differ now
 * @throws ElasticsearchUnavailableError; ElasticsearchClientError
 */
export async function differingSince(
  client: Client,
  prefix: string,
  sides: readonly [ComparedSide, ComparedSide],
  signal: AbortSignal,
): Promise<Set<string>> {
  const differing = new Set<string>();
  for (const { number, above } of sides) {
    const index = generationNames(prefix, number).changes;
    const query = { range: { _seq_no: { gt: above } } };
    const request = { index, sort: [{ _seq_no: 'asc' as const }], query, source: ['state'] };
    for await (const hits of snapshotPages(client, request, signal)) {
      const ids = hits.map(({ _id }) => _id as string).filter((id) => !differing.has(id));
      for (let from = 0; from < ids.length; from += IDS_PER_READ)
        for (const id of await unequal(client, prefix, sides, ids.slice(from, from + IDS_PER_READ)))
          differing.add(id);
      signal.throwIfAborted();
    }
  }
  return differing;
}

async function unequal(
  client: Client,
  prefix: string,
  sides: readonly [ComparedSide, ComparedSide],
  ids: string[],
): Promise<string[]> {
  const [first, second] = await Promise.all(
    sides.map(async ({ number, compared }) => {
      const items = await readItems(client, prefix, number, ids);
      const hash = (item: ItemDocument | undefined) => contentHash(item ? compared.comparable(item) : null);
      return (id: string) => hash(items.get(id));
    }),
  );
  return ids.filter((id) => first?.(id) !== second?.(id));
}
