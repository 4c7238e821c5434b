import type { KafkaAdmin } from './admin.ts';
import { DeletedTopicError, MissingTopicError } from './lost-offsets.ts';
import { assertSameTopic, type PartitionOffsets, readOffsets } from './topic-offsets.ts';

/**
 * All brokers that respond have to miss the topic in this many reads in a row. A broker that has just started
 * may not know every topic.
 */
const MISSES = 2;

/**
 * Reads the offsets of a group at intervals, for as long as its topic exists.
 * @param topicId the id of the topic that the group reads
 * @returns a function that reads the offsets once. It throws a LostOffsetsError if the topic was deleted, or
 * deleted and created again, and KafkaError.
 */
export function watchedOffsets(
  admin: KafkaAdmin,
  groupId: string,
  topic: string,
  topicId: string,
): () => Promise<PartitionOffsets[]> {
  let misses = 0;
  return async () => {
    try {
      const offsets = await readOffsets(admin, groupId, topic);
      misses = 0;
      assertSameTopic(topic, topicId, offsets);
      return offsets;
    } catch (error) {
      if (error instanceof MissingTopicError && ++misses >= MISSES) throw new DeletedTopicError(topic);
      throw error;
    }
  };
}
