import { LostOffsetsError, type PartitionOffsets } from '@vitrine/kafka';

/**
 * Finds the positions that a group must commit before it reads a topic for the first time. Afterwards, only a
 * partition that was added to the topic may lack a commit. Its log begins at 0 until Kafka deletes its first
 * records. Pure. Rule: docs/start/ingest.md#versions
 * @param offsets one entry per partition of the topic
 * @returns the start of the log in each partition; undefined if the group has read the topic before
 * @throws LostOffsetsError if Kafka deleted records of a partition from which the group has read nothing
 */
export function startPositions(
  groupId: string,
  topic: string,
  offsets: readonly PartitionOffsets[],
): Record<string, string> | undefined {
  const unread = offsets.filter(({ committed }) => committed === undefined);
  if (unread.length === offsets.length)
    return Object.fromEntries(offsets.map(({ partition, low }) => [partition, String(low)]));
  const lost = unread.filter(({ low }) => low > 0n);
  if (lost.length > 0)
    throw new LostOffsetsError(
      `Kafka deleted records of ${topic} before group ${groupId} read them ` +
        `(${lost.map(({ partition, low }) => `partition ${partition} begins at offset ${low}`).join('; ')})`,
    );
  return undefined;
}
