import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, generationNames, hasDetails } from '@vitrine/feed-index';
import { kafkaConnection, startGroupAt } from '@vitrine/kafka';
import { documentRules, groupOf } from '@vitrine/projection/generations';
import { sendAndLogDeadLetters } from '../command-context.ts';
import { Admission } from './admission.ts';
import type { Build } from './build.ts';
import { withWriters } from './builder-writers.ts';
import { deriveGeneration } from './derive-generation.ts';
import { SharedScan } from './shared-scan.ts';

const LOOK_EVERY_MS = 100;

/**
 * Waits until the group has no member, so that no builder that is still folding can commit an event whose
 * item no slice contains. Kafka expels a frozen member after its session timeout.
 * @returns whether another builder has planned the slices, which ends the wait early
 * @throws the signal's reason
 */
export async function untilFoldingHasEnded(
  { admin, settings, lease, log, signal }: Build,
  number: number,
): Promise<boolean> {
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  while (!lease.record.scan) {
    const state = await admin.describeGroup(groupId).then(
      (group) => group.state,
      (error: unknown) => log.warn({ err: error, groupId }, 'could not read the members of the group'),
    );
    if (state === 'Empty' || state === 'Dead') return false;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return true;
}

/**
 * Starts the group of a copied generation at the offsets in its record.
 * @throws the same errors as `startGroupAt`
 */
export const startCopiedGroup = (
  { admin, settings, log, signal }: Build,
  { number, offsets = {}, topic_id: topicId }: GenerationRecord,
): Promise<void> =>
  startGroupAt({
    kafka: kafkaConnection(settings),
    admin,
    log,
    groupId: groupOf(settings.CONSUMER_GROUP, number),
    topic: settings.LISTING_EVENTS_TOPIC,
    topicId,
    positions: offsets,
    signal,
  });

/**
 * Writes the slices that this builder claims. Resolves when all slices are done.
 * @param source the generation whose states are read
 * @throws the same errors as `deriveGeneration`
 */
export async function writeSlices(build: Build, { number }: GenerationRecord, source: number): Promise<void> {
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
    copyStates: source !== number,
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
