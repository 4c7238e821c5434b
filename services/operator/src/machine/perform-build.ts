import { generationNames } from '@vitrine/feed-index';
import { createIndices, refreshAsLive, refreshForReaders } from '@vitrine/projection/generations';
import { countStates, shardsOf } from '@vitrine/projection/store';
import { abortable } from '@vitrine/runtime/abortable';
import { rememberWritten } from '../dead-letters/written-dead-letters.ts';
import { type Build, endBuild } from '../replay/build.ts';
import { createWriters, newWriterName, revokeWriters } from '../replay/builder-writers.ts';
import { completeChanges } from '../replay/complete-changes.ts';
import { waitForProjector } from '../replay/consumer-group.ts';
import { retryAndLog } from '../replay/retry-and-log.ts';
import { startCopiedGroup, untilFoldingHasEnded, writeSlices } from '../replay/scan-work.ts';
import { startBuildConsumer, untilGroupCommitted } from '../replay/topic-work.ts';
import type { ActionName, ActionOf, Responses } from './action.ts';

const namesOf = ({ settings }: Build, generation: number) =>
  generationNames(settings.INDEX_PREFIX, generation);

/** How each action of a builder uses the engines. */
export const BUILD_PERFORMERS = {
  // The dead-letter topic already contains the dead letters of the records that the live generation has read.
  startBuilder: (build) => rememberWritten(build),

  updateGeneration: ({ lease }, { change }) => lease.update(change),

  createIndices: (build, { record: { number, versions } }) =>
    createIndices(build.client, build.settings, namesOf(build, number), versions, 'building'),

  async startConsumer(build, { record }) {
    const consumer = await startBuildConsumer(build, record);
    build.consumer = consumer;
    void consumer.failed.then((error) => {
      if (build.consumer === consumer) build.ended.abort(error);
    });
  },

  waitUntilCommitted: (build, { record }) =>
    untilGroupCommitted(build, record, () => {
      // The refresh starts during the last part of the work, so that little is left to refresh at the end.
      if (record.phase === 'projecting') open(build, record);
    }),

  async stopConsumer(build) {
    const { consumer } = build;
    build.consumer = undefined;
    await consumer?.stop();
  },

  waitForFolding: (build, { generation }) => untilFoldingHasEnded(build, generation),

  async readShards(build, { generation }) {
    const { states } = namesOf(build, generation);
    return { shards: await shardsOf(build.client, states), total: await countStates(build.client, states) };
  },

  async createWriters(build, { generation }) {
    // Each attempt uses a new name, so that a delayed request cannot restore an alias that was removed.
    const writer = newWriterName();
    await createWriters(build.client, namesOf(build, generation), writer);
    return writer;
  },

  async startGroup(build, { record, isAwaited }) {
    build.group ??= startCopiedGroup(build, record);
    // A later action awaits this promise. This catch only prevents an unhandled rejection until then.
    build.group.catch(() => undefined);
    // The consumer may wait for a rebalance until the session of a killed builder ends.
    if (isAwaited) await abortable(build.group, build.signal);
  },

  writeSlices: (build, { record, source }) => writeSlices(build, record, source),

  revokeWriters: (build, { generation }) => revokeWriters(build.client, namesOf(build, generation)),

  openIndices(build, { record }) {
    build.isFollowing = true;
    return open(build, record);
  },

  refreshBuilt: (build, { generation }) => refreshForReaders(build.client, namesOf(build, generation)),

  takeOverRemovals: (build, { record }) =>
    completeChanges(build, record, build.signal, async () => {
      await build.lease.confirmed(build.signal);
      build.signal.throwIfAborted();
    }),

  async waitForProjector(build, { generation }) {
    const hasProjector = await waitForProjector(build, generation, build.signal);
    build.signal.throwIfAborted();
    return hasProjector;
  },

  endBuilder: endBuild,
} satisfies { [N in ActionName]?: (build: Build, action: ActionOf<N>) => Promise<Responses[N]> };

/** Gives the indices the refresh interval of live indices, once. */
function open(build: Build, { number, versions }: ActionOf<'openIndices'>['record']): Promise<void> {
  const { client, log, signal } = build;
  build.opened ??= retryAndLog(() => refreshAsLive(client, namesOf(build, number), versions), log, signal);
  // The step `openIndices` awaits this promise. This catch only prevents an unhandled rejection until then.
  build.opened.catch(() => undefined);
  return build.opened;
}
