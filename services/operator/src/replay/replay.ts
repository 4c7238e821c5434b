import {
  describeVersions,
  findGeneration,
  GenerationError,
  type GenerationRecord,
  generationNames,
  moduleAdvice,
  type Registry,
  registryIndex,
  sameVersions,
  unfinishedGeneration,
  withChanges,
  withJoiningBuilder,
  withNewGeneration,
  withResumingBuilder,
} from '@vitrine/feed-index';
import { describeOtherTopic, readOffsets, readTopicId } from '@vitrine/kafka';
import { checkIndices, groupOf, readRoles, versionsWith } from '@vitrine/projection/generations';
import { assertScansAllowed } from '@vitrine/projection/store';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { assertBuildable } from '../rules-module.ts';
import { positionsOf } from './consumer-group.ts';
import { assertCompleteLog, topicPhase } from './replay-source.ts';
import { newBuilder, type Replayed, type Reports, runBuilder } from './run-builder.ts';

export interface ReplayOptions {
  from: 'topic' | 'states';
  /** Maximum number of records or states per second. */
  rate?: number;
  /** Whether to accept a topic that has lost its oldest records. */
  incompleteLog: boolean;
  /** Whether to build without the rules module of the live generation. */
  withoutRulesModule?: boolean;
}

/**
 * Builds a new generation beside the live generation. Resolves when the new generation is ready.
 * @throws GenerationError if another replay is in progress, the source is incomplete, or the replay was
 * cancelled
 */
export async function replay(
  context: CommandContext,
  { from, rate, incompleteLog, withoutRulesModule = false }: ReplayOptions,
  reports: Reports,
): Promise<Replayed> {
  const { client, admin, settings, rules } = context;
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const registry = await readExistingRegistry(context);
  const plan = {
    versions: versionsWith(rules),
    created_at: new Date().toISOString(),
    ...(rate !== undefined && { rate }),
  };
  const builder = newBuilder();
  // Fails immediately if another replay is in progress, before any request to Kafka.
  withNewGeneration(registry, { ...plan, phase: 'folding', origin: { from: 'topic' } }, builder);
  const { live } = await readRoles(client, prefix);
  assertBuildable(registry, live, rules, withoutRulesModule);
  await assertScansAllowed(client, registryIndex(prefix));
  const last = await lastUsedNumber(context, registry);
  if (from === 'topic') {
    if (!incompleteLog) await assertCompleteLog(admin, topic);
    const phase = await topicPhase(context, live);
    const topic_id = await readTopicId(admin, topic);
    return runBuilder(
      context,
      (now) =>
        withNewGeneration(
          { ...now, last: Math.max(now.last, last) },
          { ...plan, phase, topic_id, origin: { from }, ...(incompleteLog && { incomplete_log: true }) },
          builder,
        ),
      builder,
      reports,
    );
  }
  if (live === undefined) throw new GenerationError('replay --from states requires a live generation');
  // A lost changes index does not matter, because the rebuild does not read it.
  const { versions: all, index_ids } = findGeneration(registry, live);
  const { changes: _, ...versions } = all;
  const { states } = versions;
  if (states !== plan.versions.states)
    throw new GenerationError(
      `the states of generation ${live} have mapping version ${states}, but this code reads ` +
        `version ${plan.versions.states}. Run replay --from topic`,
    );
  const { notes } = await checkIndices(client, generationNames(prefix, live), versions, index_ids);
  for (const note of notes) context.log.warn(note);
  // The offsets are older than the states, so every event that is missing from the states comes after these
  // offsets.
  const topic_id = await readTopicId(admin, topic);
  const offsets = await positionsOf(admin, groupOf(settings.CONSUMER_GROUP, live), topic);
  const origin = { from, of: live };
  return runBuilder(
    context,
    (now) =>
      withNewGeneration(
        { ...now, last: Math.max(now.last, last) },
        { ...plan, phase: 'copying', origin, topic_id, offsets },
        builder,
      ),
    builder,
    reports,
  );
}

/**
 * Continues an interrupted replay.
 * @param rate replaces the rate of the interrupted replay
 * @throws GenerationError if there is no interrupted replay, another process runs it, another version of the
 * code began it, or the topic lost records that it had not read
 */
export async function resumeReplay(
  context: CommandContext,
  rate: number | undefined,
  reports: Reports,
): Promise<Replayed> {
  const builder = newBuilder();
  await assertUnreadRecordsInLog(context);
  const take = (registry: Registry): Registry => {
    const next = withResumingBuilder(registry, builder);
    const record = unfinishedGeneration(next) as GenerationRecord;
    assertSameVersions(record, context);
    return rate === undefined ? next : withChanges(next, record.number, { rate });
  };
  return runBuilder(context, take, builder, reports);
}

/**
 * Adds this process to the builders of a generation. Resolves when the generation is ready. A generation that
 * is ready before the call needs no further builder.
 * @throws GenerationError if the generation is not under construction, another version of the code builds it,
 * or the topic lost records that it had not read
 */
export async function joinReplay(
  context: CommandContext,
  generation: number,
  reports: Reports,
): Promise<Replayed> {
  const record = findGeneration(await readExistingRegistry(context), generation);
  if (record.phase === 'ready') return { generation };
  const builder = newBuilder();
  assertSameVersions(record, context);
  await assertUnreadRecordsInLog(context);
  return runBuilder(context, (now) => withJoiningBuilder(now, generation, builder), builder, reports);
}

/** @throws GenerationError if another version of the code builds the generation */
function assertSameVersions({ number, versions }: GenerationRecord, { rules }: CommandContext): void {
  const ours = versionsWith(rules);
  if (!sameVersions(versions, ours))
    throw new GenerationError(
      `generation ${number} was started with ${describeVersions(versions)}, but this code has ` +
        `${describeVersions(ours)}. Run replay cancel, then start a new replay` +
        moduleAdvice(versions.rules, ours.rules),
    );
}

/**
 * Checks that the topic is the one with which an unfinished replay began, and has lost no records since.
 * @throws GenerationError if the topic is another one or has lost records
 */
async function assertUnreadRecordsInLog(context: CommandContext): Promise<void> {
  const { admin, settings } = context;
  const { LISTING_EVENTS_TOPIC: topic } = settings;
  const record = unfinishedGeneration(await readExistingRegistry(context));
  const topicId = await readTopicId(admin, topic);
  if (record?.topic_id !== undefined && record.topic_id !== topicId)
    throw new GenerationError(
      `${describeOtherTopic(topic, record.topic_id, topicId)}. Generation ${record.number} cannot be ` +
        'continued. Run replay cancel, then start a new replay',
    );
  if (record?.origin.from !== 'topic' || record.incomplete_log) return;
  await assertCompleteLog(admin, topic, groupOf(settings.CONSUMER_GROUP, record.number));
}

/**
 * Finds the highest number that is in use or whose group has commits, because a new generation must not begin
 * in the middle of the log.
 */
async function lastUsedNumber({ admin, settings }: CommandContext, registry: Registry): Promise<number> {
  for (let last = registry.last; ; last++) {
    const offsets = await readOffsets(
      admin,
      groupOf(settings.CONSUMER_GROUP, last + 1),
      settings.LISTING_EVENTS_TOPIC,
    );
    if (offsets.every(({ committed, staleId }) => (committed ?? staleId) === undefined)) return last;
  }
}
