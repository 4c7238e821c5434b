import type { Client, estypes } from '@elastic/elasticsearch';
import {
  changesIndexBody,
  type Generation,
  type IndexIds,
  isChangesMapping,
  isItemMapping,
  itemsIndexBody,
  type Versions,
} from '@vitrine/feed-index';
import { statesIndexBody } from '../store/state-store.ts';
import { type FoundIndex, findingsOf, type IndexFindings, readIndices } from './index-findings.ts';
import { UnusableIndexError } from './unusable-index.ts';

/** The results of inspecting a generation's indices. */
export interface Inspected extends IndexFindings {
  ids: IndexIds;
}

/**
 * Compares the indices of a generation with their required settings and mappings, and with their recorded
 * identities.
 * @param recorded absent for a generation that an earlier release created
 */
export async function inspectIndices(
  client: Client,
  generation: Generation,
  versions: Pick<Versions, 'states' | 'items' | 'changes'>,
  recorded: IndexIds | undefined,
  signal?: AbortSignal,
): Promise<Inspected> {
  const kinds = [
    ['states', versions.states, statesIndexBody().mappings],
    // The next release may have built the live generation. After a rollback, this code reads only that
    // generation's states.
    [
      'items',
      versions.items,
      isItemMapping(versions.items) ? itemsIndexBody(versions.items).mappings : undefined,
    ],
    ...(versions.changes === undefined
      ? []
      : [
          [
            'changes',
            versions.changes,
            isChangesMapping(versions.changes) ? changesIndexBody(versions.changes).mappings : undefined,
          ] as const,
        ]),
  ] as const;
  const found = await readIndices(
    client,
    kinds.map(([kind]) => generation[kind]),
    signal,
  );
  const inspected: Inspected = { fatal: [], notes: [], ids: {} };
  for (const [kind, version, mappings] of kinds) {
    const index = generation[kind];
    const actual = found.get(index);
    if (actual) inspected.ids[kind] = actual.uuid;
    const { fatal, notes } = findingsIn(generation, kind, version, mappings, actual, recorded?.[kind]);
    inspected.fatal.push(...fatal);
    inspected.notes.push(...notes);
  }
  return inspected;
}

function findingsIn(
  generation: Generation,
  kind: 'states' | 'items' | 'changes',
  version: number,
  mappings: estypes.MappingTypeMapping | undefined,
  actual: FoundIndex | undefined,
  recorded: string | undefined,
): IndexFindings {
  const index = generation[kind];
  const name = `the index ${index} of generation ${generation.number}`;
  const only = (message: string): IndexFindings => ({ fatal: [message], notes: [] });
  if (!actual) return only(`${name} is missing. Replay into a new generation`);
  if (recorded !== undefined && recorded !== actual.uuid)
    return only(
      `${name} is not the one that Vitrine created: its UUID is ${actual.uuid} instead of ` +
        `${recorded}. It was restored from a snapshot, or deleted and created again, so events are missing. ` +
        'Delete it and replay into a new generation (runbook, "A replaced index")',
    );
  const named = actual.mappings._meta?.mapping_version;
  if (named !== undefined && named !== version)
    return only(
      `${name} has mapping version ${named}, but this code requires version ${version}. Replay ` +
        'into a new generation',
    );
  return findingsOf(index, kind, mappings ?? actual.mappings, actual);
}

/**
 * @returns the findings, none of which is fatal
 * @throws UnusableIndexError if an index of the generation is missing, was replaced, or has settings or a
 * mapping that forbid writing to it
 */
export async function checkIndices(
  client: Client,
  generation: Generation,
  versions: Pick<Versions, 'states' | 'items' | 'changes'>,
  recorded: IndexIds | undefined,
  signal?: AbortSignal,
): Promise<Inspected> {
  const inspected = await inspectIndices(client, generation, versions, recorded, signal);
  if (inspected.fatal.length > 0) throw new UnusableIndexError(inspected.fatal.join('. '));
  return inspected;
}
