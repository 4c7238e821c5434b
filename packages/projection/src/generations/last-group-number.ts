import { type KafkaAdmin, readOffsets } from '@vitrine/kafka';
import { groupOf } from './generation-consumer.ts';

/**
 * Finds the highest number of a generation whose group has commits for the topic. Returns 0 if there is none.
 * A prune deletes the group of its generation, so lower numbers may be missing.
 * @throws KafkaError
 */
export async function lastGroupNumber(
  admin: KafkaAdmin,
  consumerGroup: string,
  topic: string,
): Promise<number> {
  const groups = new Set(await admin.listGroups());
  const numbers = [...groups]
    .map((groupId) => Number(groupId.slice(groupId.lastIndexOf('-') + 1)))
    .filter((number) => number > 0 && groups.has(groupOf(consumerGroup, number)))
    .sort((a, b) => b - a);
  for (const number of numbers) {
    const offsets = await readOffsets(admin, groupOf(consumerGroup, number), topic);
    if (offsets.some(({ committed, staleId }) => (committed ?? staleId) !== undefined)) return number;
  }
  return 0;
}
