import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';

/**
 * Gives one builder aliases of its own to write through, and takes the aliases of all earlier builders away, in one
 * update. Elasticsearch then refuses each write of an earlier builder, however late it arrives (docs/decisions/0031).
 * @returns the generation with the new aliases as its writers
 * @throws what the client throws
 */
export async function claimWriters(client: Client, generation: Generation): Promise<Generation> {
  const id = randomUUID();
  const own = { ...generation, statesWriter: `${builderPrefix(generation.states)}${id}`, itemsWriter: `${builderPrefix(generation.items)}${id}` };
  await client.indices.updateAliases({
    actions: [
      ...(await removals(client, generation)),
      { add: { index: generation.states, alias: own.statesWriter } },
      { add: { index: generation.items, alias: own.itemsWriter } },
    ],
  });
  return own;
}

/** Takes the aliases of all builders away. @throws what the client throws */
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
      // A repeated request, after an answer was lost, finds the alias gone.
      .map((alias) => ({ remove: { index, alias, must_exist: false } })),
  );
}
