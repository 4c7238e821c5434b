import { type Client, errors } from '@elastic/elasticsearch';
import {
  CHANGES_HISTORY_ID,
  type ChangesHistory,
  changesEpochPattern,
  changesHistoryIndex,
  EMPTY_HISTORY,
  type HistoryDocument,
  type LiveChanges,
  liveChain,
  liveChangesOf,
  type Transition,
} from '@vitrine/feed-index';
import { createIndex } from './create-index.ts';
import { documentIndexBody } from './document-index.ts';

const MAX_ATTEMPTS = 20;

/**
 * Reads the live epoch and its generation. Returns undefined if the live generation has no changes index.
 * @throws ElasticsearchClientError
 */
export async function readLiveChanges(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<LiveChanges | undefined> {
  const { aliases } = await client.indices.resolveIndex(
    { name: changesEpochPattern(prefix) },
    signal && { signal },
  );
  return liveChangesOf(prefix, aliases);
}

/**
 * Reads the history of the epochs in real time. The history is empty before the first switch. @throws
 * ElasticsearchClientError
 */
export async function readChangesHistory(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<ChangesHistory> {
  return (await read(client, prefix, signal))?.history ?? EMPTY_HISTORY;
}

/**
 * Reads the epochs that have been live, oldest first. The result is empty if the live generation has no
 * changes index.
 * @throws ElasticsearchClientError
 */
export async function readLiveChain(
  client: Client,
  prefix: string,
): Promise<(LiveChanges & Partial<Transition>)[]> {
  const live = await readLiveChanges(client, prefix);
  return live ? liveChain(live, await readChangesHistory(client, prefix)) : [];
}

/**
 * Creates the history's index unless it already exists. The first generation creates the index before readers
 * exist, because readers receive 503 until the shard of a new index has started.
 * @throws as `createIndex`
 */
export const ensureChangesHistory = (client: Client, prefix: string): Promise<string> =>
  createIndex(client, { index: changesHistoryIndex(prefix), ...documentIndexBody('history') });

/**
 * Changes the history. After a conflict with another writer, calls `change` again with the current history.
 * @param change returns the next history, or the same object for no change
 * @returns the history after the change
 * @throws the errors from `change`; ElasticsearchClientError
 */
export async function updateChangesHistory(
  client: Client,
  prefix: string,
  change: (history: ChangesHistory) => ChangesHistory,
): Promise<ChangesHistory> {
  const index = changesHistoryIndex(prefix);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await read(client, prefix);
    const history = change(stored?.history ?? EMPTY_HISTORY);
    if (history === stored?.history || (!stored && history === EMPTY_HISTORY)) return history;
    const document: HistoryDocument = { history };
    try {
      if (stored) await client.index({ index, id: CHANGES_HISTORY_ID, document, ...stored.fence });
      else {
        await ensureChangesHistory(client, prefix);
        await client.create({ index, id: CHANGES_HISTORY_ID, document });
      }
      return history;
    } catch (error) {
      if (!isRefusal(error, 'version_conflict_engine_exception')) throw error;
    }
  }
  throw new Error(`could not update ${index}, because other processes keep changing it`);
}

async function read(client: Client, prefix: string, signal?: AbortSignal) {
  try {
    const { _source, _seq_no, _primary_term } = await client.get<HistoryDocument>(
      { index: changesHistoryIndex(prefix), id: CHANGES_HISTORY_ID },
      signal && { signal },
    );
    const fence = { if_seq_no: _seq_no as number, if_primary_term: _primary_term as number };
    return _source && { history: _source.history, fence };
  } catch (error) {
    if (error instanceof errors.ResponseError && error.statusCode === 404) return undefined;
    throw error;
  }
}

const isRefusal = (error: unknown, type: string): boolean =>
  error instanceof errors.ResponseError && error.body?.error?.type === type;
