import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';

/**
 * Creates write aliases for a new builder and removes the aliases of all earlier builders, in one update.
 * Elasticsearch then rejects every late write of an earlier builder (docs/decisions/0031).
 * @returns the generation with the new aliases for its writers
 * @throws the client's errors
 */
export async function claimWriters(client: Client, generation: Generation): Promise<Generation> {
  const id = randomUUID();
  const own = {
    ...generation,
    statesWriter: `${builderPrefix(generation.states)}${id}`,
    itemsWriter: `${builderPrefix(generation.items)}${id}`,
  };
  await client.indices.updateAliases({
    actions: [
      ...(await removals(client, generation)),
      { add: { index: generation.states, alias: own.statesWriter } },
      { add: { index: generation.items, alias: own.itemsWriter } },
    ],
  });
  return own;
}

/** Removes the write aliases of all builders. @throws the client's errors */
export async function revokeWriters(client: Client, generation: Generation): Promise<void> {
  const actions = await removals(client, generation);
  if (actions.length > 0) await client.indices.updateAliases({ actions });
}

const builderPrefix = (index: string): string => `${index}-builder-`;

async function removals(client: Client, { states, items }: Generation) {
  const found = await client.indices.getAlias({ index: [states, items] });
  return Object.entries(found).flatMap(([index, { aliases }]) =>
    Object.keys(aliases)
      .filter((alias) => alias.startsWith(builderPrefix(index)))
      // If a response is lost, the retry finds that the alias no longer exists.
      .map((alias) => ({ remove: { index, alias, must_exist: false } })),
  );
}
