import { isDeepStrictEqual } from 'node:util';
import type { Client, estypes } from '@elastic/elasticsearch';
import { generationNames, ITEM_MAPPINGS, type Versions } from '@vitrine/feed-index';
import { readIndices } from './index-findings.ts';
import { UnusableIndexError } from './unusable-index.ts';

/**
 * The versions of a live generation whose registry record was lost.
 * @param current the versions of this code; those of the states and of the rules are unknown and assumed
 * @throws UnusableIndexError if the items index is missing, or nothing tells its version
 */
export async function adoptedVersions(
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

/** An index whose mapping has lost its `_meta` still has the fields of its version. */
const versionOfFields = ({ properties }: estypes.MappingTypeMapping): number | undefined =>
  ITEM_MAPPINGS.find((mapping) => isDeepStrictEqual(properties, mapping.properties))?.version;
