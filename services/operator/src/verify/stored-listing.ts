import { type Client, errors } from '@elastic/elasticsearch';
import { type Generation, generationNames, type ItemDocument } from '@vitrine/feed-index';
import { type Attempt, deriveSafely, type HiddenReason, type NotedState, type Rules } from '@vitrine/listing';
import { isTooLarge, type StateDocument } from '@vitrine/projection/store';
import { contentHash } from './content-hash.ts';

/** The documents of a listing in one generation. A member is absent if the document does not exist. */
export interface StoredListing {
  state?: NotedState;
  /** The version of the state document. */
  revision?: number;
  item?: ItemDocument;
  itemRevision?: number;
}

/** A generation whose items are compared with their states. */
export interface CheckedGeneration {
  number: number;
  /** The rules, with items in the form of the generation's index. */
  rules: Rules<ItemDocument>;
}

/** The documents of a listing, compared with the rules. */
export interface CheckedListing extends StoredListing {
  /** The reason why the rules hide the listing. The reason is absent if the listing should have an item. */
  hidden?: HiddenReason;
  /**
   * The error with which the rules failed for the state. It is then unknown whether the listing should have
   * an item.
   */
  failure?: string;
  /**
   * Whether the item equals the item that the rules derive from the state, or is absent if the rules hide the
   * listing.
   */
  agrees: boolean;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the documents of these listings in one generation, in real time. @throws ElasticsearchClientError */
export async function readListings(
  client: Client,
  prefix: string,
  number: number,
  ids: readonly string[],
): Promise<Map<string, StoredListing>> {
  const names = generationNames(prefix, number);
  const stored = new Map<string, StoredListing>(ids.map((id) => [id, {}]));
  if (ids.length === 0) return stored;
  const states = await getAll<StateDocument>(client, names, 'states', ids);
  const items = await getAll<ItemDocument>(client, names, 'items', ids);
  for (const { id, version, source } of states) stored.set(id, { state: source.state, revision: version });
  for (const { id, version, source } of items)
    stored.set(id, { ...stored.get(id), item: source, itemRevision: version });
  return stored;
}

/** Reads the items of these listings in one generation, in real time. @throws ElasticsearchClientError */
export async function readItems(
  client: Client,
  prefix: string,
  number: number,
  ids: readonly string[],
): Promise<Map<string, ItemDocument>> {
  if (ids.length === 0) return new Map();
  const items = await getAll<ItemDocument>(client, generationNames(prefix, number), 'items', ids);
  return new Map(items.map(({ id, source }) => [id, source]));
}

/**
 * Compares an item with the item that the rules derive from its state. Pure.
 * @param rules the rules, with items in the form of the generation's index
 */
export function checkListing(id: string, stored: StoredListing, rules: Rules<ItemDocument>): CheckedListing {
  const { hidden, item, failure }: Attempt<ItemDocument> = stored.state
    ? deriveSafely(rules, id, stored.state)
    : { hidden: 'removed' };
  if (failure !== undefined) return { ...stored, failure, agrees: false };
  return {
    ...stored,
    ...(hidden && { hidden }),
    agrees: contentHash(item ?? null) === contentHash(stored.item ?? null),
  };
}

async function getAll<D>(
  client: Client,
  names: Generation,
  kind: 'states' | 'items',
  ids: readonly string[],
): Promise<{ id: string; version: number; source: D }[]> {
  const limit = ids.length > 1 ? { maxResponseSize: MAX_BYTES, maxCompressedResponseSize: MAX_BYTES } : {};
  try {
    const { docs } = await client.mget<D>({ index: names[kind], ids: [...ids] }, limit);
    return docs.flatMap((doc) => {
      if ('error' in doc)
        throw new Error(`could not read ${doc._id} in ${doc._index}: ${doc.error.type}: ${doc.error.reason}`);
      return doc.found ? [{ id: doc._id, version: doc._version as number, source: doc._source as D }] : [];
    });
  } catch (error) {
    const isLarge = isTooLarge(error) || error instanceof errors.RequestAbortedError;
    if (!isLarge || ids.length === 1) throw error;
    const half = Math.ceil(ids.length / 2);
    return [
      ...(await getAll<D>(client, names, kind, ids.slice(0, half))),
      ...(await getAll<D>(client, names, kind, ids.slice(half))),
    ];
  }
}
