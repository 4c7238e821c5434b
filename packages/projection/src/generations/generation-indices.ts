import type { Client, estypes } from '@elastic/elasticsearch';
import {
  changesEpochAlias,
  changesIndexBody,
  type Generation,
  type IndexIds,
  itemsAlias,
  itemsIndexBody,
  readersAliases,
  statesAlias,
  type Versions,
} from '@vitrine/feed-index';
import type { ProjectorSettings } from '../settings.ts';
import { refresh } from '../store/index-requests.ts';
import { statesIndexBody } from '../store/state-store.ts';
import { ensureChangesHistory } from './changes-history.ts';
import { createIndex } from './create-index.ts';

/** The settings for new indices. Existing indices keep their settings. */
export type IndexSettings = Pick<ProjectorSettings, 'INDEX_PREFIX' | 'INDEX_SHARDS' | 'INDEX_REPLICAS'>;

/**
 * The numbers of an index's shards and replicas. The number of replicas is fixed, or Elasticsearch adapts it
 * to the number of nodes within a range.
 */
export const sizeOf = ({ INDEX_SHARDS, INDEX_REPLICAS }: IndexSettings): estypes.IndicesIndexSettings => ({
  number_of_shards: INDEX_SHARDS,
  ...(INDEX_REPLICAS.includes('-')
    ? { auto_expand_replicas: INDEX_REPLICAS }
    : { auto_expand_replicas: 'false', number_of_replicas: INDEX_REPLICAS }),
});

/**
 * Creates a generation's indices, and the history's index. A single request creates an index and its aliases,
 * so no index ever exists without its aliases. Repeated and concurrent calls are safe.
 * @param versions the versions of the generation
 * @param role `live` adds the readers' aliases. `building` makes refreshes rare, but the items index is
 * refreshed often enough to keep the last refresh short.
 * @param epoch the epoch that begins with a live generation
 * @returns the identities of the indices, including those that existed before
 * @throws UnusableIndexError if an index template makes an index unusable
 */
export async function createIndices(
  client: Client,
  indexSettings: IndexSettings,
  generation: Generation,
  versions: Pick<Versions, 'items' | 'changes'>,
  role: 'live' | 'building',
  epoch: number = generation.number,
): Promise<IndexIds> {
  const prefix = indexSettings.INDEX_PREFIX;
  const size = sizeOf(indexSettings);
  const create = (
    kind: 'states' | 'items' | 'changes',
    { settings, mappings }: ReturnType<typeof statesIndexBody>,
    reader: string,
    whileBuilding: string,
  ) =>
    createIndex(client, {
      index: generation[kind],
      kind,
      settings: {
        ...settings,
        ...size,
        ...(kind === 'changes' && { number_of_shards: 1 }),
        ...(role === 'building' && { refresh_interval: whileBuilding }),
      },
      mappings,
      aliases: [generation[`${kind}Writer`], ...(role === 'live' ? [reader] : [])],
      reserved: readersAliases(prefix),
    });
  if (versions.changes !== undefined) await ensureChangesHistory(client, prefix);
  // The changes index is created before the others, so that a readers' alias never shows items without
  // changes.
  const changes =
    versions.changes === undefined
      ? undefined
      : await create('changes', changesIndexBody(versions.changes), changesEpochAlias(prefix, epoch), '30s');
  // The states index is created next, so that a readers' alias never shows items without states. No reader
  // searches states under construction, and a scan refreshes the index first.
  const states = await create('states', statesIndexBody(), statesAlias(prefix), '30s');
  const items = await create('items', itemsIndexBody(versions.items), itemsAlias(prefix), '3s');
  return { states, items, ...(changes !== undefined && { changes }) };
}

/**
 * Gives indices that were under construction the refresh interval of live indices. Elasticsearch then starts
 * to make their content searchable.
 */
export async function refreshAsLive(
  client: Client,
  generation: Generation,
  { changes }: Pick<Versions, 'changes'>,
): Promise<void> {
  for (const [index, body] of [
    [generation.states, statesIndexBody()],
    [generation.items, itemsIndexBody()],
    ...(changes === undefined ? [] : [[generation.changes, changesIndexBody()] as const]),
  ] as const)
    await client.indices.putSettings({
      index,
      settings: { refresh_interval: body.settings.refresh_interval as string },
    });
}

/**
 * Makes all documents in the generation's states and items searchable. @throws ElasticsearchUnavailableError
 * if the refresh of a shard failed
 */
export async function refreshForReaders(client: Client, { states, items }: Generation): Promise<void> {
  await refresh(client, [states, items]);
}
