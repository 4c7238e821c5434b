import {
  expiredChanges,
  type GenerationRecord,
  generationNames,
  withKept,
  withoutKept,
} from '@vitrine/feed-index';
import {
  readChangesHistory,
  readLiveChanges,
  removeAliases,
  updateChangesHistory,
} from '@vitrine/projection/generations';
import { readCheckpoint, takeOverDeletions } from '@vitrine/projection/store';
import type { CommandContext } from '../command-context.ts';
import { endsOf } from './handover.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Completes the changes of a generation that has caught up: takes over the removals that followers of the
 * live generation may still need, and takes the earliest marks for a later switch.
 * @param beforeWrite called before each request that writes
 * @returns the changes of the generation's record
 * @throws ElasticsearchUnavailableError; the clients' errors
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

/**
 * Keeps the changes index of a generation that is being pruned for CHANGES_RETENTION_DAYS, because followers
 * may not have read it to its end. No process can write to it afterwards. Deletes the index if the generation
 * was never live.
 * @throws the client's errors
 */
export async function retireChanges({ client, settings }: CommandContext, number: number): Promise<void> {
  const prefix = settings.INDEX_PREFIX;
  const { changes, changesWriter } = generationNames(prefix, number);
  if (!(await client.indices.exists({ index: changes }))) return;
  const { transitions } = await readChangesHistory(client, prefix);
  const wasLive = transitions.some(
    ({ generation, after }) => generation === number || after?.generation === number,
  );
  if (!wasLive) {
    await client.indices.delete({ index: changes, ignore_unavailable: true });
    return;
  }
  const until = new Date(Date.now() + settings.CHANGES_RETENTION_DAYS * DAY_MS).toISOString();
  await updateChangesHistory(client, prefix, (now) => withKept(now, { generation: number, until }));
  await removeAliases(client, [{ index: changes, alias: changesWriter }]);
}

/** Deletes the changes indices of pruned generations whose retention is over. @throws the client's errors */
export async function deleteExpiredChanges({ client, settings, log }: CommandContext): Promise<void> {
  const prefix = settings.INDEX_PREFIX;
  const expired = expiredChanges(await readChangesHistory(client, prefix), Date.now());
  if (expired.length === 0) return;
  await client.indices.delete({
    index: expired.map((number) => generationNames(prefix, number).changes),
    ignore_unavailable: true,
  });
  await updateChangesHistory(client, prefix, (now) => withoutKept(now, expired));
  log.info(
    { generations: expired },
    'deleted the changes of pruned generations after CHANGES_RETENTION_DAYS',
  );
}
