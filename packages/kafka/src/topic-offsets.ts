import type { Admin } from 'kafkajs';
import { LostOffsetsError } from './kafka-consumer.ts';
import { type RecordAge, recordAges, type UnfinishedRecord } from './record-ages.ts';

/** The offsets of a partition's log, [low, end), and the committed offset of a group. */
export interface PartitionOffsets {
  partition: number;
  low: bigint;
  end: bigint;
  committed: bigint | undefined;
}

/**
 * Reads the offsets of every partition of a topic. Reads the commits before the log, so that a commit never
 * exceeds the end.
 */
export async function readOffsets(admin: Admin, groupId: string, topic: string): Promise<PartitionOffsets[]> {
  const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const committed = new Map(
    (group?.partitions ?? []).map(({ partition, offset }) => [partition, BigInt(offset)]),
  );
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.map(({ partition, low, high }) => {
    const at = committed.get(partition);
    return {
      partition,
      low: BigInt(low),
      end: BigInt(high),
      committed: at !== undefined && at >= 0n ? at : undefined,
    };
  });
}

/** Finds the ages of these records, at most one record per partition. */
export async function recordAgesIn(
  admin: Admin,
  topic: string,
  records: readonly UnfinishedRecord[],
): Promise<Map<number, RecordAge>> {
  const now = Date.now();
  const ages = await recordAges(records, async (age) => {
    const seeks = await admin.fetchTopicOffsetsByTimestamp(topic, now - age);
    return new Map(seeks.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
  return new Map(records.map(({ partition }, i) => [partition, ages[i] as RecordAge]));
}

/**
 * Checks that the log still holds the next records of a group. @throws LostOffsetsError that names every
 * affected partition, because the operator makes one decision for all partitions
 */
export function assertOffsetsInLog(
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
): void {
  const lost = offsets.filter(
    ({ low, end, committed }) => committed !== undefined && (committed < low || committed > end),
  );
  if (lost.length === 0) return;
  const list = lost.map(
    ({ partition, low, end, committed }) =>
      `partition ${partition}: committed offset ${committed}, log from ${low} to ${end}`,
  );
  throw new LostOffsetsError(
    `${topic} no longer holds the next records of group ${groupId} (${list.join('; ')}). Kafka deleted ` +
      'them before the projector read them, or the topic was deleted and created again. The projector ' +
      "never resets offsets silently. Run replay, or set the group's offsets yourself",
  );
}

/**
 * Commits the end of the log as the start of a group without commits (START_OFFSET=latest). A restart or a
 * rebalance before the group makes its first commit then skips no records.
 * @throws Kafka's errors, unless another member of the group has committed in the meantime
 */
export async function startAtEnd(
  admin: Admin,
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
): Promise<void> {
  try {
    await admin.setOffsets({
      groupId,
      topic,
      partitions: offsets.map(({ partition, end }) => ({ partition, offset: String(end) })),
    });
  } catch (error) {
    // Kafka rejects this commit while the group has members. In that case, another process was faster.
    if ((await readOffsets(admin, groupId, topic)).every(({ committed }) => committed === undefined))
      throw error;
  }
}
