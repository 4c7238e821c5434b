import { type Client, errors } from '@elastic/elasticsearch';
import { changeNumber, generationNames } from '@vitrine/feed-index';
import { readChangesHistory, readFollowableChanges } from '@vitrine/projection/generations';
import { ElasticsearchUnavailableError, readCheckpoint } from '@vitrine/projection/store';
import { failureReason } from '@vitrine/runtime/elasticsearch';

/** The changes that followers read. */
export interface ChangesStatus {
  epoch: number;
  generation: number;
  /** The highest change number that followers can receive. It is 0 if there is none yet. */
  lastChange?: number;
  /** Followers that were up to date at this time (ISO 8601) can continue. */
  since: string;
  /** The reason why the command could not read the changes index. */
  trouble?: string;
}

/** The changes of a pruned generation. */
export interface KeptChangesStatus {
  generation: number;
  /** The end of the retention in ISO 8601. */
  until: string;
}

/**
 * Reads the changes of the live generation. They are absent if the generation has no changes index.
 * @throws ElasticsearchClientError
 */
export async function readChangesStatus(
  client: Client,
  prefix: string,
): Promise<{ changes?: ChangesStatus; keptChanges: KeptChangesStatus[] }> {
  const [followable, { kept: keptChanges }] = await Promise.all([
    readFollowableChanges(client, prefix),
    readChangesHistory(client, prefix),
  ]);
  if (!followable) return { keptChanges };
  const { epoch, generation } = followable.live;
  const known = { epoch, generation, since: new Date(followable.since).toISOString() };
  try {
    const { checkpoint } = await readCheckpoint(client, generationNames(prefix, generation).changes);
    return {
      changes: { ...known, lastChange: checkpoint < 0 ? 0 : changeNumber(epoch, checkpoint) },
      keptChanges,
    };
  } catch (error) {
    // A missing or unallocated index is part of the status.
    if (!(error instanceof errors.ResponseError) && !(error instanceof ElasticsearchUnavailableError))
      throw error;
    return { changes: { ...known, trouble: failureReason(error) }, keptChanges };
  }
}
