import { type Client, errors } from '@elastic/elasticsearch';
import {
  type Generation,
  generationNames,
  generationOfItems,
  ITEM_MAPPING_VERSION,
  itemsAlias,
  itemsIndexBody,
  statesAlias,
} from '@vitrine/feed-index';
import { STATE_MAPPING_VERSION, statesIndexBody } from './state-document.ts';

/** An index was written under another mapping than this code's: only a replay can bring them together. */
export class MappingMismatchError extends Error {
  override readonly name = 'MappingMismatchError';
}

/**
 * The live generation, created when there is none: two indices, each born with its aliases, so that
 * there is no moment in which one exists half. Safe to call from several processes at once.
 * @throws MappingMismatchError, and whatever the client throws.
 */
export async function ensureLiveGeneration(client: Client, prefix: string): Promise<Generation> {
  const live = (await liveGeneration(client, prefix)) ?? generationNames(prefix, 1);
  // States first: items stand for states, so a reader's alias never shows an index nobody can feed.
  await createIndex(client, live.states, { ...statesIndexBody(), aliases: { [live.statesWriter]: {}, [statesAlias(prefix)]: {} } });
  await createIndex(client, live.items, { ...itemsIndexBody(), aliases: { [live.itemsWriter]: {}, [itemsAlias(prefix)]: {} } });
  await checkMapping(client, live.states, STATE_MAPPING_VERSION);
  await checkMapping(client, live.items, ITEM_MAPPING_VERSION);
  return live;
}

/** The generation that the readers' alias points to, or undefined before there is one. */
async function liveGeneration(client: Client, prefix: string): Promise<Generation | undefined> {
  const alias = itemsAlias(prefix);
  const found = await client.indices.getAlias({ name: alias }, { ignore: [404] });
  const generations = Object.entries(found).flatMap(([index, entry]) =>
    entry && typeof entry === 'object' && 'aliases' in entry ? [generationOfItems(prefix, index)] : [],
  );
  if (generations.length > 1) throw new Error(`the alias ${alias} points to ${generations.length} indices; it must point to one`);
  return generations[0];
}

async function createIndex(client: Client, index: string, body: Omit<Parameters<Client['indices']['create']>[0], 'index'>): Promise<void> {
  try {
    await client.indices.create({ index, ...body });
  } catch (error) {
    // Another instance was faster, or an earlier start got this far.
    if (!(error instanceof errors.ResponseError) || error.body?.error?.type !== 'resource_already_exists_exception') throw error;
  }
}

async function checkMapping(client: Client, index: string, version: number): Promise<void> {
  const found = await client.indices.getMapping({ index });
  const held = found[index]?.mappings._meta?.mapping_version;
  if (held !== version)
    throw new MappingMismatchError(`${index} has mapping version ${String(held)}, this projector writes ${version}: replay into a new generation`);
}
