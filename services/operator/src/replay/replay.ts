import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Builder,
  begun,
  changed,
  describeVersions,
  GenerationError,
  type GenerationRecord,
  generation,
  generationNames,
  isAlive,
  itemsAlias,
  type Registry,
  sameVersions,
  takenOver,
  unfinished,
} from '@vitrine/feed-index';
import { checkIndices, groupOf, readOffsets, readRegistry, readRoles, untilTaken, updateRegistry, versionsWith } from '@vitrine/projection';
import type { Operation } from '../command-context.ts';
import { rememberWritten } from '../dead-letters/written-dead-letters.ts';
import { type Build, doPhase, type ReplayProgress } from './build-phases.ts';
import { BuilderLease } from './builder-lease.ts';
import { removeGeneration } from './prune.ts';
import { ReaderWatch } from './reader-watch.ts';
import { assertWhole, positionsOf, topicPhase } from './replay-source.ts';

export interface ReplayOptions {
  from: 'topic' | 'states';
  /** Maximum records, or states, per second. */
  rate?: number;
  /** Replays a topic that has lost its oldest records. */
  incompleteLog: boolean;
}

export interface Replayed {
  generation: number;
  /** Whether a projector writes it at the end. */
  fed: boolean;
}

type OnProgress = (progress: ReplayProgress) => void;

/**
 * Builds a new generation beside the live one, until it is ready and projectors write it.
 * @throws GenerationError when another is under way, the source is not whole, or it was cancelled
 */
export async function replay(operation: Operation, { from, rate, incompleteLog }: ReplayOptions, onProgress: OnProgress): Promise<Replayed> {
  const { client, admin, settings, rules } = operation;
  const { INDEX_PREFIX: prefix, LISTING_EVENTS_TOPIC: topic } = settings;
  const registry = await existing(operation);
  const plan = {
    versions: versionsWith(rules),
    created_at: new Date().toISOString(),
    ...(rate !== undefined && { rate }),
  };
  const builder = newBuilder();
  // Refuses at once while another replay runs, before it asks Kafka.
  begun(registry, { ...plan, phase: 'folding', origin: { from: 'topic' } }, builder);
  const { live } = await readRoles(client, prefix);
  const last = await past(operation, registry);
  if (from === 'topic') {
    if (!incompleteLog) await assertWhole(admin, topic);
    const phase = await topicPhase(operation, live);
    return build(
      operation,
      (now) =>
        begun(
          { ...now, last: Math.max(now.last, last) },
          { ...plan, phase, origin: { from }, ...(incompleteLog && { incomplete_log: true }) },
          builder,
        ),
      builder,
      onProgress,
    );
  }
  if (live === undefined) throw new GenerationError('there is no live generation whose states could be read');
  const { states } = generation(registry, live).versions;
  if (states !== plan.versions.states)
    throw new GenerationError(
      `the states of generation ${live} have mapping version ${states}, this code reads ${plan.versions.states}: replay --from topic`,
    );
  await checkIndices(client, generationNames(prefix, live), { ...generation(registry, live).versions });
  // Read before the states: events that the states miss are after these offsets.
  const offsets = await positionsOf(admin, groupOf(settings.CONSUMER_GROUP, live), topic);
  const origin = { from, of: live };
  return build(
    operation,
    (now) => begun({ ...now, last: Math.max(now.last, last) }, { ...plan, phase: 'copying', origin, offsets }, builder),
    builder,
    onProgress,
  );
}

/**
 * Continues an interrupted replay.
 * @param rate replaces the rate with which it began
 * @throws GenerationError when there is none, another process works on it, other code began it, or the topic lost
 * records that it has not read
 */
