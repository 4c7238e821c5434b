import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, generationNames, hasDetails, planSlices } from '@vitrine/feed-index';
import { kafkaConnection, startGroupAt } from '@vitrine/kafka';
import { documentRules, groupOf } from '@vitrine/projection/generations';
import { countStates, shardsOf } from '@vitrine/projection/store';
import { sendAndLogDeadLetters } from '../command-context.ts';
import { Admission } from './admission.ts';
import { type Build, createBuilding } from './build.ts';
import { createWriters, newWriterName, revokeWriters, withWriters } from './builder-writers.ts';
import { deriveGeneration } from './derive-generation.ts';
import { retryAndLog } from './retry-and-log.ts';
import { SharedScan } from './shared-scan.ts';

const LOOK_EVERY_MS = 100;

/** Writes the items. In this phase, no projector writes to the generation. */
export async function derive(build: Build, record: GenerationRecord): Promise<void> {
  if (!record.scan) {
    await untilGroupIsEmpty(build, record);
    await plan(build, record, record.number);
  }
  await deriveSlices(build, record.number, record.number, false);
  await finish(build, record);
}

/**
 * Copies states and items from a generation that projectors continue to write. The group of the new
 * generation then reads the events that the scan missed.
 */
export async function copy(build: Build, record: GenerationRecord): Promise<void> {
  const { admin, settings, log, signal } = build;
  const { origin, offsets = {}, number, topic_id: topicId } = record;
  if (origin.from !== 'states') throw new Error(`generation ${number} is not built from states`);
  await createBuilding(build, record);
  const failed = new AbortController();
  const startGroup = () =>
    startGroupAt({
      kafka: kafkaConnection(settings),
      admin,
      log,
      groupId: groupOf(settings.CONSUMER_GROUP, number),
      topic: settings.LISTING_EVENTS_TOPIC,
      topicId,
      positions: offsets,
      signal: AbortSignal.any([signal, failed.signal]),
    });
  let grouped: Promise<void> | undefined;
  if (!record.scan) {
    await plan(build, record, origin.of);
    // It takes seconds. The code below awaits it. This catch only prevents an unhandled rejection until then.
    grouped = startGroup();
    grouped.catch(() => undefined);
  }
  try {
    await deriveSlices(build, number, origin.of, true);
  } catch (error) {
    // Otherwise, its consumer would keep the command running after the connections have been closed.
    failed.abort();
    await grouped?.catch(() => undefined);
    throw error;
  }
  await (grouped ?? startGroup());
  await finish(build, record);
}

/**
 * Waits until the group has no member, so that no builder that still folds can commit an event whose item no
 * slice contains. Kafka expels a frozen member after its session timeout. Returns early if another builder
 * has planned the slices.
 */
async function untilGroupIsEmpty(
  { admin, settings, lease, log, signal }: Build,
  { number }: GenerationRecord,
) {
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  while (!lease.record.scan) {
    const state = await admin.describeGroup(groupId).then(
      (group) => group.state,
      (error: unknown) => log.warn({ err: error, groupId }, 'could not read the members of the group'),
    );
    if (state === 'Empty' || state === 'Dead') return;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

/** Divides the states into slices and creates the write aliases, unless another builder is faster. */
async function plan(build: Build, { number, phase }: GenerationRecord, source: number): Promise<void> {
  const { client, settings, lease, log, signal } = build;
  if (lease.record.scan) return;
  const { states } = generationNames(settings.INDEX_PREFIX, source);
  const shards = await retryAndLog(() => shardsOf(client, states), log, signal);
  const total = await retryAndLog(() => countStates(client, states), log, signal);
  const createOnce = async () => {
    // A new name for each attempt, so that a delayed request cannot restore an alias that was removed.
    const writer = newWriterName();
    await createWriters(client, generationNames(settings.INDEX_PREFIX, number), writer);
    return writer;
  };
  const writer = await retryAndLog(createOnce, log, signal);
  const scan = { slices: planSlices(shards), total, writer };
  await retryAndLog(
    () => lease.update((now) => (now.phase === phase && !now.scan ? { ...now, scan } : now)),
    log,
    signal,
  );
}

/** Writes the slices that this builder claims. Resolves when all slices are done. */
async function deriveSlices(
  build: Build,
  number: number,
  source: number,
  copyStates: boolean,
): Promise<void> {
  const { client, rules, settings, lease, log, signal } = build;
  const { scan: planned, phase, rate, versions } = lease.record;
  // Another builder finished the phase meanwhile.
  if (!planned) return;
  const scan = new SharedScan(lease, log);
  const onProgress = () => build.onProgress({ generation: number, phase, ...scan.counts() });
  onProgress();
  await deriveGeneration({
    client,
    rules: documentRules(versions, rules),
    log,
    copyStates,
    scan,
    source: generationNames(settings.INDEX_PREFIX, source).states,
    hasDetails: hasDetails(versions.changes),
    target: withWriters(generationNames(settings.INDEX_PREFIX, number), planned.writer),
    admission: new Admission(rate, build.readers, () => lease.builders),
    confirmLease: async () => {
      await lease.confirmed(signal);
      signal.throwIfAborted();
    },
    sendDeadLetters: (letters) => sendAndLogDeadLetters(build, letters),
    signal,
    onProgress,
  });
  onProgress();
}

/** Ends the phase. Several builders may do this at once. */
async function finish(build: Build, { number, phase }: GenerationRecord): Promise<void> {
  const { client, settings, lease, log, signal } = build;
  const generation = generationNames(settings.INDEX_PREFIX, number);
  await retryAndLog(() => revokeWriters(client, generation), log, signal);
  await retryAndLog(() => lease.advance(phase, 'following'), log, signal);
}
