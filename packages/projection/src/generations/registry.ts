import { isDeepStrictEqual } from 'node:util';
import { type Client, errors } from '@elastic/elasticsearch';
import { type Registry, registryIndex } from '@vitrine/feed-index';
import { createIndex } from './create-index.ts';
import { documentIndexBody } from './document-index.ts';

/** The registry is one document, so every change is atomic. */
const ID = 'registry';
const MAX_ATTEMPTS = 50;

/**
 * Reads the registry in real time. Returns undefined if it does not exist. @throws ElasticsearchClientError
 */
export async function readRegistry(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<Registry | undefined> {
  return (await read(client, prefix, signal))?.registry;
}

/** Creates the registry. @returns false if another process has created it first */
export async function createRegistry(client: Client, prefix: string, registry: Registry): Promise<boolean> {
  const index = registryIndex(prefix);
  await createIndex(client, { index, ...documentIndexBody('registry') });
  try {
    await client.create({ index, id: ID, document: { registry }, refresh: true });
    return true;
  } catch (error) {
    if (isRefusal(error, 'version_conflict_engine_exception')) return false;
    throw error;
  }
}

/**
 * Changes the registry. After a conflict with another writer, the function calls `change` again with the
 * current registry.
 * @param change returns the next registry, or the same object for no change. An error from `change` ends the
 * call.
 * @returns the registry after the change
 * @throws Error if the registry does not exist
 */
export async function updateRegistry(
  client: Client,
  prefix: string,
  change: (registry: Registry) => Registry,
): Promise<Registry> {
  let refused: Registry | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await read(client, prefix);
    if (!stored)
      throw new Error(`the index ${registryIndex(prefix)} does not exist. Start a projector first`);
    // In this case, a node accepted the write but died before it responded. The client's retry then
    // conflicted with this process's own write.
    if (refused && isDeepStrictEqual(stored.registry, refused)) return refused;
    const next = change(stored.registry);
    if (next === stored.registry) return next;
    try {
      const fence = { if_seq_no: stored.seqNo, if_primary_term: stored.primaryTerm };
      await client.index({ index: registryIndex(prefix), id: ID, document: { registry: next }, ...fence });
      return next;
    } catch (error) {
      if (!isRefusal(error, 'version_conflict_engine_exception')) throw error;
      // The registry is kept in its stored form, because JSON omits undefined members.
      refused = JSON.parse(JSON.stringify(next)) as Registry;
    }
  }
  throw new Error(`could not update ${registryIndex(prefix)}, because other processes keep changing it`);
}

async function read(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<{ registry: Registry; seqNo: number; primaryTerm: number } | undefined> {
  try {
    const { _source, _seq_no, _primary_term } = await client.get<{ registry: Registry }>(
      { index: registryIndex(prefix), id: ID },
      signal && { signal },
    );
    return (
      _source && {
        registry: _source.registry,
        seqNo: _seq_no as number,
        primaryTerm: _primary_term as number,
      }
    );
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined;
    throw error;
  }
}

const isRefusal = (error: unknown, type: string): boolean =>
  error instanceof errors.ResponseError && error.body?.error?.type === type;