export async function resumeReplay(operation: Operation, rate: number | undefined, onProgress: OnProgress): Promise<Replayed> {
  const builder = newBuilder();
  const ours = versionsWith(operation.rules);
  await assertUnreadHeld(operation);
  const take = (registry: Registry): Registry => {
    const next = takenOver(registry, builder);
    const record = unfinished(next) as GenerationRecord;
    if (!sameVersions(record.versions, ours))
      throw new GenerationError(
        `generation ${record.number} was started with ${describeVersions(record.versions)}, this code has ${describeVersions(ours)}: replay cancel`,
      );
    return rate === undefined ? next : changed(next, record.number, { rate });
  };
  return build(operation, take, builder, onProgress);
}

/** Checks that the topic lost no record between the interruption of a replay and now. @throws GenerationError when it did */
async function assertUnreadHeld(operation: Operation): Promise<void> {
  const { admin, settings } = operation;
  const record = unfinished(await existing(operation));
  if (record?.origin.from !== 'topic' || record.incomplete_log) return;
  await assertWhole(admin, settings.LISTING_EVENTS_TOPIC, groupOf(settings.CONSUMER_GROUP, record.number));
}

/**
 * Removes the unfinished generation. Its builder stops.
 * @returns its number
 * @throws GenerationError when there is none
 */
export async function cancelReplay(operation: Operation): Promise<number> {
  const { client, settings, signal } = operation;
  await existing(operation);
  let cancelled = 0;
  const { builder } = await updateRegistry(client, settings.INDEX_PREFIX, (registry) => {
    const record = unfinished(registry);
    if (!record) throw new GenerationError('there is no unfinished generation');
    cancelled = record.number;
    return changed(registry, cancelled, { phase: 'pruning' });
  });
  for (;;) {
    const { builder: now } = await existing(operation);
    if (!now || now.id !== builder?.id || !isAlive(now, Date.now())) break;
    await sleep(250, undefined, { signal });
  }
  await removeGeneration(operation, cancelled);
  return cancelled;
}

/** Acquires the lease on the generation and does its phases one after the other. */
async function build(operation: Operation, take: (registry: Registry) => Registry, builder: Builder, onProgress: OnProgress): Promise<Replayed> {
  const { client, settings, log } = operation;
  const { INDEX_PREFIX: prefix } = settings;
  const taken = await updateRegistry(client, prefix, take);
  let record = unfinished(taken) as GenerationRecord;
  const lease = new BuilderLease(client, prefix, builder, record.number, log);
  let fed = true;
  const onUnfed = () => {
    fed = false;
  };
  const signal = AbortSignal.any([operation.signal, lease.lost]);
  const readers = new ReaderWatch(client, itemsAlias(prefix), log);
  const work: Build = { ...operation, signal, lease, readers, onProgress, onUnfed };
  try {
    // The live generation has written the dead letters of its records already.
    await rememberWritten(work);
    for (;;) {
      // Proves the lease before the phase creates anything that a cancellation has removed.
      await untilTaken(() => lease.advance({}), log, signal);
      const changes = await doPhase(work, record);
      if (!changes) return { generation: record.number, fed };
      await untilTaken(() => lease.advance(changes), log, signal);
      record = { ...record, ...changes };
    }
  } catch (error) {
    throw lease.lost.aborted ? lease.lost.reason : error;
  } finally {
    readers.stop();
    await lease.release().catch((error: unknown) => log.warn({ err: error }, 'the lease could not be released; it ends by itself in 15 seconds'));
  }
}

/** The highest number in use, or whose group has commits: a generation must not begin in the middle of the log. */
async function past({ admin, settings }: Operation, registry: Registry): Promise<number> {
  for (let last = registry.last; ; last++) {
    const offsets = await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, last + 1), settings.LISTING_EVENTS_TOPIC);
    if (offsets.every(({ committed }) => committed === undefined)) return last;
  }
}

async function existing({ client, settings }: Operation): Promise<Registry> {
  const registry = await readRegistry(client, settings.INDEX_PREFIX);
  if (!registry) throw new GenerationError(`there is no generation under ${settings.INDEX_PREFIX} yet: start a projector first`);
  return registry;
}

function newBuilder(): Builder {
  const now = new Date().toISOString();
  return { id: randomUUID(), host: hostname(), pid: process.pid, started_at: now, seen_at: now };
}
