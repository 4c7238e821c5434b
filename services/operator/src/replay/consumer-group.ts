import { setTimeout as sleep } from 'node:timers/promises';
import { isBuilderClient, type Offsets } from '@vitrine/feed-index';
import {
  type KafkaAdmin,
  LostOffsetsError,
  type PartitionOffsets,
  readOffsets,
  readTopicId,
  watchedOffsets,
} from '@vitrine/kafka';
import { groupOf } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';

const POLL_EVERY_MS = 250;
/**
 * The share of the log that counts as its last part. During this part, polls are more frequent, because the
 * next step waits for the end of the log.
 */
const LAST_PART = 0.05;
const LAST_POLL_EVERY_MS = 50;
/** Shorter transactions are normal. */
const REPORT_TRANSACTION_AFTER_MS = 5_000;
const PROJECTOR_JOINS_WITHIN_MS = 20_000;
const EMPTY_WITHIN_MS = 60_000;

interface UntilCommittedOptions {
  /** The id of the topic that the generation reads. It is absent if release 1.1.0 began the rebuild. */
  topicId?: string | undefined;
  /** Reports each poll after most of the log has been read. */
  onLastPart?: () => void;
  /** Whether another builder has moved the generation to the next phase. */
  isOver?: () => boolean;
}

/**
 * Resolves when the group has committed all records that the log contains at the call, or when the phase is
 * over. Records in open transactions also count, so the function waits until these transactions end.
 * @param onProgress called at each poll with the number of finished records and the number of all records
 * @returns the milliseconds that passed after no open transaction held back these records any longer
 * @throws LostOffsetsError if the topic was deleted, or deleted and created again
 */
export async function untilCommitted(
  { admin, settings, log }: CommandContext,
  groupId: string,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
  { topicId, onLastPart = () => undefined, isOver = () => false }: UntilCommittedOptions = {},
): Promise<number> {
  const { LISTING_EVENTS_TOPIC: topic } = settings;
  const read = watchedOffsets(admin, groupId, topic, topicId ?? (await readTopicId(admin, topic)));
  const ends = new Map((await read()).map(({ partition, end }) => [partition, end]));
  const startedAt = Date.now();
  let readableSince = startedAt;
  let isReported = false;
  while (!isOver()) {
    const offsets = await read().catch((error: unknown) => {
      if (error instanceof LostOffsetsError) throw error;
      log.warn({ err: error }, 'could not read the offsets of the topic');
      return undefined;
    });
    let pollAgain = POLL_EVERY_MS;
    if (offsets) {
      const left = recordsBehind(offsets, ends);
      const total = [...ends].reduce(
        (sum, [partition, end]) =>
          sum + Number(end - (offsets.find((one) => one.partition === partition)?.low ?? end)),
        0,
      );
      onProgress(total - left, total);
      if (left === 0) break;
      const held = offsets.filter(({ partition, stable }) => stable < (ends.get(partition) ?? stable));
      if (held.length > 0) readableSince = Date.now();
      if (held.length > 0 && !isReported && readableSince - startedAt > REPORT_TRANSACTION_AFTER_MS) {
        isReported = true;
        log.warn(openTransactionText(held));
      }
      if (left < LAST_PART * total) {
        pollAgain = LAST_POLL_EVERY_MS;
        onLastPart();
      }
    }
    await sleep(pollAgain, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return Date.now() - readableSince;
}

const openTransactionText = (held: readonly PartitionOffsets[]): string => {
  const list = held.map(
    ({ partition, stable, end }) => `partition ${partition} from offset ${stable}, ${end - stable} records`,
  );
  return (
    `the replay waits for an open transaction (${list.join('; ')}). If its producer is gone, abort the ` +
    'transaction with kafka-transactions.sh: see OpenTransaction in the runbook'
  );
};

/**
 * Reads the offsets at which a group continues: its committed offset in each partition, or the start of a
 * partition without a commit.
 */
export async function positionsOf(admin: KafkaAdmin, groupId: string, topic: string): Promise<Offsets> {
  const offsets = await readOffsets(admin, groupId, topic);
  return Object.fromEntries(
    offsets.map(({ partition, low, committed }) => [String(partition), String(committed ?? low)]),
  );
}

/** Counts the records that a group has not read yet, up to `ends` or the end of the log. */
export function recordsBehind(
  offsets: readonly PartitionOffsets[],
  ends?: ReadonlyMap<number, bigint>,
): number {
  return offsets.reduce((sum, { partition, low, end, committed }) => {
    const from = committed !== undefined && committed > low ? committed : low;
    const to = ends?.get(partition) ?? end;
    return sum + (to > from ? Number(to - from) : 0);
  }, 0);
}

/**
 * Waits until a projector has joined the group of a generation, so that the builders can leave the group
 * without a gap.
 * @returns false if no projector joined within 20 seconds; true if one joined or the signal aborted
 */
export async function waitForProjector(
  { admin, settings }: CommandContext,
  number: number,
  signal: AbortSignal,
): Promise<boolean> {
  const groupId = groupOf(settings.CONSUMER_GROUP, number);
  for (const deadline = Date.now() + PROJECTOR_JOINS_WITHIN_MS; Date.now() < deadline; ) {
    // The generation is ready in any case, so an error from Kafka is not fatal here.
    const { members } = await admin.describeGroup(groupId).catch(() => ({ members: [] }));
    if (members.some(({ clientId }) => !isBuilderClient(clientId))) return true;
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return true;
  }
  return false;
}

/**
 * Waits until the group has no members.
 * @returns false if the group still has members after a minute
 * @throws the signal's reason; Kafka's errors
 */
export async function waitUntilEmpty(
  admin: KafkaAdmin,
  groupId: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (const deadline = Date.now() + EMPTY_WITHIN_MS; Date.now() < deadline; ) {
    if ((await admin.describeGroup(groupId)).members.length === 0) return true;
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
  return false;
}
