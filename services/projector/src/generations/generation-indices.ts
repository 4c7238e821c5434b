import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { type Generation, ITEM_MAPPING_VERSION, itemsAlias, itemsIndexBody, statesAlias } from '@vitrine/feed-index';
import { refresh } from '../refresh.ts';
import type { ProjectorSettings } from '../settings.ts';
import { STATE_MAPPING_VERSION, statesIndexBody } from '../state-document.ts';
import type { Versions } from './generation-record.ts';

/** An index of a generation is gone, or was written under another mapping than this code's: only a replay helps. */
export class UnusableIndexError extends Error {
  override readonly name = 'UnusableIndexError';
}

/** What this code builds, by these rules. */
export const versionsWith = (rules: { version: number }): Versions => ({
  states: STATE_MAPPING_VERSION,
  items: ITEM_MAPPING_VERSION,
  rules: rules.version,
});

/** What is said of the indices of new generations; those that exist keep what they have. */
export type IndexSettings = Pick<ProjectorSettings, 'INDEX_PREFIX' | 'INDEX_SHARDS' | 'INDEX_REPLICAS'>;

/** How an index is cut and copied: so many copies of each shard, or as many as there are nodes for, between two numbers. */
export const sizeOf = ({ INDEX_SHARDS, INDEX_REPLICAS }: IndexSettings): estypes.IndicesIndexSettings => ({
  number_of_shards: INDEX_SHARDS,
  ...(INDEX_REPLICAS.includes('-')
    ? { auto_expand_replicas: INDEX_REPLICAS }
    : { auto_expand_replicas: 'false', number_of_replicas: INDEX_REPLICAS }),
});

/**
 * The two indices of a generation, each born with its aliases, so that there is no moment in which
 * one exists half. Safe to call again, and from several processes at once.
 * @param role `live` also gives them the readers' aliases; `building` refreshes them seldom: items often enough that the last refresh is short
 */
export async function createIndices(client: Client, indexSettings: IndexSettings, generation: Generation, role: 'live' | 'building'): Promise<void> {
  const prefix = indexSettings.INDEX_PREFIX;
  const readers = (alias: string) => (role === 'live' ? { [alias]: {} } : {});
  const bodies = [
    // Nobody searches states that are being built; who scans them refreshes first.
    [generation.states, generation.statesWriter, statesAlias(prefix), statesIndexBody(), '30s'],
    // States first: items stand for states, so a reader's alias never shows an index nobody can feed.
    [generation.items, generation.itemsWriter, itemsAlias(prefix), itemsIndexBody(), '3s'],
  ] as const;
  for (const [index, writer, alias, body, whileBuilding] of bodies) {
    const settings = { ...body.settings, ...sizeOf(indexSettings), ...(role === 'building' && { refresh_interval: whileBuilding }) };
    try {
      await client.indices.create({ index, ...body, settings, aliases: { [writer]: {}, ...readers(alias) } });
    } catch (error) {
      // Another instance was faster, or an earlier start got this far.
      if (!(error instanceof errors.ResponseError) || error.body?.error?.type !== 'resource_already_exists_exception') throw error;
    }
  }
}

/** Gives indices that were being built the refreshes of live ones: Elasticsearch begins at once to show what they hold. */
export async function refreshAsLive(client: Client, generation: Generation): Promise<void> {
  for (const [index, body] of [
    [generation.states, statesIndexBody()],
    [generation.items, itemsIndexBody()],
  ] as const)
    await client.indices.putSettings({ index, settings: { refresh_interval: body.settings.refresh_interval as string } });
}

/** Makes everything in the generation searchable. @throws SystemTrouble when a shard was not refreshed */
export async function showAll(client: Client, { states, items }: Generation): Promise<void> {
  await refresh(client, [states, items]);
}

/** @throws UnusableIndexError when an index of the generation is gone or has another mapping version */
export async function checkIndices(client: Client, { number, states, items }: Generation, versions: Versions): Promise<void> {
  for (const [index, version] of [
    [states, versions.states],
    [items, versions.items],
  ] as const) {
    const found = await client.indices.getMapping({ index }, { ignore: [404] });
    const held = found[index]?.mappings?._meta?.mapping_version;
    if (!found[index]) throw new UnusableIndexError(`generation ${number}: the index ${index} is gone: replay into a new generation`);
    if (held !== version)
      throw new UnusableIndexError(
        `generation ${number}: ${index} has mapping version ${String(held)}, this code has ${version}: replay into a new generation`,
      );
  }
}
