import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  activeBuilders,
  type Builder,
  describeVersions,
  findGeneration,
  GenerationError,
  type GenerationRecord,
  generationNames,
  isAlive,
  itemsAlias,
  type Registry,
  sameVersions,
  unfinishedGeneration,
  withChanges,
  withJoiningBuilder,
  withNewGeneration,
  withResumingBuilder,
} from '@vitrine/feed-index';
import {
  checkIndices,
  groupOf,
  readRoles,
  updateRegistry,
  versionsWith,
} from '@vitrine/projection/generations';
import { readOffsets } from '@vitrine/projection/kafka';
import { type CommandContext, readExistingRegistry } from '../command-context.ts';
import { rememberWritten } from '../dead-letters/written-dead-letters.ts';
import type { Build, ReplayProgress } from './build.ts';
import { runPhase } from './build-phases.ts';
import { BuilderLease } from './builder-lease.ts';
import { positionsOf } from './consumer-group.ts';
import { removeGeneration } from './prune.ts';
import { ReaderWatch } from './reader-watch.ts';
import { assertCompleteLog, topicPhase } from './replay-source.ts';
import { retryAndLog } from './retry-and-log.ts';

export interface ReplayOptions {
  from: 'topic' | 'states';
  /** Maximum number of records or states per second. */
  rate?: number;
  /** Whether to accept a topic that has lost its oldest records. */
  incompleteLog: boolean;
}

/** Callbacks of a builder. */
export interface Reports {
  /** Called when the process is a builder of the generation, so that others can join it. */
  onBegun(generation: number): void;
  onProgress(progress: ReplayProgress): void;
}

export interface Replayed {
  generation: number;
  /** Whether a projector writes the generation at the end. Absent if the generation was ready before. */
  hasProjector?: boolean;
}

/**
 * Builds a new generation beside the live generation. Resolves when the new generation is ready.
 * @throws GenerationError if another replay is in progress, the source is incomplete, or the replay was
 * cancelled
 */
export async function replay(
  context: CommandContext,
  { from, rate, incompleteLog }: ReplayOptions,
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
  const last = await lastUsedNumber(context, registry);
  if (from === 'topic') {
    if (!incompleteLog) await assertCompleteLog(admin, topic);
    const phase = await topicPhase(context, live);
    return build(
      context,
      (now) =>
        withNewGeneration(
          { ...now, last: Math.max(now.last, last) },
          { ...plan, phase, origin: { from }, ...(incompleteLog && { incomplete_log: true }) },
          builder,
        ),
      builder,
      reports,
    );
  }
  if (live === undefined) throw new GenerationError('replay --from states requires a live generation');
  const { states } = findGeneration(registry, live).versions;
  if (states !== plan.versions.states)
    throw new GenerationError(
      `the states of generation ${live} have mapping version ${states}, but this code reads ` +
        `version ${plan.versions.states}. Run replay --from topic`,
    );
  await checkIndices(client, generationNames(prefix, live), { ...findGeneration(registry, live).versions });
  // The offsets are older than the states, so every event that is missing from the states comes after these
  // offsets.
  const offsets = await positionsOf(admin, groupOf(settings.CONSUMER_GROUP, live), topic);
  const origin = { from, of: live };
  return build(
    context,
    (now) =>
      withNewGeneration(
        { ...now, last: Math.max(now.last, last) },
        { ...plan, phase: 'copying', origin, offsets },
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
  return build(context, take, builder, reports);
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
  return build(context, (now) => withJoiningBuilder(now, generation, builder), builder, reports);
}

/** @throws GenerationError if another version of the code builds the generation */
function assertSameVersions({ number, versions }: GenerationRecord, { rules }: CommandContext): void {
  const ours = versionsWith(rules);
  if (!sameVersions(versions, ours))
    throw new GenerationError(
      `generation ${number} was started with ${describeVersions(versions)}, but this code has ` +
        `${describeVersions(ours)}. Run replay cancel, then start a new replay`,
    );
}

/**
 * Checks that the topic has lost no records since the interruption of a replay. @throws GenerationError if it
 * has
 */
async function assertUnreadRecordsInLog(context: CommandContext): Promise<void> {
  const { admin, settings } = context;
  const record = unfinishedGeneration(await readExistingRegistry(context));
  if (record?.origin.from !== 'topic' || record.incomplete_log) return;
  await assertCompleteLog(
    admin,
    settings.LISTING_EVENTS_TOPIC,
    groupOf(settings.CONSUMER_GROUP, record.number),
  );
}

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

/** Becomes a builder of the generation, and does its part of each phase until the generation is ready. */
async function build(
  context: CommandContext,
  take: (registry: Registry) => Registry,
  builder: Builder,
  reports: Reports,
): Promise<Replayed> {
  const { client, settings, log } = context;
  const { INDEX_PREFIX: prefix } = settings;
  const taken = await updateRegistry(client, prefix, take);
  const begun = unfinishedGeneration(taken) as GenerationRecord;
  const generation = begun.number;
  const lease = new BuilderLease({ client, prefix, log }, builder, begun, taken);
  let hasProjector = true;
  const onNoProjector = () => {
    hasProjector = false;
  };
  const signal = AbortSignal.any([context.signal, lease.lost]);
  const readers = new ReaderWatch(client, itemsAlias(prefix), log);
  const { onProgress } = reports;
  const work: Build = { ...context, signal, lease, readers, onProgress, onNoProjector };
  reports.onBegun(generation);
  try {
    // The dead-letter topic already contains the dead letters of the records that the live generation has
    // read.
    await rememberWritten(work);
    for (;;) {
      // Confirms the lease first, so that the phase never recreates indices that a cancellation has removed.
      const record = await retryAndLog(() => lease.beat(), log, signal);
      if (await runPhase(work, record)) return { generation, hasProjector };
    }
  } catch (error) {
    throw lease.lost.aborted ? lease.lost.reason : error;
  } finally {
    readers.stop();
    await lease
      .release()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not release the lease; it expires after 15 seconds'),
      );
  }
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
    if (offsets.every(({ committed }) => committed === undefined)) return last;
  }
}

function newBuilder(): Builder {
  const now = new Date().toISOString();
  return { id: randomUUID(), host: hostname(), pid: process.pid, started_at: now, seen_at: now };
}
