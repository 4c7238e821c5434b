import { type GenerationRecord, generationNames, type Phase } from '@vitrine/feed-index';
import {
  createIndices,
  documentRules,
  type GenerationConsumerOptions,
  groupOf,
  refreshAsLive,
  refreshForReaders,
  startGenerationConsumer,
} from '@vitrine/projection/generations';
import { type CommandContext, sendAndLogDeadLetters } from '../command-context.ts';
import { Admission } from './admission.ts';
import type { BuilderLease } from './builder-lease.ts';
import { claimWriters, revokeWriters } from './builder-writers.ts';
import { startGroupAt, untilCommitted, waitForProjector, whileConsuming } from './consumer-group.ts';
import { deriveGeneration } from './derive-generation.ts';
import type { ReaderWatch } from './reader-watch.ts';
import { retryAndLog } from './retry-and-log.ts';

/** Progress of a phase. `total` may grow while new events arrive. */
export interface ReplayProgress {
  generation: number;
  phase: Phase;
  done: number;
  total: number;
}

/** The context that the phases of a replay share. Its signal also aborts when the builder loses the lease. */
export interface Build extends CommandContext {
  lease: BuilderLease;
  readers: ReaderWatch;
  /** Called at the end of the replay if no projector writes the generation. */
  onNoProjector(): void;
  onProgress(progress: ReplayProgress): void;
}

/** A generation has caught up when it reads the rest of the log within this long. */
const CAUGHT_UP_WITHIN_MS = 3_000;

/**
 * Does the work of a generation's phase.
 * @returns the changes of the generation's record, including the next phase; undefined when the generation is
 * ready
 */
export async function runPhase(
  build: Build,
  record: GenerationRecord,
): Promise<Partial<GenerationRecord> | undefined> {
  switch (record.phase) {
    case 'folding':
      return fold(build, record);
    case 'projecting':
      return project(build, record);
    case 'copying':
      return copy(build, record);
    case 'deriving':
      return derive(build, record);
    case 'following':
      return follow(build, record);
    case 'creating':
    case 'ready':
    case 'pruning':
      return undefined;
    default:
      return record.phase satisfies never;
  }
}

/** Writes a state for every listing in the topic. The next phase derives the items. */
async function fold(build: Build, record: GenerationRecord): Promise<Partial<GenerationRecord>> {
  await createBuilding(build, record);
  const consumer = await startGenerationConsumer(build, record, {
    statesOnly: true,
    bulkLoad: true,
    admit: admission(build, record),
  });
  await whileConsuming(build.signal, consumer, (signal) => untilAllCommitted(build, record, signal));
  return { phase: 'deriving' };
}

/**
 * Writes states and items for every listing in the topic. The same consumer then follows the topic, because
 * leaving the group and joining it again would take a second.
 */
async function project(build: Build, record: GenerationRecord): Promise<undefined> {
  await createBuilding(build, record);
  let following = false;
  const readers = {
    /** The consumer ignores the load of readers as soon as it has to keep up with new events. */
    get reading() {
      return !following && build.readers.reading;
    },
  };
  const consumer = await startGenerationConsumer(build, record, {
    bulkLoad: true,
    admit: admission({ ...build, readers }, record),
  });
  await whileConsuming(build.signal, consumer, async (signal) => {
    let refreshed: Promise<void> | undefined;
    // The refresh starts during the last part of the work, so that little is left to refresh at the end.
    const refresh = () => {
      refreshed ??= refreshBuilt(build, record, signal);
      // The code below awaits the promise. This catch only prevents an unhandled rejection until then.
      refreshed.catch(() => undefined);
    };
    await untilAllCommitted(build, record, signal, refresh);
    refresh();
    await retryAndLog(() => build.lease.advance({ phase: 'following' }), build.log, signal);
    following = true;
    await refreshed;
    await catchUp(build, { ...record, phase: 'following' }, signal);
  });
  return undefined;
}

const createBuilding = (
  { client, settings, log, signal }: Build,
  { number, versions }: GenerationRecord,
): Promise<void> =>
  retryAndLog(
    () =>
      createIndices(client, settings, generationNames(settings.INDEX_PREFIX, number), versions, 'building'),
    log,
    signal,
  );

/** Writes the items. In this phase, no projector writes to the generation. */
async function derive(build: Build, record: GenerationRecord): Promise<Partial<GenerationRecord>> {
  await deriveFrom(build, record, record.number, false);
  return { phase: 'following' };
}

/**
 * Copies states and items from a generation that projectors continue to write. The group of the new
 * generation then reads the events that the scan missed.
 */
