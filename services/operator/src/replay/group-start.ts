import type { Offsets } from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/projection/kafka';
import type { Admin, Kafka } from 'kafkajs';

/** Short, because this consumer reads nothing: it only joins the group. */
const FETCH_WAIT_MS = 100;

/**
 * Commits the start of a group that has no commits. A group with commits is not changed. It joins the group
 * briefly, because `admin.setOffsets` of kafkajs first pauses for five seconds and fails until a killed
 * member has expired.
 * @param positions partition -> the first offset to read
 */
export async function startGroupAt(
  { kafka, admin }: { kafka: Kafka; admin: Admin },
  groupId: string,
  topic: string,
  positions: Offsets,
): Promise<void> {
  const present = await readOffsets(admin, groupId, topic);
  if (present.some(({ committed }) => committed !== undefined)) return;
  const offsets = Object.entries(positions).map(([partition, offset]) => ({
    topic,
    partition: Number(partition),
    offset,
  }));
  const member = kafka.consumer({ groupId, maxWaitTimeInMs: FETCH_WAIT_MS, allowAutoTopicCreation: false });
  const joined = Promise.withResolvers<void>();
  member.on('consumer.group_join', () => joined.resolve());
  member.on('consumer.crash', ({ payload }) => !payload.restart && joined.reject(payload.error));
  try {
    await member.connect();
    await member.subscribe({ topic, fromBeginning: true });
    await Promise.all([
      member.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => undefined }),
      joined.promise,
    ]);
    await member.commitOffsets(offsets);
  } finally {
    await member.disconnect();
  }
}
