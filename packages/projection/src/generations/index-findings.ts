import type { Client, estypes } from '@elastic/elasticsearch';
import { type IndexKind, type WrongSetting, wrongSettings } from '@vitrine/feed-index';
import { mappingDifferences } from './mapping-differences.ts';

/** An index as Elasticsearch describes it. */
export interface FoundIndex {
  /**
   * The identity of the index. `index.uuid` changes if the index is deleted and created again, or restored as
   * a new index. A restore over a closed index keeps `index.uuid`, but sets a new `index.history.uuid`.
   */
  uuid: string;
  /** The settings, keyed by names that begin with `index.`, including the cluster's defaults. */
  settings: Record<string, unknown>;
  mappings: estypes.MappingTypeMapping;
  aliases: string[];
}

/** The problems of an index. Each message names the index and the repair. */
export interface IndexFindings {
  /** Findings that forbid writing, because documents would be changed, refused or lost. */
  fatal: string[];
  /** Findings that affect readers or later writes. */
  notes: string[];
}

/** Reads the settings, mappings and aliases of indices. A missing index is left out. */
export async function readIndices(
  client: Client,
  indices: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, FoundIndex>> {
  const found = await client.indices.get(
    { index: [...indices], ignore_unavailable: true, flat_settings: true, include_defaults: true },
    signal && { signal },
  );
  return new Map(
    Object.entries(found).map(([index, { settings, defaults, mappings, aliases }]) => {
      const explicit = Object.entries((settings ?? {}) as Record<string, unknown>);
      const effective = {
        ...(defaults as Record<string, unknown> | undefined),
        ...Object.fromEntries(explicit.filter(([, value]) => value !== null)),
      };
      return [
        index,
        {
          uuid: [effective['index.uuid'], effective['index.history.uuid']].filter(Boolean).join('/'),
          settings: effective,
          mappings: mappings ?? {},
          aliases: Object.keys(aliases ?? {}),
        },
      ];
    }),
  );
}

/** Compares an index with the settings and the mapping that Vitrine requires. Pure. */
export function findingsOf(
  index: string,
  kind: IndexKind,
  required: estypes.MappingTypeMapping,
  { settings, mappings }: FoundIndex,
): IndexFindings {
  const wrong = wrongSettings(kind, settings);
  const permanent = [
    ...wrong.filter(({ fixed }) => fixed).map(describe),
    ...mappingDifferences(required, mappings),
  ];
  const changeable = wrong.filter(({ fixed }) => !fixed);
  const damaging = changeable.filter(({ damages }) => damages);
  const harmless = changeable.filter(({ damages }) => !damages);
  const version = required._meta?.mapping_version;
  const isUnnamed = version !== undefined && mappings._meta?.mapping_version === undefined;
  return {
    fatal: [
      ...(permanent.length > 0
        ? [
            `the index ${index} cannot hold Vitrine's documents: ${permanent.join('; ')}. Elasticsearch cannot ` +
              'change this in an existing index. Replay into a new generation',
          ]
        : []),
      ...(damaging.length > 0 ? [wrongText(index, damaging)] : []),
    ],
    notes: [
      ...(harmless.length > 0 ? [wrongText(index, harmless)] : []),
      ...(isUnnamed && permanent.length === 0
        ? [
            `the mapping of the index ${index} no longer names its version, which is ${version}. Run ` +
              putCommand(`${index}/_mapping`, { _meta: { ...mappings._meta, ...required._meta } }),
          ]
        : []),
    ],
  };
}

/** The settings that Elasticsearch can correct in an existing index. */
export const corrections = (kind: IndexKind, { settings }: FoundIndex): Record<string, string | null> =>
  Object.fromEntries(
    wrongSettings(kind, settings)
      .filter(({ fixed }) => !fixed)
      .map(({ name, required }) => [name, required]),
  );

const describe = ({ name, actual, required }: WrongSetting): string =>
  `${name} is ${actual}, but Vitrine requires ${required ?? 'that it is not set'}`;

const wrongText = (index: string, wrong: readonly WrongSetting[]): string =>
  `the index ${index} has other settings than Vitrine requires: ${wrong.map(describe).join('; ')}. Run ` +
  putCommand(
    `${index}/_settings`,
    Object.fromEntries(wrong.map(({ name, required }) => [name, required] as const)),
  );

/** A command for a shell in which ELASTICSEARCH_URL names one node. */
const putCommand = (path: string, body: object): string =>
  `curl -X PUT "$ELASTICSEARCH_URL/${path}" -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
