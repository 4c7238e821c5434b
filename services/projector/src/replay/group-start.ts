import type { Admin, Kafka } from 'kafkajs';
import type { Offsets } from '../generations/generation-record.ts';
import { readOffsets } from '../topic-offsets.ts';

/** The topic is not read: only the group is needed. */
const FETCH_WAIT_MS = 100;

/**
 * Commits where a group starts that has no commits yet; one that has keeps them. As a member of the group for a
 * moment: `admin.setOffsets` of kafkajs does the same, but pauses its fetches for five seconds first, and refuses
 * while a member that was killed is not forgotten yet.
 * @param positions partition -> the offset to be read first
 */
export async function startGroupAt(
  { kafka, admin }: { kafka: Kafka; admin: Admin },
  groupId: string,
  topic: string,
  positions: Offsets,
): Promise<void> {
  const held = await readOffsets(admin, groupId, topic);
  if (held.some(({ committed }) => committed !== undefined)) return;
  const offsets = Object.entries(positions).map(([partition, offset]) => ({ topic, partition: Number(partition), offset }));
  const member = kafka.consumer({ groupId, maxWaitTimeInMs: FETCH_WAIT_MS, allowAutoTopicCreation: false });
  const joined = Promise.withResolvers<void>();
  member.on('consumer.group_join', () => joined.resolve());
  member.on('consumer.crash', ({ payload }) => !payload.restart && joined.reject(payload.error));
  try {
    await member.connect();
    await member.subscribe({ topic, fromBeginning: true });
    await Promise.all([member.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => undefined }), joined.promise]);
    await member.commitOffsets(offsets);
  } finally {
    await member.disconnect();
  }
}
