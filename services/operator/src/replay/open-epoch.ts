import {
  baseBetween,
  type ChangesPair,
  findGeneration,
  type LiveChanges,
  liveChain,
  nextEpoch,
  type Registry,
  type Transition,
  withTransition,
} from '@vitrine/feed-index';
import {
  type EpochMove,
  readChangesHistory,
  readLiveChanges,
  updateChangesHistory,
} from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { takeMarks } from './handover.ts';

/**
 * Prepares a new epoch of the changes for the generation that becomes live. The marks are stored before the
 * aliases move, so a reader of the new epoch always finds them.
 * @returns the epochs that the move of the aliases ends and begins
 */
export async function openEpoch(context: CommandContext, registry: Registry, to: number): Promise<EpochMove> {
  const { client, settings } = context;
  const prefix = settings.INDEX_PREFIX;
  const [ends, history] = await Promise.all([
    readLiveChanges(client, prefix),
    readChangesHistory(client, prefix),
  ]);
  const { versions, verification } = findGeneration(registry, to);
  if (versions.changes === undefined) {
    // The next switch continues after this epoch.
    if (ends) await updateChangesHistory(client, prefix, (now) => ({ ...now, parked: ends }));
    return ends ? { ends } : {};
  }
  const after = ends ?? history.parked;
  const isConnected =
    after !== undefined &&
    after.generation !== to &&
    registry.generations.some(({ number, phase }) => number === after.generation && phase === 'ready');
  let base: ChangesPair | undefined;
  if (isConnected) {
    const { live, own } = verification?.changes ?? {};
    base =
      verification?.against === after.generation && live !== undefined && own !== undefined
        ? { from: live, to: own }
        : baseBetween(liveChain(after, history), after.generation, to);
  }
  const handover = isConnected ? await takeMarks(context, registry, after.generation, to, base) : undefined;
  let epoch = 0;
  await updateChangesHistory(client, prefix, (now) => {
    epoch = nextEpoch(Math.max(after?.epoch ?? 0, to - 1), now);
    const transition: Transition = {
      epoch,
      generation: to,
      at: new Date().toISOString(),
      ...(after && { after }),
      ...(handover && { handover }),
      ...(base && { base }),
    };
    return withTransition(now, transition);
  });
  const begins: LiveChanges = { epoch, generation: to };
  return { ...(ends && { ends }), begins };
}
