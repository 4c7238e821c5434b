import { setTimeout as sleep } from 'node:timers/promises';
import {
  activeBuilders,
  GenerationError,
  generationNames,
  isAlive,
  type Registry,
  registryIndex,
  unfinishedGeneration,
} from '@vitrine/feed-index';
import { readOffsets, readTopicId } from '@vitrine/kafka';
import {
  checkIndices,
  groupOf,
  moveAliases,
  readChangesHistory,
  readLiveChanges,
  readRoles,
  removeAliases,
  UnusableIndexError,
  updateChangesHistory,
  updateRegistry,
} from '@vitrine/projection/generations';
import { assertScansAllowed, refresh } from '@vitrine/projection/store';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { type Build, type Reports, startBuild } from '../replay/build.ts';
import { positionsOf, recordsBehind, waitUntilEmpty } from '../replay/consumer-group.ts';
import { liftEntriesBehind, takeMarks } from '../replay/handover.ts';
import { assertCompleteLog, countSource, lastUsedNumber } from '../replay/replay-source.ts';
import { retryAndLog } from '../replay/retry-and-log.ts';
import type { ActionName, ActionOf, Responses } from './action.ts';
import type { Response } from './model.ts';
import { BUILD_PERFORMERS } from './perform-build.ts';

const POLL_BUILDERS_EVERY_MS = 250;

type Performers = {
  [N in Exclude<ActionName, keyof typeof BUILD_PERFORMERS>]: (
    context: CommandContext,
    action: ActionOf<N>,
  ) => Promise<Responses[N]>;
};

