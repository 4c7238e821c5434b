import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import { removeAliases } from '@vitrine/projection/generations';

const PREFIX = 'builder-';

/** A new name for the write aliases of a phase. It is never used again. */
export const newWriterName = (): string => `${PREFIX}${randomUUID()}`;

/** The generation with the write aliases of a phase. */
export const withWriters = (generation: Generation, name: string): Generation => ({
  ...generation,
  statesWriter: `${generation.states}-${name}`,
  itemsWriter: `${generation.items}-${name}`,
  changesWriter: `${generation.changes}-${name}`,
});

/**
 * Creates the write aliases of a phase, through which all its builders write.
 * @throws ElasticsearchClientError
 */
export async function createWriters(client: Client, generation: Generation, name: string): Promise<void> {
  const { states, items, changes, statesWriter, itemsWriter, changesWriter } = withWriters(generation, name);
  await client.indices.updateAliases({
    actions: [
      { add: { index: states, alias: statesWriter } },
      { add: { index: items, alias: itemsWriter } },
      { add: { index: changes, alias: changesWriter } },
    ],
  });
}

/**
 * Removes the write aliases of all phases in one update. Elasticsearch then rejects every page from a
 * builder, however late it arrives (docs/decisions/0031 and 0048). @throws ElasticsearchClientError
 */
export async function revokeWriters(client: Client, { states, items, changes }: Generation): Promise<void> {
  const found = await client.indices.getAlias({ index: [states, items, changes] });
  const writers = Object.entries(found).flatMap(([index, { aliases }]) =>
    Object.keys(aliases)
      .filter((alias) => alias.startsWith(`${index}-${PREFIX}`))
      .map((alias) => ({ index, alias })),
  );
  // Another builder that ends the phase too may already have removed these aliases.
  await removeAliases(client, writers);
}
