import { setTimeout as sleep } from 'node:timers/promises';
import {
  activeBuilders,
  GenerationError,
  isAlive,
  unfinishedGeneration,
  withChanges,
} from '@vitrine/feed-index';
import { updateRegistry } from '@vitrine/projection/generations';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { removeGeneration } from './prune.ts';

/**
 * Removes the unfinished generation, which makes its builders stop.
 * @returns the number of the generation
 * @throws GenerationError if there is no unfinished generation
 */
export async function cancelReplay(context: CommandContext): Promise<number> {
  const { client, settings, signal } = context;
  await readExistingRegistry(context);
  let cancelled = 0;
  await updateRegistry(client, settings.INDEX_PREFIX, (registry) => {
    const record = unfinishedGeneration(registry);
    if (!record) throw new GenerationError('there is no unfinished generation');
    cancelled = record.number;
    return withChanges(registry, cancelled, { phase: 'pruning' });
  });
  for (;;) {
    const now = await readExistingRegistry(context);
    if (!activeBuilders(now).some((builder) => isAlive(builder, Date.now()))) break;
    await sleep(250, undefined, { signal });
  }
  await removeGeneration(context, cancelled);
  return cancelled;
}