async function copy(build: Build, record: GenerationRecord): Promise<Partial<GenerationRecord>> {
  const { settings } = build;
  const { origin, offsets = {} } = record;
  if (origin.from !== 'states') throw new Error(`generation ${record.number} is not built from states`);
  await createBuilding(build, record);
  const grouped = startGroupAt(
    build,
    groupOf(settings.CONSUMER_GROUP, record.number),
    settings.LISTING_EVENTS_TOPIC,
    offsets,
  );
  // Awaited after the copy; this catch only prevents an unhandled rejection until then.
  grouped.catch(() => undefined);
  await deriveFrom(build, record, origin.of, true);
  await grouped;
  return { phase: 'following' };
}

async function deriveFrom(
  build: Build,
  { number, versions, phase, rate, scanned = {} }: GenerationRecord,
  source: number,
  copyStates: boolean,
): Promise<void> {
  const { client, rules, log, lease, readers, settings, signal } = build;
  const generation = generationNames(settings.INDEX_PREFIX, number);
  const target = await retryAndLog(() => claimWriters(client, generation), log, signal);
  await deriveGeneration({
    client,
    rules: documentRules(versions, rules),
    log,
    copyStates,
    scanned,
    source: generationNames(settings.INDEX_PREFIX, source).states,
    target,
    admission: new Admission(rate, readers),
    confirmLease: async () => {
      await lease.confirmed(signal);
      signal.throwIfAborted();
    },
    sendDeadLetters: (deadLetters) => sendAndLogDeadLetters(build, deadLetters),
    signal,
    onProgress: (done, total, upTo) => {
      lease.note({ done, total, scanned: upTo });
      build.onProgress({ generation: number, phase, done, total });
    },
  });
  await retryAndLog(() => revokeWriters(client, generation), log, signal);
}

/** Reads the rest of the log and writes states and items until the generation has caught up. */
async function follow(build: Build, record: GenerationRecord): Promise<undefined> {
  await refreshBuilt(build, record, build.signal);
  // This phase runs at full speed even if there are readers, because the generation has to keep up with new
  // events.
  const consumer = await startGenerationConsumer(build, record, {
    admit: admission({ ...build, readers: { reading: false } }, record),
  });
  await whileConsuming(build.signal, consumer, (signal) => catchUp(build, record, signal));
  return undefined;
}

const refreshBuilt = (
  { client, settings, log }: Build,
  { number }: GenerationRecord,
  signal: AbortSignal,
): Promise<void> =>
  retryAndLog(() => refreshAsLive(client, generationNames(settings.INDEX_PREFIX, number)), log, signal);

/**
 * Waits until the generation contains all records of the log, is searchable, and has a projector that writes
 * it.
 */
async function catchUp(build: Build, record: GenerationRecord, signal: AbortSignal): Promise<void> {
  const { client, settings, lease, log } = build;
  const generation = generationNames(settings.INDEX_PREFIX, record.number);
  for (let started = 0; started === 0 || Date.now() - started > CAUGHT_UP_WITHIN_MS; ) {
    started = Date.now();
    await untilAllCommitted(build, record, signal);
  }
  await retryAndLog(() => refreshForReaders(client, generation), log, signal);
  // After this change, every projector of the generation's versions writes it. This process stays in the
  // group until a projector has joined.
  await retryAndLog(() => lease.advance({ phase: 'ready' }), log, signal);
  if (!(await waitForProjector(build, record.number, signal))) build.onNoProjector();
}

/**
 * Returns a function that admits chunks while the lease is valid, as fast as the rate or the readers allow.
 */
function admission(
  { lease, readers }: Pick<Build, 'lease'> & { readers: Pick<ReaderWatch, 'reading'> },
  { rate }: GenerationRecord,
): NonNullable<GenerationConsumerOptions['admit']> {
  const admission = new Admission(rate, readers);
  return async (count, signal, onWait) => {
    await lease.confirmed(signal, onWait);
    return admission.admit(count, signal, onWait);
  };
}

/**
 * Resolves when the group of the generation has committed all records that the log contains at the call.
 * @param onLastPart called at each poll after most of the log has been read
 */
function untilAllCommitted(
  build: Build,
  { number, phase }: GenerationRecord,
  signal: AbortSignal,
  onLastPart?: () => void,
): Promise<void> {
  const groupId = groupOf(build.settings.CONSUMER_GROUP, number);
  const onProgress = (done: number, total: number) => {
    build.lease.note({ done, total });
    build.onProgress({ generation: number, phase, done, total });
  };
  return untilCommitted(build, groupId, signal, onProgress, onLastPart);
}
