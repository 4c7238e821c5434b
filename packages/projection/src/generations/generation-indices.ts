import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import {
  changesEpochAlias,
  changesIndexBody,
  type Generation,
  itemsAlias,
  itemsIndexBody,
  statesAlias,
  type Versions,
} from '@vitrine/feed-index';
import type { ProjectorSettings } from '../settings.ts';
import { refresh } from '../store/refresh.ts';
import { statesIndexBody } from '../store/state-document.ts';

/**
 * An index of a generation is missing, or its mapping version differs from the version of this code. Only a
 * replay can solve this problem.
 */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}

/** Settings of new indices. Existing indices keep their settings. */
export type IndexSettings = Pick<ProjectorSettings, 'INDEX_PREFIX' | 'INDEX_SHARDS' | 'INDEX_REPLICAS'>;

/**
 * The number of shards and replicas of an index. The number of replicas is fixed, or a range within which
 * Elasticsearch follows the number of nodes.
 */
export const sizeOf = ({ INDEX_SHARDS, INDEX_REPLICAS }: IndexSettings): estypes.IndicesIndexSettings => ({
  number_of_shards: INDEX_SHARDS,
  ...(INDEX_REPLICAS.includes('-')
    ? { auto_expand_replicas: INDEX_REPLICAS }
    : { auto_expand_replicas: 'false', number_of_replicas: INDEX_REPLICAS }),
});

/**
 * Creates the indices of a generation. A single request creates an index and its aliases, so no index
 * ever exists without its aliases. Repeated and concurrent calls are safe.
 * @param versions the versions of the generation
 * @param role `live` adds the readers' aliases. `building` makes refreshes rare, but refreshes items often
 * enough to keep the last refresh short.
 * @param epoch the epoch of the changes that begins with a live generation
 */
export async function createIndices(
  client: Client,
  indexSettings: IndexSettings,
  generation: Generation,
  versions: Pick<Versions, 'items' | 'changes'>,
  role: 'live' | 'building',
  epoch: number = generation.number,
): Promise<void> {
  const prefix = indexSettings.INDEX_PREFIX;
  const readers = (alias: string) => (role === 'live' ? { [alias]: {} } : {});
  const size = sizeOf(indexSettings);
  const bodies = [
    // The changes index is created first, so a readers' alias never shows items without changes.
    ...(versions.changes === undefined
      ? []
      : [
          [
            generation.changes,
            generation.changesWriter,
            changesEpochAlias(prefix, epoch),
            changesIndexBody(),
            { ...size, number_of_shards: 1 },
            '30s',
          ] as const,
        ]),
    // No reader searches states under construction, and a scan refreshes the index first.
    [generation.states, generation.statesWriter, statesAlias(prefix), statesIndexBody(), size, '30s'],
    // The states index is created first, so a readers' alias never shows items without states.
    [
      generation.items,
      generation.itemsWriter,
      itemsAlias(prefix),
      itemsIndexBody(versions.items),
      size,
      '3s',
    ],
  ] as const;
  for (const [index, writer, alias, body, size, whileBuilding] of bodies) {
    const settings = {
      ...body.settings,
      ...size,
      ...(role === 'building' && { refresh_interval: whileBuilding }),
    };
    try {
      await client.indices.create({ index, ...body, settings, aliases: { [writer]: {}, ...readers(alias) } });
    } catch (error) {
      // Another process or an earlier start has already created the index.
      if (
        !(error instanceof errors.ResponseError) ||
        error.body?.error?.type !== 'resource_already_exists_exception'
      )
        throw error;
    }
  }
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
 * Makes all documents of the generation searchable. @throws ElasticsearchUnavailableError if the refresh of a
 * shard failed
 */
export async function refreshForReaders(client: Client, { states, items }: Generation): Promise<void> {
  await refresh(client, [states, items]);
}

/** @throws UnusableIndexError if an index of the generation is missing or has another mapping version */
export async function checkIndices(
  client: Client,
  { number, states, items, changes }: Generation,
  versions: Versions,
): Promise<void> {
  for (const [index, version] of [
    [states, versions.states],
    [items, versions.items],
    ...(versions.changes === undefined ? [] : [[changes, versions.changes] as const]),
  ] as const) {
    const actual = await mappingVersion(client, index);
    if (actual === undefined)
      throw new UnusableIndexError(
        `the index ${index} of generation ${number} is missing. Replay into a new generation`,
      );
    if (actual !== version)
      throw new UnusableIndexError(
        `the index ${index} of generation ${number} has mapping version ${actual}, but this code ` +
          `requires version ${version}. Replay into a new generation`,
      );
  }
}

/**
 * The mapping version of an index of a generation; NaN if it names none, undefined if the index is missing.
 */
export async function mappingVersion(client: Client, index: string): Promise<number | undefined> {
  const found = await client.indices.getMapping({ index }, { ignore: [404] });
  return found[index] && Number(found[index].mappings._meta?.mapping_version);
}
