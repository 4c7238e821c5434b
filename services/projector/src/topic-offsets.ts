import type { Admin } from 'kafkajs';
import { LostOffsetsError } from './kafka-consumer.ts';
import { type RecordAge, recordAges, type UnfinishedRecord } from './status/lag-seconds.ts';

/** What a partition's log holds, [low, end), and how far a group has committed. */
export interface PartitionOffsets {
  partition: number;
  low: bigint;
  end: bigint;
  committed: bigint | undefined;
}

/** The offsets of every partition of a topic; what is committed is asked for first, so that it never runs ahead. */
export async function readOffsets(admin: Admin, groupId: string, topic: string): Promise<PartitionOffsets[]> {
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const committed = new Map((group?.partitions ?? []).map(({ partition, offset }) => [partition, BigInt(offset)]));
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => {
    const at = committed.get(partition);
    return { partition, low: BigInt(low), end: BigInt(high), committed: at !== undefined && at >= 0n ? at : undefined };
  });
}

/** How old these records of the topic are, at most one a partition, by partition. */
export async function recordAgesIn(admin: Admin, topic: string, records: readonly UnfinishedRecord[]): Promise<Map<number, RecordAge>> {
  const now = Date.now();
  const ages = await recordAges(records, async (age) => {
    const seeks = await admin.fetchTopicOffsetsByTimestamp(topic, now - age);
    return new Map(seeks.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
  return new Map(records.map(({ partition }, i) => [partition, ages[i] as RecordAge]));
}

/**
 * @throws LostOffsetsError when the log no longer holds what a group has to read next; naming every
 * partition, since an operator has to decide once for all of them.
 */
export function assertHeld(groupId: string, topic: string, offsets: readonly PartitionOffsets[]): void {
  const lost = offsets.filter(({ low, end, committed }) => committed !== undefined && (committed < low || committed > end));
  if (lost.length === 0) return;
  const list = lost.map(({ partition, low, end, committed }) => `partition ${partition}: committed ${committed}, the log holds ${low} to ${end}`);
  throw new LostOffsetsError(
    `${topic} no longer holds what group ${groupId} has to read next (${list.join('; ')}): records were deleted before they were read, or the topic was made anew. Nothing is reset silently: replay, or set the group's offsets yourself`,
  );
}

/**
 * Commits the end of the log as the position where a group without commits starts (START_OFFSET=latest), so that a
 * restart or a rebalance before the group's own first commit skips nothing.
 * @throws Kafka's errors; not where another member of the group has committed in the meantime
 */
export async function startAtEnd(admin: Admin, groupId: string, topic: string, offsets: readonly PartitionOffsets[]): Promise<void> {
  try {
    await admin.setOffsets({ groupId, topic, partitions: offsets.map(({ partition, end }) => ({ partition, offset: String(end) })) });
  } catch (error) {
    // Kafka refuses while the group has members: another process was faster.
    if ((await readOffsets(admin, groupId, topic)).every(({ committed }) => committed === undefined)) throw error;
  }
}