/** How each action uses the engines. */
const PERFORMERS: Performers = {
  checkScans: ({ client, settings }) => assertScansAllowed(client, registryIndex(settings.INDEX_PREFIX)),

  findLastNumber: (context, { after }) => lastUsedNumber(context, after),

  checkLog: ({ admin, settings }, { generation }) =>
    assertCompleteLog(
      admin,
      settings.LISTING_EVENTS_TOPIC,
      generation === undefined
        ? undefined
        : { generation, groupId: groupOf(settings.CONSUMER_GROUP, generation) },
    ),

  countSource: (context, { live }) => countSource(context, live),

  async readTopic({ admin, settings }, { generation }) {
    const { LISTING_EVENTS_TOPIC: topic, CONSUMER_GROUP: group } = settings;
    const topicId = await readTopicId(admin, topic);
    const log = await admin.fetchTopicOffsets(topic);
    const low = Object.fromEntries(log.map(({ partition, low }) => [String(partition), low]));
    if (generation === undefined) return { topic, topicId, low };
    return { topic, topicId, low, offsets: await positionsOf(admin, groupOf(group, generation), topic) };
  },

  readRegistry: (context) => readExistingRegistry(context),

  async updateRegistry({ client, settings }, { change }) {
    let before: Registry | undefined;
    const after = await updateRegistry(client, settings.INDEX_PREFIX, (registry) => {
      before = registry;
      return change(registry, Date.now());
    });
    return { before: before ?? after, after };
  },

  readRoles: ({ client, settings }) => readRoles(client, settings.INDEX_PREFIX),

  async readChanges({ client, settings }) {
    const [live, history] = await Promise.all([
      readLiveChanges(client, settings.INDEX_PREFIX),
      readChangesHistory(client, settings.INDEX_PREFIX),
    ]);
    return { ...(live && { live }), history };
  },

  updateHistory: ({ client, settings }, { change }) =>
    updateChangesHistory(client, settings.INDEX_PREFIX, (history) => change(history, Date.now())),

  async checkIndices({ client, settings, log }, { record: { number, versions, index_ids } }) {
    const { notes } = await checkIndices(
      client,
      generationNames(settings.INDEX_PREFIX, number),
      versions,
      index_ids,
    );
    for (const note of notes) log.warn(note);
  },

  measureLag: ({ admin, settings }, { generations }) =>
    Promise.all(
      generations.map(async (number) =>
        recordsBehind(
          await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, number), settings.LISTING_EVENTS_TOPIC),
        ),
      ),
    ),

  takeMarks: (context, { registry, from, to, base }) => takeMarks(context, registry, from, to, base),

  refreshItems: async ({ client, settings }, { generation }) => {
    await refresh(client, generationNames(settings.INDEX_PREFIX, generation).items);
  },

  moveAliases: ({ client, settings }, { from, to, previous, epochs }) =>
    moveAliases(client, settings.INDEX_PREFIX, from, to, previous, epochs),

  liftEntries: liftEntriesBehind,

  async waitForBuilders(context) {
    for (;;) {
      const registry = await readExistingRegistry(context);
      // A newer rebuild begins only when the builders of the cancelled one have left or died.
      if (unfinishedGeneration(registry)) return;
      if (!activeBuilders(registry).some((builder) => isAlive(builder, Date.now()))) return;
      await sleep(POLL_BUILDERS_EVERY_MS, undefined, { signal: context.signal });
    }
  },

  async waitForGroup({ admin, settings, signal, log }, { generation }) {
    const groupId = groupOf(settings.CONSUMER_GROUP, generation);
    if (!(await waitUntilEmpty(admin, groupId, signal)))
      log.warn(
        { generation, groupId },
        'the consumer group of a removed generation still has members; deleting the generation nevertheless',
      );
  },

  async closeItems({ client, settings }, { generation }) {
    const { items, itemsWriter } = generationNames(settings.INDEX_PREFIX, generation);
    if (await client.indices.exists({ index: items }))
      await removeAliases(client, [{ index: items, alias: itemsWriter }]);
  },

  async reopenItems({ client, settings }, { generation }) {
    const { items, itemsWriter } = generationNames(settings.INDEX_PREFIX, generation);
    await client.indices.putAlias({ index: items, name: itemsWriter });
  },

  hasChanges: ({ client, settings }, { generation }) =>
    client.indices.exists({ index: generationNames(settings.INDEX_PREFIX, generation).changes }),

  async closeChanges({ client, settings }, { generation }) {
    const { changes, changesWriter } = generationNames(settings.INDEX_PREFIX, generation);
    await removeAliases(client, [{ index: changes, alias: changesWriter }]);
  },

  async deleteChanges({ client, settings, log }, { generations }) {
    await client.indices.delete({
      index: generations.map((number) => generationNames(settings.INDEX_PREFIX, number).changes),
      ignore_unavailable: true,
    });
    log.info({ generations }, 'deleted the changes of pruned generations');
  },

  async deleteIndices({ client, settings }, { generation }) {
    const { states, items, statesWriter, itemsWriter, changesWriter } = generationNames(
      settings.INDEX_PREFIX,
      generation,
    );
    await client.indices.delete({ index: [states, items], ignore_unavailable: true });
    // A concurrent deletion of a document may have created indices with the names of the write aliases,
    // because deletions do not support require_alias.
    await client.indices.delete(
      { index: [statesWriter, itemsWriter, changesWriter], ignore_unavailable: true },
      { ignore: [400] },
    );
  },

  deleteGroup: ({ admin, settings }, { generation }) =>
    admin.deleteGroup(groupOf(settings.CONSUMER_GROUP, generation)),
};

/** What a command holds between its actions. */
export interface Session extends CommandContext {
  /** The reports, which are present for a command that builds. */
  reports?: Reports;
  /** The build, which is present while this process is a builder. */
  build?: Build;
}

/**
 * Performs one action. Never rejects: an error becomes a typed failure. An action of a builder waits while
 * Elasticsearch is unavailable.
 */
export async function performAction(
  session: Session,
  action: ActionOf<ActionName>,
): Promise<Response<ActionName>> {
  if (action.name === 'startBuilder' && session.reports)
    session.build = startBuild(session, session.reports, action);
  const { build, log } = session;
  const perform = { ...PERFORMERS, ...BUILD_PERFORMERS }[action.name] as (
    context: CommandContext,
    action: ActionOf<ActionName>,
  ) => Promise<Responses[ActionName]>;
  try {
    const ok = build
      ? await retryAndLog(() => perform(build, action), log, build.signal)
      : await perform(session, action);
    return { ok };
  } catch (error) {
    const isRefusal = error instanceof GenerationError || error instanceof UnusableIndexError;
    return { failure: { kind: isRefusal ? 'refused' : 'unavailable', error: error as Error } };
  }
}
