import type { Client } from '@elastic/elasticsearch';
import { generationNames } from '@vitrine/feed-index';
import { createIndices, type IndexSettings } from './generation-indices.ts';
import { changed, type Registry, type Versions } from './generation-record.ts';
import { createRegistry, readRegistry, updateRegistry } from './registry.ts';
import { readRoles } from './roles.ts';

/**
 * The registry, and where there was none, a first generation that is live. Safe to call from several
 * processes at once: the registry's creation decides between them.
 * @param hasGroup whether the consumer group of a generation has committed anything: such a number
 * stands for an index that is lost, and a new one would not be filled from the beginning
 */
export async function ensureFirstGeneration(
  client: Client,
  settings: IndexSettings,
  versions: Versions,
  hasGroup: (generation: number) => Promise<boolean>,
): Promise<Registry> {
  const { INDEX_PREFIX: prefix } = settings;
  const found = (await readRegistry(client, prefix)) ?? (await firstRegistry(client, prefix, versions, hasGroup));
  const creating = found.generations.find(({ phase }) => phase === 'creating');
  if (!creating) return found;
  await createIndices(client, settings, generationNames(prefix, creating.number), 'live');
  return updateRegistry(client, prefix, (registry) => changed(registry, creating.number, { phase: 'ready' }));
}

async function firstRegistry(
  client: Client,
  prefix: string,
  versions: Versions,
  hasGroup: (generation: number) => Promise<boolean>,
): Promise<Registry> {
  const { live } = await readRoles(client, prefix);
  let number = live ?? 1;
  if (live === undefined) while (await hasGroup(number)) number++;
  // Indices that are older than the registry are taken as they are.
  const phase = live === undefined ? 'creating' : 'ready';
  const registry: Registry = {
    generations: [
      {
        number,
        phase,
        versions,
        created_at: new Date().toISOString(),
        origin: { from: 'topic' },
        ...(phase === 'creating' && { first_start: null }),
      },
    ],
    last: number,
  };
  await createRegistry(client, prefix, registry);
  return (await readRegistry(client, prefix)) ?? registry;
}
