import { isDeepStrictEqual } from 'node:util';
import type { Client, estypes } from '@elastic/elasticsearch';
import {
  changesEpochAlias,
  epochAfterLoss,
  generationNames,
  ITEM_MAPPINGS,
  type Registry,
  type Versions,
  withChanges,
  withTransition,
} from '@vitrine/feed-index';
import { readChangesHistory, readLiveChanges, updateChangesHistory } from './changes-history.ts';
import { createIndices, type IndexSettings } from './generation-indices.ts';
import { readIndices } from './index-findings.ts';
import { createRegistry, readRegistry, updateRegistry } from './registry.ts';
import { removeAliases } from './remove-aliases.ts';
import { readRoles } from './roles.ts';
import { UnusableIndexError } from './unusable-index.ts';

/**
 * Reads the registry. If no registry exists, creates one with a first generation, which becomes live. If
 * several processes call this function concurrently, only one of them creates the registry.
 * @param lastGroup finds the highest number of a generation whose consumer group has commits. Without a
 * registry, the indices of this generation and of all earlier ones are lost. A new index with one of these
 * numbers would lack all events before the commits.
 */
export async function ensureFirstGeneration(
  client: Client,
  settings: IndexSettings,
  versions: Versions,
  lastGroup: () => Promise<number>,
): Promise<Registry> {
  const { INDEX_PREFIX: prefix } = settings;
  const found =
    (await readRegistry(client, prefix)) ?? (await firstRegistry(client, prefix, versions, lastGroup));
  const creating = found.generations.find(({ phase }) => phase === 'creating');
  if (!creating) return found;
  const names = generationNames(prefix, creating.number);
  const epoch = await firstEpoch(client, prefix, creating.number);
  const index_ids = await createIndices(client, settings, names, creating.versions, 'live', epoch);
  return updateRegistry(client, prefix, (registry) =>
    withChanges(registry, creating.number, { phase: 'ready', index_ids }),
  );
}

async function firstRegistry(
  client: Client,
  prefix: string,
  versions: Versions,
  lastGroup: () => Promise<number>,
): Promise<Registry> {
  const { live } = await readRoles(client, prefix);
  const number = live ?? (await lastGroup()) + 1;
  // If the indices are older than the registry, the registry adopts them unchanged, with their mapping.
  const phase = live === undefined ? 'creating' : 'ready';
  const adopted = live === undefined ? versions : await adoptedVersions(client, prefix, live, versions);
  const registry: Registry = {
    generations: [
      {
        number,
        phase,
        versions: adopted,
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

/**
 * Chooses the first epoch. If an earlier generation's changes survived the loss of its other indices, ends
 * the epoch of these changes. Followers of that epoch have to start over, and receive higher numbers.
 */
async function firstEpoch(client: Client, prefix: string, number: number): Promise<number> {
  const [earlier, { transitions }] = await Promise.all([
    readLiveChanges(client, prefix),
    readChangesHistory(client, prefix),
  ]);
  if (earlier?.generation === number) return earlier.epoch;
  if (earlier) {
    const { changes } = generationNames(prefix, earlier.generation);
    const alias = changesEpochAlias(prefix, earlier.epoch);
    await removeAliases(client, [{ index: changes, alias }]);
  }
  const used = Math.max(earlier?.epoch ?? 0, ...transitions.map(({ epoch }) => epoch));
  // A number above 1 means that consumer groups exist, so there was an earlier deployment.
  const epoch = Math.max(number, used === 0 && number > 1 ? epochAfterLoss(number, Date.now()) : used + 1);
  // A later switch must not use this epoch again, even if the changes index is lost with its alias.
  const at = new Date().toISOString();
  if (epoch > number)
    await updateChangesHistory(client, prefix, (now) =>
      withTransition(now, { epoch, generation: number, at }),
    );
  return epoch;
}

/**
 * The versions of a live generation whose registry record was lost.
 * @param current the versions of this code. The generation's versions of the states and the rules are
 * unknown, so the current versions are assumed
 * @throws UnusableIndexError if the items index is missing, or nothing reveals its version
 */
async function adoptedVersions(
  client: Client,
  prefix: string,
  live: number,
  { changes: currentChanges, ...current }: Versions,
): Promise<Versions> {
  const names = generationNames(prefix, live);
  const found = await readIndices(client, [names.items, names.changes]);
  const mappings = found.get(names.items)?.mappings;
  if (!mappings) throw new UnusableIndexError(`the index ${names.items} was deleted`);
  const items = namedVersion(mappings) ?? versionOfFields(mappings);
  if (items === undefined)
    throw new UnusableIndexError(
      `the mapping of the index ${names.items} names no version, and its fields match no version. ` +
        'Replay into a new generation',
    );
  const changes = found.get(names.changes)?.mappings;
  if (!changes) return { ...current, items };
  const version = namedVersion(changes) ?? currentChanges;
  return { ...current, items, ...(version !== undefined && { changes: version }) };
}

const namedVersion = ({ _meta }: estypes.MappingTypeMapping): number | undefined =>
  _meta?.mapping_version === undefined ? undefined : Number(_meta.mapping_version);

/** The fields in the mapping reveal the version of an index whose mapping has lost its `_meta`. */
const versionOfFields = ({ properties }: estypes.MappingTypeMapping): number | undefined =>
  ITEM_MAPPINGS.find((mapping) => isDeepStrictEqual(properties, mapping.properties))?.version;
