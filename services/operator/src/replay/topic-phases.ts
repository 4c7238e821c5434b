import { builderClientId, type GenerationRecord, generationNames } from '@vitrine/feed-index';
import {
  type GenerationConsumerOptions,
  groupOf,
  refreshAsLive,
  refreshForReaders,
  startGenerationConsumer,
} from '@vitrine/projection/generations';
import { Admission } from './admission.ts';
import { type Build, createBuilding } from './build.ts';
import { completeChanges } from './complete-changes.ts';
import { untilCommitted, waitForProjector, whileConsuming } from './consumer-group.ts';
import { retryAndLog } from './retry-and-log.ts';

/**
 * A generation has caught up when it reads the rest of the log within this time. Waiting for open
 * transactions does not count, because a producer can always have one open.
 */
const CAUGHT_UP_WITHIN_MS = 3_000;

/**
 * Writes a state for every listing in the topic. The next phase derives the items. It waits until the group
 * is empty, and no batch is read by a member that joined later: each member confirms the phase after it has
 * joined.
 */
export async function fold(build: Build, record: GenerationRecord): Promise<void> {
  const { lease, log, signal: ended } = build;
  await createBuilding(build, record);
  const admit = admission(build, record);
  let confirmed: Promise<boolean> | undefined;
  const isFolding = async () => (await retryAndLog(() => lease.beat(), log, ended)).phase === 'folding';
  const consumer = await startGenerationConsumer(build, record, {
    statesOnly: true,
    bulkLoad: true,
    clientId: builderClientId(lease.id),
    onJoined: () => {
      confirmed = undefined;
    },
    admit: async (count, signal, onWait) => {
      confirmed ??= isFolding();
      // The consumer stops soon, because the phase is over.
      if (!(await confirmed)) await untilAborted(signal);
      return admit(count, signal, onWait);
    },
  });
  await whileConsuming(build.signal, consumer, async (signal) => {
    await untilGroupCommitted(build, record, signal);
    await retryAndLog(() => lease.advance('folding', 'deriving'), log, signal);
  });
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Writes states and items for every listing in the topic. The same consumer then follows the topic, because
 * leaving the group and joining it again would take a second.
 */
export async function project(build: Build, record: GenerationRecord): Promise<void> {
  await createBuilding(build, record);
  let isFollowing = false;
  const readers = {
    /** The consumer ignores the load of readers as soon as it has to keep up with new events. */
    get reading() {
      return !isFollowing && build.readers.reading;
    },
  };
  const consumer = await startGenerationConsumer(build, record, {
    bulkLoad: true,
    clientId: builderClientId(build.lease.id),
    admit: admission({ ...build, readers }, record),
    // The readers already have the listings from the live generation.
    notesChanges: () => isFollowing,
  });
  await whileConsuming(build.signal, consumer, async (signal) => {
    let refreshed: Promise<void> | undefined;
    // The refresh starts during the last part of the work, so that little is left to refresh at the end.
    const refresh = () => {
      refreshed ??= refreshBuilt(build, record, signal);
      // The code below awaits the promise. This catch only prevents an unhandled rejection until then.
      refreshed.catch(() => undefined);
    };
    await untilGroupCommitted(build, record, signal, refresh);
    refresh();
    await retryAndLog(() => build.lease.advance('projecting', 'following'), build.log, signal);
    isFollowing = true;
    await refreshed;
    await catchUp(build, { ...record, phase: 'following' }, signal);
  });
}

/** Reads the rest of the log and writes states and items until the generation has caught up. */
export async function follow(build: Build, record: GenerationRecord): Promise<void> {
  await refreshBuilt(build, record, build.signal);
  // This phase runs at full speed even if there are readers, because the generation has to keep up with new
  // events.
  const consumer = await startGenerationConsumer(build, record, {
    clientId: builderClientId(build.lease.id),
    admit: admission({ ...build, readers: { reading: false } }, record),
  });
  await whileConsuming(build.signal, consumer, (signal) => catchUp(build, record, signal));
}

const refreshBuilt = (
  { client, settings, log }: Build,
  { number, versions }: GenerationRecord,
  signal: AbortSignal,
): Promise<void> =>
  retryAndLog(
    () => refreshAsLive(client, generationNames(settings.INDEX_PREFIX, number), versions),
    log,
    signal,
  );

/**
 * Waits until the generation contains all records of the log, is searchable, and has a projector that writes
 * it.
 */
async function catchUp(build: Build, record: GenerationRecord, signal: AbortSignal): Promise<void> {
  const { client, settings, lease, log } = build;
  const generation = generationNames(settings.INDEX_PREFIX, record.number);
  let tookMs: number;
  do tookMs = await untilGroupCommitted(build, record, signal);
  while (tookMs > CAUGHT_UP_WITHIN_MS);
  await retryAndLog(() => refreshForReaders(client, generation), log, signal);
  const beforeWrite = async () => {
    await lease.confirmed(signal);
    signal.throwIfAborted();
  };
  const completed = await retryAndLog(() => completeChanges(build, record, signal, beforeWrite), log, signal);
  // After this change, every projector of the generation's versions writes it. The builders stay in the group
  // until a projector has joined.
  await retryAndLog(() => lease.advance('following', 'ready', completed), log, signal);
  if (!(await waitForProjector(build, record.number, signal))) build.onNoProjector();
}

/**
 * Returns a function that admits chunks while the lease is valid, as fast as the rate or the readers allow.
 */
function admission(
  { lease, readers }: Pick<Build, 'lease' | 'readers'>,
  { rate }: GenerationRecord,
): NonNullable<GenerationConsumerOptions['admit']> {
  const admission = new Admission(rate, readers, () => lease.builders);
  return async (count, signal, onWait) => {
    await lease.confirmed(signal, onWait);
    return admission.admit(count, signal, onWait);
  };
}

/**
 * Resolves when the group has committed all records that the log contains at the call, or when the phase is
 * over.
 * @param onLastPart called at each poll after most of the log has been read
 * @returns see `untilCommitted`
 */
const untilGroupCommitted = (
  build: Build,
  { number, phase, topic_id }: GenerationRecord,
  signal: AbortSignal,
  onLastPart?: () => void,
): Promise<number> =>
  untilCommitted(
    build,
    groupOf(build.settings.CONSUMER_GROUP, number),
    signal,
    (done, total) => {
      build.lease.note({ done, total });
      build.onProgress({ generation: number, phase, done, total });
    },
    {
      topicId: topic_id,
      isOver: () => build.lease.record.phase !== phase,
      ...(onLastPart && { onLastPart }),
    },
  );
