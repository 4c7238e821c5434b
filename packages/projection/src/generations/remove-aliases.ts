import { type Client, errors } from '@elastic/elasticsearch';

export interface IndexAlias {
  index: string;
  alias: string;
}

/**
 * Removes aliases in one update. An alias may be missing, because a retry or another process has already
 * removed it. If all of them are missing, Elasticsearch responds with 404, even with `must_exist: false`.
 * @throws ElasticsearchClientError, also if an index is missing
 */
export async function removeAliases(client: Client, aliases: readonly IndexAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  const actions = aliases.map((one) => ({ remove: { ...one, must_exist: false } }));
  try {
    await client.indices.updateAliases({ actions });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.body?.error?.type === 'aliases_not_found_exception';
