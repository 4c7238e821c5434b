import { type GenerationRecord, generationNames } from '@vitrine/feed-index';
import { readLiveChanges } from '@vitrine/projection/generations';
import { readCheckpoint, takeOverDeletions } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';
import { endsOf } from './handover.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Completes the changes of a generation that has caught up: takes over the removals that followers of the
 * live generation may still need, and takes the earliest marks for a later switch.
 * @param beforeWrite called before each request that writes
 * @returns the changes to the generation's record
 * @throws ElasticsearchUnavailableError; ElasticsearchClientError; KafkaError
 */
export async function completeChanges(
  context: CommandContext,
  { number, versions }: Pick<GenerationRecord, 'number' | 'versions'>,
  signal: AbortSignal,
  beforeWrite: () => Promise<void>,
): Promise<Pick<GenerationRecord, 'caught_up'>> {
  const { client, settings } = context;
  const prefix = settings.INDEX_PREFIX;
  if (versions.changes === undefined) return {};
  const own = generationNames(prefix, number);
  const live = await readLiveChanges(client, prefix);
  if (live && live.generation !== number) {
    const since = Date.now() - settings.CHANGES_RETENTION_DAYS * DAY_MS;
    await takeOverDeletions(
      client,
      generationNames(prefix, live.generation),
      own,
      since,
      signal,
      beforeWrite,
    );
  }
  const { checkpoint } = await readCheckpoint(client, own.changes);
  return { caught_up: { checkpoint, ends: await endsOf(context, number) } };
}
