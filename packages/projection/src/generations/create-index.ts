import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import type { IndexKind } from '@vitrine/feed-index';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { corrections, findingsOf, readIndices } from './index-findings.ts';
import { UnusableIndexError } from './unusable-index.ts';

export interface NewIndex {
  index: string;
  kind: IndexKind;
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
  aliases?: readonly string[];
  /** The aliases that Vitrine uses. A new index may have one only if `aliases` names it. */
  reserved?: readonly string[];
}

/**
 * Creates an index unless it exists, and checks that the index meets Vitrine's requirements. The settings in
 * the request replace those from an index template. Corrects a setting from a template if no request can name
 * that setting. If a template gave a new index something that no request can correct, deletes the index. A
 * later call then succeeds once the template is gone.
 * @returns the UUID of the index
 * @throws UnusableIndexError that names the template's effect
 */
export async function createIndex(client: Client, wanted: NewIndex): Promise<string> {
  const { index, kind, settings, mappings, aliases = [], reserved = [] } = wanted;
  const isNew = await client.indices
    .create({
      index,
      settings,
      // `_source` is enabled explicitly, because a template may disable it.
      mappings: { _source: { enabled: true }, ...mappings },
      aliases: Object.fromEntries(aliases.map((name) => [name, {}])),
    })
    .then(
      () => true,
      (error: unknown) => {
        // Another process or an earlier start has already created the index.
        if (isExisting(error)) return false;
        throw isForDataStreams(error)
          ? new UnusableIndexError(
              `an index template prevents the new index ${index}: ${failureReason(error)}. ${excluding(index)}`,
            )
          : error;
      },
    );
  const read = async () => {
    const found = (await readIndices(client, [index])).get(index);
    if (found) return found;
    throw new UnusableIndexError(
      `another process deleted the index ${index} while this process was creating it`,
    );
  };
  let found = await read();
  const corrected = corrections(kind, found);
  if (isNew && Object.keys(corrected).length > 0) {
    await client.indices.putSettings({ index, settings: corrected });
    found = await read();
  }
  const { fatal } = findingsOf(index, kind, mappings, found);
  const foreign = isNew
    ? found.aliases.filter((alias) => reserved.includes(alias) && !aliases.includes(alias))
    : [];
  if (fatal.length === 0 && foreign.length === 0) return found.uuid;
  if (!isNew) throw new UnusableIndexError(fatal.join('. '));
  await client.indices.delete({ index });
  const effects = [...fatal, ...foreign.map((alias) => `the alias ${alias} belongs to another index`)];
  throw new UnusableIndexError(
    `an index template changes the new index ${index}, so Vitrine deleted the index: ${effects.join('. ')}. ` +
      excluding(index),
  );
}

const isExisting = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.body?.error?.type === 'resource_already_exists_exception';

/** Elasticsearch has no error type of its own for this refusal (elasticsearch#62527). */
const isForDataStreams = (error: unknown): boolean =>
  error instanceof errors.ResponseError && /creates data streams only/.test(error.message);

const excluding = (index: string): string =>
  `Exclude ${index} from the patterns of the template (GET _index_template), or give the pattern a template ` +
  'of its own with a higher priority';
