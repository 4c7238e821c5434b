import {
  findGeneration,
  GenerationError,
  generationNames,
  isSwitching,
  withChanges,
  withoutGeneration,
} from '@vitrine/feed-index';
import { groupOf, readRegistry, readRoles, updateRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { retireChanges } from './changes-upkeep.ts';
import { waitUntilEmpty } from './consumer-group.ts';

/**
 * Lists the generations that `prune` removes if it has no argument: all generations that are neither live,
 * nor about to become live, nor under construction.
 */
export async function prunable({ client, settings }: CommandContext): Promise<number[]> {
  const [registry, { live }] = await Promise.all([
    readRegistry(client, settings.INDEX_PREFIX),
    readRoles(client, settings.INDEX_PREFIX),
  ]);
  const done = (registry?.generations ?? []).filter(({ phase }) => phase === 'ready' || phase === 'pruning');
  const next = registry && isSwitching(registry, Date.now()) ? registry.switching?.to : undefined;
  return done.map(({ number }) => number).filter((number) => number !== live && number !== next);
}

/**
 * Removes a generation that is not live. Marks the generation, so that all projectors stop writing it, then
 * deletes its indices, its consumer group and its record. After an interruption, another call completes the
 * removal.
 * @throws GenerationError if the generation is live, about to become live, under construction or unknown
 */
export async function removeGeneration(context: CommandContext, number: number): Promise<void> {
  const { client, admin, settings, signal, log } = context;
  const prefix = settings.INDEX_PREFIX;
  const isLive = async () => (await readRoles(client, prefix)).live === number;
  if (await isLive())
    throw new GenerationError(`generation ${number} is live. Switch to another generation first`);
  await updateRegistry(client, prefix, (registry) => {
    const { phase } = findGeneration(registry, number);
    if (
      registry.generations.some(
        (one) => one.phase === 'copying' && one.origin.from === 'states' && one.origin.of === number,
      )
    )
      throw new GenerationError(
        `a replay is reading the states of generation ${number}. Wait for it to end, or run replay cancel`,
      );
    if (isSwitching(registry, Date.now()) && registry.switching?.to === number)
      throw new GenerationError(
        `a switch is making generation ${number} live, so prune cannot remove it. Wait for the switch to end`,
      );
    if (phase !== 'ready' && phase !== 'pruning')
      throw new GenerationError(`generation ${number} is under construction. Run replay cancel to remove it`);
    return phase === 'pruning' ? registry : withChanges(registry, number, { phase: 'pruning' });
  });
  const refuseIfLive = async () => {
    if (!(await isLive())) return;
    await updateRegistry(client, prefix, (registry) => withChanges(registry, number, { phase: 'ready' }));
    throw new GenerationError(`generation ${number} is live. Switch to another generation first`);
  };
  // The generation may have become live before the mark. No switch to a marked generation can begin.
  await refuseIfLive();
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  if (!(await waitUntilEmpty(admin, groupId, signal)))
    log.warn(
      { generation: number, groupId },
      'the consumer group of a removed generation still has members; deleting the generation nevertheless',
    );
  // A request of an earlier switch to it, whose command has failed, may have arrived late.
  await refuseIfLive();
  await retireChanges(context, number);
  const { states, items, statesWriter, itemsWriter, changesWriter } = generationNames(prefix, number);
  await client.indices.delete({ index: [states, items], ignore_unavailable: true });
  // A concurrent deletion of a document may have created indices with the names of the write aliases, because
  // deletions do not support require_alias.
  await client.indices.delete(
    { index: [statesWriter, itemsWriter, changesWriter], ignore_unavailable: true },
    { ignore: [400] },
  );
  await admin.deleteGroup(groupId);
  await updateRegistry(client, prefix, (registry) => withoutGeneration(registry, number));
}
