import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
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
  withNewBuilder,
  withNewGeneration,
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
import { type Build, type ReplayProgress, runPhase } from './build-phases.ts';
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

export interface Replayed {
  generation: number;
  /** Whether a projector writes the new generation at the end of the replay. */
  hasProjector: boolean;
}

type OnProgress = (progress: ReplayProgress) => void;

/**
 * Builds a new generation beside the live generation. Resolves when the new generation is ready.
 * @throws GenerationError if another replay is in progress, the source is incomplete, or the replay was
 * cancelled
 */
export async function replay(
  context: CommandContext,
  { from, rate, incompleteLog }: ReplayOptions,
  onProgress: OnProgress,
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
      onProgress,
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
    onProgress,
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
  onProgress: OnProgress,
): Promise<Replayed> {
  const builder = newBuilder();
  const ours = versionsWith(context.rules);
  await assertUnreadRecordsInLog(context);
  const take = (registry: Registry): Registry => {
    const next = withNewBuilder(registry, builder);
    const record = unfinishedGeneration(next) as GenerationRecord;
    if (!sameVersions(record.versions, ours))
      throw new GenerationError(
        `generation ${record.number} was started with ${describeVersions(record.versions)}, but this ` +
          `code has ${describeVersions(ours)}. Run replay cancel, then start a new replay`,
      );
    return rate === undefined ? next : withChanges(next, record.number, { rate });
  };
  return build(context, take, builder, onProgress);
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
 * Removes the unfinished generation, which makes its builder stop.
 * @returns the number of the generation
 * @throws GenerationError if there is no unfinished generation
 */
export async function cancelReplay(context: CommandContext): Promise<number> {
  const { client, settings, signal } = context;
  await readExistingRegistry(context);
  let cancelled = 0;
  const { builder } = await updateRegistry(client, settings.INDEX_PREFIX, (registry) => {
    const record = unfinishedGeneration(registry);
    if (!record) throw new GenerationError('there is no unfinished generation');
    cancelled = record.number;
    return withChanges(registry, cancelled, { phase: 'pruning' });
  });
  for (;;) {
    const { builder: now } = await readExistingRegistry(context);
    if (!now || now.id !== builder?.id || !isAlive(now, Date.now())) break;
    await sleep(250, undefined, { signal });
  }
  await removeGeneration(context, cancelled);
  return cancelled;
}

/** Acquires the lease on the generation, and runs the phases one after the other. */
async function build(
  context: CommandContext,
  take: (registry: Registry) => Registry,
  builder: Builder,
  onProgress: OnProgress,
): Promise<Replayed> {
  const { client, settings, log } = context;
  const { INDEX_PREFIX: prefix } = settings;
  const taken = await updateRegistry(client, prefix, take);
  let record = unfinishedGeneration(taken) as GenerationRecord;
  const lease = new BuilderLease(client, prefix, builder, record.number, log);
  let hasProjector = true;
  const onNoProjector = () => {
    hasProjector = false;
  };
  const signal = AbortSignal.any([context.signal, lease.lost]);
  const readers = new ReaderWatch(client, itemsAlias(prefix), log);
  const work: Build = { ...context, signal, lease, readers, onProgress, onNoProjector };
  try {
    // The dead-letter topic already contains the dead letters of the records that the live generation has
    // read.
    await rememberWritten(work);
    for (;;) {
      // Confirms the lease first, so that the phase never recreates indices that a cancellation has removed.
      await retryAndLog(() => lease.advance({}), log, signal);
      const changes = await runPhase(work, record);
      if (!changes) return { generation: record.number, hasProjector };
      await retryAndLog(() => lease.advance(changes), log, signal);
      record = { ...record, ...changes };
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
